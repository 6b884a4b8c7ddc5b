// Package fetch asks a host over HTTP so that the host cannot hurt the caller: a deadline for every try, a bounded
// body, no hop to another host, one retry, pauses and a circuit breaker. It does not know the meaning of an answer.
package fetch

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	defaultMaxBytes = 2 << 20
	defaultTry      = 2500 * time.Millisecond

	// retryPause is the least time before the second try, which needs so much time as retryRoom.
	retryPause   = 200 * time.Millisecond
	retryRoom    = 2 * time.Second
	maxRedirects = 3

	// The bounds of a pause, within which there is no second try, and the pause after a 429 without a time.
	shortestPause = time.Second
	longestPause  = 10 * time.Minute
	unknownPause  = 10 * time.Second

	// So many failures in a row open the breaker for that long.
	failuresToOpen = 5
	openFor        = 30 * time.Second

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
	// NoRedirects makes a redirect a status that is no answer.
	NoRedirects bool
	// Now is the clock of pauses, breaker and idle connections. Nil means time.Now. Only its wall time counts, since
	// timers stand still while a process is frozen.
	Now func() time.Time
	// Stats counts the calls. Nil disables counting.
	Stats *Stats
}

// Host is one upstream. It is safe for concurrent use.
type Host struct {
	config       Config
	base         *url.URL
	ownTransport bool

	mu          sync.Mutex
	used        time.Time // when the last call began
	pausedUntil time.Time
	failures    int       // in a row
	openUntil   time.Time // end of the open breaker
	probing     bool      // a call is under way that decides whether the breaker closes
	timedOut    bool      // the last failure was a timeout
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
	h.config = c
	h.used = h.now()
	return h, nil
}

// Close closes the connections of the host's own transport. It is called once, after the last call has ended.
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

// Pause keeps calls from going out for d, at least 1 s and at most 10 min from now. A longer pause stays as it is.
func (h *Host) Pause(d time.Duration) {
	end := h.now().Add(min(max(d, shortestPause), longestPause))
	h.mu.Lock()
	defer h.mu.Unlock()
	if end.After(h.pausedUntil) {
		h.pausedUntil = end
	}
}

// isPaused reports whether calls are kept from going out.
func (h *Host) isPaused() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pausedUntil.After(h.now())
}

// enter returns an error while the host is paused or its breaker is open. probe says that the call decides whether the
// breaker closes.
func (h *Host) enter() (probe bool, err error) {
	now := h.now()
	h.mu.Lock()
	defer h.mu.Unlock()
	// Connections that were idle while the process was frozen are forgotten by the host.
	if now.Sub(h.used).Abs() > maxIdle {
		h.closeIdle()
	}
	h.used = now
	// A clock that was set back makes nothing longer.
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
	return false, &Error{result: Refused, Timeout: h.timedOut, RetryAfter: open, Unasked: true, err: errOpen}
}

// leave counts how a call ended that was let in. A 429 is no failure: a host that asks for a pause works. Neither is a
// call whose caller has left.
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
	case err == nil:
		if h.failures >= failuresToOpen {
			h.config.Stats.Open.Add(-1)
		}
		h.failures = 0
	case failed && e.Status != slowDown:
		h.timedOut = e.Timeout
		h.failures++
		// Failures of calls that were under way do not keep the breaker open for longer.
		if h.failures == failuresToOpen {
			h.config.Stats.Open.Add(1)
		}
		if h.failures == failuresToOpen || probe {
			h.openUntil = h.now().Add(openFor)
		}
	}
}

// Do asks, and waits as long as ctx and the deadline of a try allow. Every failure of the host is an [*Error].
//
// A connect error, a 5xx, and a 429 whose Retry-After is under a second are followed by one more try if the deadline of
// ctx leaves two seconds for it. A 429, and a 503 with Retry-After, pauses the host. Five failures in a row open the
// breaker for 30 s; then one call without a retry decides. Until then the error is of the kind of the last failure.
//
// When ctx is cancelled the error wraps that of ctx, and the call does not count against the host. When the deadline of
// ctx passes, or ctx is cancelled with [ErrTimeout] as the cause, the call counts as a timeout.
func (h *Host) Do(ctx context.Context, r Request) (res *Response, err error) {
	defer func() { h.config.Stats.Calls[resultOf(err)].Add(1) }()
	to, err := h.address(r.Path)
	if err != nil {
		return nil, err
	}
	if err := contextError(ctx, true); err != nil {
		return nil, err
	}
	probe, err := h.enter()
	if err != nil {
		return nil, err
	}
	defer func() { h.leave(probe, err) }()
	// A call that decides for the breaker makes one try, so that a host that is down is asked once.
	res, err = h.try(ctx, to, r)
	if e, ok := errors.AsType[*Error](err); ok && e.retry && !probe && !r.Once {
		wait := max(retryPause, e.RetryAfter)
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait+min(retryRoom, h.config.Try) {
			return nil, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, contextError(ctx, false)
		}
		// Another call may have been told to wait meanwhile.
		if h.isPaused() {
			return nil, err
		}
		res, err = h.try(ctx, to, r)
	}
	if err != nil || r.Accept == nil {
		return res, err
	}
	if bad := r.Accept(res); bad != nil {
		result := Garbled
		if res.Status >= http.StatusMultipleChoices {
			result = Status
		}
		return nil, &Error{Status: res.Status, result: result, err: bad}
	}
	return res, nil
}

