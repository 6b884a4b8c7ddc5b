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
	"strconv"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/mipwatch/mipwatch/internal/fetch"
)

// Errors that callers never see by themselves: they become the reason of one of the errors of this package.
var (
	errNoAnswer = errors.New("no answer") // for langchaingo
	errFormat   = errors.New("it is not in the format of the API")
	errAddress  = errors.New("AI_BASE_URL is not an absolute http or https URL")
)

// ClientConfig says which model is asked and how. The comments name the variables that errors speak of.
type ClientConfig struct {
	Provider  string            // AI_PROVIDER: openai, anthropic or ollama; required
	Name      string            // AI_MODEL: the model's name; required
	BaseURL   string            // AI_BASE_URL: an absolute URL before the paths of the API; empty means the provider's own
	Key       string            // OPENAI_API_KEY, ANTHROPIC_API_KEY or OLLAMA_API_KEY; ollama can do without
	Timeout   time.Duration     // AI_TIMEOUT: of one Ask with its retry; 0 means 7 s
	Transport http.RoundTripper // nil means one of its own, with the proxy of the environment
	UserAgent string            // empty means that of net/http
	Stats     *fetch.Stats      // counts the questions; nil disables counting
}

// check returns all that is wrong.
func (c ClientConfig) check() error {
	p, known := providers[c.Provider]
	var problems []error
	switch {
	case c.Provider == "":
		problems = append(problems, errors.New("AI_PROVIDER is not set"))
	case !known:
		problems = append(problems, errors.New("AI_PROVIDER is none of openai, anthropic and ollama"))
	}
	if strings.TrimSpace(c.Name) == "" {
		problems = append(problems, errors.New("AI_MODEL is not set"))
	}
	switch {
	case known && !p.keyless && c.Key == "":
		problems = append(problems, fmt.Errorf("%s is not set", p.keyVariable))
	case strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }):
		const text = "%s holds a character that no key has, such as a line end"
		problems = append(problems, fmt.Errorf(text, cmp.Or(p.keyVariable, "the key")))
	}
	if _, err := fetch.New(cmp.Or(c.BaseURL, p.address, placeholder), fetch.Config{Transport: http.DefaultTransport}); err != nil {
		problems = append(problems, errAddress)
	}
	return errors.Join(problems...)
}

// Client is a [Model] of a provider. It is safe for concurrent use. Questions to it share the pauses that the
// provider asks for, and a breaker.
type Client struct {
	ClientConfig
	provider provider
	host     *fetch.Host
	isOpenAI bool // the address is OpenAI's own
}

// NewClient returns a client. It asks nothing and reads no environment. An error names every variable that is missing
// or wrong, and holds no value of any, so that it may be shown. The caller closes the client.
func NewClient(c ClientConfig) (*Client, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	const answerMost = 1 << 20 // bytes
	p := providers[c.Provider]
	c.Timeout = cmp.Or(c.Timeout, 7*time.Second)
	address := cmp.Or(c.BaseURL, p.address)
	host, err := fetch.New(address, fetch.Config{
		Transport: c.Transport, UserAgent: c.UserAgent, MaxBytes: answerMost, Try: c.Timeout, NoRedirects: true,
		Stats: c.Stats,
	})
	if err != nil {
		return nil, errAddress
	}
	return &Client{c, p, host, isOpenAI(address)}, nil
}

// Close closes idle connections. It does not end questions under way.
func (m *Client) Close() { m.host.Close() }

// Ask sends a prompt and waits for the answer. There is at most one retry: after a connect error, a 5xx, or a 429
// whose wait is under a second, and only when two seconds are left for it.
//
// An error is an [api.HTTPError] that wraps one of the errors of this package, or wraps [context.Canceled] when ctx was
// cancelled.
func (m *Client) Ask(ctx context.Context, p Prompt) (Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, m.Timeout) // of both tries
	defer cancel()
	c := &call{model: m}
	res, err := m.generate(ctx, c, p)
	reply := Reply{Model: m.Name, Tokens: usedTokens(res), Unbilled: c.unbilled, Unsent: c.unsent}
	if c.err != nil { // it says more than langchaingo's
		return reply, c.err
	}
	text := answerText(res)
	switch {
	case err != nil:
		return reply, newError(ErrGarbled, "")
	case strings.TrimSpace(text) == "":
		return reply, newError(ErrGarbled, "it is empty")
	case m.holdsKey(text) && !m.holdsKey(p.User): // a proposal may hold any word that a short key is
		return reply, newError(ErrGarbled, "it holds the key")
	}
	reply.Text = text
	return reply, nil
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
	var messages []llms.MessageContent
	if system := m.provider.system(p); system != "" {
		messages = append(messages, llms.TextParts(llms.ChatMessageTypeSystem, system))
	}
	messages = append(messages, llms.TextParts(llms.ChatMessageTypeHuman, p.User))
	return llm.GenerateContent(ctx, messages, m.options(p)...)
}

// holdsKey reports whether a text holds the key, which a careless gateway may show its model. In JSON its characters may
// be escaped. A short key is a stand-in for a server that wants any, and may be a word.
func (m *Client) holdsKey(text string) bool {
	const shortest = 8
	return len(m.Key) >= shortest && (strings.Contains(text, m.Key) || strings.Contains(unescaped(text), m.Key))
}

// unescaped is a text with JSON's escapes of four digits resolved.
func unescaped(text string) string {
	const digits = 4
	var b strings.Builder
	for i, part := range strings.Split(text, `\u`) {
		if i > 0 && len(part) >= digits {
			if c, err := strconv.ParseUint(part[:digits], 16, 16); err == nil {
				b.WriteRune(rune(c))
				part = part[digits:]
			}
		}
		b.WriteString(part)
	}
	return b.String()
}

// call is the network of langchaingo for one question. langchaingo has no deadline, no retry and no bound, and turns a
// failure into text. A call asks the host instead, and keeps what happened.
type call struct {
	model    *Client
	err      error // why there is no answer, or why the one that came is not used
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
	// kind is why the answer is not used. It is read here because an answer in no format at all counts against the
	// host's breaker, as a failure of the host does, while a refusal does not.
	var kind error
	res, err := c.model.host.Do(r.Context(), fetch.Request{
		Method: r.Method, Path: r.URL.Path, Header: r.Header, Body: p.edit(body),
		Accept: func(res *fetch.Response) error {
			if res.Status >= http.StatusBadRequest {
				return nil
			}
			var ok bool
			if kind, ok = p.ending(res.Body); !ok {
				return errFormat
			}
			return nil
		},
	})
	if err != nil {
		c.err = hostError(err)
		if h, ok := errors.AsType[*fetch.Error](err); ok {
			c.unsent = h.Unasked
			c.unbilled = c.unsent || h.Status == http.StatusTooManyRequests
		}
		return nil, errNoAnswer
	}
	if res.Status >= http.StatusBadRequest {
		c.err, c.unbilled = p.rejection(res.Status, res.Body)
		return nil, errNoAnswer
	}
	if kind != nil {
		c.err = newError(kind, "") // langchaingo still reads the tokens
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
