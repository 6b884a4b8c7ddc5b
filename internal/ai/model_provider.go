package ai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"
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
	open        func(m *Client, p Prompt, via *http.Client) (llms.Model, error)
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

func openOpenAI(m *Client, _ Prompt, via *http.Client) (llms.Model, error) {
	return openai.New(openai.WithToken(m.key), openai.WithModel(m.name), openai.WithBaseURL(placeholder),
		openai.WithOrganization(""), openai.WithHTTPClient(via))
}

func openAnthropic(m *Client, _ Prompt, via *http.Client) (llms.Model, error) {
	return anthropic.New(anthropic.WithToken(m.key), anthropic.WithModel(m.name), anthropic.WithBaseURL(placeholder),
		anthropic.WithHTTPClient(via))
}

func openOllama(m *Client, p Prompt, via *http.Client) (llms.Model, error) {
	return ollama.New(ollama.WithModel(m.name), ollama.WithServerURL(placeholder), ollama.WithHTTPClient(via),
		ollama.WithRunnerNumCtx(window(p)))
}

// window is the size in tokens of the context that Ollama is to keep for a question and its answer. What
// does not fit it cuts off in silence, and its default is 2 to 4 thousand. Few sizes, because another
// size makes it load the model again.
func window(p Prompt) int {
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
func (p provider) system(prompt Prompt) string {
	if !prompt.JSON || p.name != "anthropic" {
		return prompt.System
	}
	return strings.TrimSpace(prompt.System + "\n\nAnswer with one JSON object and nothing else: no text around it, no code fence.")
}

// options are what a prompt asks for beside its text.
func (m *Client) options(p Prompt) []llms.CallOption {
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

// wire has the fields of all three formats that tell how an answer ended.
type wire struct {
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

// ending is why the text of an answer is not to be used, nil when nothing speaks against it. langchaingo
// keeps no stop reason of Ollama's and no refusal of OpenAI's, and loses the reason when there is no
// text. ok is false when the answer is not in the format of any API.
func (p provider) ending(body []byte) (kind error, ok bool) {
	var w wire
	d := json.NewDecoder(bytes.NewReader(body))
	if d.Decode(&w) != nil {
		return nil, false
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, false
	}
	switch {
	case w.Error != nil:
		return ErrUnavailable, true
	case p.name == "anthropic":
		return stopped(w.StopReason), true
	case p.name == "ollama" && w.DoneReason == "" && w.Done:
		return nil, true // older servers give no reason
	case p.name == "ollama":
		return stopped(w.DoneReason), true
	case len(w.Choices) != 1:
		return ErrGarbled, true
	case w.Choices[0].Message.Refusal != "":
		return ErrRefused, true
	}
	return stopped(w.Choices[0].FinishReason), true
}

// stopped is what a stop reason means; nil: the answer is whole.
func stopped(reason string) error {
	switch strings.ToLower(reason) {
	case "stop", "end_turn", "stop_sequence", "eos":
		return nil
	case "length", "max_tokens", "model_length", "model_context_window_exceeded":
		return ErrTruncated
	case "content_filter", "refusal":
		return ErrRefused
	}
	return ErrGarbled
}

// filtered reports whether an answer of status 4xx says that a filter stopped the question.
func filtered(body []byte) bool {
	var e struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	// Elsewhere error may be a string and code a number: then it is not that.
	return json.Unmarshal(body, &e) == nil && (e.Error.Code == "content_filter" || e.Error.Code == "content_policy_violation")
}

// answerText is the whole text of an answer, which Anthropic gives in blocks.
func answerText(res *llms.ContentResponse) string {
	var b strings.Builder
	for _, c := range res.Choices {
		b.WriteString(c.Content)
	}
	return b.String()
}

// usedTokens is what an answer says that question and answer took; 0 when it says nothing credible.
func usedTokens(res *llms.ContentResponse) int {
	const most = 1 << 30
	if res == nil || len(res.Choices) == 0 {
		return 0
	}
	n, total := 0, false
	info := res.Choices[0].GenerationInfo // the same in each
	if v, ok := info["TotalTokens"].(int); ok {
		n, total = v, true
	}
	for _, name := range []string{"InputTokens", "OutputTokens", "CacheCreationInputTokens", "CacheReadInputTokens"} {
		if v, ok := info[name].(int); ok && !total {
			n += min(max(v, 0), most)
		}
	}
	return min(max(n, 0), most)
}
