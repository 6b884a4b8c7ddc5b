// Package fetch asks a host over HTTP so that the host cannot hurt the caller: a deadline for every try, a bounded body,
// no hop to another host, one retry, pauses and a circuit breaker. It does not know the meaning of an answer.
package fetch

import (
	"cmp"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

const (
	defaultMaxBytes = 2 << 20
	defaultTry      = 2500 * time.Millisecond

	// The bounds of a pause. A 429 without a time pauses for the shortest one.
	shortestPause = time.Second
	longestPause  = 10 * time.Minute

	// So many failures in a row open the breaker for that long.
	failuresToOpen = 5
	openFor        = 30 * time.Second
	// probeWait is RetryAfter while another call decides whether the breaker closes.
	probeWait = time.Second

	// maxIdle is how long a connection may be idle before it is closed.
	maxIdle = 30 * time.Second
)

// Config says how a host is asked.
type Config struct {
	// Transport sends the HTTP requests. Nil means a transport of the host's own, with the proxy of the environment.
	Transport http.RoundTripper
	// UserAgent is sent with each request. Empty means that of net/http.
	UserAgent string
	// MaxBytes bounds a body after decoding. Zero means 2 MiB.
	MaxBytes int64
	// Try is the deadline of one try with its redirects and its body. Zero means 2.5 s.
	Try time.Duration
	// RetryRoom is the time that the deadline of a context must leave for a second try. Zero means Try.
	RetryRoom time.Duration
	// NoRedirects makes a redirect a failure like any other status.
	NoRedirects bool
	// Now is the clock of pauses and of idle connections. Nil means time.Now. Only its wall time counts.
	Now func() time.Time
	// Stats counts the calls. Nil disables counting.
	Stats *Stats
}

// Host is one upstream. It is safe for concurrent use.
type Host struct {
	config       Config
	base         *url.URL
	ownTransport bool
	breaker      atomic.Pointer[gobreaker.CircuitBreaker[*Response]]
	openUntil    atomic.Int64 // end of the open breaker, in nanoseconds since 1970
	timedOut     atomic.Bool  // the last failure was a timeout
	lastUse      atomic.Int64 // in nanoseconds since 1970

	mu          sync.Mutex
	pausedUntil time.Time
}

// New returns the host at an absolute http or https address, which may hold a path, a query and userinfo (sent as basic
// credentials, RFC 7617). Each part may be secret, so no error of this package holds any part of the address. The
// caller closes the host.
func New(base string, c Config) (*Host, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "" {
		return nil, errors.New("upstream address: not an absolute http or https URL")
	}
	c.MaxBytes = cmp.Or(c.MaxBytes, defaultMaxBytes)
	c.Try = cmp.Or(c.Try, defaultTry)
	c.RetryRoom = cmp.Or(c.RetryRoom, c.Try)
	c.Stats = cmp.Or(c.Stats, &Stats{})
	if c.Now == nil {
		c.Now = time.Now
	}
	u.Fragment, u.RawFragment = "", ""
	h := &Host{base: u, ownTransport: c.Transport == nil}
	if h.ownTransport {
		c.Transport = newTransport(c.Try)
	}
	h.config = c
	h.breaker.Store(h.newBreaker())
	h.lastUse.Store(h.now().UnixNano())
	return h, nil
}

// newBreaker is a breaker that lets calls through.
func (h *Host) newBreaker() *gobreaker.CircuitBreaker[*Response] {
	return gobreaker.NewCircuitBreaker[*Response](gobreaker.Settings{
		Timeout:       openFor - 1, // the library adds the last nanosecond
		ReadyToTrip:   func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failuresToOpen },
		IsExcluded:    func(err error) bool { return err != nil && !isFailure(err) },
		OnStateChange: h.breakerChanged,
	})
}

