package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sony/gobreaker/v2"
)

const (
	// retryPause is the least time before the second try. There is none for a host that wants to be left alone for
	// maxRetryWait or longer.
	retryPause   = 200 * time.Millisecond
	maxRetryWait = time.Second
	maxRedirects = 3
	// maxErrorBody bounds Error.Body, in bytes.
	maxErrorBody = 4 << 10
)

// Request is one question to a host.
type Request struct {
	// Method is GET when it is empty.
	Method string
	// Path is escaped. It is appended to the path of the address, whose query is kept. Empty means the address itself.
	Path string
	// Body is sent again with a retry and a redirect. Nil means none.
	Body []byte
	// Header is sent in addition to User-Agent and Accept-Encoding.
	Header http.Header

	// Accept checks an answer. Its error counts as a failure of the host: the error of Do wraps it and repeats its
	// text. Nil accepts every answer.
	Accept func(*Response) error

	// Spend is called before each HTTP request that goes out, redirects and the retry included. Its error ends the
	// call and is returned as it is. Nil counts nothing.
	Spend func() error

	// Once disables the retry.
	Once bool
}

// Response is an answer of status 2xx, or 4xx but 429.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // decoded, at most Config.MaxBytes
}

// Do asks, and waits as long as ctx and the deadline of a try allow. Every failure of the host is an [*Error].
//
// A connect error, a 5xx, and a 429 whose Retry-After is under a second are followed by one more try if the deadline of
// ctx leaves Config.RetryRoom for it. A 429, and a 503 with Retry-After, pauses the host. Five failures in a row open
// the breaker for 30 s; then one call without a retry decides. Until then the error is of the kind of the last failure.
//
// When ctx is cancelled the error wraps that of ctx, and the call does not count against the host. A caller that gives
// up because the host is too slow cancels with [ErrTimeout] as the cause (context.WithCancelCause). Then the call
// counts as a timeout, as it does when the deadline of ctx passes.
func (h *Host) Do(ctx context.Context, r Request) (*Response, error) {
	c := &call{host: h, request: r}
	began := time.Now()
	res, err := c.do(ctx)
	if e, ok := errors.AsType[*Error](err); ok {
		e.Unasked = !c.reached
	}
	h.config.Stats.count(err, c.sent, time.Since(began))
	return res, err
}

// call is one Do. It is the [http.RoundTripper] of its own HTTP requests.
type call struct {
	host    *Host
	request Request
	sent    bool  // an HTTP request went out
	reached bool  // an HTTP request may have got to the host
	refused error // why the last HTTP request did not go out
}

