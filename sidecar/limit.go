package sidecar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

const (
	requestsPerMinute   = 120
	aiRequestsPerMinute = 10
	limitWindow         = time.Minute
	// ownWindows is how many callers have a window of their own at a time. Each further one shares one of
	// sharedWindows, by a hash with a random seed. This bounds the memory.
	ownWindows    = 1 << 15
	sharedWindows = 1 << 14
)

// limit lets each caller make so many requests in each window, which begins with the caller's first request. It is safe
// for concurrent use.
type limit struct {
	name string
	// tokens is the number of requests in a window.
	tokens uint64
	// policy is the value of RateLimit-Policy after the name.
	policy string
	now    func() time.Time
	seed   maphash.Seed

	// shared counts for all sidecars of the site. It is nil without a Redis.
	shared *redis.Limit
	// site returns the site's base address, which is empty before the first index.
	site func() string

	mu      sync.Mutex
	windows map[windowKey]window
	// swept is when windows that had ended were last removed.
	swept time.Time
}

// windowKey is a caller, or the hash of several.
type windowKey struct {
	caller netip.Addr
	hash   uint64
}

// window is the one of a caller.
type window struct {
	began time.Time
	// used counts tokens.
	used uint64
}

// newLimit makes a limit of so many requests of each caller in a minute. Zero means byDefault.
func (s *Sidecar) newLimit(name string, perMinute, byDefault int) *limit {
	tokens := uint64(cmp.Or(perMinute, byDefault))
	l := &limit{
		name: name, tokens: tokens, policy: fmt.Sprintf("q=%d;w=%d", tokens, int(limitWindow.Seconds())),
		now: s.Now, seed: maphash.MakeSeed(), windows: map[windowKey]window{},
	}
	if s.Redis != nil {
		l.shared, l.site = s.Redis.Limit(tokens, limitWindow), func() string { return s.current.Load().baseURL() }
	}
	return l
}

// take counts a request of a caller and sets RateLimit and RateLimit-Policy. The error is that of a request beyond the
// limit.
func (l *limit) take(w http.ResponseWriter, r *http.Request, caller netip.Addr) error {
	// Without the Redis each sidecar counts by itself, so that a caller has the whole limit at each of them.
	remaining, left, ok, err := l.takeShared(r.Context(), caller)
	if err != nil {
		remaining, left, ok = l.takeOwn(caller)
	}
	if !ok {
		const detail = "More than %d requests in a minute; wait for as long as Retry-After says."
		return &api.HTTPError{Code: api.RateLimited, Detail: fmt.Sprintf(detail, l.tokens), RetryAfter: left, Limit: l.name, Policy: l.policy}
	}
	setRateLimit(w.Header(), l.name, l.policy, remaining, left)
	return nil
}

// setRateLimit sets the fields of draft-ietf-httpapi-ratelimit-headers.
func setRateLimit(h http.Header, name, policy string, remaining uint64, left time.Duration) {
	h.Set("Ratelimit-Policy", fmt.Sprintf("%q;%s", name, policy))
	h.Set("Ratelimit", fmt.Sprintf("%q;r=%d;t=%d", name, remaining, api.Seconds(left)))
}

// errNotShared is the error of takeShared without a Redis, and before the site is known.
var errNotShared = errors.New("no limit is shared")

// takeShared takes a token of all sidecars of the site. left is the time to the end of the window. After an error, such
// as that of a Redis that is down, each sidecar counts by itself.
func (l *limit) takeShared(ctx context.Context, caller netip.Addr) (remaining uint64, left time.Duration, ok bool, err error) {
	if l.shared == nil || l.site() == "" {
		return 0, 0, false, errNotShared
	}
	remaining, left, ok, err = l.shared.Take(ctx, cache.Name(l.site(), "limit", l.name, caller.String()))
	return remaining, min(left, limitWindow), ok, err
}

// takeOwn takes a token of this process.
func (l *limit) takeOwn(caller netip.Addr) (remaining uint64, left time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// The monotonic clock stands still while a process is frozen, so the wall clock counts.
	now := l.now().Round(0)
	if over(now, l.swept) {
		maps.DeleteFunc(l.windows, func(_ windowKey, w window) bool { return over(now, w.began) })
		l.swept = now
	}
	// The hash is for callers beyond the bound. Zero is no hash, so that theirs are keys of their own.
	key := windowKey{caller: caller}
	win, ok := l.windows[key]
	if !ok && len(l.windows) >= ownWindows {
		key = windowKey{hash: 1 + maphash.Comparable(l.seed, caller)%sharedWindows}
		win = l.windows[key]
	}
	if over(now, win.began) {
		win = window{began: now}
	}
	ok = win.used < l.tokens
	if ok {
		win.used++
	}
	l.windows[key] = win
	return l.tokens - win.used, win.began.Add(limitWindow).Sub(now), ok
}

// over reports whether a window has ended. One that begins later than now, which is what a clock that was set back
// leaves, has ended as well: nobody is shut out for longer than a window.
func over(now, began time.Time) bool { return now.Before(began) || now.Sub(began) >= limitWindow }

// client returns the address by which a caller is limited: for IPv6 its /64, since the holder of one address there has
// all of them. The zero value stands for all callers without a known address.
func (s *Sidecar) client(r *http.Request) netip.Addr {
	a := s.lastHop(r)
	if !a.Is6() {
		return a
	}
	p, err := a.Prefix(64)
	if err != nil {
		return netip.Addr{}
	}
	return p.Addr()
}

// lastHop returns the address of the caller, or of the last proxy before it that is not ours.
func (s *Sidecar) lastHop(r *http.Request) netip.Addr {
	// Netlify replaces the field, whatever the caller has written into it.
	if s.Netlify {
		return parseAddr(r.Header.Get("X-Nf-Client-Connection-Ip"))
	}
	a := parseAddr(r.RemoteAddr)
	if !s.isProxy(a) {
		return a
	}
	// Each proxy appends the address that it was asked from. The caller may have written all that stands before the
	// last address that is no proxy of ours.
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		next := parseAddr(strings.TrimSpace(hop))
		if !next.IsValid() {
			break
		}
		if a = next; !s.isProxy(a) {
			break
		}
	}
	return a
}

// isProxy reports whether the X-Forwarded-For of an address is believed.
func (s *Sidecar) isProxy(a netip.Addr) bool {
	return a.IsValid() && slices.ContainsFunc(s.Proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// parseAddr reads an address with or without a port. It returns the zero value for anything else.
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
