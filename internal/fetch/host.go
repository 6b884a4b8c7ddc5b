// Package fetch asks a host over HTTP and protects the caller from it: each try has a deadline,
// bodies are bounded, redirects stay on the host, and there are one retry, pauses and a circuit
// breaker. It does not know what a response means.
package fetch

import (
	"cmp"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	defaultMaxBytes = 2 << 20
	defaultTry      = 2500 * time.Millisecond

	// retryPause is the least wait before the second try. A second try is made if at least
	// retryRoom is left.
	retryPause = 200 * time.Millisecond
	retryRoom  = 2 * time.Second

	// Bounds of a pause. There is no second try while paused. unknownPause follows a 429 without a
	// time.
	shortestPause = time.Second
	longestPause  = 10 * time.Minute
	unknownPause  = 10 * time.Second

	// failuresToOpen failures in a row open the breaker for openFor.
	failuresToOpen = 5
	openFor        = 30 * time.Second

	// maxIdle is the time after which an idle connection is closed.
	maxIdle = 30 * time.Second
)

// Config configures a [Host].
type Config struct {
	// Transport sends the HTTP requests. Nil means a transport of the host's own, which uses the
	// proxy of the environment.
	Transport http.RoundTripper
	// UserAgent is sent with each request. Empty means the default of net/http.
	UserAgent string
	// MaxBytes bounds a body after decoding. Zero means 2 MiB.
	MaxBytes int64
	// Try is the deadline of one try with its redirects and its body. Zero means 2.5 s.
	Try time.Duration
	// NoRedirects turns each redirect into a failure of kind Status.
	NoRedirects bool
	// PerMinute bounds the HTTP requests that go out in any minute, redirects and retries included.
	// Beyond it the error is a [*SpentError]. Zero means no bound.
	PerMinute int
	// Now is the clock of pauses, breaker and idle connections. Nil means time.Now. Only its wall
	// time counts, since timers stop while a process is frozen.
	Now func() time.Time
	// Stats counts the calls. Nil disables counting.
	Stats *Stats
}

// Host is one upstream. It is safe for concurrent use.
type Host struct {
	config       Config
	base         *url.URL
	client       http.Client
	ownTransport bool

	mu          sync.Mutex
	used        time.Time // when the last call began
	pausedUntil time.Time
	failures    int       // in a row
	openUntil   time.Time // end of the open breaker
	probing     bool      // a call is under way that decides whether the breaker closes
	timedOut    bool      // the last failure was a timeout
	// requests of the last minute, oldest first; empty without Config.PerMinute
	sent []time.Time
}

// New returns the host at an absolute http or https address, which may hold a path, a query and
// userinfo (sent as basic credentials, RFC 7617). Each part may be secret, so no error of this
// package holds any part of the address. The caller closes the host.
func New(base string, c Config) (*Host, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		u.Opaque != "" {
		return nil, errors.New("upstream address: not an absolute http or https URL")
	}
	c.MaxBytes = cmp.Or(c.MaxBytes, defaultMaxBytes)
	c.Try = cmp.Or(c.Try, defaultTry)
	c.Stats = cmp.Or(c.Stats, &Stats{})
	if c.Now == nil {
		c.Now = time.Now
	}
	u.Fragment, u.RawFragment = "", ""
	h := &Host{base: u, ownTransport: c.Transport == nil}
	if h.ownTransport {
		c.Transport = &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: c.Try}).DialContext,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    8,
			IdleConnTimeout:        maxIdle,
			TLSHandshakeTimeout:    c.Try,
			MaxResponseHeaderBytes: 64 << 10,
		}
	}
	h.config, h.client = c, http.Client{Transport: c.Transport, CheckRedirect: h.redirect}
	h.used = h.now()
	return h, nil
}

// Close closes the connections of the host's own transport. Call it once, after the last call has
// ended.
func (h *Host) Close() {
	if h.failures >= failuresToOpen {
		h.config.Stats.Open.Add(-1)
	}
	if h.ownTransport {
		h.closeIdle()
	}
}

// closeIdle closes the connections that are not in use.
func (h *Host) closeIdle() {
	if t, ok := h.config.Transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// now is the wall time.
func (h *Host) now() time.Time { return h.config.Now().Round(0) }

// Pause stops calls from going out for d, at least 1 s and at most 10 min from now. It never
// shortens a pause.
func (h *Host) Pause(d time.Duration) {
	end := h.now().Add(min(max(d, shortestPause), longestPause))
	h.mu.Lock()
	defer h.mu.Unlock()
	if end.After(h.pausedUntil) {
		h.pausedUntil = end
	}
}

// isPaused reports whether the host is paused.
func (h *Host) isPaused() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pausedUntil.After(h.now())
}

// enter returns an error while the host is paused or its breaker is open. probe reports that this
// call decides whether the breaker closes.
func (h *Host) enter() (probe bool, err error) {
	now := h.now()
	h.mu.Lock()
	defer h.mu.Unlock()
	// The host has dropped connections that were idle while the process was frozen.
	if now.Sub(h.used).Abs() > maxIdle {
		h.closeIdle()
	}
	h.used = now
	// A clock that was set back must not lengthen a pause.
	paused := min(h.pausedUntil.Sub(now), longestPause)
	open := min(h.openUntil.Sub(now), openFor)
	h.pausedUntil, h.openUntil = now.Add(paused), now.Add(open)
	switch {
	case paused > 0:
		return false, &Error{result: Paused, RetryAfter: paused, Unasked: true, err: errPaused}
	case h.failures < failuresToOpen:
		return false, nil
	case open <= 0 && h.probing:
		open = shortestPause
	case open <= 0:
		h.probing = true
		return true, nil
	}
	return false, &Error{result: Refused, Timeout: h.timedOut, RetryAfter: open, Unasked: true,
		err: errOpen}
}

// leave counts the result of a call that enter let through. A 429 is no failure: a host that asks
// for a pause is up. Nor is a canceled call.
func (h *Host) leave(probe bool, err error) {
	const slowDown, unavailable = http.StatusTooManyRequests, http.StatusServiceUnavailable
	e, failed := errors.AsType[*Error](err)
	if failed && (e.Status == slowDown || e.Status == unavailable && e.RetryAfter > 0) {
		h.Pause(e.RetryAfter)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if probe {
		h.probing = false
	}
	switch {
	case err == nil || errors.Is(err, ErrNotFound):
		if h.failures >= failuresToOpen {
			h.config.Stats.Open.Add(-1)
		}
		h.failures = 0
	case failed && e.Status != slowDown:
		h.timedOut = e.Timeout
		h.failures++
		// Failures of calls that were under way do not keep the breaker open longer.
		if h.failures == failuresToOpen {
			h.config.Stats.Open.Add(1)
		}
		if h.failures == failuresToOpen || probe {
			h.openUntil = h.now().Add(openFor)
		}
	}
}
