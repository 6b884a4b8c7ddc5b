package ai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/internal/strictjson"
)

// call is the network of langchaingo for one question. langchaingo has no deadline, no retry and no
// bound, and turns a failure into text. A call asks the host instead, and keeps the outcome.
type call struct {
	model *Client
	// The reason why there is no answer, or why the answer is not used.
	err      error
	unbilled bool
	unsent   bool
	// The host has rejected the question once, and got it again in another form.
	again bool
}

// RoundTrip implements [http.RoundTripper] for a single request. It uses the method, the path, the
// header and the body of the request. The host has its own address and query.
func (c *call) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	p := c.model.provider
	// langchaingo sends no key to Ollama, but a proxy before Ollama may require one.
	if p.name == "ollama" && c.model.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.model.Key)
	}
	res, err := c.ask(r, body)
	if err != nil {
		c.err = hostError(err)
		if h, ok := errors.AsType[*fetch.Error](err); ok {
			c.unsent = h.Unasked && !c.again
			c.unbilled = h.Unasked || h.Status == http.StatusTooManyRequests
		}
		return nil, errNoAnswer
	}
	if res.Status >= http.StatusBadRequest {
		reason := p.rejection(res)
		// A provider bills only a question that it reads. Its filter reads a question before it
		// refuses it.
		c.err, c.unbilled = withStatus(reason, res.Status), !errors.Is(reason, errRefused)
		return nil, errNoAnswer
	}
	if bad := p.ending(res.Body); bad != nil { // langchaingo still reads the tokens
		c.err = withStatus(bad, res.Status)
	}
	answer := p.plain(res.Body)
	return &http.Response{
		StatusCode: res.Status, Header: res.Header, Request: r,
		Body: io.NopCloser(bytes.NewReader(answer)), ContentLength: int64(len(answer)),
	}, nil
}

// ask sends a question. A host that rejects the name of the answer's bound is asked once more with
// the other name. If that works, later questions use it.
func (c *call) ask(r *http.Request, body []byte) (*fetch.Response, error) {
	m, bound, other := c.model, maxTokens, maxCompletionTokens
	if m.wantsCompletionTokens.Load() {
		bound, other = other, bound
	}
	first, second := m.provider.edit(body, bound), m.provider.edit(body, other)
	q := fetch.Request{Method: r.Method, Path: r.URL.Path, Header: r.Header, Body: first}
	res, err := m.host.Do(r.Context(), q)
	if err != nil || !refuses(res, bound) || bytes.Equal(first, second) { // equal without a bound
		return res, err
	}
	c.again, q.Body, q.Once = true, second, true
	res, err = m.host.Do(r.Context(), q)
	if err == nil && res.Status < http.StatusBadRequest {
		m.wantsCompletionTokens.Store(other == maxCompletionTokens)
	}
	return res, err
}

// refuses reports whether a host names a parameter when it rejects a question. Hosts and the
// gateways before them have codes and forms of their own, so the whole body counts.
func refuses(res *fetch.Response, parameter string) bool {
	bad := res.Status == http.StatusBadRequest || res.Status == http.StatusUnprocessableEntity
	return bad && bytes.Contains(res.Body, []byte(parameter))
}

// The names of an answer's bound in OpenAI's format, the older one first.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

// edit changes the body of langchaingo's request: the bound of an answer in OpenAI's format gets
// the given name. langchaingo always sends a temperature, which many models do not accept, and does
// not ask Ollama to disable streaming.
func (p provider) edit(body []byte, bound string) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return body
	}
	delete(fields, "temperature")
	if n, ok := fields[maxCompletionTokens]; ok { // langchaingo's name for the bound
		delete(fields, maxCompletionTokens)
		fields[bound] = n
	}
	if p.name == "ollama" {
		fields["stream"] = json.RawMessage("false")
	}
	edited, _ := json.Marshal(fields) // decoded values can be encoded
	return edited
}

// plain replaces the content of an answer in OpenAI's format by a string, as langchaingo wants.
// Some gateways give a list of parts instead: text, and thoughts, which are left out.
func (p provider) plain(body []byte) []byte {
	var answer, message map[string]json.RawMessage
	var choices []map[string]json.RawMessage
	var parts []struct {
		Type string          `json:"type"`
		Text json.RawMessage `json:"text"`
	}
	if p.name != "openai" || json.Unmarshal(body, &answer) != nil ||
		json.Unmarshal(answer["choices"], &choices) != nil || len(choices) != 1 ||
		json.Unmarshal(choices[0]["message"], &message) != nil ||
		json.Unmarshal(message["content"], &parts) != nil {
		return body
	}
	var text strings.Builder
	for _, part := range parts {
		if part.Type == "text" || part.Type == "output_text" {
			piece, _ := strictjson.String(part.Text) // a part without a string has no text
			text.WriteString(piece)
		}
	}
	message["content"], _ = json.Marshal(text.String()) // as above
	choices[0]["message"], _ = json.Marshal(message)
	answer["choices"], _ = json.Marshal(choices)
	plain, _ := json.Marshal(answer)
	return plain
}

// ending returns why the text of an answer must not be used, else nil. langchaingo drops the stop
// reason of Ollama, the refusal of OpenAI, and any reason without a text.
func (p provider) ending(body []byte) *api.HTTPError {
	// The fields of all three formats with the end of an answer. A field of another format is
	// absent.
	var w struct {
		Choices []struct { // OpenAI
			FinishReason string `json:"finish_reason"`
			Message      struct {
				Refusal string `json:"refusal"`
			} `json:"message"`
		} `json:"choices"`
		StopReason string `json:"stop_reason"` // Anthropic
		Done       bool   `json:"done"`        // Ollama
		DoneReason string `json:"done_reason"` // Ollama
		Error      any    `json:"error"`       // with status 200: OpenRouter, Ollama
	}
	if json.Unmarshal(body, &w) != nil {
		return errUnreadable.because("it is not in the format of the API")
	}
	reason := w.StopReason + w.DoneReason
	switch {
	case w.Error != nil:
		return errUnavailable.because("")
	case p.name == "ollama" && reason == "" && w.Done:
		return nil // older servers give no reason
	case p.name == "openai" && len(w.Choices) != 1:
		return errUnreadable.because("it is not one answer")
	case p.name == "openai" && w.Choices[0].Message.Refusal != "":
		return errRefused.because("")
	case p.name == "openai":
		reason = w.Choices[0].FinishReason
	}
	switch strings.ToLower(reason) {
	case "stop", "end_turn", "stop_sequence", "eos":
		return nil
	case "length", "max_tokens", "model_length", "model_context_window_exceeded":
		return errUnreadable.because("it is cut off at the bound of tokens")
	case "content_filter", "refusal":
		return errRefused.because("")
	}
	return errUnreadable.because("it has ended for no known reason")
}

// rejection returns the failure of an answer with status 4xx. It names what an operator can fix.
func (p provider) rejection(res *fetch.Response) *api.HTTPError {
	var w struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	_ = json.Unmarshal(res.Body, &w) // other servers have texts and numbers here
	switch {
	case w.Error.Code == "content_filter" || // Azure
		w.Error.Code == "content_policy_violation": // OpenAI
		return errRefused.because("")
	case res.Status == http.StatusUnauthorized || res.Status == http.StatusForbidden:
		return errUnavailable.because("it does not accept the key in " + p.keyVariable)
	case res.Status == http.StatusNotFound:
		return errUnavailable.because("there is no model of the name in AI_MODEL, " +
			"or AI_BASE_URL is wrong")
	}
	return errUnavailable.because("it does not accept the question")
}
