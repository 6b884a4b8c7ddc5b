package ai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
)

// errNoAnswer is for langchaingo. Callers never see it.
var errNoAnswer = errors.New("no answer")

// noAddress is the address that langchaingo gets. The real one may hold keys, and langchaingo's errors hold
// addresses. Only the path of its requests is used.
const noAddress = "http://model.invalid"

// unboundedAnswer is the bound of an answer, in tokens, for a prompt that has none. Anthropic's API requires one, and
// langchaingo's default is 2048.
const unboundedAnswer = 8192

// provider is what differs between the providers.
type provider struct {
	name string
	// The address of its API.
	address     string
	keyVariable string
	// A keyless provider can do without a key.
	keyless bool
	// open makes the client of langchaingo. All options that langchaingo would read from the environment are set.
	open func(m *Client, p Prompt, via *http.Client) (llms.Model, error)
}

// providers are all of them, by name. OpenAI's API is that of many other servers too, by AI_BASE_URL. The map is not
// changed.
var providers = map[string]provider{
	"openai": {"openai", "https://api.openai.com/v1", "OPENAI_API_KEY", false,
		func(m *Client, _ Prompt, via *http.Client) (llms.Model, error) {
			return openai.New(openai.WithToken(m.Key), openai.WithModel(m.Name), openai.WithBaseURL(noAddress),
				openai.WithOrganization(""), openai.WithHTTPClient(via))
		}},
	"anthropic": {"anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", false,
		func(m *Client, _ Prompt, via *http.Client) (llms.Model, error) {
			return anthropic.New(anthropic.WithToken(m.Key), anthropic.WithModel(m.Name),
				anthropic.WithBaseURL(noAddress), anthropic.WithHTTPClient(via))
		}},
	"ollama": {"ollama", "http://127.0.0.1:11434", "OLLAMA_API_KEY", true,
		func(m *Client, p Prompt, via *http.Client) (llms.Model, error) {
			return ollama.New(ollama.WithModel(m.Name), ollama.WithServerURL(noAddress), ollama.WithHTTPClient(via),
				ollama.WithRunnerNumCtx(window(p)))
		}},
}

// ClientConfig says which model is asked and how. The comments name the variables that errors speak of.
type ClientConfig struct {
	// Provider is AI_PROVIDER: openai, anthropic or ollama. It is required.
	Provider string
	// Name is AI_MODEL: the model's name. It is required.
	Name string
	// BaseURL is AI_BASE_URL: an absolute URL before the paths of the API. Empty means the provider's own.
	BaseURL string
	// Key is OPENAI_API_KEY, ANTHROPIC_API_KEY or OLLAMA_API_KEY. Ollama can do without.
	Key string
	// Timeout is AI_TIMEOUT: that of one Ask with its retry. 0 means 7 s.
	Timeout time.Duration
	// Transport sends the requests. Nil means one of its own, with the proxy of the environment.
	Transport http.RoundTripper
	// UserAgent is sent with each request. Empty means that of net/http.
	UserAgent string
	// Stats counts the questions. Nil disables counting.
	Stats *fetch.Stats
}

// Client is a [Model] of a provider. It is safe for concurrent use. Questions to it share the pauses that the
// provider asks for, and a breaker.
type Client struct {
	ClientConfig
	provider provider
	host     *fetch.Host
	// The address is OpenAI's own.
	isOpenAI bool
}

