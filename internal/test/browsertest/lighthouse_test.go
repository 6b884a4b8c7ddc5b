package browsertest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/corpora"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// BenchmarkAuditLighthouse runs Lighthouse (npm) on pages, in a browser of its own: it gives a
// score from 0 to 100 for each category. The score of performance depends on the machine and its
// load.
func BenchmarkAuditLighthouse(b *testing.B) {
	program, browser := testenv.Program(b, "lighthouse", "lighthouse"),
		testenv.Program(b, "chromium", "chromium")
	samples := serve(b, true)
	pages := map[string]string{
		"index": samples.base + "/", "proposal": samples.base + "/mip/4/",
		"dashboard": samples.base + "/dashboard/", "API": samples.base + "/api/",
	}
	if folder := corpora.Find("eips"); folder != "" {
		large := setup{folders: []string{folder}, prefix: "EIP"}.serve(b)
		pages["large-index"], pages["longest-proposal"] = large.base+"/",
			large.base+longest(b, large)
	}
	for name, url := range pages {
		for _, form := range []string{"phone", "desktop"} {
			b.Run(name+"/"+form, func(b *testing.B) {
				for b.Loop() {
					out := filepath.Join(b.TempDir(), "report.json")
					args := []string{url, "--quiet", "--output=json", "--output-path=" + out,
						"--chrome-flags=--headless=new --disable-gpu --no-sandbox"}
					if form == "desktop" {
						args = append(args, "--preset=desktop")
					}
					cmd := exec.CommandContext(b.Context(), program, args...)
					cmd.Env = append(os.Environ(), "CHROME_PATH="+browser)
					if said, err := cmd.CombinedOutput(); err != nil {
						b.Fatalf("%v\n%s", err, said)
					}
					for category, score := range scores(b, out) {
						b.ReportMetric(score, category)
					}
				}
			})
		}
	}
}

// scores parses a report of Lighthouse, and logs the audits that cost points.
func scores(b *testing.B, file string) map[string]float64 {
	b.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	var report struct {
		RuntimeError *struct{ Message string }
		Categories   map[string]struct {
			Score  *float64
			Audits []struct {
				ID     string
				Weight float64
			} `json:"auditRefs"`
		}
		Audits map[string]struct {
			Score        *float64
			DisplayValue string
		}
	}
	if err := json.Unmarshal(text, &report); err != nil {
		b.Fatal(err)
	}
	if report.RuntimeError != nil {
		b.Fatal(report.RuntimeError.Message)
	}
	out := map[string]float64{}
	for id, c := range report.Categories {
		if c.Score == nil {
			b.Fatalf("no score for %s", id)
		}
		out[id] = *c.Score * 100
		for _, a := range c.Audits {
			if got := report.Audits[a.ID]; a.Weight > 0 && got.Score != nil && *got.Score < 1 {
				b.Logf("%s: %s %.2f %s", id, a.ID, *got.Score, got.DisplayValue)
			}
		}
	}
	return out
}

// longest is the path of the proposal with the largest page.
func longest(b *testing.B, v *served) (path string) {
	b.Helper()
	most := 0
	for _, p := range v.pages() {
		if !strings.HasPrefix(p, "/eip/") || strings.Count(p, "/") != 3 {
			continue
		}
		if page := v.get(b, p, "identity"); len(page) > most {
			path, most = p, len(page)
		}
	}
	return path
}
