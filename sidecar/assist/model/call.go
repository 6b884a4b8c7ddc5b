package model

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

// call is one question on its way. It stands in for the network below langchaingo, which knows no
// deadline, no retry and no bound, and turns whatever goes wrong into text: call asks the host instead,
// and keeps what happened.
type call struct {
	model *Model
	kind  error // why the answer that came is not to be used
	err   error // why none came
}

// RoundTrip implements [http.RoundTripper] for a single request.
func (c *call) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	p := c.model.provider
	if p.name == "ollama" && c.model.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.model.key)
	}
	res, err := c.model.host.Do(roomy{r.Context(), c.model.timeout - retryRoom}, upstream.Request{
		Method: r.Method, Path: r.URL.Path, Header: r.Header, Body: p.edit(body),
		Accept: func(res *upstream.Response) error {
			if res.Status >= 400 {
				return nil
			}
			kind, ok := p.ending(res.Body)
			if c.kind = kind; !ok {
				return errFormat
			}
			return nil
		},
	})
	switch {
	case err != nil:
		c.err = failed(err)
		return nil, errNoAnswer
	case res.Status >= 400:
		c.err = p.rejected(res.Status, res.Body)
		return nil, errNoAnswer
	}
	return &http.Response{
		StatusCode: res.Status, Header: res.Header, Request: r,
		Body: io.NopCloser(bytes.NewReader(res.Body)), ContentLength: int64(len(res.Body)),
	}, nil
}

// edit changes what langchaingo would send. It always sends a temperature, which many models do not take
// any more. Ollama streams unless told not to, and langchaingo never tells it.
func (p provider) edit(body []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return body
	}
	delete(fields, "temperature")
	if p.name == "ollama" {
		fields["stream"] = json.RawMessage("false")
	}
	edited, err := json.Marshal(fields)
	if err != nil {
		return body
	}
	return edited
}

// roomy is a context that says it ends later than it does. [upstream.Host] begins a second try only when
// its deadline leaves time for a whole one, and here one try may take all the time there is: with the
// length of a try less retryRoom on top, it begins one when retryRoom is left.
type roomy struct {
	context.Context
	more time.Duration // nothing if negative
}

func (r roomy) Deadline() (time.Time, bool) {
	end, ok := r.Context.Deadline()
	return end.Add(max(0, r.more)), ok
}

// staying is a transport that does not say where an answer sends us, so that nobody goes there: a
// redirect is a failure like any other.
type staying struct{ http.RoundTripper }

func (s staying) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.RoundTripper.RoundTrip(r)
	if err == nil && resp.StatusCode >= 300 && resp.StatusCode < 400 {
		resp.Header.Del("Location")
	}
	return resp, err
}

// CloseIdleConnections is what [upstream.Host] looks for.
func (s staying) CloseIdleConnections() {
	if t, ok := s.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// transport is the one given, or one of our own.
func transport(given http.RoundTripper) http.RoundTripper {
	if given != nil {
		return given
	}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        idleMost,
		MaxResponseHeaderBytes: headerMost,
		DisableCompression:     true, // upstream.Host asks for gzip itself
	}
}