// NewClient returns a client. It asks nothing and reads no environment. An error names every variable that is missing
// or wrong, and holds no value of any, so that it may be shown. The caller closes the client.
func NewClient(c ClientConfig) (*Client, error) {
	const answerMost = 1 << 20 // bytes
	p, known := providers[c.Provider]
	c.Timeout = cmp.Or(c.Timeout, 7*time.Second)
	address := cmp.Or(c.BaseURL, p.address, noAddress)
	host, err := fetch.New(address, fetch.Config{
		Transport: c.Transport, UserAgent: c.UserAgent, MaxBytes: answerMost, Try: c.Timeout, NoRedirects: true,
		Stats: c.Stats,
	})
	badKey := strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' })
	var problems []error
	for _, problem := range []struct {
		is   bool
		text string
	}{
		{c.Provider == "", "AI_PROVIDER is not set"},
		{c.Provider != "" && !known, "AI_PROVIDER is none of openai, anthropic and ollama"},
		{strings.TrimSpace(c.Name) == "", "AI_MODEL is not set"},
		{known && !p.keyless && c.Key == "", p.keyVariable + " is not set"},
		{badKey, cmp.Or(p.keyVariable, "the key") + " holds a character that no key has, such as a line end"},
		{err != nil, "AI_BASE_URL is not an absolute http or https URL"},
	} {
		if problem.is {
			problems = append(problems, errors.New(problem.text))
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return &Client{c, p, host, isOpenAI(address)}, nil
}

// isOpenAI reports whether an address is OpenAI's own or Microsoft's, where the bound of an answer is
// max_completion_tokens. Other servers of OpenAI's API know max_tokens.
func isOpenAI(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := "." + strings.ToLower(u.Hostname())
	return strings.HasSuffix(host, ".api.openai.com") || strings.HasSuffix(host, ".azure.com")
}

// Close closes idle connections. It does not end questions under way.
func (m *Client) Close() { m.host.Close() }

// Ask sends a prompt and waits for the answer. There is at most one retry: after a connect error, a 5xx, or a 429
// whose wait is under a second, and only when two seconds are left for it.
//
// An error is an [api.HTTPError], or wraps [context.Canceled] when ctx was cancelled.
func (m *Client) Ask(ctx context.Context, p Prompt) (Reply, error) {
	const shortestKey = 8                              // bytes; a shorter one stands in for a key where a server wants any
	ctx, cancel := context.WithTimeout(ctx, m.Timeout) // of both tries
	defer cancel()
	c := &call{model: m}
	res, err := m.generate(ctx, c, p)
	text, tokens := read(res)
	reply := Reply{Model: m.Name, Tokens: tokens, Unbilled: c.unbilled, Unsent: c.unsent}
	switch {
	case c.err != nil: // it says more than langchaingo's
		return reply, c.err
	case err != nil:
		return reply, errFailed.because("langchaingo cannot read it")
	case strings.TrimSpace(text) == "":
		return reply, errFailed.because("it is empty")
	// Refuse an answer with the key, which a careless gateway may show its model, unless the proposal holds the same
	// word.
	case len(m.Key) >= shortestKey && holds(text, m.Key) && !strings.Contains(p.User, m.Key):
		return reply, errFailed.because("it holds the key")
	}
	reply.Text = text
	return reply, nil
}

// holds reports whether a text holds a key. In a text of JSON its characters may be escaped.
func holds(text, key string) bool {
	var v any
	_ = json.Unmarshal([]byte(object(text)), &v) // of other texts v is nil
	return strings.Contains(text, key) || strings.Contains(fmt.Sprint(v), key)
}

// generate lets langchaingo write a prompt in the provider's format and read the answer. Its errors are worth nothing:
// they repeat what the provider sent.
func (m *Client) generate(ctx context.Context, c *call, p Prompt) (res *llms.ContentResponse, err error) {
	// langchaingo trusts answers to have the right shape: a choice that is null is a nil dereference.
	defer func() {
		if recover() != nil {
			res, err = nil, errNoAnswer
		}
	}()
	llm, err := m.provider.open(m, p, &http.Client{Transport: c})
	if err != nil {
		return nil, err
	}
	var options []llms.CallOption
	system := p.System
	switch {
	case p.MaxTokens > 0:
		options = append(options, llms.WithMaxTokens(p.MaxTokens))
	case m.provider.name == "anthropic":
		options = append(options, llms.WithMaxTokens(unboundedAnswer))
	}
	if p.JSON {
		options = append(options, llms.WithJSONMode())
	}
	if p.JSON && m.provider.name == "anthropic" { // whose API has no field that asks for JSON
		system += "\n\nAnswer with one JSON object and nothing else: no text around it, no code fence."
	}
	if m.provider.name == "openai" && !m.isOpenAI {
		options = append(options, openai.WithLegacyMaxTokensField())
	}
	var messages []llms.MessageContent
	if system = strings.TrimSpace(system); system != "" {
		messages = append(messages, llms.TextParts(llms.ChatMessageTypeSystem, system))
	}
	messages = append(messages, llms.TextParts(llms.ChatMessageTypeHuman, p.User))
	return llm.GenerateContent(ctx, messages, options...)
}

// window is the size in tokens of the context that Ollama keeps for a question and its answer. It cuts off the rest in
// silence, and its default is 2 to 4 thousand. There are few sizes, because Ollama loads the model again for another.
func window(p Prompt) int {
	const (
		bytesPerToken = 3 // fewer than English has, so that code fits too
		least, most   = 8 << 10, 128 << 10
	)
	question, size := (len(p.System)+len(p.User))/bytesPerToken, least
	for answer := cmp.Or(p.MaxTokens, max(question, unboundedAnswer)); size < most && size < question+answer; {
		size *= 4
	}
	return size
}

// call is the network of langchaingo for one question. langchaingo has no deadline, no retry and no bound, and turns a
// failure into text. A call asks the host instead, and keeps what happened.
type call struct {
	model *Client
	// The reason why there is no answer, or why the one that came is not used.
	err      error
	unbilled bool
	unsent   bool
}

// RoundTrip implements [http.RoundTripper] for a single request. The host has its own address and query: of the
// request it takes the method, the path, the header and the body.
func (c *call) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	p := c.model.provider
	// langchaingo has no key for Ollama, which a proxy before it may ask for.
	if p.name == "ollama" && c.model.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.model.Key)
	}
	res, err := c.model.host.Do(r.Context(), fetch.Request{
		Method: r.Method, Path: r.URL.Path, Header: r.Header, Body: p.edit(body),
	})
	if err != nil {
		c.err = hostError(err)
		if h, ok := errors.AsType[*fetch.Error](err); ok {
			c.unsent = h.Unasked
			c.unbilled = h.Unasked || h.Status == http.StatusTooManyRequests
		}
		return nil, errNoAnswer
	}
	if res.Status >= http.StatusBadRequest {
		reason := p.rejection(res)
		// A provider bills only a question that it reads. Its filter reads one that it refuses.
		c.err, c.unbilled = withStatus(reason, res.Status), !errors.Is(reason, errRefused)
		return nil, errNoAnswer
	}
	if bad := p.ending(res.Body); bad != nil { // langchaingo still reads the tokens
		c.err = withStatus(bad, res.Status)
	}
	return &http.Response{
		StatusCode: res.Status, Header: res.Header, Request: r,
		Body: io.NopCloser(bytes.NewReader(res.Body)), ContentLength: int64(len(res.Body)),
	}, nil
}

