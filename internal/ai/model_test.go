package ai

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/demo"
)

// Secrets that no error may hold.
const (
	key      = "sk-very-secret"
	question = "What does the proposal say of validators?"
	leak     = "text-of-the-upstream"
)

// formats are the providers, one for each wire format.
var formats = []string{"openai", "anthropic", "ollama"}

// config configures a model at model.example, whose address holds keys.
func config(provider string, via http.RoundTripper) ClientConfig {
	return ClientConfig{
		Provider: provider, Name: "large-1",
		BaseURL: "https://user-secret:password-secret@model.example/base?api-key=query-secret",
		Key:     key, Transport: via, UserAgent: "mipwatch/test",
	}
}

func shortPrompt() Prompt {
	return Prompt{System: "Answer in JSON.", User: question, MaxTokens: 300, JSON: true}
}

func newModel(t *testing.T, c ClientConfig) *Client {
	t.Helper()
	m, err := NewClient(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		name string
		in   ClientConfig
		want string // lines of the error
	}{
		{"nothing", ClientConfig{}, "AI_PROVIDER is not set\nAI_MODEL is not set"},
		{"unknown provider", ClientConfig{Provider: "sk-pasted-here", Name: "m"},
			"AI_PROVIDER is none of openai, anthropic and ollama"},
		{"no key", ClientConfig{Provider: "openai", Name: "m"}, "OPENAI_API_KEY is not set"},
		{"no key, no model", ClientConfig{Provider: "anthropic", Name: " "},
			"AI_MODEL is not set\nANTHROPIC_API_KEY is not set"},
		{"key with its line end", ClientConfig{Provider: "openai", Name: "m", Key: "sk-1\n"},
			"OPENAI_API_KEY holds a character that no key has, such as a line end"},
		{"address without scheme", ClientConfig{Provider: "openai", Name: "m", Key: "k",
			BaseURL: "user:secret@example.org/v1"},
			"AI_BASE_URL is not an absolute http or https URL"},
		{"everything", ClientConfig{Provider: "anthropic", Key: "ä", BaseURL: "ftp://example.org"},
			"AI_MODEL is not set\nANTHROPIC_API_KEY holds a character that no key has, " +
				"such as a line end\nAI_BASE_URL is not an absolute http or https URL"},
		{"openai", ClientConfig{Provider: "openai", Name: "m", Key: "k"}, ""},
		{"anthropic", ClientConfig{Provider: "anthropic", Name: "m", Key: "k"}, ""},
		{"ollama", ClientConfig{Provider: "ollama", Name: "m"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.in.Transport = untouched{t}
			m, err := NewClient(c.in)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				m.Close()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("NewClient(%+v) (-want +got):\n%s", c.in, diff)
			}
		})
	}
}

// untouched is a network that fails the test when it is used.
type untouched struct{ t *testing.T }

func (u untouched) RoundTrip(r *http.Request) (*http.Response, error) {
	u.t.Errorf("New asks %s", r.URL)
	return nil, http.ErrServerClosed
}

// TestAnswers reads good answers in unusual forms.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, provider, body string
		want                 Reply
	}{
		{"tokens of both sides", "openai",
			`{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}`,
			Reply{Text: "{}", Tokens: 9}},
		{"no usage", "openai", `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}`,
			Reply{Text: "{}"}},
		{"usage that lies", "openai",
			`{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"usage":{"total_tokens":-5}}`,
			Reply{Text: "{}"}},
		{"end of another vocabulary", "openai",
			`{"choices":[{"message":{"content":"{}"},"finish_reason":"eos"}],"error":null}`,
			Reply{Text: "{}"}},
		{"parts", "openai", `{"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"So {"}]},{"type":"reasoning","text":7},` +
			`{"type":"text","text":"{"},{"type":"output_text","text":"\"\u003c\":1}"}]},"finish_reason":"stop"}],"usage":{"total_tokens":9}}`,
			Reply{Text: `{"<":1}`, Tokens: 9}},
		{"thoughts beside the text", "openai",
			`{"choices":[{"message":{"content":"{}","reasoning_content":"{\"a\":1}"},"finish_reason":"stop"}]}`,
			Reply{Text: "{}"}},
		{"blocks", "anthropic", `{"content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"{"},{"type":"text","text":"}"}],` +
			`"stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":2,"cache_read_input_tokens":4}}`,
			Reply{Text: "{}", Tokens: 13}},
		{"no reason from an older server", "ollama",
			`{"message":{"role":"assistant","content":"{}"},"done":true,"prompt_eval_count":7,"eval_count":2}`,
			Reply{Text: "{}", Tokens: 9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := demo.NewNetwork()
			defer n.Close()
			s := demo.NewScript(demo.NewModel(nil))
			n.Serve("model.example", s)
			s.Next(demo.Answer(http.StatusOK, nil, c.body))
			got, err := newModel(t, config(c.provider, n)).Ask(t.Context(), shortPrompt())
			if err != nil {
				t.Fatalf("Ask(%s): %v", c.body, err)
			}
			c.want.Model = "large-1"
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("Ask(%s) (-want +got):\n%s", c.body, diff)
			}
		})
	}
}

// TestWindow checks the context size for Ollama against the size of a prompt.
func TestWindow(t *testing.T) {
	for _, c := range []struct {
		bytes, maxTokens, want int
	}{
		{0, 2000, 8 << 10},
		{0, 0, 8 << 10},
		{6000, 0, 32 << 10},
		{18_000, 2000, 8 << 10},
		{60_000, 2000, 32 << 10},
		{200_000, 2000, 128 << 10},
		{9_000_000, 2000, 128 << 10},
	} {
		p := Prompt{User: strings.Repeat("x", c.bytes), MaxTokens: c.maxTokens}
		if got := window(p); got != c.want {
			t.Errorf("window of %d bytes and %d tokens = %d, want %d", c.bytes,
				c.maxTokens, got, c.want)
		}
	}
}

// TestIsOpenAI checks which hosts get max_completion_tokens, and which max_tokens.
func TestIsOpenAI(t *testing.T) {
	for address, want := range map[string]bool{
		"https://api.openai.com/v1":                                true,
		"https://eu.api.openai.com/v1":                             true,
		"https://us.OpenAI.azure.com/openai/v1?api-version=v1":     true,
		"https://generativelanguage.googleapis.com/v1beta/openai/": false,
		"http://127.0.0.1:8000/v1":                                 false,
		"https://api.openai.com.example.org/v1":                    false,
	} {
		if got := isOpenAI(address); got != want {
			t.Errorf("isOpenAI(%s) = %t, want %t", address, got, want)
		}
	}
}
