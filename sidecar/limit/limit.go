// Package limit counts the requests of each caller, in this process or in a Redis that several sidecars share. It does not
// know what is asked for.
package limit

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/sethvargo/go-limiter"
	"github.com/sethvargo/go-limiter/memorystore"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// Window is the time for which requests are counted. It begins with a caller's first request.
const Window = time.Minute

const (
	// ownBuckets is how many callers have a bucket of their own in a window. Each further one shares one of
	// sharedBuckets, by a hash with a random seed. This bounds the memory.
	ownBuckets    = 1 << 15
	sharedBuckets = 1 << 14
)

// Config configures a [Limit].
type Config struct {
	// Name is in the fields of the response, and in the key in Redis.
	Name string
	// PerWindow is how many requests each caller may make in a window.
	PerWindow int
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
	store  limiter.Store
	shared *redis.Limit

	mu sync.Mutex
	// own are the callers with a bucket of their own, since the time began.
	own   map[netip.Addr]struct{}
	began time.Time
}

// New returns a limit. Close ends what it runs.
func New(c Config) *Limit {
	// The error is nil for every configuration.
	store, _ := memorystore.New(&memorystore.Config{
		Tokens: uint64(c.PerWindow), Interval: Window,
		SweepInterval: Window, SweepMinTTL: 2 * Window,
		InitialAlloc: 64,
	})
	l := &Limit{Config: c, seed: maphash.MakeSeed(), store: store}
	l.policy = fmt.Sprintf("q=%d;w=%d", c.PerWindow, int(Window.Seconds()))
	if c.Redis != nil {
		l.shared = c.Redis.Limit(uint64(c.PerWindow), Window)
	}
	return l
}

// Close ends the sweeper of the counts in memory. It may be called more than once. A closed limit refuses nobody.
func (l *Limit) Close() { l.store.Close(context.Background()) }

// Take counts a request of a caller and sets RateLimit and RateLimit-Policy. The error is that of a request beyond the
// limit. Counting that fails lets requests through: it protects the service and is no way to stop it.
func (l *Limit) Take(w http.ResponseWriter, r *http.Request, caller netip.Addr) error {
	// Without the Redis each sidecar counts by itself, so that a caller has the whole limit at each of them.
	remaining, left, ok, err := l.takeShared(r.Context(), caller)
	if err != nil {
		if remaining, left, ok, err = l.takeOwn(r.Context(), l.bucket(caller)); err != nil {
			return nil
		}
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

// bucket returns the name of the bucket of a caller.
func (l *Limit) bucket(caller netip.Addr) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now().Round(0); l.own == nil || now.Sub(l.began).Abs() > Window {
		l.own, l.began = map[netip.Addr]struct{}{}, now
	}
	if _, ok := l.own[caller]; !ok {
		if len(l.own) >= ownBuckets {
			return strconv.FormatUint(maphash.Comparable(l.seed, caller)%sharedBuckets, 36)
		}
		l.own[caller] = struct{}{}
	}
	b := caller.As16()
	return string(b[:])
}

// takeOwn takes a token of this process. left is the time to the end of the window, at most [Window].
func (l *Limit) takeOwn(ctx context.Context, bucket string) (remaining uint64, left time.Duration, ok bool, err error) {
	_, remaining, end, ok, err := l.store.Take(ctx, bucket)
	if err != nil {
		return 0, 0, false, err
	}
	left = until(end)
	if left > 0 && left <= Window {
		return remaining, left, ok, nil
	}
	// The clock was set. The store would count in windows that never come, so the bucket begins anew.
	if err := l.store.Set(ctx, bucket, uint64(l.PerWindow), Window); err != nil {
		return 0, 0, false, err
	}
	_, remaining, _, ok, err = l.store.Take(ctx, bucket)
	return remaining, Window, ok, err
}

// until returns the time to a moment of the store, in nanoseconds since 1970 by the wall clock.
func until(moment uint64) time.Duration {
	if moment > math.MaxInt64 {
		return -1
	}
	return time.Unix(0, int64(moment)).Sub(time.Now().Round(0))
}
