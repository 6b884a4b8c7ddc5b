package ai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// TestRequests asks a server of each wire format over a socket and compares the requests. The
// variables that langchaingo reads by itself must have no effect.
func TestRequests(t *testing.T) {
	for name := range strings.FieldsSeq("OPENAI_API_KEY OPENAI_MODEL OPENAI_BASE_URL " +
		"OPENAI_API_BASE OPENAI_ORGANIZATION ANTHROPIC_API_KEY OLLAMA_HOST") {
		t.Setenv(name, "from-the-environment")
	}
	prose := Prompt{User: "Übersetze <b>dies</b> & das.\n"}
	for _, c := range []struct {
		name, provider, path string
		prompt               Prompt
	}{
		{"openai.http", "openai", "/v1", shortPrompt()},
		{"openai-prose.http", "openai", "/openai/v1/?api-version=preview", prose},
		{"anthropic.http", "anthropic", "/v1", shortPrompt()},
		{"anthropic-prose.http", "anthropic", "/v1/", prose},
		{"ollama.http", "ollama", "", shortPrompt()},
		{"ollama-prose.http", "ollama", "/behind/a/proxy", prose},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := demo.NewModel(nil)
			at := httptest.NewServer(server)
			defer at.Close()
			m := newModel(t, ClientConfig{Provider: c.provider, Name: "large-1",
				BaseURL: at.URL + c.path, Key: key, UserAgent: "mipwatch/test"})
			got, err := m.Ask(t.Context(), c.prompt)
			if err != nil {
				t.Fatalf("Ask: %v", err)
			}
			want := Reply{Text: c.prompt.User, Model: "large-1", Tokens: got.Tokens}
			if c.prompt.JSON && c.provider != "anthropic" {
				want.Text = "{}"
			}
			if diff := cmp.Diff(want, got); diff != "" || got.Tokens == 0 {
				t.Errorf("Ask with %d tokens (-want +got):\n%s", got.Tokens, diff)
			}
			golden(t, c.name, server.Requests())
		})
	}
}

// TestDefaultAddresses asks each provider at its default address.
func TestDefaultAddresses(t *testing.T) {
	for i, host := range []string{"api.openai.com", "api.anthropic.com", "127.0.0.1:11434"} {
		provider := formats[i]
		t.Run(provider, func(t *testing.T) {
			n := demo.NewNetwork()
			defer n.Close()
			server := demo.NewModel(nil)
			n.Serve(host, server)
			c := config(provider, n)
			c.BaseURL = ""
			if _, err := newModel(t, c).Ask(t.Context(), shortPrompt()); err != nil {
				t.Fatalf("Ask: %v", err)
			}
			golden(t, provider+"-default.http", server.Requests())
		})
	}
}

// golden compares the only request with a file of the archive, or writes it there.
func golden(t *testing.T, name string, got []demo.ModelRequest) {
	t.Helper()
	if len(got) != 1 {
		t.Fatalf("%d requests came, want 1", len(got))
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "POST %s\n", got[0].Path)
	for _, field := range slices.Sorted(maps.Keys(got[0].Header)) {
		fmt.Fprintf(&text, "%s: %s\n", field, strings.Join(got[0].Header[field], ", "))
	}
	text.WriteByte('\n')
	if err := json.Indent(&text, got[0].Body, "", "  "); err != nil {
		t.Fatal(err)
	}
	text.WriteByte('\n')
	testenv.Golden(t, "testdata/requests.txtar", name, text.Bytes())
}

// TestBoundRefused has hosts reject one name of the answer's bound, each in its own words. They are
// asked once more, and with the right name from then on.
func TestBoundRefused(t *testing.T) {
	for _, c := range []struct {
		name, host string
		knows      string
		status     int
		body       string
	}{
		{"OpenAI's words", "model.example", maxCompletionTokens, 400,
			`{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. ` +
				`Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`},
		{"a gateway's, with a number", "model.example", maxCompletionTokens, 400,
			`{"error":{"message":"litellm.BadRequestError: max_tokens is not supported","code":"400"}}`},
		{"a parameter alone", "model.example", maxCompletionTokens, 400,
			`{"error":{"param":"max_tokens"}}`},
		{"text alone", "model.example", maxCompletionTokens, 400,
			`Unrecognized request argument supplied: max_tokens`},
		{"an older API", "api.openai.com", maxTokens, 400,
			`{"error":{"message":"Unrecognized request argument supplied: max_completion_tokens","param":null,"code":null}}`},
		{"a list of what is wrong", "us.openai.azure.com", maxTokens, 422,
			`{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := demo.NewNetwork()
			defer n.Close()
			server := demo.NewModel(nil)
			s := demo.NewScript(server)
			n.Serve(c.host, s)
			s.Always(picky(c.knows, c.status, c.body))
			conf := config("openai", n)
			conf.BaseURL = "https://" + c.host + "/v1"
			m := newModel(t, conf)
			for i, want := range []int{2, 1, 1} {
				before := s.Calls()
				reply, err := m.Ask(t.Context(), shortPrompt())
				if err != nil || reply.Tokens == 0 || reply.Unbilled || s.Calls()-before != want {
					t.Errorf("question %d: %+v, %v, after %d requests, want %d", i, reply,
						err, s.Calls()-before, want)
				}
			}
			for _, q := range server.Requests() {
				if q.MaxTokens != 300 {
					t.Errorf("a question has the bound %d: %s", q.MaxTokens, q.Body)
				}
			}
			// Concurrent questions are answered too.
			var all sync.WaitGroup
			m = newModel(t, conf)
			for range 8 {
				all.Go(func() {
					if _, err := m.Ask(t.Context(), shortPrompt()); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		})
	}
}

// picky rejects a question with another name of the bound than its own.
func picky(knows string, status int, body string) demo.Fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		question, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if !bytes.Contains(question, []byte(`"`+knows+`"`)) {
			answerWith(status, "", body)(w, r, next)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(question))
		next.ServeHTTP(w, r)
	}
}

// TestBoundRefusedTwice asks a host that rejects both names twice each time, and remembers neither.
// A question without the bound is not asked again.
func TestBoundRefusedTwice(t *testing.T) {
	n := demo.NewNetwork()
	defer n.Close()
	s := demo.NewScript(demo.NewModel(nil))
	n.Serve("model.example", s)
	m := newModel(t, config("openai", n))
	unbounded := Prompt{User: question}
	refuse := answerWith(400, "", `{"error":{"message":"max_tokens and max_completion_tokens are not known here"}}`)
	s.Always(refuse)
	for _, c := range []struct {
		prompt Prompt
		want   int
	}{{shortPrompt(), 2}, {shortPrompt(), 2}, {unbounded, 1}} {
		before := s.Calls()
		reply, err := m.Ask(t.Context(), c.prompt)
		if !errors.Is(err, errUnavailable) || !reply.Unbilled || s.Calls()-before != c.want {
			t.Errorf("%+v, %v, after %d requests, want %d", reply, err, s.Calls()-before, c.want)
		}
	}
	s.Always(nil)
	if _, err := m.Ask(t.Context(), shortPrompt()); err != nil {
		t.Error(err)
	}
}
