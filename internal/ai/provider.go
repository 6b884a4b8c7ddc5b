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

// placeholder is the address that langchaingo gets. The real one may hold keys, and langchaingo's errors hold
// addresses. Only the path of its requests is used.
const placeholder = "http://model.invalid"

// unboundedAnswer is the bound of an answer, in tokens, for a prompt that has none. Anthropic's API requires one, and
// langchaingo's default is 2048.
const unboundedAnswer = 8192

// provider is what differs between the providers.
type provider struct {
	name        string
	address     string // where its API is
	keyVariable string
	keyless     bool // it can do without a key
	// open makes the client of langchaingo. All options that langchaingo would read from the environment are set.
	open func(m *Client, p Prompt, via *http.Client) (llms.Model, error)
}

// providers are all of them, by name. OpenAI's API is that of many other servers too, by AI_BASE_URL. The map is not
// changed.
var providers = map[string]provider{
	"openai": {"openai", "https://api.openai.com/v1", "OPENAI_API_KEY", false,
		func(m *Client, _ Prompt, via *http.Client) (llms.Model, error) {
			return openai.New(openai.WithToken(m.Key), openai.WithModel(m.Name), openai.WithBaseURL(placeholder),
				openai.WithOrganization(""), openai.WithHTTPClient(via))
		}},
	"anthropic": {"anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", false,
		func(m *Client, _ Prompt, via *http.Client) (llms.Model, error) {
			return anthropic.New(anthropic.WithToken(m.Key), anthropic.WithModel(m.Name),
				anthropic.WithBaseURL(placeholder), anthropic.WithHTTPClient(via))
		}},
	"ollama": {"ollama", "http://127.0.0.1:11434", "OLLAMA_API_KEY", true,
		func(m *Client, p Prompt, via *http.Client) (llms.Model, error) {
			return ollama.New(ollama.WithModel(m.Name), ollama.WithServerURL(placeholder), ollama.WithHTTPClient(via),
				ollama.WithRunnerNumCtx(window(p)))
		}},
}

// window is the size in tokens of the context that Ollama keeps for a question and its answer. It cuts off the rest in
// silence, and its default is 2 to 4 thousand. There are few sizes, because Ollama loads the model again for another.
func window(p Prompt) int {
	const (
		bytesPerToken = 3 // fewer than English has, so that code fits too
		least, most   = 8 << 10, 128 << 10
	)
	question := (len(p.System) + len(p.User)) / bytesPerToken
	answer := p.MaxTokens
	if answer <= 0 {
		answer = max(question, unboundedAnswer)
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

// options are the parameters of a question: the bound of the answer and its format.
func (m *Client) options(p Prompt) []llms.CallOption {
	var o []llms.CallOption
	switch {
	case p.MaxTokens > 0:
		o = append(o, llms.WithMaxTokens(p.MaxTokens))
	case m.provider.name == "anthropic":
		o = append(o, llms.WithMaxTokens(unboundedAnswer))
	}
	if p.JSON {
		o = append(o, llms.WithJSONMode())
	}
	if m.provider.name == "openai" && !m.isOpenAI {
		o = append(o, openai.WithLegacyMaxTokensField())
	}
	return o
}

// isOpenAI reports whether an address is OpenAI's own or Microsoft's, where the bound of an answer is
// max_completion_tokens. Other servers of OpenAI's API know max_tokens.
func isOpenAI(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") || strings.HasSuffix(host, ".azure.com")
}

// wire has the fields of all three formats that tell how an answer ended. A field of another format is absent, so one
// struct serves all.
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

// ending is why the text of an answer is not to be used, nil when nothing speaks against it. langchaingo keeps no stop
// reason of Ollama's and no refusal of OpenAI's, and loses the reason when there is no text. ok is false for an answer
// that is not in the format of any API.
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
		return stopKind(w.StopReason), true
	case p.name == "ollama" && w.DoneReason == "" && w.Done:
		return nil, true // older servers give no reason
	case p.name == "ollama":
		return stopKind(w.DoneReason), true
	case len(w.Choices) != 1:
		return ErrGarbled, true
	case w.Choices[0].Message.Refusal != "":
		return ErrRefused, true
	}
	return stopKind(w.Choices[0].FinishReason), true
}

// stopKind is the failure that a stop reason means; nil for a whole answer.
func stopKind(reason string) error {
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

// rejection is the failure that an answer of status 4xx means. It names what an operator can mend. The provider wants
// nothing for a question that it does not read.
func (p provider) rejection(status int, body []byte) (err error, unbilled bool) {
	kind, reason := ErrUnavailable, "it does not accept the question"
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		reason, unbilled = "it does not accept the key in "+p.keyVariable, true
	case http.StatusNotFound:
		reason, unbilled = "there is no model of the name in AI_MODEL, or AI_BASE_URL is wrong", true
	}
	if isFiltered(body) {
		kind, reason, unbilled = ErrRefused, "", false
	}
	return withStatus(newError(kind, reason), status), unbilled
}

// isFiltered reports whether an answer of status 4xx says that a filter stopped the question.
func isFiltered(body []byte) bool {
	var e struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	// Elsewhere error may be a string and code a number: then it is not that.
	return json.Unmarshal(body, &e) == nil && (e.Error.Code == "content_filter" || e.Error.Code == "content_policy_violation")
}

// answerText is the whole text of an answer, which Anthropic gives in blocks. It is empty without an answer.
func answerText(res *llms.ContentResponse) string {
	var b strings.Builder
	if res != nil {
		for _, c := range res.Choices {
			b.WriteString(c.Content)
		}
	}
	return b.String()
}

// usedTokens are the tokens of question and answer by the provider's count; 0 when it says nothing credible.
func usedTokens(res *llms.ContentResponse) int {
	const most = 1 << 30
	if res == nil || len(res.Choices) == 0 {
		return 0
	}
	info := res.Choices[0].GenerationInfo // the same in each
	if total, ok := info["TotalTokens"].(int); ok {
		return min(max(total, 0), most)
	}
	n := 0
	for _, name := range []string{"InputTokens", "OutputTokens", "CacheCreationInputTokens", "CacheReadInputTokens"} {
		v, _ := info[name].(int)
		n += min(max(v, 0), most)
	}
	return min(n, most)
}
