// Package limit counts the requests of each caller, in this process or in a Redis that several sidecars share. It does not
// know what is asked for.
package limit

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// Window is the time for which requests are counted. It begins with a caller's first request.
const Window = time.Minute

const (
	// ownWindows is how many callers have a window of their own at a time. Each further one shares one of
	// sharedWindows, by a hash with a random seed. This bounds the memory.
	ownWindows    = 1 << 15
	sharedWindows = 1 << 14
)

// Config configures a [Limit].
type Config struct {
	// Name is in the fields of the response, and in the key in Redis.
	Name string
	// PerWindow is how many requests each caller may make in a window.
	PerWindow int
	// Now is the wall clock.
	Now func() time.Time
	// Redis counts for all sidecars of the site. Nil means that this one is alone.
	Redis *redis.Store
	// Site returns the site's base address. While it is empty this sidecar counts alone.
	Site func() string
}

// Limit is safe for concurrent use.
type Limit struct {
	Config
	// policy is the value of RateLimit-Policy after the name.
	policy string
	seed   maphash.Seed
	shared *redis.Limit

	mu      sync.Mutex
	windows map[windowKey]window
	// swept is when windows that had ended were last removed.
	swept time.Time
}

// New returns a limit.
func New(c Config) *Limit {
	l := &Limit{Config: c, seed: maphash.MakeSeed(), windows: map[windowKey]window{}}
	l.policy = fmt.Sprintf("q=%d;w=%d", c.PerWindow, int(Window.Seconds()))
	if c.Redis != nil {
		l.shared = c.Redis.Limit(uint64(c.PerWindow), Window)
	}
	return l
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

// Take counts a request of a caller and sets RateLimit and RateLimit-Policy. The error is that of a request beyond the
// limit.
func (l *Limit) Take(w http.ResponseWriter, r *http.Request, caller netip.Addr) error {
	// Without the Redis each sidecar counts by itself, so that a caller has the whole limit at each of them.
	remaining, left, ok, err := l.takeShared(r.Context(), caller)
	if err != nil {
		remaining, left, ok = l.takeOwn(caller)
	}
	if !ok {
		const detail = "More than %d requests in a minute; wait for as long as Retry-After says."
		return &api.HTTPError{Code: api.RateLimited, Detail: fmt.Sprintf(detail, l.PerWindow), RetryAfter: left, Limit: l.Name, Policy: l.policy}
	}
	SetFields(w.Header(), l.Name, l.policy, remaining, left)
	return nil
}

// SetFields sets the fields of draft-ietf-httpapi-ratelimit-headers.
func SetFields(h http.Header, name, policy string, remaining uint64, left time.Duration) {
	h.Set("Ratelimit-Policy", fmt.Sprintf("%q;%s", name, policy))
	h.Set("Ratelimit", fmt.Sprintf("%q;r=%d;t=%d", name, remaining, api.Seconds(left)))
}

// errNotShared is the error of takeShared without a Redis, and before the site is known.
var errNotShared = errors.New("no limit is shared")

// takeShared takes a token of all sidecars of the site. left is the time to the end of the window. After an error, such
// as that of a Redis that is down, each sidecar counts by itself.
func (l *Limit) takeShared(ctx context.Context, caller netip.Addr) (remaining uint64, left time.Duration, ok bool, err error) {
	if l.shared == nil || l.Site() == "" {
		return 0, 0, false, errNotShared
	}
	remaining, left, ok, err = l.shared.Take(ctx, cache.Name(l.Site(), "limit", l.Name, caller.String()))
	return remaining, min(left, Window), ok, err
}

// takeOwn takes a token of this process.
func (l *Limit) takeOwn(caller netip.Addr) (remaining uint64, left time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// The monotonic clock stands still while a process is frozen, so the wall clock counts.
	now := l.Now().Round(0)
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
	tokens := uint64(l.PerWindow)
	ok = win.used < tokens
	if ok {
		win.used++
	}
	l.windows[key] = win
	return tokens - win.used, win.began.Add(Window).Sub(now), ok
}

// over reports whether a window has ended. One that begins later than now, which is what a clock that was set back
// leaves, has ended as well: nobody is shut out for longer than a window.
func over(now, began time.Time) bool { return now.Before(began) || now.Sub(began) >= Window }
