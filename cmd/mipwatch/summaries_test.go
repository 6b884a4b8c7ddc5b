package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
)

// A proposal whose summary fails is reported, the site is published all the same, and only
// --keep-going makes this a success.
func TestSummariesThatFail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "site.yaml"),
			[]byte("title: T\nbase_url: https://mips.example.org\n"), 0o644),
		os.Mkdir(filepath.Join(dir, "proposals"), 0o755),
		os.WriteFile(filepath.Join(dir, "proposals", "MIP-2.md"),
			[]byte(proposal(2, "Two")), 0o644),
		os.WriteFile(filepath.Join(dir, "proposals", "MIP-1.md"),
			[]byte(proposal(1, "One")), 0o644),
	); err != nil {
		t.Fatal(err)
	}
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer silent.Close()
	env := map[string]string{"AI_PROVIDER": "anthropic", "AI_MODEL": "silent-1",
		"ANTHROPIC_API_KEY": "k", "AI_BASE_URL": silent.URL + "/v1"}
	for _, keepGoing := range []bool{false, true} {
		var stdout, stderr bytes.Buffer
		args := []string{"build", "--summaries", "--config", filepath.Join(dir, "site.yaml"),
			"--out", filepath.Join(dir, "public")}
		if keepGoing {
			args = append(args, "--keep-going")
		}
		code := run(t.Context(), args, &stdout, &stderr, func(name string) (string, bool) {
			v, ok := env[name]
			return v, ok
		})
		want := exitProblems
		if keepGoing {
			want = exitDone
		}
		if code != want ||
			!strings.HasPrefix(stdout.String(), "published 2 proposals (0 errors, 2 warnings") {
			t.Errorf("--keep-going %v: exit code %d, want %d; said %q",
				keepGoing, code, want, stdout.String())
		}
		first := strings.Index(stderr.String(),
			"MIP-1.md: summary-failed: no summary could be made: ")
		second := strings.Index(stderr.String(), "MIP-2.md: summary-failed: ")
		if first < 0 || second < first {
			t.Errorf("--keep-going %v: standard error is %q, want both proposals in order",
				keepGoing, stderr.String())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "proposals", "summaries")); err == nil {
		t.Error("a folder of summaries was made for none")
	}
}

// TestSummariesByModel builds with a model over HTTP: it is asked once for each proposal, and again
// only for a changed one.
func TestSummariesByModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	texts := map[int]string{}
	write := func(n int, text string) {
		t.Helper()
		texts[n] = text
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("MIP-%d.md", n)), []byte(text),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	for n := 1; n <= 3; n++ {
		write(n, fmt.Sprintf("---\nmip: %d\ntitle: Proposal number %d\nstatus: Draft\n"+
			"created: 2026-01-0%d\n---\n\n## Abstract\n\n"+
			"Nodes reject block number %d from now on.\n", n, n, n, n))
	}
	quote := regexp.MustCompile(`Nodes reject block number \d( and \d)? from now on\.`)
	model := demo.NewModel(func(r demo.ModelRequest) demo.ModelReply {
		said := quote.FindString(r.User)
		axis := map[string]any{"impact": said, "severity": "medium", "actionRequired": false,
			"evidence": []any{map[string]string{"section": "s-abstract", "quote": said}}}
		none := map[string]any{"impact": "The text does not say what this means for this group.",
			"severity": "low", "actionRequired": false, "evidence": []any{}}
		b, err := json.Marshal(map[string]any{"tldr": said,
			"whatsChanging": []string{said, "Nothing else.", "Nothing more."},
			"developers":    none, "users": none, "validators": axis, "foundation": none})
		if err != nil {
			t.Error(err)
		}
		return demo.ModelReply{Text: string(b)}
	})
	server := httptest.NewServer(model)
	defer server.Close()
	config := filepath.Join(dir, "site.yaml")
	if err := os.WriteFile(config,
		[]byte("title: Sample\nbase_url: https://mips.example.org\nproposals: [\".\"]\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"AI_PROVIDER": "anthropic", "AI_MODEL": "writer-1",
		"ANTHROPIC_API_KEY": "k", "AI_BASE_URL": server.URL + "/v1",
		"SOURCE_DATE_EPOCH": "1773930600"}
	build := func() {
		t.Helper()
		var said bytes.Buffer
		args := []string{"build", "--summaries", "--config", config, "--out",
			filepath.Join(t.TempDir(), "public")}
		if code := run(t.Context(), args, &said,
			&said, func(name string) (string,
				bool) {
				v, ok := env[name]
				return v, ok
			}); code != 0 {
			t.Fatalf("exit code %d: %s", code, &said)
		}
	}
	build()
	build()
	if n := len(model.Requests()); n != 3 {
		t.Errorf("%d questions for three proposals, built twice; want 3", n)
	}
	write(2, strings.Replace(texts[2], "number 2 from", "number 2 and 4 from", 1))
	build()
	if n := len(model.Requests()); n != 4 {
		t.Errorf("%d questions after one change, want 4", n)
	}
	var sum api.Summary
	b, err := os.ReadFile(filepath.Join(dir, "summaries", "MIP-2.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &sum); err != nil || sum.Source != "writer-1" ||
		sum.TLDR != "Nodes reject block number 2 and 4 from now on." || sum.Stale {
		t.Errorf("%v, %s", err, b)
	}
	env["ANTHROPIC_API_KEY"] = ""
	var said bytes.Buffer
	if code := run(t.Context(), []string{"build", "--summaries", "--config", config}, io.Discard,
		&said, func(name string) (string,
			bool) {
			v, ok := env[name]
			return v, ok
		}); code != exitUsage ||
		!strings.Contains(said.String(), "ANTHROPIC_API_KEY is not set") {
		t.Errorf("without a key: exit code %d, %s", code, &said)
	}
}
