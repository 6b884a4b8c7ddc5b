package model

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/mipwatch/mipwatch/sidecar/assist"
)

// placeholder is the address that langchaingo knows. The real one may hold keys, and langchaingo's
// errors tell addresses; only the path of a request is looked at.
const placeholder = "http://model.invalid"

// unbounded is the bound of an answer, in tokens, where none is asked for and there must be one:
// Anthropic's API requires it, and langchaingo would say 2048.
const unbounded = 8192

// provider is what differs between the providers.
type provider struct {
	name        string
	address     string // where its API is
	keyVariable string
	keyless     bool // it can do without a key
	open        func(m *Model, p assist.Prompt, via *http.Client) (llms.Model, error)
}

func providerOf(name string) (provider, bool) {
	switch name {
	case "openai":
		return provider{name, "https://api.openai.com/v1", "OPENAI_API_KEY", false, openOpenAI}, true
	case "anthropic":
		return provider{name, "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", false, openAnthropic}, true
	case "ollama":
		return provider{name, "http://127.0.0.1:11434", "OLLAMA_API_KEY", true, openOllama}, true
	}
	return provider{}, false
}

// The options that langchaingo would fill in from the environment are all set.

func openOpenAI(m *Model, _ assist.Prompt, via *http.Client) (llms.Model, error) {
	return openai.New(openai.WithToken(m.key), openai.WithModel(m.name), openai.WithBaseURL(placeholder),
		openai.WithOrganization(""), openai.WithHTTPClient(via))
}

func openAnthropic(m *Model, _ assist.Prompt, via *http.Client) (llms.Model, error) {
	return anthropic.New(anthropic.WithToken(m.key), anthropic.WithModel(m.name), anthropic.WithBaseURL(placeholder),
		anthropic.WithHTTPClient(via))
}

func openOllama(m *Model, p assist.Prompt, via *http.Client) (llms.Model, error) {
	return ollama.New(ollama.WithModel(m.name), ollama.WithServerURL(placeholder), ollama.WithHTTPClient(via),
		ollama.WithRunnerNumCtx(window(p)))
}

// window is the size in tokens of the context that Ollama is to keep for a question and its answer. What
// does not fit it cuts off in silence, and its default is 2 to 4 thousand. Few sizes, because another
// size makes it load the model again.
func window(p assist.Prompt) int {
	const (
		bytesPerToken = 3 // fewer than English has, so that code fits too
		least, most   = 8 << 10, 128 << 10
	)
	question := (len(p.System) + len(p.User)) / bytesPerToken
	answer := p.MaxTokens
	if answer <= 0 {
		answer = max(question, unbounded)
	}
	size := least
	for size < min(question+answer, most) {
		size *= 4
	}
	return min(size, most)
}

// system is the text of the system message. Anthropic's API has no field that asks for JSON.
func (p provider) system(prompt assist.Prompt) string {
	if !prompt.JSON || p.name != "anthropic" {
		return prompt.System
	}
	return strings.TrimSpace(prompt.System + "\n\nAnswer with one JSON object and nothing else: no text around it, no code fence.")
}

// options are what a prompt asks for beside its text.
func (m *Model) options(p assist.Prompt) []llms.CallOption {
	var o []llms.CallOption
	switch {
	case p.MaxTokens > 0:
		o = append(o, llms.WithMaxTokens(p.MaxTokens))
	case m.provider.name == "anthropic":
		o = append(o, llms.WithMaxTokens(unbounded))
	}
	if p.JSON {
		o = append(o, llms.WithJSONMode())
	}
	if m.provider.name == "openai" && !m.modernLimit {
		o = append(o, openai.WithLegacyMaxTokensField())
	}
	return o
}

// isOpenAI reports whether an address is OpenAI's own or Microsoft's.
func isOpenAI(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") || strings.HasSuffix(host, ".azure.com")
}
