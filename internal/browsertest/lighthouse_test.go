package browsertest_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/browsertest"
	"github.com/mipwatch/mipwatch/internal/corpora"
)

// TestLighthouse holds pages to the full score in every category, on a phone and on a desktop. Performance
// is measured, and other work on the machine slows it down: when the first run falls short, the median of
// five counts, and a phone is then no slower than it would be beside a machine without other work.
func TestLighthouse(t *testing.T) {
	l := browsertest.FindLighthouse(t)
	samples := serve(t, true)
	type page struct{ name, url string }
	list := []page{
		{"index", samples.base + "/"}, {"proposal", samples.base + "/mip/4/"},
		{"dashboard", samples.base + "/dashboard/"}, {"API", samples.base + "/api/"},
	}
	if url := longest(t); url != "" {
		list = append(list, page{"longest proposal", url})
	}
	for _, p := range list {
		for _, form := range []string{"phone", "desktop"} {
			t.Run(p.name+" "+form, func(t *testing.T) {
				score(t, func(speed float64) browsertest.Judgement {
					if form == "desktop" {
						return l.Judge(t, p.url, 0)
					}
					return l.Judge(t, p.url, browsertest.PhoneFactor(speed))
				})
			})
		}
	}
}

func score(t *testing.T, judge func(speed float64) browsertest.Judgement) {
	t.Helper()
	const runs, full = 5, 100
	first := judge(math.Inf(1))
	if len(first.Scores) != 4 {
		t.Fatalf("scores %v, want four categories", first.Scores)
	}
	for category, got := range first.Scores {
		all := []int{got}
		for category == "performance" && got != full && len(all) < runs {
			all = append(all, judge(first.Speed).Scores[category])
		}
		slices.Sort(all)
		if all[len(all)/2] != full {
			t.Errorf("%s: %d, want %d\n%s", category, all, full, strings.Join(first.Lost, "\n"))
		}
	}
}

// longest serves the longest of the real proposals, if there are any, and returns its page.
func longest(t *testing.T) (url string) {
	t.Helper()
	dir := corpora.Find("eips")
	if dir == "" {
		return ""
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var name string
	var most int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".md") && info.Size() > most {
			name, most = e.Name(), info.Size()
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
	v := setup{folders: []string{folder}, prefix: "EIP"}.serve(t)
	return v.base + fmt.Sprintf("/mip/%d/", v.proposals(t)[0].Number)
}
