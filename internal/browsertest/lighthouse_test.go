package browsertest

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/corpora"
)

// TestLighthouse holds pages to the full score in every category, on a phone and on a desktop. Performance is
// measured, and other work on the machine only slows it down: a full score counts at once. Otherwise the median of
// five counts for which a phone is no slower than it would be beside a machine without other work.
func TestLighthouse(t *testing.T) {
	l := FindLighthouse(t)
	samples := serve(t, true)
	type page struct{ name, url string }
	list := []page{
		{"index", samples.base + "/"}, {"proposal", samples.base + "/mip/4/"},
		{"dashboard", samples.base + "/dashboard/"}, {"API", samples.base + "/api/"},
	}
	if url := longest(t); url != "" {
		list = append(list, page{"longest proposal", url})
	}
	if folder := corpora.Find("eips"); folder != "" {
		v := setup{folders: []string{folder}, prefix: "EIP"}.serve(t)
		list = append(list, page{"large index", v.base + "/"})
	}
	for _, p := range list {
		for _, form := range []string{"phone", "desktop"} {
			t.Run(p.name+" "+form, func(t *testing.T) {
				score(t, func(speed float64, categories ...string) Judgement {
					if form == "desktop" {
						return l.Judge(t, p.url, 0, categories...)
					}
					return l.Judge(t, p.url, PhoneFactor(speed), categories...)
				})
			})
		}
	}
}

// score holds a page to the full score, of one run or as the median of five.
func score(t *testing.T, judge func(speed float64, categories ...string) Judgement) {
	t.Helper()
	const full = 100
	first := judge(math.Inf(1))
	if len(first.Scores) != 4 {
		t.Fatalf("scores %v, want four categories", first.Scores)
	}
	for category := range first.Scores {
		if first.Scores[category] == full {
			continue
		}
		var got []int
		count := map[bool]int{}
		for count[true] < 3 && count[false] < 3 { // which is the side of the median
			got = append(got, judge(first.Speed, category).Scores[category])
			count[got[len(got)-1] == full]++
		}
		if count[true] < 3 {
			t.Errorf("%s: %d, want %d\n%s", category, got, full, strings.Join(first.Lost, "\n"))
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
	return v.base + v.proposals(t)[0].ID.Page()
}
