package sidecar

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sethvargo/go-limiter"
	"github.com/sethvargo/go-limiter/memorystore"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/cache"
)

const (
	requestsPerMinute   = 120
	aiRequestsPerMinute = 10
	limitWindow         = time.Minute
	// Each of the first ownBuckets callers in a window has a bucket of its own. A later one shares one
	// with others, by a hash that differs from process to process: that bounds the memory.
	ownBuckets    = 1 << 15
	sharedBuckets = 1 << 14
)

// limit lets each caller make so many requests in each window. A window begins with a caller's first
// request. Several sidecars of a site count together where they can, and each by itself where not.
type limit struct {
	name   string
	store  limiter.Store
	tokens uint64
	policy []string // value of RateLimit-Policy
	seed   maphash.Seed

	shared limiter.Store // nil without a Redis
	site   func() string // its base address; empty before it is known

	mu    sync.Mutex
	own   map[netip.Addr]struct{} // callers with a bucket of their own
	since time.Time               // when own was begun
}

// newLimit makes a limit of so many requests of each caller in a minute. close ends its sweeper.
func (s *Sidecar) newLimit(name string, perMinute int) (*limit, error) {
	tokens := uint64(perMinute)
	store, err := memorystore.New(&memorystore.Config{
		Tokens: tokens, Interval: limitWindow,
		SweepInterval: limitWindow, SweepMinTTL: 2 * limitWindow,
		InitialAlloc: 64,
	})
	if err != nil {
		return nil, fmt.Errorf("limit requests: %w", err)
	}
	policy := fmt.Sprintf("%q;q=%d;w=%d", name, tokens, int(limitWindow.Seconds()))
	l := &limit{name: name, store: store, tokens: tokens, policy: []string{policy}, seed: maphash.MakeSeed()}
	if s.Shared != nil {
		l.shared, l.site = s.Shared.Limit(tokens, limitWindow), func() string { return s.current.Load().site() }
	}
	return l, nil
}

// take counts a request of a caller and states what is left of the limit, as RateLimit and
// RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers. When nothing is left it sets Retry-After,
// in seconds, and returns false. A store that fails lets requests through: it is there to protect the
// service, not to be a way to stop it.
func (l *limit) take(w http.ResponseWriter, r *http.Request, client netip.Addr) bool {
	remaining, reset, ok, counted := l.countShared(r.Context(), client)
	if !counted {
		var err error
		if remaining, reset, ok, err = l.count(r.Context(), l.bucket(client)); err != nil {
			return true
		}
	}
	h := w.Header()
	h["Ratelimit-Policy"] = l.policy
	h["Ratelimit"] = []string{rateLimit(l.name, remaining, reset)}
	if !ok {
		h["Retry-After"] = []string{strconv.Itoa(reset)}
	}
	return ok
}

// countShared takes a token over all sidecars of the site. counted is false where each counts by itself: without a
// Redis, while that is down, and before the site is known.
func (l *limit) countShared(ctx context.Context, client netip.Addr) (remaining uint64, reset int, ok, counted bool) {
	if l.shared == nil || l.site() == "" {
		return 0, 0, false, false
	}
	_, remaining, at, ok, err := l.shared.Take(ctx, cache.Name(l.site(), "limit", l.name, client.String()))
	left := min(max(leftOf(at, time.Now()), 1), limitWindow) // the window may have ended just now
	return remaining, api.Seconds(left), ok, err == nil
}

// bucket names the bucket of a caller.
func (l *limit) bucket(client netip.Addr) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); l.own == nil || now.Sub(l.since).Abs() > limitWindow {
		l.own, l.since = map[netip.Addr]struct{}{}, now
	}
	if _, ok := l.own[client]; !ok {
		if len(l.own) >= ownBuckets {
			return strconv.FormatUint(maphash.Comparable(l.seed, client)%sharedBuckets, 36)
		}
		l.own[client] = struct{}{}
	}
	b := client.As16()
	return string(b[:])
}

// count takes a token. reset is in seconds, from 1 to the length of the window.
func (l *limit) count(ctx context.Context, key string) (remaining uint64, reset int, ok bool, err error) {
	_, remaining, at, ok, err := l.store.Take(ctx, key)
	if err != nil {
		return 0, 0, false, err
	}
	left := leftOf(at, time.Now()) // the store has no other clock
	if left <= 0 || left > limitWindow {
		// The clock jumped. The store would count in windows that never come.
		if err := l.store.Set(ctx, key, l.tokens, limitWindow); err != nil {
			return 0, 0, false, err
		}
		if _, remaining, _, ok, err = l.store.Take(ctx, key); err != nil {
			return 0, 0, false, err
		}
		left = limitWindow
	}
	return remaining, api.Seconds(left), ok, nil
}

// leftOf is how far the store's moment, in nanoseconds since 1970, is ahead.
func leftOf(at uint64, now time.Time) time.Duration {
	if at > math.MaxInt64 {
		return -1
	}
	return time.Unix(0, int64(at)).Sub(now.Round(0))
}

// rateLimit is the value of RateLimit. reset is in seconds.
func rateLimit(name string, remaining uint64, reset int) string {
	return fmt.Sprintf("%q;r=%d;t=%d", name, remaining, reset)
}

// close ends what the stores run. It leaves the Redis open, and may be called more than once.
func (l *limit) close() error {
	err := l.store.Close(context.Background())
	if l.shared == nil {
		return err
	}
	return errors.Join(err, l.shared.Close(context.Background()))
}

// netlifyClient is the field in which Netlify names the caller.
const netlifyClient = "X-Nf-Client-Connection-Ip"

// clients finds the address of a caller.
type clients struct {
	netlify bool
	proxies []netip.Prefix
}

// newClients copies proxies.
func newClients(netlify bool, proxies []netip.Prefix) clients {
	return clients{netlify, slices.Clone(proxies)}
}

// of is the caller's address: for IPv6 its /64, since a caller that has one address there has all of them.
// The zero value stands for all callers without a known address; they share one limit.
func (c clients) of(r *http.Request) netip.Addr {
	if c.netlify {
		return whole(parseAddr(r.Header.Get(netlifyClient)))
	}
	a := parseAddr(r.RemoteAddr)
	if !c.isProxy(a) {
		return whole(a)
	}
	// Each proxy appends the address that it was asked from, so the caller is the last one that is no
	// proxy of ours. What stands before it the caller may have written.
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		next := parseAddr(strings.TrimSpace(hop))
		if !next.IsValid() {
			break
		}
		if a = next; !c.isProxy(a) {
			break
		}
	}
	return whole(a)
}

// isProxy reports whether X-Forwarded-For is believed of an address.
func (c clients) isProxy(a netip.Addr) bool {
	return a.IsValid() && slices.ContainsFunc(c.proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// parseAddr reads an address with or without a port. The zero value is none.
func parseAddr(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	a, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return a.Unmap().WithZone("")
}

// whole is the address that stands for everything that its holder can send from.
func whole(a netip.Addr) netip.Addr {
	if !a.Is6() {
		return a
	}
	p, err := a.Prefix(64)
	if err != nil {
		return netip.Addr{}
	}
	return p.Addr()
}
