// Package limit counts the requests of each caller, in this process or in a Redis that several
// sidecars share. It does not know what is requested.
package limit

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sethvargo/go-limiter"
	"github.com/sethvargo/go-limiter/memorystore"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// Window is the period in which requests are counted. It begins with a caller's first request.
const Window = time.Minute

// buckets bounds the memory: a caller's bucket is a hash of the address with a random seed. Two
// callers in the same minute share a bucket with a probability of 1 in 65,536.
const buckets = 1 << 16

// Config configures a [Limit].
type Config struct {
	// Name is in the fields of the response and in the Redis key.
	Name string
	// PerWindow is how many requests each caller may make in a window.
	PerWindow int
	// Netlify means that every request comes from Netlify, which names the caller in
	// x-nf-client-connection-ip.
	Netlify bool
	// Proxies are the addresses whose X-Forwarded-For is trusted.
	Proxies []netip.Prefix
	// Redis counts for all sidecars of the site. Nil means that this is the only one.
	Redis *redis.Store
}

// Limit is one limit on the requests of each caller. It is safe for concurrent use.
type Limit struct {
	Config
	// policy is the part of RateLimit-Policy after the name.
	policy string
	seed   maphash.Seed
	store  limiter.Store // counts of this process, by bucket
}

// New returns a limit. Close stops its goroutine.
func New(c Config) *Limit {
	// The error is nil for every configuration.
	store, _ := memorystore.New(&memorystore.Config{
		Tokens: uint64(c.PerWindow), Interval: Window,
		SweepInterval: Window, SweepMinTTL: 2 * Window,
		InitialAlloc: 64,
	})
	policy := fmt.Sprintf("q=%d;w=%d", c.PerWindow, int(Window.Seconds()))
	return &Limit{Config: c, policy: policy, seed: maphash.MakeSeed(), store: store}
}

// Close stops the goroutine that deletes old counts. It may be called more than once. A closed
// limit admits every request.
func (l *Limit) Close() { l.store.Close(context.Background()) }

// Room is what remains of a limit for a caller. The zero value means that no limit applies.
type Room struct {
	// Limit is the name. Policy is the policy in the form of RateLimit-Policy.
	Limit, Policy string
	Remaining     int64
	// Left is the time until the window ends.
	Left time.Duration
}

// Add adds the fields of draft-ietf-httpapi-ratelimit-headers, whose lists have an item for each
// limit. Without a limit it adds none.
func (r Room) Add(h http.Header) {
	if r.Limit != "" {
		h.Add("Ratelimit-Policy", fmt.Sprintf("%q;%s", r.Limit, r.Policy))
		h.Add("Ratelimit", fmt.Sprintf("%q;r=%d;t=%d", r.Limit, r.Remaining, api.Seconds(r.Left)))
	}
}

// Take counts a request of a caller, which [Limit.Caller] identifies. The error is an
// [api.HTTPError] if the request exceeds the limit.
//
// Sidecars of one site, named by its base address, count together. While Redis is down each counts
// by itself, so a caller has the whole limit at each of them. An empty site means that the address
// is not known yet.
func (l *Limit) Take(ctx context.Context, caller netip.Addr, site string) (Room, error) {
	n, left := l.count(ctx, caller, site)
	if n > int64(l.PerWindow) {
		const detail = "More than %d requests in a minute; wait for as long as Retry-After says."
		return Room{}, &api.HTTPError{
			Code: api.RateLimited, Detail: fmt.Sprintf(detail, l.PerWindow), RetryAfter: left,
			Limit: l.Name, Policy: l.policy,
		}
	}
	return Room{l.Name, l.policy, int64(l.PerWindow) - n, left}, nil
}

