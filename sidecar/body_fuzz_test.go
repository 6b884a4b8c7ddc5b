package sidecar_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar"
)

// FuzzBodies checks that every body gets an answer in the site's language or a coded problem, and
// never an internal error.
func FuzzBodies(f *testing.F) {
	for _, body := range []string{
		`{"mipNumber": 7}`, `{"mipNumber": "MIP-7", "locale": "ja"}`,
		`{"mipNumber": 7, "locale": "ja", "sections": ["s-abstract"]}`,
		`{"mipNumber": 7, "locale": "ja", "sections": ["s-abstract\ns-motivation"]}`,
		`{"mipNumber": 1e9}`, `{"mipNumber": "6", "mipNumber": 7}`,
		`{`, `[]`, `null`, `"`, `{"mipNumber": {"a": [[[]]]}}`, "\xff", `{"mipNumber": 7} {}`,
		`{"locale": "\ud800"}`, `{"mipNumber": 0007}`, `{"MIPNUMBER": 7}`,
	} {
		f.Add(body, "application/json")
	}
	f.Add(`{"mipNumber": 7}`, "application/json; charset=latin1")
	f.Add(`{"mipNumber": 7}`, "text/plain")
	w := newAIWorld(f, aiSetup{change: func(c *sidecar.Config) {
		c.RequestsPerMinute, c.AIRequestsPerMinute, c.Log = 1_000_000_000, 1_000_000_000, nil
	}})
	f.Fuzz(func(t *testing.T, body, mediaType string) {
		for _, path := range []string{"/api/ai-summary", "/api/ai-translate", "/api/network-info",
			"/api/nothing"} {
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
			r.Header.Set("Content-Type", mediaType)
			res := httptest.NewRecorder()
			w.sidecar.ServeHTTP(res, r)
			var problem api.Problem
			if res.Code == http.StatusOK {
				if !json.Valid(res.Body.Bytes()) {
					t.Errorf("POST %s %q: no JSON: %q", path, body, res.Body)
				}
			} else if err := json.Unmarshal(res.Body.Bytes(), &problem); err != nil ||
				problem.Code == "" || problem.Code == api.Internal || problem.Status != res.Code {
				t.Errorf("POST %s %q as %q: %d %s", path, body, mediaType, res.Code, res.Body)
			}
		}
	})
}
