package ai

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mipwatch/mipwatch/internal/demo"
)

var update = flag.Bool("update", false, "write the goldens in testdata anew")

const requests = "testdata/requests.txtar"

// TestRequests asks a server of each wire format over a socket and compares what it got. The variables
// that langchaingo reads by itself must not show.
func TestRequests(t *testing.T) {
	for name := range strings.FieldsSeq("OPENAI_API_KEY OPENAI_MODEL OPENAI_BASE_URL OPENAI_API_BASE OPENAI_ORGANIZATION ANTHROPIC_API_KEY OLLAMA_HOST") {
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
			m := newModel(t, ClientConfig{Provider: c.provider, Name: "large-1", BaseURL: at.URL + c.path, Key: key, UserAgent: "mipwatch/test"})
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

// TestDefaultAddresses asks each provider where it is when no address is set.
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

// golden compares the one request that came with a file of the archive, or writes it there.
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

	archive, err := txtar.ParseFile(requests)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
	if *update {
		if i < 0 {
			archive.Files, i = append(archive.Files, txtar.File{Name: name}), len(archive.Files)
		}
		archive.Files[i].Data = text.Bytes()
		if err := os.WriteFile(requests, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if i < 0 {
		t.Fatalf("%s holds no %s; -update writes it", requests, name)
	}
	if diff := cmp.Diff(string(archive.Files[i].Data), text.String()); diff != "" {
		t.Errorf("%s in %s (-want +got):\n%s", name, requests, diff)
	}
}
