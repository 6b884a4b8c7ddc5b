package ai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/mipwatch/mipwatch/internal/fetch"
)

// call is one question on its way. It stands in for the network below langchaingo, which knows no
// deadline, no retry and no bound, and turns whatever goes wrong into text: call asks the host instead,
// and keeps what happened.
type call struct {
	model *Client
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
	res, err := c.model.host.Do(r.Context(), fetch.Request{
		Method: r.Method, Path: r.URL.Path, Header: r.Header, Body: p.edit(body),
		Accept: func(res *fetch.Response) error {
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
		c.err = hostError(err)
		return nil, errNoAnswer
	case res.Status >= 400:
		c.err = p.rejection(res.Status, res.Body)
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
		DisableCompression:     true, // fetch.Host asks for gzip itself
	}
}
