// Package model asks a language model over HTTP, by way of langchaingo: OpenAI and whatever speaks its
// API, Anthropic, Ollama. It does not know what it asks, nor whether the answer is any good.
package model

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
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
	if err := c.check(); err != nil {
		return nil, err
	}
	p, _ := providerOf(c.Provider)
	address, timeout := c.address(p), cmp.Or(c.Timeout, defaultTimeout)
	host, err := upstream.New(address, upstream.Config{
		Transport: staying{transport(c.Transport)},
		UserAgent: c.UserAgent,
		MaxBytes:  answerMost,
		Try:       timeout,
		Stats:     c.Stats,
	})
	if err != nil {
		return nil, errAddress
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
	if m.tells(said) && !m.tells(p.User) {
		return reply, &Error{Kind: ErrGarbled, Status: http.StatusOK, reason: "it holds the key"}
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

// tells reports whether a text holds the key, which a careless gateway may show its model. In JSON the
// letters may be escaped. A short key is a stand-in of a test or of a server that wants any, and may be a
// word.
func (m *Model) tells(text string) bool {
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
func (m *Model) Close() { m.host.CloseIdle() }
