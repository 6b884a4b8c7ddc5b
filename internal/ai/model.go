package ai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/mipwatch/mipwatch/internal/fetch"
)

var (
	errNoAnswer = errors.New("no answer")             // what langchaingo is told
	errUnread   = errors.New("the answer was unread") // what it could not read
	errFormat   = errors.New("it is not in the format of the API")
)

const (
	defaultTimeout = 7 * time.Second
	answerMost     = 1 << 20 // bytes, decoded
	retryRoom      = 2 * time.Second
	idleMost       = 30 * time.Second // of a connection
	headerMost     = 64 << 10         // bytes
)

// Client is an [Model]. It is safe for concurrent use. Questions to it share the pauses that the
// provider asks for, and a breaker.
type Client struct {
	provider provider
	name     string
	key      string
	timeout  time.Duration
	host     *fetch.Host

	// modernLimit says that the provider calls the bound of an answer max_completion_tokens. Whatever
	// else speaks OpenAI's API knows max_tokens.
	modernLimit bool
}

// New returns a model. It asks nothing and reads no environment. An error names every variable that is
// missing or wrong, and holds no value of any, so that it may be shown. Close the model after use.
func NewClient(c ClientConfig) (*Client, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	p, _ := providerOf(c.Provider)
	address, timeout := c.address(p), cmp.Or(c.Timeout, defaultTimeout)
	host, err := fetch.New(address, fetch.Config{
		Transport:   transport(c.Transport),
		UserAgent:   c.UserAgent,
		MaxBytes:    answerMost,
		Try:         timeout,
		RetryRoom:   min(retryRoom, timeout),
		NoRedirects: true,
		Stats:       c.Stats,
	})
	if err != nil {
		return nil, errAddress
	}
	return &Client{
		provider: p, name: c.Name, key: c.Key, timeout: timeout, host: host, modernLimit: isOpenAI(address),
	}, nil
}

// Ask sends a prompt and waits for the answer. There is at most one retry: after a connect error, a
// 5xx, or a 429 whose wait is under a second, and only when two seconds are left for it.
//
// An error is an [*Error], or wraps [context.Canceled] when ctx was cancelled. The reply that comes with
// it holds the model's name and, where an answer came that may have cost something, the tokens.
func (m *Client) Ask(ctx context.Context, p Prompt) (Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	c := &call{model: m}
	res, err := m.generate(ctx, c, p)
	reply := Reply{Model: m.name, Tokens: usedTokens(res)}
	switch {
	case c.err != nil:
		return reply, c.err
	case c.kind != nil:
		return reply, NewError(c.kind, "").withStatus(http.StatusOK)
	case err != nil:
		return reply, NewError(ErrGarbled, "").withStatus(http.StatusOK)
	}
	said := answerText(res)
	if strings.TrimSpace(said) == "" {
		return reply, NewError(ErrGarbled, "it is empty").withStatus(http.StatusOK)
	}
	if m.tells(said) && !m.tells(p.User) {
		return reply, NewError(ErrGarbled, "it holds the key").withStatus(http.StatusOK)
	}
	reply.Text = said
	return reply, nil
}

// generate lets langchaingo put a prompt into the provider's words and read the answer. What its error
// says is worth nothing: it repeats what the provider sent.
func (m *Client) generate(ctx context.Context, c *call, p Prompt) (res *llms.ContentResponse, err error) {
	// It trusts answers to have the right shape: a choice that is null is a nil dereference.
	defer func() {
		if recover() != nil {
			res, err = nil, errUnread
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

// tells reports whether a text holds the key, which a careless gateway may show its model. In JSON the
// letters may be escaped. A short key is a stand-in of a test or of a server that wants any, and may be a
// word.
func (m *Client) tells(text string) bool {
	const shortest = 8
	if len(m.key) < shortest {
		return false
	}
	return strings.Contains(text, m.key) || strings.Contains(unescaped(text), m.key)
}

// unescaped is a text with JSON's escapes of four digits put back.
func unescaped(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, `\u`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		const digits = 4
		if c, err := strconv.ParseUint(after[:min(digits, len(after))], 16, 16); err == nil && len(after) >= digits {
			b.WriteRune(rune(c))
			after = after[digits:]
		}
		text = after
	}
}

// Close closes idle connections. Questions under way are their callers' to end.
func (m *Client) Close() { m.host.CloseIdle() }

// ClientConfig says which model is asked and how. The comments name the variables that errors speak of.
type ClientConfig struct {
	Provider  string            // AI_PROVIDER: openai, anthropic or ollama; required
	Name      string            // AI_MODEL: the model's name; required
	BaseURL   string            // AI_BASE_URL: an absolute URL, to which the paths of the API are appended; empty: the provider's own
	Key       string            // OPENAI_API_KEY, ANTHROPIC_API_KEY or OLLAMA_API_KEY; ollama can do without
	Timeout   time.Duration     // AI_TIMEOUT: of one Ask, its retry included; 0: 7 s
	Transport http.RoundTripper // nil: one of its own, with the proxy of the environment
	UserAgent string            // empty: that of net/http
	Stats     *fetch.Stats      // counts the questions; nil: nobody is told
}

var errAddress = errors.New("AI_BASE_URL is not an absolute http or https URL")

// check returns all that is wrong, as [NewClient] says it.
func (c ClientConfig) check() error {
	p, known := providerOf(c.Provider)
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
		problems = append(problems, fmt.Errorf("%s holds a character that no key has, such as a line end", cmp.Or(p.keyVariable, "the key")))
	}
	if _, err := fetch.New(c.address(p), fetch.Config{Transport: http.DefaultTransport}); err != nil {
		problems = append(problems, errAddress)
	}
	return errors.Join(problems...)
}

// address is where the API of p is.
func (c ClientConfig) address(p provider) string { return cmp.Or(c.BaseURL, p.address, placeholder) }
