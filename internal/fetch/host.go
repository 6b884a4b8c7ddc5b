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
	"time"

	"github.com/sony/gobreaker/v2"
)

const (
	defaultMaxBytes = 2 << 20
	defaultTry      = 2500 * time.Millisecond

	shortestPause = time.Second
	longestPause  = 10 * time.Minute

	failuresToOpen = 5
	openFor        = 30 * time.Second
	probeWait      = time.Second // RetryAfter while another call decides whether the breaker closes

	// maxIdle is how long a connection may be idle before it is closed. The transport's own timer does not run while a
	// process is frozen.
	maxIdle = 30 * time.Second
)

// Config says how a host is asked.
type Config struct {
	Transport   http.RoundTripper // nil means a transport of the host's own, with the proxy of the environment
	UserAgent   string            // empty means that of net/http
	MaxBytes    int64             // bound of a body after decoding; 0 means 2 MiB
	Try         time.Duration     // deadline of one try with its redirects and its body; 0 means 2.5 s
	RetryRoom   time.Duration     // time that the context must leave for a second try; 0 means Try
	Now         func() time.Time  // wall clock of pauses and idle connections; nil means time.Now
	Stats       *Stats            // counts the calls; nil disables counting
	NoRedirects bool              // a redirect is a failure like any other status
}

// Host is one upstream. It is safe for concurrent use.
type Host struct {
	config       Config
	base         *url.URL
	ownTransport bool

	mu          sync.Mutex
	breaker     *gobreaker.TwoStepCircuitBreaker[*Response]
	pausedUntil time.Time
	openUntil   time.Time // of the breaker
	timedOut    bool      // the last failure was a timeout
	lastUse     time.Time
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
	h.breaker = h.newBreaker()
	return h, nil
}

// newBreaker is a breaker that lets calls through.
func (h *Host) newBreaker() *gobreaker.TwoStepCircuitBreaker[*Response] {
	return gobreaker.NewTwoStepCircuitBreaker[*Response](gobreaker.Settings{
		Timeout:       openFor - 1, // the library adds the last nanosecond
		ReadyToTrip:   func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failuresToOpen },
		IsExcluded:    func(err error) bool { return err != nil && !isFailure(err) },
		OnStateChange: h.breakerChanged,
	})
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
		DisableCompression:     true, // call.newRequest asks for gzip itself
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
	h.mu.Lock()
	breaker := h.breaker
	h.mu.Unlock()
	if breaker.State() != gobreaker.StateClosed {
		h.config.Stats.Open.Add(-1)
	}
	if h.ownTransport {
		h.CloseIdle()
	}
}

// now is the wall time: the monotonic clock may stand still while a process is frozen.
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

// allow reports whether a call may go out. done takes the result of the call. probe reports that the call decides
// whether the breaker closes.
func (h *Host) allow() (done func(error), probe bool, err error) {
	if err := h.checkPause(); err != nil {
		return nil, false, err
	}
	h.mu.Lock()
	breaker := h.breaker
	h.mu.Unlock()
	done, err = breaker.Allow()
	if err == nil {
		return done, breaker.State() == gobreaker.StateHalfOpen, nil
	}
	wait := probeWait
	h.mu.Lock()
	defer h.mu.Unlock()
	if errors.Is(err, gobreaker.ErrOpenState) {
		wait = min(h.openUntil.Sub(h.now()), openFor)
		if wait <= 0 { // the process was frozen: the clock of the library stood still
			h.breaker = h.newBreaker()
			h.config.Stats.Open.Add(-1)
			done, err = h.breaker.Allow()
			return done, false, err
		}
	}
	return nil, false, &Error{result: Refused, Timeout: h.timedOut, RetryAfter: wait, err: errOpen}
}

// breakerChanged is called by the breaker, under the lock of the breaker.
func (h *Host) breakerChanged(_ string, from, to gobreaker.State) {
	switch {
	case to == gobreaker.StateOpen:
		h.mu.Lock()
		h.openUntil = h.now().Add(openFor)
		h.mu.Unlock()
		if from == gobreaker.StateClosed {
			h.config.Stats.Open.Add(1)
		}
	case to == gobreaker.StateClosed:
		h.config.Stats.Open.Add(-1)
	}
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
		h.mu.Lock()
		h.timedOut = e.Timeout
		h.mu.Unlock()
	}
}

// dropIdle closes the connections that the host will have forgotten since the last call.
func (h *Host) dropIdle() {
	now := h.now()
	h.mu.Lock()
	last := h.lastUse
	h.lastUse = now
	h.mu.Unlock()
	if idle := now.Sub(last); !last.IsZero() && (idle > maxIdle || idle < 0) {
		h.CloseIdle()
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
