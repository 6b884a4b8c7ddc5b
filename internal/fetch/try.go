package fetch

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	retryPause   = 200 * time.Millisecond // before the second try
	retryMost    = time.Second            // a longer wait is the caller's to keep
	hopsMost     = 3
	errorBodyMax = 4 << 10 // bytes
)

// tries asks once, or twice when the first failure is one that may pass at once.
func (h *Host) tries(ctx context.Context, r Request, to *url.URL, probe bool) (*Response, error) {
	res, err := h.ask(ctx, r, to)
	e, ours := errors.AsType[*Error](err)
	if !ours || r.Once || probe || !e.passing() {
		return res, err
	}
	wait := max(retryPause, e.RetryAfter)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait+h.retryRoom {
		return nil, err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return h.ask(ctx, r, to)
	case <-ctx.Done():
		return nil, ended(ctx)
	}
}

// passing reports whether a second try may do better.
func (e *Error) passing() bool {
	switch {
	case e.held || e.Timeout || e.RetryAfter >= retryMost:
		return false
	case e.Status == http.StatusTooManyRequests:
		return e.waits
	}
	return e.connect || e.Status >= 500
}

// ask is one try: redirects on the host are followed, and the body is read.
func (h *Host) ask(ctx context.Context, r Request, to *url.URL) (*Response, error) {
	try, cancel := context.WithTimeout(ctx, h.try)
	defer cancel()
	for been := []string{}; ; {
		req, err := h.request(try, r, to)
		if err != nil {
			return nil, err
		}
		if left := h.gate.pause(h.wall()); left > 0 {
			return nil, &Error{RetryAfter: left, err: errPaused, held: true}
		}
		if r.Spend != nil {
			if err := r.Spend(); err != nil {
				return nil, err
			}
		}
		*r.sent = true
		h.stats.Sent.Add(1)
		resp, err := h.transport.RoundTrip(req)
		if err != nil {
			failed := failure(ctx, try, err)
			e, ours := errors.AsType[*Error](failed)
			*r.reached = *r.reached || !ours || !e.connect
			return nil, failed
		}
		*r.reached = true
		if !h.redirects || !redirects(resp, r) {
			return h.answer(ctx, try, resp)
		}
		next, err := hop(resp, to)
		if err != nil {
			return nil, err
		}
		been = append(been, to.String())
		if len(been) > hopsMost || slices.Contains(been, next.String()) {
			return nil, &Error{Status: resp.StatusCode, err: errRedirects}
		}
		to = next
	}
}

// redirects reports whether an answer sends us on. A request with a body follows only what keeps its
// method and body (RFC 9110 section 15.4).
func redirects(resp *http.Response, r Request) bool {
	if resp.Header.Get("Location") == "" {
		return false
	}
	switch resp.StatusCode {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		return r.Method == "" || r.Method == http.MethodGet
	}
	return false
}

// hop is where a redirect leads, if that is the same host. It ends the answer.
func hop(resp *http.Response, from *url.URL) (*url.URL, error) {
	resp.Body.Close()
	next, err := from.Parse(resp.Header.Get("Location"))
	if err != nil || !sameHost(from, next) {
		return nil, &Error{Status: resp.StatusCode, err: errForeign}
	}
	next.User, next.Fragment, next.RawFragment = nil, "", ""
	return next, nil
}

// sameHost reports whether two addresses are of one origin, or the second is the first one's by TLS.
func sameHost(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == to.Scheme {
		return port(from) == port(to)
	}
	return from.Scheme == "http" && to.Scheme == "https" && port(from) == "80" && port(to) == "443"
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// answer reads what came at last, and ends it. The contexts are those of failure.
func (h *Host) answer(ctx, try context.Context, resp *http.Response) (*Response, error) {
	defer resp.Body.Close()
	status := resp.StatusCode
	if status == http.StatusTooManyRequests || status >= 500 {
		e := &Error{Status: status, err: errStatus}
		e.RetryAfter, e.waits = h.retryAfter(resp.Header)
		// The beginning is enough, and be it broken off: the status has said what matters.
		body, _ := read(resp, errorBodyMax)
		e.Body = body[:min(len(body), errorBodyMax)]
		return nil, e
	}
	if status < 200 || status >= 300 && status < 400 {
		return nil, &Error{Status: status, err: errStatus}
	}
	body, err := read(resp, h.maxBytes)
	if err != nil {
		return nil, failure(ctx, try, err)
	}
	if int64(len(body)) > h.maxBytes {
		return nil, &Error{Status: status, err: errTooLarge}
	}
	return &Response{Status: status, Header: resp.Header, Body: body}, nil
}

// read decodes at most one byte more than most, so that whoever asks can tell too much from just
// enough. Neither the coded nor the decoded bytes are read beyond that.
func read(resp *http.Response, most int64) ([]byte, error) {
	var in io.Reader = io.LimitReader(resp.Body, most+1)
	switch strings.ToLower(resp.Header.Get("Content-Encoding")) {
	case "", "identity":
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = io.LimitReader(z, most+1)
	default:
		return nil, errEncoding
	}
	return io.ReadAll(in)
}

// retryAfter reads the field of that name (RFC 9110 section 10.2.3), a number of seconds or a date,
// at most 10 min.
func (h *Host) retryAfter(header http.Header) (d time.Duration, known bool) {
	field := strings.TrimSpace(header.Get("Retry-After"))
	if field != "" && strings.Trim(field, "0123456789") == "" {
		seconds, err := strconv.ParseInt(field, 10, 32)
		if err != nil {
			return longestPause, true // more than fits
		}
		return min(time.Duration(seconds)*time.Second, longestPause), true
	}
	at, err := http.ParseTime(field)
	if err != nil {
		return 0, false
	}
	// By the host's own clock if it tells it: ours may differ.
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = h.wall()
	}
	return min(max(at.Sub(now), 0), longestPause), true
}

// newTransport is a transport for one host.
func newTransport(try time.Duration) *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: try}).DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           8,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        idleMost,
		TLSHandshakeTimeout:    try,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // see Host.request
	}
}
