package api

import (
	"net/http"
	"strings"
	"testing"
)

func TestCodes(t *testing.T) {
	last := 0
	for _, c := range Codes() {
		if http.StatusText(c.Status) == "" || c.Status < last || c.Code.Status() != c.Status {
			t.Errorf("%s: status %d after %d, by itself %d", c.Code, c.Status, last,
				c.Code.Status())
		}
		last = c.Status
		if c.Code.Title() == "" ||
			c.Code.Type("https://x.example") != "https://x.example/api/#"+c.Code.Anchor() ||
			strings.Contains(c.Code.Anchor(), "_") {
			t.Errorf("%s: title %q, type %q, anchor %q", c.Code, c.Code.Title(),
				c.Code.Type("https://x.example"), c.Code.Anchor())
		}
	}
	if got := Code("new_code").Status(); got != 500 {
		t.Errorf("an unknown code has status %d, want 500", got)
	}
	p := NewProblem("https://x.example", AIFailed, "/api/ai-summary", "why")
	want := Problem{Type: "https://x.example/api/#problem-ai-failed", Title: "AI failed",
		Status: 502, Detail: "why", Instance: "/api/ai-summary", Code: AIFailed}
	if p != want {
		t.Errorf("NewProblem = %+v, want %+v", p, want)
	}
}

func TestRoutes(t *testing.T) {
	names, paths := map[string]bool{}, map[string]bool{}
	for _, r := range Routes() {
		if names[r.Name] || paths[r.Path] || !strings.HasPrefix(r.Path, "/api/") ||
			r.Summary == "" || r.Response == nil {
			t.Errorf("route %+v is incomplete or there twice", r)
		}
		names[r.Name], paths[r.Path] = true, true
		if (r.Method == http.MethodPost) != (r.Request != nil) {
			t.Errorf("%s %s has request %v", r.Method, r.Path, r.Request)
		}
		for _, must := range []Code{NotFound, MethodNotAllowed, RateLimited, Internal} {
			found := false
			for _, c := range r.Codes {
				found = found || c == must
			}
			if !found {
				t.Errorf("%s does not list %s", r.Path, must)
			}
		}
	}
}