// try sends the request, follows redirects on the host, and reads the body.
func (h *Host) try(ctx context.Context, to *url.URL, r Request) (*Response, error) {
	try, cancel := context.WithTimeout(ctx, h.config.Try)
	defer cancel()
	req, err := http.NewRequestWithContext(try, r.Method, "", bytes.NewReader(r.Body))
	if err != nil {
		return nil, fmt.Errorf("upstream method %q: not a token", r.Method)
	}
	// The address is set here, since the errors of parsing one hold it.
	req.URL, req.Host = to, to.Host
	for name, values := range r.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if h.config.UserAgent != "" {
		req.Header.Set("User-Agent", h.config.UserAgent)
	}
	// A transport that asks for gzip by itself would decode without a bound.
	req.Header.Set("Accept-Encoding", "gzip")
	var refused error
	spend := func() error {
		if r.Spend != nil {
			refused = r.Spend()
		}
		return refused
	}
	if err := spend(); err != nil {
		return nil, err
	}
	client := http.Client{Transport: h.config.Transport}
	client.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		if h.config.NoRedirects || !mayFollow(next, via) {
			return http.ErrUseLastResponse
		}
		return spend()
	}
	// The client would wrap the error of a redirect that the caller has not paid for.
	resp, err := client.Do(req)
	if refused != nil {
		return nil, refused
	}
	var res *Response
	if err == nil {
		defer resp.Body.Close()
		res, err = h.read(resp)
	}
	if err != nil {
		return nil, transportError(ctx, try, err)
	}
	return res, nil
}

// mayFollow allows three redirects that stay on the host, or go to its TLS, and keep the method (RFC 9110 section
// 15.4). Any other is a status that is no answer. next gets the credentials of the address, and no Referer.
func mayFollow(next *http.Request, via []*http.Request) bool {
	last := via[len(via)-1]
	from, to := last.URL, next.URL
	to.User, to.Fragment, to.RawFragment = from.User, "", ""
	next.Header.Del("Referer")
	return len(via) <= maxRedirects && next.Method == last.Method &&
		strings.EqualFold(to.Host, from.Host) && (to.Scheme == from.Scheme || to.Scheme == "https")
}

// read reads an answer. Its error is an [*Error], or that of reading the body.
func (h *Host) read(resp *http.Response) (*Response, error) {
	status := resp.StatusCode
	if status < 200 || status >= 300 && status < 400 || status == http.StatusTooManyRequests || status >= 500 {
		e := &Error{Status: status, result: Status, err: errStatus}
		if status == http.StatusTooManyRequests || status >= 500 {
			e.RetryAfter = h.retryAfter(resp)
			e.retry = e.RetryAfter < shortestPause
		}
		return nil, e
	}
	// Neither the encoded nor the decoded bytes are read beyond the limit.
	limit := h.config.MaxBytes
	var in io.Reader = io.LimitReader(resp.Body, limit+1)
	switch strings.ToLower(resp.Header.Get("Content-Encoding")) {
	case "", "identity":
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = io.LimitReader(z, limit+1)
	default:
		return nil, &Error{Status: status, result: Garbled, err: errEncoding}
	}
	body, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > limit {
		return nil, &Error{Status: status, result: Garbled, err: errTooLarge}
	}
	return &Response{Status: status, Header: resp.Header, Body: body}, nil
}

// retryAfter reads the field of that name (RFC 9110 section 10.2.3), a number of seconds or a date. The wait is at most
// 10 min.
func (h *Host) retryAfter(resp *http.Response) time.Duration {
	field := resp.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(field, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, longestPause)
	}
	if at, err := http.ParseTime(field); err == nil {
		return min(max(at.Sub(h.now()), 0), longestPause)
	}
	if resp.StatusCode == http.StatusTooManyRequests {
		return unknownPause
	}
	return 0
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
