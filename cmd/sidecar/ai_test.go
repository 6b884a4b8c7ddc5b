//go:build unix

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/aimocktest"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

const secret = "sk-never-to-be-seen"

// post sends a JSON body and returns the answer.
func (p *process) post(path, body string) (*http.Response, string) {
	p.Helper()
	req, err := http.NewRequestWithContext(p.Context(), http.MethodPost, "http://"+p.addr+path,
		strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		p.Fatal(err)
	}
	return res, string(b)
}

// wantProblem checks that the answer is a problem with a code.
func (p *process) wantProblem(path, body string, code api.Code) string {
	p.Helper()
	res, text := p.post(path, body)
	var problem api.Problem
	err := json.Unmarshal([]byte(text), &problem)
	if err != nil || problem.Code != code || res.StatusCode != code.Status() {
		p.Errorf("POST %s %s: %d %s, want %s", path, body, res.StatusCode, text, code)
	}
	return problem.Detail
}

// wantSummary checks the source of a summary.
func (p *process) wantSummary(body, source string) {
	p.Helper()
	res, text := p.post("/api/ai-summary", body)
	var sum api.Summary
	err := json.Unmarshal([]byte(text), &sum)
	if err != nil || res.StatusCode != http.StatusOK || sum.Source != source {
		p.Errorf("POST /api/ai-summary %s: %d %s, want a summary by %s",
			body, res.StatusCode, text, source)
	}
}

// answers returns a mock server's answers to any question about MIP-7 of the samples.
func answers(t *testing.T, dir string) []aimocktest.Fixture {
	t.Helper()
	x, err := catalog.FromFS(os.DirFS(dir)).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := x.Proposal(t.Context(), mip.ID{Kind: "MIP", Number: 7})
	if err != nil {
		t.Fatal(err)
	}
	sum := summary.Extract(summary.Subject{Proposal: p, Now: time.Now()})
	b, err := json.Marshal(map[string]any{"tldr": sum.TLDR, "whatsChanging": sum.WhatsChanging,
		"developers": sum.Developers,
		"users":      sum.Users, "validators": sum.Validators, "foundation": sum.Foundation})
	if err != nil {
		t.Fatal(err)
	}
	return []aimocktest.Fixture{{Question: "passages", Answer: "{}"}, {Answer: string(b)}}
}

// TestAimock runs the program with a third-party mock of each format, and with a busy one. Package
// ai has the table of all faults of a model.
func TestAimock(t *testing.T) {
	h := newHosts(t)
	h.site.Locales = []string{"ja"}
	dir := t.TempDir()
	h.snapshot(t, dir, "../../internal/samples/proposals")
	server := aimocktest.Start(t, aimocktest.Options{Fixtures: answers(t, dir)})
	for _, tt := range []struct {
		provider string
		chaos    aimocktest.Chaos
		code     api.Code // empty: a summary
	}{
		{"openai", aimocktest.Chaos{}, ""}, {"anthropic", aimocktest.Chaos{}, ""},
		{"ollama", aimocktest.Chaos{}, ""},
		{"openai", aimocktest.Chaos{RateLimit: true}, api.UpstreamUnavailable},
	} {
		t.Run(tt.provider+string(tt.code), func(t *testing.T) {
			t.Parallel()
			mock := server.With(t, tt.chaos)
			p := start(t,
				[]string{"AI_PROVIDER=" + tt.provider, "AI_MODEL=mock-1",
					"AI_BASE_URL=" + mock.Base(tt.provider), "AI_TIMEOUT=7s",
					"OPENAI_API_KEY=" + secret, "ANTHROPIC_API_KEY=" + secret}, "--site", dir)
			p.await("site loaded")
			if tt.code == "" {
				p.wantSummary(`{"mipNumber": 7}`, "mock-1")
			} else {
				p.wantSummary(`{"mipNumber": "MIP-7"}`, "extractive")
				p.wantProblem("/api/ai-translate", `{"mipNumber": 7, "locale": "ja"}`, tt.code)
			}
			p.signal(syscall.SIGTERM)
			p.wantEnd()
			for _, line := range p.seen {
				if b, err := json.Marshal(line); err != nil || strings.Contains(string(b), secret) {
					t.Errorf("the log holds the key: %s", b)
				}
			}
		})
	}
}
