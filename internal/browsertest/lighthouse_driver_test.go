package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/testenv"
)

// Lighthouse is that program (github.com/GoogleChrome/lighthouse), which judges pages in a browser of its own.
type Lighthouse struct{ program, browser string }

// FindLighthouse skips the test when lighthouse or chromium is not on the PATH.
func FindLighthouse(t *testing.T) Lighthouse {
	t.Helper()
	return Lighthouse{program: testenv.Program(t, "lighthouse", "lighthouse"), browser: testenv.Program(t, "chromium", "chromium")}
}

// Judgement is what Lighthouse says of a page: a score from 0 to 100 for each category, by its id, the audits
// that cost points, and how fast the machine was meanwhile (its benchmark index).
type Judgement struct {
	Scores map[string]int
	Lost   []string
	Speed  float64
}

// phoneFactor is how many times slower than the machine Lighthouse takes a phone to be. That is meant for a
// machine of meantSpeed at least (Lighthouse's docs/throttling.md); a slower one, or one that is busy, is
// nearer to the phone already.
const (
	phoneFactor = 4
	meantSpeed  = 1500
)

// PhoneFactor is how many times slower a phone is than a machine of that speed.
func PhoneFactor(speed float64) float64 {
	return min(max(phoneFactor*speed/meantSpeed, 1), phoneFactor)
}

// Judge loads a page once, with an empty cache: as a phone with a slow network would that is factor times
// slower than this machine, or as a desktop for a factor of 0. Without categories it judges all.
func (l Lighthouse) Judge(t *testing.T, url string, factor float64, categories ...string) Judgement {
	t.Helper()
	const limit = 4 * time.Minute // ends what will never come
	ctx, done := context.WithTimeout(t.Context(), limit)
	defer done()
	out := filepath.Join(t.TempDir(), "report.json")
	args := []string{url, "--quiet", "--output=json", "--output-path=" + out, "--chrome-flags=--headless=new --disable-gpu --no-sandbox"}
	if len(categories) > 0 {
		args = append(args, "--only-categories="+strings.Join(categories, ","))
	}
	if factor == 0 {
		args = append(args, "--preset=desktop")
	} else {
		args = append(args, fmt.Sprintf("--throttling.cpuSlowdownMultiplier=%.1f", factor))
	}
	cmd := exec.CommandContext(ctx, l.program, args...)
	cmd.Env = append(os.Environ(), "CHROME_PATH="+l.browser)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("lighthouse %s: %v\n%s", url, err, said.Bytes())
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return judgement(t, b)
}

func judgement(t *testing.T, report []byte) Judgement {
	t.Helper()
	var r struct {
		RuntimeError *struct{ Code, Message string }
		Environment  struct{ BenchmarkIndex float64 }
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
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatalf("lighthouse's report: %v", err)
	}
	if r.RuntimeError != nil {
		t.Fatalf("lighthouse: %s: %s", r.RuntimeError.Code, r.RuntimeError.Message)
	}
	j := Judgement{Scores: map[string]int{}, Speed: r.Environment.BenchmarkIndex}
	for id, c := range r.Categories {
		if c.Score == nil {
			t.Fatalf("lighthouse has no score for %s", id)
		}
		j.Scores[id] = int(*c.Score*100 + .5)
		for _, a := range c.Audits {
			if got := r.Audits[a.ID]; a.Weight > 0 && got.Score != nil && *got.Score < 1 {
				j.Lost = append(j.Lost, fmt.Sprintf("%s: %s %.2f %s", id, a.ID, *got.Score, got.DisplayValue))
			}
		}
	}
	slices.Sort(j.Lost)
	return j
}
