package ai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/mipwatch/mipwatch/internal/fetch"
)

// errNoAnswer is for langchaingo. Callers do not see it.
var errNoAnswer = errors.New("no answer")

// noAddress is the address for langchaingo, whose errors hold addresses: the real one may hold
// keys. Only the path of its requests is used.
const noAddress = "http://model.invalid"

// unboundedAnswer is the bound of an answer, in tokens, for a prompt without one. Anthropic's API
// requires a bound, and langchaingo's default is 2048.
const unboundedAnswer = 8192

// provider has the differences between the providers.
type provider struct {
	name string
	// The address of its API.
	address     string
	keyVariable string
	// A keyless provider works without a key.
	keyless bool
	// open returns the client of langchaingo. It sets all options that langchaingo would read from
	// the environment.
	open func(m *Client, p Prompt, via *http.Client) (llms.Model, error)
}

// providers has all providers by name. Other servers have OpenAI's API too, by AI_BASE_URL. The map
// is not changed.
var providers = map[string]provider{
	"openai": {"openai", "https://api.openai.com/v1", "OPENAI_API_KEY", false,
		func(m *Client, _ Prompt, via *http.Client) (llms.Model, error) {
			return openai.New(openai.WithToken(m.Key), openai.WithModel(m.Name),
				openai.WithBaseURL(noAddress), openai.WithOrganization(""),
				openai.WithHTTPClient(via))
		}},
	"anthropic": {"anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", false,
		func(m *Client, _ Prompt, via *http.Client) (llms.Model, error) {
			return anthropic.New(anthropic.WithToken(m.Key), anthropic.WithModel(m.Name),
				anthropic.WithBaseURL(noAddress), anthropic.WithHTTPClient(via))
		}},
	"ollama": {"ollama", "http://127.0.0.1:11434", "OLLAMA_API_KEY", true,
		func(m *Client, p Prompt, via *http.Client) (llms.Model, error) {
			return ollama.New(ollama.WithModel(m.Name), ollama.WithServerURL(noAddress),
				ollama.WithHTTPClient(via), ollama.WithRunnerNumCtx(window(p)))
		}},
}

// ClientConfig configures a [Client]. The comments name the variables in its errors.
type ClientConfig struct {
	// Provider is AI_PROVIDER: openai, anthropic or ollama. It is required.
	Provider string
	// Name is AI_MODEL: the model's name. It is required.
	Name string
	// BaseURL is AI_BASE_URL: an absolute URL before the paths of the API. Empty means the
	// provider's own.
	BaseURL string
	// Key is OPENAI_API_KEY, ANTHROPIC_API_KEY or OLLAMA_API_KEY. Ollama can do without.
	Key string
	// Timeout is AI_TIMEOUT, of one Ask with its retry. 0 means 7 s.
	Timeout time.Duration
	// Transport sends the requests. Nil means a transport with the proxy of the environment.
	Transport http.RoundTripper
	// UserAgent is sent with each request. Empty means the value of net/http.
	UserAgent string
	// Stats counts the questions. Nil disables counting.
	Stats *fetch.Stats
}

// Client is a [Model] of a provider. It is safe for concurrent use. Questions to it share the
// pauses that the provider asks for, and a breaker.
type Client struct {
	ClientConfig
	provider provider
	host     *fetch.Host
	// wantsCompletionTokens is set once the host has required max_completion_tokens for the bound
	// of an answer, in place of max_tokens. Only OpenAI's format has both names.
	wantsCompletionTokens atomic.Bool
}

