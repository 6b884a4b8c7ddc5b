package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestAimock asks a model server that others wrote (https://www.npmjs.com/package/@copilotkit/aimock),
// in all three formats and through its chaos modes.
func TestAimock(t *testing.T) {
	at := startAimock(t)
	control(t, at+"/__aimock/fixtures", map[string]any{"fixtures": []any{
		fixture(question, map[string]any{"content": `{"tldr":"Nothing."}`}),
		fixture("Cut it off.", map[string]any{"content": `{"tldr":"Not`, "finishReason": "length"}),
		fixture("Filter it.", map[string]any{"content": leak, "finishReason": "content_filter"}),
	}})
	everyone := func(kind error) map[string]error {
		return map[string]error{"openai": kind, "anthropic": kind, "ollama": kind}
	}
	none := map[string]any{}
	for _, c := range []struct {
		name, question string
		chaos          map[string]any
		kinds          map[string]error // of the providers that it applies to
		want           outcome          // but for the kind
	}{
		{"good", question, none, everyone(nil), outcome{Calls: 1}},
		{"length", "Cut it off.", none, map[string]error{"openai": ErrTruncated, "anthropic": ErrTruncated}, outcome{Status: 200, Calls: 1}},
		{"filter", "Filter it.", none, map[string]error{"openai": ErrRefused}, outcome{Status: 200, Calls: 1}},
		{"no fixture", "Anything else?", none, everyone(ErrUnavailable), outcome{Status: 404, Calls: 1}},
		{"malformed", question, map[string]any{"malformedRate": 1}, everyone(ErrGarbled), outcome{Status: 200, Calls: 1}},
		{"disconnect", question, map[string]any{"disconnectRate": 1}, everyone(ErrUnavailable), outcome{Calls: 1}},
		{"429", question, map[string]any{"rateLimitRate": 1}, everyone(ErrUnavailable), outcome{Status: 429, RetryAfter: time.Second, Calls: 1}},
		{"drop", question, map[string]any{"dropRate": 1}, everyone(ErrUnavailable), outcome{Status: 500, Calls: 2}},
		// It notes no request whose sender has left.
		{"latency", question, map[string]any{"latencyMs": 30_000}, everyone(ErrTimeout), outcome{}},
	} {
		for provider, kind := range c.kinds {
			t.Run(c.name+"/"+provider, func(t *testing.T) {
				scope := "?testId=" + strings.ReplaceAll(c.name, " ", "-") + "-" + provider
				control(t, at+"/__aimock/chaos"+scope, c.chaos)
				conf := Config{Provider: provider, Name: "large-1", Key: key, BaseURL: at + "/v1" + scope, Timeout: time.Minute}
				if provider == "ollama" {
					conf.BaseURL = at + scope
				}
				if kind == ErrTimeout {
					conf.Timeout = 100 * time.Millisecond
				}
				p := prompt()
				p.User = c.question
				reply, err := newModel(t, conf).Ask(t.Context(), p)
				c.want.Kind = kind
				got := outcomeOf(err)
				got.Calls = journal(t, at, scope)
				if diff := cmp.Diff(c.want, got, sameKind); diff != "" {
					t.Errorf("Ask: %v (-want +got):\n%s", err, diff)
				}
				if want := `{"tldr":"Nothing."}`; err == nil && reply.Text != want {
					t.Errorf("Ask = %q, want %q", reply.Text, want)
				}
				sealed(t, err)
			})
		}
	}
}

func fixture(question string, response map[string]any) map[string]any {
	return map[string]any{"match": map[string]any{"userMessage": question}, "response": response}
}

// startAimock runs a server on a port of its choice until the test ends.
func startAimock(t *testing.T) (address string) {
	t.Helper()
	program, err := exec.LookPath("aimock")
	if err != nil {
		t.Skip("[aimock] there is no aimock on the PATH; npm install @copilotkit/aimock brings it")
	}
	config := filepath.Join(t.TempDir(), "aimock.json")
	if err := os.WriteFile(config, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	var complaints bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, "--config", config, "--host", "127.0.0.1", "--port", "0")
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Wait() }) // killed by then
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if at, ok := strings.CutPrefix(lines.Text(), "aimock server listening on "); ok {
			go io.Copy(io.Discard, out) // until it ends, so that it can go on writing
			return at
		}
	}
	cmd.Wait()
	t.Fatalf("aimock ended before it listened: %s", &complaints)
	return ""
}

// control tells the server what to do.
func control(t *testing.T, to string, body map[string]any) {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	tell(t, http.MethodPost, to, bytes.NewReader(b), new(any))
}

// journal is how many requests of a scope the server has answered.
func journal(t *testing.T, at, scope string) int {
	t.Helper()
	var entries []any
	tell(t, http.MethodGet, at+"/__aimock/journal"+scope, nil, &entries)
	return len(entries)
}

func tell(t *testing.T, method, to string, body io.Reader, into any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, to, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || json.Unmarshal(b, into) != nil {
		t.Fatalf("%s %s: status %d, %s, %v", method, to, resp.StatusCode, b, err)
	}
}