// count counts a request. It returns the number of the caller's requests in its window, and the
// time until the window ends.
func (l *Limit) count(
	ctx context.Context, caller netip.Addr, site string,
) (requests int64, left time.Duration) {
	if l.Redis != nil && site != "" {
		key := redis.Key(site, "requests", l.Name, caller.String())
		if n, left, err := l.Redis.Count(ctx, key, Window); err == nil {
			return n, left
		}
	}
	bucket := strconv.FormatUint(maphash.Comparable(l.seed, caller)%buckets, 36)
	_, remaining, end, ok, err := l.store.Take(ctx, bucket)
	// The store uses nanoseconds since 1970 by the wall clock.
	left = time.Until(time.Unix(0, int64(end)))
	if err == nil && (left <= 0 || left > Window) {
		// The clock was set. The store would count in windows that never come, so start the bucket
		// afresh.
		left = Window
		if err = l.store.Set(ctx, bucket, uint64(l.PerWindow), Window); err == nil {
			_, remaining, _, ok, err = l.store.Take(ctx, bucket)
		}
	}
	switch {
	case err != nil: // the store is closed; a limit must not stop the service
		return 1, Window
	case !ok:
		return int64(l.PerWindow) + 1, left
	}
	return int64(l.PerWindow) - int64(remaining), left
}

// Caller returns the address by which a caller is limited. For IPv6 it is the /64, since the holder
// of one address there has all of them. The zero value stands for all callers without a known
// address.
func (l *Limit) Caller(r *http.Request) netip.Addr {
	a := l.lastHop(r)
	if !a.Is6() {
		return a
	}
	for _, m := range mappings {
		if m.prefix.Contains(a) {
			b, v4 := a.As16(), [4]byte{}
			for i := range v4 {
				v4[i] = b[m.at+i] ^ m.mask
			}
			return netip.AddrFrom4(v4)
		}
	}
	p, _ := a.Prefix(64) // no address of IPv6 is too short
	return p.Addr()
}

// mappings are the IPv6 networks whose addresses contain the caller's IPv4 address: 6to4 (RFC
// 3056), where one IPv4 address has 65,536 networks of 64 bits, and Teredo (RFC 4380) and NAT64
// (RFC 6052), where many callers share one.
var mappings = []struct {
	prefix netip.Prefix
	// at is the position of the IPv4 address in bytes. mask is XORed with each of its bytes.
	at   int
	mask byte
}{
	{netip.MustParsePrefix("2002::/16"), 2, 0},
	{netip.MustParsePrefix("2001::/32"), 12, 0xff},
	{netip.MustParsePrefix("64:ff9b::/96"), 12, 0},
}

// lastHop returns the address of the caller, or of the last proxy before it that is not trusted.
func (l *Limit) lastHop(r *http.Request) netip.Addr {
	// Netlify replaces the field, so callers cannot forge it.
	if l.Netlify {
		return parseAddr(r.Header.Get("X-Nf-Client-Connection-Ip"))
	}
	a := parseAddr(r.RemoteAddr)
	// Each proxy appends the address of its client. The caller may have written everything before
	// the last address that is not a trusted proxy.
	trusted := func(p netip.Prefix) bool { return p.Contains(a) }
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		next := parseAddr(strings.TrimSpace(hop))
		if !next.IsValid() || !slices.ContainsFunc(l.Proxies, trusted) {
			break
		}
		a = next
	}
	return a
}

// Untrusted returns the address of an untrusted peer that sends X-Forwarded-For, if it is private
// or loopback and so may be the operator's own proxy. Otherwise it returns the zero value.
func (l *Limit) Untrusted(r *http.Request) netip.Addr {
	a := parseAddr(r.RemoteAddr)
	trusted := func(p netip.Prefix) bool { return p.Contains(a) }
	if l.Netlify || r.Header.Get("X-Forwarded-For") == "" || !a.IsLoopback() && !a.IsPrivate() ||
		slices.ContainsFunc(l.Proxies, trusted) {
		return netip.Addr{}
	}
	return a
}

// parseAddr parses an address with or without a port. It returns the zero value for anything else.
func parseAddr(s string) netip.Addr {
	a, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if ap, ok := netip.ParseAddrPort(s); ok == nil {
		a, err = ap.Addr(), nil
	}
	if err != nil {
		return netip.Addr{}
	}
	return a.Unmap().WithZone("")
}
