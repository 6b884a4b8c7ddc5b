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
	"strconv"
	"strings"
	"time"
)

// maxRedirects bounds the redirects of one try.
const maxRedirects = 3

// Do returns the whole response of [Get].
func (h *Host) Do(ctx context.Context, r Request) (*Response, error) {
	return Get(ctx, h, r, func(res *Response) (*Response, error) { return res, nil })
}

// Get sends a request and waits as long as ctx and the deadline of a try allow. Each failure of the
// host is an [*Error]. An error of decode, which reads the response, is wrapped in an [*Error],
// too, unless it wraps [ErrNotFound].
//
// Get tries once more after a connect error, a 5xx, or a 429 whose Retry-After is under a second,
// if the deadline of ctx leaves two seconds for it. A 429, or a 503 with Retry-After, pauses the
// host. Five failures in a row open the breaker for 30 s; then one call without a retry decides
// whether it closes. Until then calls fail with an error of the last failure's kind.
//
// If ctx is canceled, the error wraps ctx.Err(), and the call does not count against the host. If
// the deadline of ctx passes, or ctx is canceled with [ErrTimeout] as the cause, the call counts as
// a timeout.
func Get[T any](
	ctx context.Context, h *Host, r Request, decode func(*Response) (T, error),
) (value T, err error) {
	defer func() { h.config.Stats.Calls[resultOf(err)].Add(1) }()
	to, err := h.address(r.Path)
	if err != nil {
		return value, err
	}
	if err := contextError(ctx, true); err != nil {
		return value, err
	}
	probe, err := h.enter()
	if err != nil {
		return value, err
	}
	defer func() { h.leave(probe, err) }()
	// A probe makes one try, so that a host that is down gets one request.
	res, err := h.ask(ctx, to, r, !probe && !r.Once)
	if err != nil {
		return value, err
	}
	value, err = decode(res)
	if err == nil || errors.Is(err, ErrNotFound) {
		return value, err
	}
	result := Garbled
	if res.Status >= http.StatusMultipleChoices {
		result = Status
	}
	var none T
	return none, &Error{Status: res.Status, result: result, err: err}
}

// ask makes a try, and a second one if the first failed in a way that may pass.
func (h *Host) ask(ctx context.Context, to *url.URL, r Request, retry bool) (*Response, error) {
	res, err := h.try(ctx, to, r)
	e, ok := errors.AsType[*Error](err)
	if !retry || !ok || !e.retry {
		return res, err
	}
	wait := max(retryPause, e.RetryAfter)
	room := wait + min(retryRoom, h.config.Try)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < room {
		return nil, err
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return nil, contextError(ctx, false)
	}
	// Another call may have paused the host meanwhile.
	if h.isPaused() {
		return nil, err
	}
	return h.try(ctx, to, r)
}

// try sends the request, follows redirects on the host, and reads the body.
func (h *Host) try(ctx context.Context, to *url.URL, r Request) (*Response, error) {
	try, cancel := context.WithTimeout(ctx, h.config.Try)
	defer cancel()
	req, err := http.NewRequestWithContext(try, r.Method, "", bytes.NewReader(r.Body))
	if err != nil {
		return nil, fmt.Errorf("upstream method %q: not a token", r.Method)
	}
	// Set the URL here: errors of http.NewRequest contain the URL that it parses.
	req.URL, req.Host = to, to.Host
	for name, values := range r.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if h.config.UserAgent != "" {
		req.Header.Set("User-Agent", h.config.UserAgent)
	}
	// A transport that adds Accept-Encoding itself decodes without a bound.
	req.Header.Set("Accept-Encoding", "gzip")
	if err := h.spend(); err != nil {
		return nil, err
	}
	resp, err := h.client.Do(req)
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

// redirect is for [http.Client.CheckRedirect]. A redirect that is not followed is a failure of kind
// Status.
func (h *Host) redirect(next *http.Request, via []*http.Request) error {
	if h.config.NoRedirects || !mayFollow(next, via) {
		return http.ErrUseLastResponse
	}
	return h.spend()
}

// mayFollow allows three redirects that stay on the host, or switch to TLS on it, and keep the
// method (RFC 9110 section 15.4). Any other redirect is a failure of kind Status. mayFollow gives
// next the credentials of the address, and no Referer.
func mayFollow(next *http.Request, via []*http.Request) bool {
	last := via[len(via)-1]
	from, to := last.URL, next.URL
	to.User, to.Fragment, to.RawFragment = from.User, "", ""
	next.Header.Del("Referer")
	return len(via) <= maxRedirects && next.Method == last.Method &&
		strings.EqualFold(to.Host, from.Host) && (to.Scheme == from.Scheme || to.Scheme == "https")
}

// read reads a response. Its error is an [*Error], or the error of reading the body.
func (h *Host) read(resp *http.Response) (*Response, error) {
	status := resp.StatusCode
	if status < 200 || status >= 300 && status < 400 || status == http.StatusTooManyRequests ||
		status >= 500 {
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

// retryAfter parses the Retry-After field (RFC 9110 section 10.2.3), a number of seconds or a date.
// The result is at most 10 min.
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

// address returns the base with an escaped path appended.
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
