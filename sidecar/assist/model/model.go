// Package model asks a language model over HTTP, by way of langchaingo: OpenAI and whatever speaks its
// API, Anthropic, Ollama. It does not know what it asks, nor whether the answer is any good.
package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/mipwatch/mipwatch/sidecar/assist"
	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

const (
	defaultTimeout = 7 * time.Second
	answerMost     = 1 << 20 // bytes, decoded
	retryRoom      = 2 * time.Second
	idleMost       = 30 * time.Second // of a connection
	headerMost     = 64 << 10         // bytes
)

// Config says which model is asked and how. The comments name the variables that errors speak of.
type Config struct {
	Provider  string            // AI_PROVIDER: openai, anthropic or ollama; required
	Name      string            // AI_MODEL: the model's name; required
	BaseURL   string            // AI_BASE_URL: an absolute URL, to which the paths of the API are appended; empty: the provider's own
	Key       string            // OPENAI_API_KEY or ANTHROPIC_API_KEY; required by these two, a bearer token for ollama if there is one
	Timeout   time.Duration     // of one Ask, its retry included; 0: 7 s
	Transport http.RoundTripper // nil: one of its own, with the proxy of the environment
	UserAgent string            // empty: that of net/http
}

// Model is an [assist.Model]. It is safe for concurrent use. Questions to it share the pauses that the
// provider asks for, and a breaker.
type Model struct {
	provider provider
	name     string
	key      string
	timeout  time.Duration
	host     *upstream.Host

	// modernLimit says that the provider calls the bound of an answer max_completion_tokens. Whatever
	// else speaks OpenAI's API knows max_tokens.
	modernLimit bool
}

// New returns a model. It asks nothing and reads no environment. An error names every variable that is
// missing or wrong, and holds no value of any, so that it may be shown. Close the model after use.
func New(c Config) (*Model, error) {
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
	case p.keyVariable != "" && c.Key == "":
		problems = append(problems, fmt.Errorf("%s is not set", p.keyVariable))
	case strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }):
		problems = append(problems, fmt.Errorf("%s holds a character that no key has, such as a line end", cmp.Or(p.keyVariable, "the key")))
	}
	address, timeout := cmp.Or(c.BaseURL, p.address, placeholder), cmp.Or(c.Timeout, defaultTimeout)
	host, err := upstream.New(address, upstream.Config{
		Transport: staying{transport(c.Transport)},
		UserAgent: c.UserAgent,
		MaxBytes:  answerMost,
		Try:       timeout,
	})
	if err != nil {
		problems = append(problems, errors.New("AI_BASE_URL is not an absolute http or https URL"))
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return &Model{
		provider: p, name: c.Name, key: c.Key, timeout: timeout, host: host, modernLimit: isOpenAI(address),
	}, nil
}

// Ask sends a prompt and waits for the answer. There is at most one retry: after a connect error, a
// 5xx, or a 429 whose wait is under a second, and only when two seconds are left for it.
//
// An error is an [*Error], or wraps [context.Canceled] when ctx was cancelled. The reply that comes with
// it holds the model's name and, where an answer came that may have cost something, the tokens.
func (m *Model) Ask(ctx context.Context, p assist.Prompt) (assist.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	c := &call{model: m}
	res, err := m.generate(ctx, c, p)
	reply := assist.Reply{Model: m.name, Tokens: tokens(res)}
	switch {
	case c.err != nil:
		return reply, c.err
	case c.kind != nil:
		return reply, &Error{Kind: c.kind, Status: http.StatusOK}
	case err != nil:
		return reply, &Error{Kind: ErrGarbled, Status: http.StatusOK}
	}
	said := text(res)
	if strings.TrimSpace(said) == "" {
		return reply, &Error{Kind: ErrGarbled, Status: http.StatusOK, reason: "it is empty"}
	}
	reply.Text = said
	return reply, nil
}

// generate lets langchaingo put a prompt into the provider's words and read the answer. What its error
// says is worth nothing: it repeats what the provider sent.
func (m *Model) generate(ctx context.Context, c *call, p assist.Prompt) (res *llms.ContentResponse, err error) {
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

// Close closes idle connections. Questions under way are their callers' to end.
func (m *Model) Close() { m.host.CloseIdle() }