// edit changes the body of langchaingo's request. langchaingo always sends a temperature, which many models do not
// accept, and never tells Ollama not to stream.
func (p provider) edit(body []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return body
	}
	delete(fields, "temperature")
	if p.name == "ollama" {
		fields["stream"] = json.RawMessage("false")
	}
	edited, _ := json.Marshal(fields) // values that were read are written
	return edited
}

// ending is why the text of an answer is not to be used, nil when nothing speaks against it. langchaingo keeps no stop
// reason of Ollama's and no refusal of OpenAI's, and loses the reason when there is no text.
func (p provider) ending(body []byte) *api.HTTPError {
	// The fields of all three formats that tell how an answer ended. A field of another format is absent.
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
		return errFailed.because("it is not in the format of the API")
	}
	reason := w.StopReason + w.DoneReason
	switch {
	case w.Error != nil:
		return errUnavailable.because("")
	case p.name == "ollama" && reason == "" && w.Done:
		return nil // older servers give no reason
	case p.name == "openai" && len(w.Choices) != 1:
		return errFailed.because("it is not one answer")
	case p.name == "openai" && w.Choices[0].Message.Refusal != "":
		return errRefused.because("")
	case p.name == "openai":
		reason = w.Choices[0].FinishReason
	}
	switch strings.ToLower(reason) {
	case "stop", "end_turn", "stop_sequence", "eos":
		return nil
	case "length", "max_tokens", "model_length", "model_context_window_exceeded":
		return errFailed.because("it is cut off at the bound of tokens")
	case "content_filter", "refusal":
		return errRefused.because("")
	}
	return errFailed.because("it has ended for no known reason")
}

// rejection is the failure that an answer of status 4xx means. It names what an operator can mend.
func (p provider) rejection(res *fetch.Response) *api.HTTPError {
	var w struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	_ = json.Unmarshal(res.Body, &w) // other servers have texts and numbers there
	switch {
	case w.Error.Code == "content_filter" || w.Error.Code == "content_policy_violation": // Azure, OpenAI
		return errRefused.because("")
	case res.Status == http.StatusUnauthorized || res.Status == http.StatusForbidden:
		return errUnavailable.because("it does not accept the key in " + p.keyVariable)
	case res.Status == http.StatusNotFound:
		return errUnavailable.because("there is no model of the name in AI_MODEL, or AI_BASE_URL is wrong")
	}
	return errUnavailable.because("it does not accept the question")
}

// read returns the whole text of an answer, which Anthropic gives in blocks, and the tokens of question and answer by
// the provider's count: 0 when it says nothing credible. Both are empty without an answer.
func read(res *llms.ContentResponse) (text string, tokens int) {
	if res == nil || len(res.Choices) == 0 {
		return "", 0
	}
	for _, c := range res.Choices {
		text += c.Content
	}
	info := res.Choices[0].GenerationInfo // the same in each
	if total, ok := info["TotalTokens"].(int); ok {
		return text, max(total, 0)
	}
	for _, name := range []string{"InputTokens", "OutputTokens", "CacheCreationInputTokens", "CacheReadInputTokens"} {
		n, _ := info[name].(int)
		tokens += max(n, 0)
	}
	return text, tokens
}