// do checks everything that needs no request, and lets the breaker run the rest.
func (c *call) do(ctx context.Context) (*Response, error) {
	to, err := c.host.address(c.request.Path)
	if err != nil {
		return nil, err
	}
	if err := contextError(ctx); err != nil {
		return nil, err
	}
	if err := c.host.checkPause(); err != nil {
		return nil, err
	}
	c.host.wake()
	breaker := c.host.breaker.Load()
	res, err := breaker.Execute(func() (*Response, error) {
		return c.ask(ctx, to, breaker.State() == gobreaker.StateHalfOpen)
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return nil, c.host.breakerError(err)
	}
	return res, err
}

// ask makes one try or two. probe says that the call decides whether the breaker closes.
func (c *call) ask(ctx context.Context, to *url.URL, probe bool) (*Response, error) {
	res, err := c.try(ctx, to)
	if e, ok := errors.AsType[*Error](err); ok && e.retry && !probe && !c.request.Once {
		res, err = c.tryAgain(ctx, to, e)
	}
	if err == nil && c.request.Accept != nil {
		if bad := c.request.Accept(res); bad != nil {
			res, err = nil, &Error{Status: res.Status, result: resultOfStatus(res.Status), err: bad}
		}
	}
	if e, ok := errors.AsType[*Error](err); ok {
		c.host.noteFailure(e)
	}
	return res, err
}

// tryAgain is the second try, or the failure of the first one if there is no time for it.
func (c *call) tryAgain(ctx context.Context, to *url.URL, first *Error) (*Response, error) {
	wait := max(retryPause, first.RetryAfter)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait+c.host.config.RetryRoom {
		return nil, first
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return c.try(ctx, to)
	case <-ctx.Done():
		return nil, contextError(ctx)
	}
}

// try sends the request, follows redirects on the host, and reads the body.
func (c *call) try(ctx context.Context, to *url.URL) (*Response, error) {
	try, cancel := context.WithTimeout(ctx, c.host.config.Try)
	defer cancel()
	req, err := c.newRequest(try, to)
	if err != nil {
		return nil, err
	}
	c.refused = nil
	client := http.Client{Transport: c, CheckRedirect: c.checkRedirect}
	resp, err := client.Do(req)
	if c.refused != nil {
		return nil, c.refused
	}
	if err != nil {
		return nil, transportError(ctx, try, err)
	}
	defer resp.Body.Close()
	res, err := c.host.read(resp)
	if err != nil {
		return nil, transportError(ctx, try, err)
	}
	return res, nil
}

// RoundTrip implements [http.RoundTripper] below the client, which follows redirects: each HTTP request of a call comes
// here, is charged to the caller and counted.
func (c *call) RoundTrip(req *http.Request) (*http.Response, error) {
	c.refused = c.host.checkPause()
	if c.refused == nil && c.request.Spend != nil {
		c.refused = c.request.Spend()
	}
	if c.refused != nil {
		return nil, c.refused
	}
	c.sent = true
	c.host.config.Stats.Sent.Add(1)
	resp, err := c.host.config.Transport.RoundTrip(req)
	c.reached = c.reached || !isConnectError(err)
	return resp, err
}

// newRequest is the HTTP request of the call.
func (c *call) newRequest(ctx context.Context, to *url.URL) (*http.Request, error) {
	r := c.request
	req, err := http.NewRequestWithContext(ctx, r.Method, "", bytes.NewReader(r.Body))
	if err != nil {
		return nil, fmt.Errorf("upstream method %q: not a token", r.Method)
	}
	req.URL, req.Host = to, to.Host
	for name, values := range r.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if c.host.config.UserAgent != "" {
		req.Header.Set("User-Agent", c.host.config.UserAgent)
	}
	// A transport that asks for gzip by itself would decode without a bound.
	req.Header.Set("Accept-Encoding", "gzip")
	return req, nil
}

// checkRedirect allows three redirects that stay on the host and keep the method (RFC 9110 section 15.4). A redirect
// that changes the method is a status like any other.
func (c *call) checkRedirect(next *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	if c.host.config.NoRedirects || next.Method != last.Method {
		return http.ErrUseLastResponse
	}
	status := next.Response.StatusCode
	if !sameHost(last.URL, next.URL) {
		return &Error{Status: status, result: Garbled, err: errForeign}
	}
	next.URL.User, next.URL.Fragment, next.URL.RawFragment = last.URL.User, "", ""
	visited := func(r *http.Request) bool { return r.URL.String() == next.URL.String() }
	if len(via) > maxRedirects || slices.ContainsFunc(via, visited) {
		return &Error{Status: status, result: Garbled, err: errRedirects}
	}
	next.Header.Del("Referer")
	return nil
}

// sameHost reports whether two addresses are of one origin, or the second one is the first one's by TLS.
func sameHost(from, to *url.URL) bool {
	sameOrigin := from.Scheme == to.Scheme && port(from) == port(to)
	byTLS := from.Scheme == "http" && to.Scheme == "https" && port(from) == "80" && port(to) == "443"
	return strings.EqualFold(from.Hostname(), to.Hostname()) && (sameOrigin || byTLS)
}

// port is the port of an address, that of the scheme if it names none.
func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// read reads an answer. Its error is an [*Error], or that of reading the body.
func (h *Host) read(resp *http.Response) (*Response, error) {
	status := resp.StatusCode
	if status == http.StatusTooManyRequests || status >= 500 {
		e := &Error{Status: status, result: Status, err: errStatus}
		wait, known := h.retryAfter(resp.Header)
		e.RetryAfter = wait
		e.retry = wait < maxRetryWait && (known || status >= 500)
		body, _ := readBody(resp, maxErrorBody) // the part before an error is good enough
		e.Body = body[:min(len(body), maxErrorBody)]
		return nil, e
	}
	if status < 200 || status >= 300 && status < 400 {
		return nil, &Error{Status: status, result: Status, err: errStatus}
	}
	body, err := readBody(resp, h.config.MaxBytes)
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > h.config.MaxBytes {
		return nil, &Error{Status: status, result: Garbled, err: errTooLarge}
	}
	return &Response{Status: status, Header: resp.Header, Body: body}, nil
}

// readBody decodes at most one byte more than limit, so that the caller can tell too much from just enough. Neither
// the encoded nor the decoded bytes are read beyond that.
func readBody(resp *http.Response, limit int64) ([]byte, error) {
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
		return nil, errEncoding
	}
	return io.ReadAll(in)
}

// retryAfter reads the field of that name (RFC 9110 section 10.2.3), a number of seconds or a date. The wait is at most
// 10 min.
func (h *Host) retryAfter(header http.Header) (wait time.Duration, known bool) {
	field := strings.TrimSpace(header.Get("Retry-After"))
	if field != "" && strings.Trim(field, "0123456789") == "" {
		seconds, err := strconv.ParseInt(field, 10, 32)
		if err != nil { // more than fits
			return longestPause, true
		}
		return min(time.Duration(seconds)*time.Second, longestPause), true
	}
	at, err := http.ParseTime(field)
	if err != nil {
		return 0, false
	}
	// The host's own clock counts, if it is in the answer.
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = h.now()
	}
	return min(max(at.Sub(now), 0), longestPause), true
}
