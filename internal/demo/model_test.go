package demo_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/demo"
)

// TestModelRefuses holds the model to what the real ones do not take.
func TestModelRefuses(t *testing.T) {
	bearer := http.Header{"Authorization": {"Bearer k"}}
	anthropic := http.Header{"X-Api-Key": {"k"}, "Anthropic-Version": {"2023-06-01"}}
	for _, c := range []struct {
		name, method, path string
		header             http.Header
		body               string
		want               int
	}{
		{"OpenAI", "POST", "/v1/chat/completions", bearer, `{"model":"m","messages":[{"role":"user","content":"q"}]}`, 200},
		{"no key", "POST", "/v1/chat/completions", nil, `{"model":"m","messages":[{"role":"user","content":"q"}]}`, 401},
		{"no JSON", "POST", "/v1/chat/completions", bearer, `{`, 400},
		{"no model", "POST", "/v1/chat/completions", bearer, `{"messages":[{"role":"user","content":"q"}]}`, 400},
		{"no message", "POST", "/v1/chat/completions", bearer, `{"model":"m"}`, 400},
		{"JSON mode without the word", "POST", "/v1/chat/completions", bearer,
			`{"model":"m","messages":[{"role":"user","content":"q"}],"response_format":{"type":"json_object"}}`, 400},
		{"a GET", "GET", "/v1/chat/completions", bearer, "", 405},
		{"another path", "POST", "/v1/embeddings", bearer, "{}", 404},
		{"Anthropic", "POST", "/v1/messages", anthropic, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"q"}]}]}`, 200},
		{"no version", "POST", "/v1/messages", http.Header{"X-Api-Key": {"k"}}, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"q"}]}`, 400},
		{"no key there", "POST", "/v1/messages", bearer, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"q"}]}`, 401},
		{"no bound", "POST", "/v1/messages", anthropic, `{"model":"m","messages":[{"role":"user","content":"q"}]}`, 400},
		{"a temperature", "POST", "/v1/messages", anthropic, `{"model":"m","max_tokens":9,"temperature":0,"messages":[{"role":"user","content":"q"}]}`, 400},
		{"a beginning of the answer", "POST", "/v1/messages", anthropic,
			`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"{"}]}`, 400},
		{"system among the messages", "POST", "/v1/messages", anthropic,
			`{"model":"m","max_tokens":9,"messages":[{"role":"system","content":"s"},{"role":"user","content":"q"}]}`, 400},
		{"Ollama", "POST", "/api/chat", nil, `{"model":"m","stream":false,"messages":[{"role":"user","content":"q"}]}`, 200},
		{"a stream", "POST", "/api/chat", nil, `{"model":"m","messages":[{"role":"user","content":"q"}]}`, 400},
		{"another format", "POST", "/api/chat", nil, `{"model":"m","format":"xml","messages":[{"role":"user","content":"q"}]}`, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := demo.NewModel(nil)
			r := httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body))
			r.Header = c.header
			w := httptest.NewRecorder()
			m.ServeHTTP(w, r)
			if w.Code != c.want || (w.Code == http.StatusOK) != (len(m.Requests()) == 1) {
				t.Errorf("%s %s %s: status %d with %d requests noted, want %d; %s", c.method, c.path, c.body, w.Code, len(m.Requests()), c.want, w.Body)
			}
		})
	}
}
