// Package fetch is a host behind us, and how it is asked so that it cannot hurt us: a deadline for
// every try, a bounded read, no hop to another host, one retry, pauses and a breaker. It does not know
// what an answer means.
package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	defaultMaxBytes = 2 << 20
	defaultTry      = 2500 * time.Millisecond

	// idleMost is how long connections may have lain idle before they are not trusted any more. The
	// transport's own timer does not see the time for which a process was frozen.
	idleMost = 30 * time.Second
)

// Config says how a host is asked.
type Config struct {
	Transport http.RoundTripper // nil: one of its own, with the proxy of the environment
	UserAgent string            // empty: that of net/http
	MaxBytes  int64             // most that a body may have after decoding; 0: 2 MiB
	Try       time.Duration     // for one try with its redirects and its body; 0: 2.5 s
	RetryRoom time.Duration     // what a context must leave for a second try; 0: Try
	Now       func() time.Time  // wall clock of pauses and breaker; nil: time.Now
	Stats     *Stats            // counts the calls; nil disables counting

	NoRedirects bool // a redirect is a failure like any other
}

// Host is one upstream. It is safe for concurrent use.
type Host struct {
	base      *url.URL // without userinfo
	basic     *url.Userinfo
	transport http.RoundTripper
	own       bool
	userAgent string
	maxBytes  int64
	try       time.Duration
	retryRoom time.Duration
	redirects bool
	now       func() time.Time
	stats     *Stats
	gate      gate

	mu   sync.Mutex
	last time.Time // when it was asked last
}

// New returns the host at an absolute http or https address, which may hold a path, a query and
// userinfo (sent as basic credentials, RFC 7617). Any of them may be secret, so no error of this
// package tells any part of the address. Close it after use.
func New(base string, c Config) (*Host, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "" {
		return nil, errors.New("upstream address: not an absolute http or https URL")
	}
	h := &Host{
		base: u, basic: u.User, transport: c.Transport, own: c.Transport == nil, userAgent: c.UserAgent,
		maxBytes: cmp.Or(c.MaxBytes, defaultMaxBytes), try: cmp.Or(c.Try, defaultTry), redirects: !c.NoRedirects, now: c.Now,
		stats: cmp.Or(c.Stats, &Stats{}),
	}
	h.retryRoom = cmp.Or(c.RetryRoom, h.try)
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	if h.now == nil {
		h.now = time.Now
	}
	if h.own {
		h.transport = newTransport(h.try)
	}
	return h, nil
}

// Request is one question.
type Request struct {
	Method string      // empty: GET
	Path   string      // escaped, appended to the path of the address, whose query is kept; empty: the address itself
	Body   []byte      // nil: none
	Header http.Header // beside User-Agent and Accept-Encoding

	// Accept judges an answer. An error is a failure of the host, to be had by errors.Is and errors.AsType
	// from the one that Do returns; its text becomes part of that one's. nil: every answer is fine.
	Accept func(*Response) error

	// Spend is called before each HTTP request that goes out, redirects and retries included. An error
	// ends the call and is returned as it is. nil: nothing is counted.
	Spend func() error

	Once bool // no retry

	sent    *bool // set by ask when a request goes out
	reached *bool // set by ask when a request may have got to the host
}

// Response is an answer of status 2xx, or 4xx but 429.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // decoded; never more than Config.MaxBytes
}

// Do asks, and waits as long as ctx and the deadline of a try allow. Answers of status 2xx, and 4xx but
// 429, are responses. Everything else that the host does is an [*Error].
//
// A connect error, a 5xx, and a 429 whose Retry-After is under a second are followed by one more try if
// the deadline of ctx leaves Config.RetryRoom for it. A 429 (and a 503) with Retry-After pauses the host.
// Five failures in a row open the breaker for 30 s; then one call without a retry decides. Until then
// the error is of the kind of the last failure.
//
// When ctx is cancelled the error is that of ctx, and the host is not blamed. A caller that gives up
// because the host is too slow cancels with [ErrTimeout] as the cause (context.WithCancelCause): then
// it is, as it is when the deadline of ctx passes.
func (h *Host) Do(ctx context.Context, r Request) (*Response, error) {
	var sent, reached bool
	r.sent, r.reached = &sent, &reached
	began := time.Now()
	res, err := h.do(ctx, r)
	h.stats.count(err, sent, time.Since(began))
	if e, ours := errors.AsType[*Error](err); ours {
		e.Unasked = !reached
	}
	return res, err
}

func (h *Host) do(ctx context.Context, r Request) (*Response, error) {
	to, err := h.address(r.Path)
	if err != nil {
		return nil, err
	}
	if err := ended(ctx); err != nil {
		return nil, err
	}
	probe, refused := h.gate.enter(h.wall())
	if refused != nil {
		return nil, refused
	}
	v := undecided
	defer func() { h.stats.Open.Add(h.gate.leave(h.wall(), probe, v)) }()
	h.dropIdle()

	res, err := h.tries(ctx, r, to, probe)
	if err == nil && r.Accept != nil {
		if bad := r.Accept(res); bad != nil {
			err = &Error{Status: res.Status, err: bad}
		}
	}
	e, ours := errors.AsType[*Error](err)
	switch {
	case err == nil:
		v = good
		return res, nil
	case !ours || e.held: // cancelled, not spent, or paused in the meantime
	case e.Status == http.StatusTooManyRequests:
		h.Pause(e.RetryAfter)
	case e.Timeout:
		v = late
	default:
		v = bad
		if e.Status == http.StatusServiceUnavailable && e.RetryAfter > 0 {
			h.Pause(e.RetryAfter)
		}
	}
	return nil, err
}

// Pause keeps calls from going out for d, at least 1 s and at most 10 min from now. A pause that ends
// later stays as it is.
func (h *Host) Pause(d time.Duration) {
	h.gate.shut(h.wall(), min(max(d, shortestPause), longestPause))
}

// CloseIdle closes the connections that are not in use.
func (h *Host) CloseIdle() {
	if t, ok := h.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// Close closes the connections of the host's own transport. Calls under way are their callers' to end, and
// before: the host is not asked any more.
func (h *Host) Close() {
	if h.gate.forget() {
		h.stats.Open.Add(-1)
	}
	if h.own {
		h.CloseIdle()
	}
}

// wall is the time without the monotonic reading, which stands still while a process is frozen.
func (h *Host) wall() time.Time { return h.now().Round(0) }

// dropIdle closes connections that the other side will have forgotten.
func (h *Host) dropIdle() {
	now := h.wall()
	h.mu.Lock()
	idle := now.Sub(h.last)
	used := !h.last.IsZero()
	h.last = now
	h.mu.Unlock()
	if used && (idle > idleMost || idle < 0) {
		h.CloseIdle()
	}
}

// address is the base with a path appended.
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

// request is r as an HTTP request.
func (h *Host) request(ctx context.Context, r Request, to *url.URL) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, "", bytes.NewReader(r.Body))
	if err != nil {
		return nil, fmt.Errorf("upstream method %q: not a token", r.Method)
	}
	if len(r.Body) == 0 {
		req.Body, req.GetBody = http.NoBody, nil
	}
	req.URL, req.Host = to, to.Host
	for name, values := range r.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if h.userAgent != "" {
		req.Header.Set("User-Agent", h.userAgent)
	}
	// Asked for by ourselves, so that the transport leaves decoding to a reader that counts.
	req.Header.Set("Accept-Encoding", "gzip")
	if password, _ := h.basic.Password(); h.basic != nil && req.Header.Get("Authorization") == "" {
		req.SetBasicAuth(h.basic.Username(), password)
	}
	return req, nil
}
