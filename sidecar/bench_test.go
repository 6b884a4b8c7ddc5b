package sidecar_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/sidecar"
)

// warm returns requests to a sidecar of the samples without limits, one for each route to compare:
// any GET, whole and in parts, and a cached summary.
func warm(t testing.TB) map[string]func() {
	w := newAIWorld(t, aiSetup{change: func(c *sidecar.Config) {
		c.RequestsPerMinute, c.AIRequestsPerMinute, c.Log = 1_000_000_000, 1_000_000_000, nil
	}})
	send := func(method, path, body string) func() {
		return func() {
			r := httptest.NewRequest(method, path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			rec := httptest.NewRecorder()
			if w.sidecar.ServeHTTP(rec, r); rec.Code != http.StatusOK {
				t.Fatalf("%s: %d %s", path, rec.Code, rec.Body)
			}
		}
	}
	return map[string]func(){
		"network-info": send(http.MethodGet, "/api/network-info", ""),
		"mip-watch":    send(http.MethodGet, "/api/mip-watch", ""),
		"parts": send(http.MethodGet,
			"/api/mip-watch?parts=forum,networks,hardforks,discrepancies", ""),
		"ai-summary": send(http.MethodPost, "/api/ai-summary", `{"mipNumber":6}`),
	}
}

// TestWarmIsCheap bounds the allocations of a cached response: nothing is assembled or encoded, and
// the names of parts take one.
func TestWarmIsCheap(t *testing.T) {
	cost := map[string]float64{}
	for name, ask := range warm(t) {
		cost[name] = testing.AllocsPerRun(200, ask)
	}
	for name, most := range map[string]float64{"mip-watch": 1, "parts": 2} {
		if more := cost[name] - cost["network-info"]; more > most {
			t.Errorf("allocations %v: %s costs %v more, want at most %v", cost, name, more, most)
		}
	}
}

func BenchmarkWarm(b *testing.B) {
	for name, ask := range warm(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ask()
			}
		})
	}
}
