package build_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
)

// besideSite returns a site with two languages besides English.
func besideSite() *site.Site {
	s := testSite("MIP")
	s.Locales = []string{"ja", "tr"}
	return s
}

// besideFolder writes three proposals, with a summary and a Japanese translation of the second.
func besideFolder(t *testing.T) (dir string, hash string) {
	t.Helper()
	dir = t.TempDir()
	for n := 1; n <= 3; n++ {
		write(t, dir, n, "Title", "Every block burns the fees of its transactions. "+
			"Wallets must show the fee.")
	}
	o := build.Options{Site: buildtest.In(besideSite(), dir)}
	c, err := build.Load(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = ai.WriteSummaries(t.Context(), c.Outdated(""),
		ai.WriteOptions{Now: time.Unix(1_700_000_000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"1", "3"} {
		if err := os.Remove(filepath.Join(dir, "summaries", "MIP-"+n+".json")); err != nil {
			t.Fatal(err)
		}
	}
	hash = c.Proposals[1].ContentHash
	translate(t, dir, "ja", hash, "最初")
	return dir, hash
}

func translate(t *testing.T, dir, locale, hash, word string) {
	t.Helper()
	put(t, filepath.Join(dir, "translations", locale, "MIP-2.md"),
		"---\ntitle: "+word+"\ntranslation-of: "+hash+"\n---\n\n## "+word+"\n\n"+word+"。\n")
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// syncCommitted publishes what is in a folder.
func syncCommitted(t *testing.T, in, out string) {
	t.Helper()
	p, err := buildtest.Plan(t.Context(), besideSite(), in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := build.Sync(t.Context(), p, out, build.SyncOptions{}); err != nil {
		t.Fatal(err)
	}
}

// TestOneChangeCommitted lists every file that a change of a committed companion may rewrite.
func TestOneChangeCommitted(t *testing.T) {
	in, hash := besideFolder(t)
	out := t.TempDir()
	summary := filepath.Join(in, "summaries", "MIP-2.json")
	const parts = "assets/search.{hash}.bin"
	hashed := regexp.MustCompile(`assets/search\.[0-9a-f]{8}\.bin`)
	syncCommitted(t, in, out)
	for _, step := range []struct {
		name   string
		change func()
		want   []string
	}{
		{"nothing", func() {}, nil},
		{"words of a translation", func() { translate(t, in, "ja", hash, "二番目") }, []string{
			"api/v1/mips/2/translations/ja.json", "mip/2/ja/index.html"}},
		{"a word of a summary", func() {
			b, err := os.ReadFile(summary)
			if err != nil {
				t.Fatal(err)
			}
			put(t, summary, regexp.MustCompile(`"whatsChanging": \[\s*"`).ReplaceAllString(string(b), "${0}Once more: "))
		}, []string{"api/v1/mips/2/summary.json", "mip/2/index.html"}},
		{"one more translation", func() { translate(t, in, "tr", hash, "İlk") }, []string{
			"_redirects", "api/v1/mips/2.json", "api/v1/mips/2/translations/tr.json",
			"mip/2/index.html", "mip/2/ja/index.html", "mip/2/tr/index.html", "sitemap.xml"}},
		{"a translation grows stale", func() {
			translate(t, in, "tr", strings.Repeat("0", 64), "İlk")
		}, []string{
			"api/v1/diagnostics.json", "api/v1/mips/2.json", "api/v1/mips/2/translations/tr.json",
			"mip/2/index.html", "mip/2/ja/index.html", "mip/2/tr/index.html"}},
		{"it goes", func() { os.RemoveAll(filepath.Join(in, "translations", "tr")) }, []string{
			"_redirects", "api/v1/diagnostics.json", "api/v1/mips/2.json",
			"api/v1/mips/2/translations/tr.json (gone)", "mip/2/index.html",
			"mip/2/ja/index.html", "mip/2/tr/index.html (gone)", "sitemap.xml"}},
		{"the summary goes", func() { os.Remove(summary) }, []string{
			"api/v1/mips/2/summary.json", "mip/2/index.html"}},
	} {
		age(t, out)
		before, old := modified(t, out), files(t, out)
		step.change()
		syncCommitted(t, in, out)
		after, now := modified(t, out), files(t, out)
		var got []string
		for name := range now {
			if _, ok := before[name]; !ok {
				got = append(got, name)
			}
		}
		for name := range before {
			if _, ok := after[name]; !ok {
				got = append(got, name+" (gone)")
			} else if !before[name].Equal(after[name]) && !bytes.Equal(old[name], now[name]) {
				got = append(got, name)
			} else if !before[name].Equal(after[name]) {
				t.Errorf("%s: %s was rewritten with the same bytes", step.name, name)
			}
		}
		for i, name := range got {
			got[i] = hashed.ReplaceAllString(name, parts)
		}
		slices.Sort(got)
		got = slices.Compact(got)
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s: files rewritten (-want +got):\n%s", step.name, diff)
		}
	}
}

// TestLostRecord checks that a new record takes over the files that only builds make: translations
// of earlier builds are removed, and so are cards with another hash or without one.
func TestLostRecord(t *testing.T) {
	in, _ := besideFolder(t)
	out := t.TempDir()
	syncCommitted(t, in, out)
	for _, dir := range []string{"summaries", "translations"} {
		if err := os.RemoveAll(filepath.Join(in, dir)); err != nil {
			t.Fatal(err)
		}
	}
	fresh := t.TempDir()
	syncCommitted(t, in, fresh)
	for _, old := range []string{"mip/1/og.0123abcd.png", "mip/1/og.png",
		"mip/9/og.0123abcd.png", "og.0123abcd.png"} {
		put(t, filepath.Join(out, old), "an old picture")
	}
	foreign := []string{"mip/1/og.notahash.png", "og.other.png", "picture.0123abcd.png"}
	for _, name := range foreign {
		put(t, filepath.Join(out, name), "somebody's picture")
	}
	put(t, filepath.Join(out, ".mipwatch", "manifest.json"), "{")
	syncCommitted(t, in, out)
	want := slices.Sorted(slices.Values(slices.AppendSeq(foreign, maps.Keys(files(t, fresh)))))
	if d := cmp.Diff(want, slices.Sorted(maps.Keys(files(t, out)))); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

// The dashboard lists proposals whose summary is stale, and is written again when the list changes.
func TestDashboardNamesOutdatedSummaries(t *testing.T) {
	in, _ := besideFolder(t)
	out := t.TempDir()
	const newer = "MIP-2</a> Title 2: has a text that is newer than its summary"
	dashboard := func() string {
		syncCommitted(t, in, out)
		return string(files(t, out)["dashboard/index.html"])
	}
	if strings.Contains(dashboard(), "newer than") {
		t.Error("a summary of the present text is called outdated")
	}
	name := filepath.Join(in, "MIP-2.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	put(t, name, string(text)+"\nOne more sentence.\n")
	if !strings.Contains(dashboard(), newer) {
		t.Error("the dashboard does not say that a text is newer than its summary")
	}
	put(t, name, string(text))
	if strings.Contains(dashboard(), "newer than") {
		t.Error("the dashboard still says so when the text is the old one again")
	}
}