// breakerChanged is called under the lock of the breaker.
func (h *Host) breakerChanged(_ string, from, to gobreaker.State) {
	if to == gobreaker.StateOpen {
		h.openUntil.Store(h.now().Add(openFor).UnixNano())
	}
	if from == gobreaker.StateClosed {
		h.config.Stats.Open.Add(1)
	}
	if to == gobreaker.StateClosed {
		h.config.Stats.Open.Add(-1)
	}
}

// breakerError is the error of a call that the breaker has refused.
func (h *Host) breakerError(err error) error {
	e := &Error{result: Refused, Timeout: h.timedOut.Load(), RetryAfter: probeWait, err: errOpen}
	if errors.Is(err, gobreaker.ErrOpenState) {
		e.RetryAfter = min(time.Unix(0, h.openUntil.Load()).Sub(h.now()), openFor)
	}
	return e
}

// wake follows the wall clock where timers do not, since they stand still while a process is frozen: it closes
// connections that the host will have forgotten, and replaces a breaker that should not be open any more.
func (h *Host) wake() {
	now := h.now()
	last := h.lastUse.Swap(now.UnixNano())
	if idle := now.Sub(time.Unix(0, last)); idle > maxIdle || idle < 0 {
		h.CloseIdle()
	}
	breaker := h.breaker.Load()
	overdue := breaker.State() == gobreaker.StateOpen && now.UnixNano() >= h.openUntil.Load()
	if overdue && h.breaker.CompareAndSwap(breaker, h.newBreaker()) {
		h.config.Stats.Open.Add(-1)
	}
}

// newTransport is a transport for one host.
func newTransport(try time.Duration) *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: try}).DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           8,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        maxIdle,
		TLSHandshakeTimeout:    try,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // newRequest asks for gzip itself
	}
}

// Pause keeps calls from going out for d, at least 1 s and at most 10 min from now. A longer pause stays as it is.
func (h *Host) Pause(d time.Duration) {
	d = min(max(d, shortestPause), longestPause)
	end := h.now().Add(d)
	h.mu.Lock()
	defer h.mu.Unlock()
	if end.After(h.pausedUntil) {
		h.pausedUntil = end
	}
}

// CloseIdle closes the connections that are not in use.
func (h *Host) CloseIdle() {
	if t, ok := h.config.Transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// Close closes the connections of the host's own transport. It is called once, after the last call has ended.
func (h *Host) Close() {
	if h.breaker.Load().State() != gobreaker.StateClosed {
		h.config.Stats.Open.Add(-1)
	}
	if h.ownTransport {
		h.CloseIdle()
	}
}

// now is the wall time.
func (h *Host) now() time.Time { return h.config.Now().Round(0) }

// checkPause returns an error while the host wants to be left alone.
func (h *Host) checkPause() error {
	now := h.now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pausedUntil.Sub(now) > longestPause { // the clock was set back
		h.pausedUntil = now.Add(longestPause)
	}
	if left := h.pausedUntil.Sub(now); left > 0 {
		return &Error{result: Paused, RetryAfter: left, err: errPaused}
	}
	return nil
}

// isFailure reports whether the error of a call counts against the host. A host that asks for a pause works.
func isFailure(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.result != Paused && e.Status != http.StatusTooManyRequests
}

// noteFailure keeps from a failure when the host may be asked again, and of which kind it is.
func (h *Host) noteFailure(e *Error) {
	if e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable && e.RetryAfter > 0 {
		h.Pause(e.RetryAfter)
	}
	if isFailure(e) {
		h.timedOut.Store(e.Timeout)
	}
}

// address is the base with an escaped path appended.
func (h *Host) address(path string) (*url.URL, error) {
	u := *h.base
	if path == "" {
		return &u, nil
	}
	raw := strings.TrimSuffix(h.base.EscapedPath(), "/") + "/" + strings.TrimPrefix(path, "/")
	plain, err := url.PathUnescape(raw)
	if err != nil {
		return nil, errors.New("upstream path: not escaped")
	}
	u.Path, u.RawPath = plain, raw
	return &u, nil
}