// NewClient returns a client. It sends no question and reads no environment. An error names every
// variable that is missing or wrong without its value, so that it may be shown. The caller closes
// the client.
func NewClient(c ClientConfig) (*Client, error) {
	const answerMost = 1 << 20 // bytes
	p, known := providers[c.Provider]
	c.Timeout = cmp.Or(c.Timeout, 7*time.Second)
	address := cmp.Or(c.BaseURL, p.address, noAddress)
	host, err := fetch.New(address, fetch.Config{
		Transport: c.Transport, UserAgent: c.UserAgent, MaxBytes: answerMost,
		Try: c.Timeout, NoRedirects: true,
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
		{badKey, cmp.Or(p.keyVariable, "the key") +
			" holds a character that no key has, such as a line end"},
		{err != nil, "AI_BASE_URL is not an absolute http or https URL"},
	} {
		if problem.is {
			problems = append(problems, errors.New(problem.text))
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	m := &Client{ClientConfig: c, provider: p, host: host}
	m.wantsCompletionTokens.Store(isOpenAI(address))
	return m, nil
}

// isOpenAI reports whether an address is OpenAI's own or Microsoft's, where the bound of an answer
// is max_completion_tokens. Other servers of OpenAI's API get max_tokens first.
func isOpenAI(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := "." + strings.ToLower(u.Hostname())
	return strings.HasSuffix(host, ".api.openai.com") || strings.HasSuffix(host, ".azure.com")
}

// Close closes idle connections. It does not end running questions.
func (m *Client) Close() { m.host.Close() }

// Ask sends a prompt and waits for the answer. There is at most one retry: after a connect error, a
// 5xx, or a 429 whose wait is under a second, and only if two seconds are left for it. A host that
// rejects the name of the answer's bound is asked once more with the other name. If that works,
// later questions use that name.
//
// An error is an [api.HTTPError], or wraps [context.Canceled] if ctx was canceled.
func (m *Client) Ask(ctx context.Context, p Prompt) (Reply, error) {
	const shortestKey = 8 // bytes; a shorter key is a dummy for a server that requires any

	ctx, cancel := context.WithTimeout(ctx, m.Timeout) // of both tries
	defer cancel()
	c := &call{model: m}
	res, err := m.generate(ctx, c, p)
	text, tokens := read(res)
	reply := Reply{Model: m.Name, Tokens: tokens, Unbilled: c.unbilled, Unsent: c.unsent}
	switch {
	case c.err != nil: // more specific than langchaingo's
		return reply, c.err
	case err != nil:
		return reply, errUnreadable.because("langchaingo cannot read it")
	case strings.TrimSpace(text) == "":
		return reply, errUnreadable.because("it is empty")
	// Refuse an answer with the key, which a careless gateway may show its model, unless the
	// proposal holds the same word.
	case len(m.Key) >= shortestKey && holds(text, m.Key) && !strings.Contains(p.User, m.Key):
		return reply, errFailed.because("it holds the key")
	}
	reply.Text = text
	return reply, nil
}

// holds reports whether a text holds a key. In the JSON of a text its characters may be escaped.
func holds(text, key string) bool {
	for _, object := range objects(text) {
		var v any
		_ = json.Unmarshal(object, &v) // v is nil for an object that this package cannot decode
		if strings.Contains(fmt.Sprint(v), key) {
			return true
		}
	}
	return strings.Contains(text, key)
}

// generate lets langchaingo write a prompt in the provider's format and read the answer. Its errors
// are not used: they repeat text of the provider.
func (m *Client) generate(
	ctx context.Context, c *call, p Prompt,
) (res *llms.ContentResponse, err error) {
	// langchaingo trusts the shape of answers: a choice that is null is a nil dereference.
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
		system += "\n\nAnswer with one JSON object and nothing else: no text around it, " +
			"no code fence."
	}
	var messages []llms.MessageContent
	if system = strings.TrimSpace(system); system != "" {
		messages = append(messages, llms.TextParts(llms.ChatMessageTypeSystem, system))
	}
	messages = append(messages, llms.TextParts(llms.ChatMessageTypeHuman, p.User))
	return llm.GenerateContent(ctx, messages, options...)
}

// window returns the size in tokens of Ollama's context for a question and its answer. Ollama cuts
// off the rest silently, and its default is 2 to 4 thousand. There are few sizes, because Ollama
// loads the model again for another one.
func window(p Prompt) int {
	const (
		bytesPerToken = 3 // fewer than English has, so that code fits too
		least, most   = 8 << 10, 128 << 10
	)
	question, size := (len(p.System)+len(p.User))/bytesPerToken, least
	answer := cmp.Or(p.MaxTokens, max(question, unboundedAnswer))
	for size < most && size < question+answer {
		size *= 4
	}
	return size
}

// read returns the whole text of an answer, which Anthropic gives in blocks, and the tokens of
// question and answer by the provider's count: 0 without a credible number. Both are empty without
// an answer.
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
	for _, name := range []string{
		"InputTokens", "OutputTokens", "CacheCreationInputTokens", "CacheReadInputTokens",
	} {
		n, _ := info[name].(int)
		tokens += max(n, 0)
	}
	return text, tokens
}
