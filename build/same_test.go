package build_test

import (
	"bytes"
	"fmt"
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
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
)

// TestSameInputSameBytes builds one set of files in processes that differ in everything that must
// not matter: time zone, language, processors, and the order, times and path of the files.
func TestSameInputSameBytes(t *testing.T) {
	sources := files(t, "../internal/samples/proposals")
	if len(sources) < 12 {
		t.Fatalf("only %d sample proposals", len(sources))
	}
	names := slices.Sorted(maps.Keys(sources))
	reversed := slices.Clone(names)
	slices.Reverse(reversed)
	var want map[string][]byte
	for i, c := range []struct {
		name  string
		order []string
		env   []string
	}{
		{"plain", names, nil},
		{"other zone and language, one processor", reversed,
			[]string{"TZ=Asia/Kathmandu", "LANG=tr_TR.UTF-8",
				"LC_ALL=tr_TR.UTF-8", "GOMAXPROCS=1"}},
		{"many processors", names, []string{"TZ=America/St_Johns", "LANG=C", "GOMAXPROCS=16"}},
	} {
		in := filepath.Join(t.TempDir(), strings.Repeat("deeper/", i), "proposals")
		if err := os.MkdirAll(in, 0o755); err != nil {
			t.Fatal(err)
		}
		for k, name := range c.order {
			file := filepath.Join(in, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			stamp := time.Unix(int64(1_500_000_000+100*k*(i+1)), 0)
			if err := os.WriteFile(file, sources[name], 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, stamp, stamp); err != nil {
				t.Fatal(err)
			}
		}
		out := filepath.Join(t.TempDir(), "public")
		if text, err := helper(t, in, out, c.env...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", c.name, err, text)
		}
		got := files(t, out)
		state, err := os.ReadFile(filepath.Join(out, ".mipwatch", "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		got["(manifest)"] = state
		if want == nil {
			want = got
			continue
		}
		if diff := diffTree(want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestOneChange lists every file that a change of one proposal may rewrite, add or remove.
func TestOneChange(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	write(t, in, 1, "Title", "See [the note](./note.md).")
	for n := 2; n <= 6; n++ {
		write(t, in, n, "Title", "Words.")
	}
	number(t, in, "note.md", 7)
	if err := buildFolder(in, out); err != nil {
		t.Fatal(err)
	}
	index := []string{"assets/search.{hash}.bin (gone)", "assets/search.{hash}.bin (new)"}
	for _, step := range []struct {
		name   string
		change func()
		want   []string
	}{
		{"words of the text", func() {
			write(t, in, 3, "Title", "Other words.")
		}, slices.Concat(strings.Fields(
			"api/v1/mips.json api/v1/mips/3.json api/v1/mips/3/summary.json api/v1/search.json"),
			index, strings.Fields("llms-full.txt mip/3.md mip/3/index.html"))},
		{"the title", func() {
			write(t, in, 3, "Heading", "Other words.")
		}, slices.Concat(strings.Fields(
			"api/v1/index.json api/v1/mips.json api/v1/mips/3.json "+
				"api/v1/mips/3/summary.json api/v1/search.json"), index, strings.Fields(
			"author/ada/feed.atom author/ada/index.html category/core/feed.atom "+
				"category/core/index.html "+
				"changes/feed.xml feed.xml index.html llms-full.txt llms.txt "+
				"mip/2/index.html mip/3.md mip/3/feed.atom mip/3/index.html"),
			[]string{"mip/3/og.{hash}.png (gone)", "mip/3/og.{hash}.png (new)"},
			strings.Fields("mip/4/index.html status/draft/feed.atom status/draft/index.html "+
				"type/standards-track/feed.atom type/standards-track/index.html"))},
		{"nothing", func() {}, nil},
		{"the number of a file that another links to by its name", func() {
			number(t, in, "note.md", 8)
		}, []string{
			"_redirects", "_redirects.caddy", "api/v1/for/developers.json", "api/v1/for/users.json",
			"api/v1/for/validators.json", "api/v1/index.json", "api/v1/mips.json",
			"api/v1/mips/7.json (gone)", "api/v1/mips/7/summary.json (gone)",
			"api/v1/mips/8.json (new)", "api/v1/mips/8/summary.json (new)",
			"api/v1/search.json", index[0], index[1], "category/core/feed.atom",
			"category/core/index.html",
			"changes/feed.xml", "feed.xml", "index.html", "llms-full.txt", "llms.txt",
			"mip/1/index.html", "mip/6/index.html",
			"mip/7.md (gone)", "mip/7/feed.atom (gone)", "mip/7/index.html (gone)",
			"mip/7/og.{hash}.png (gone)", "mip/8.md (new)", "mip/8/feed.atom (new)",
			"mip/8/index.html (new)", "mip/8/og.{hash}.png (new)",
			"sitemap.xml", "status/draft/feed.atom", "status/draft/index.html",
			"type/standards-track/feed.atom", "type/standards-track/index.html",
		}},
		{"one is deleted", func() { os.Remove(filepath.Join(in, "MIP-6.md")) }, []string{
			"_redirects", "api/v1/for/developers.json", "api/v1/for/users.json",
			"api/v1/for/validators.json", "api/v1/index.json", "api/v1/mips.json",
			"api/v1/mips/6.json (gone)", "api/v1/mips/6/summary.json (gone)",
			"api/v1/search.json", "api/v1/site.json", index[0], index[1],
			"author/ada/feed.atom", "author/ada/index.html",
			"category/core/feed.atom", "category/core/index.html", "dashboard/index.html",
			"changes/feed.xml", "feed.xml", "index.html", "llms-full.txt",
			"llms.txt", "mip/5/index.html",
			"mip/6.md (gone)", "mip/6/feed.atom (gone)", "mip/6/index.html (gone)",
			"mip/6/og.{hash}.png (gone)",
			"mip/8/index.html", "sitemap.xml", "status/draft/feed.atom", "status/draft/index.html",
			"type/standards-track/feed.atom", "type/standards-track/index.html",
		}},
	} {
		age(t, out)
		before, old := modified(t, out), files(t, out)
		step.change()
		if err := buildFolder(in, out); err != nil {
			t.Fatal(err)
		}
		after, now := modified(t, out), files(t, out)
		var got []string
		for name := range before {
			if _, ok := after[name]; !ok {
				got = append(got, name+" (gone)")
			} else if !before[name].Equal(after[name]) {
				got = append(got, name)
				if bytes.Equal(old[name], now[name]) {
					t.Errorf("%s: %s was rewritten with the same bytes", step.name, name)
				}
			}
		}
		for name := range after {
			if _, ok := before[name]; !ok {
				got = append(got, name+" (new)")
			}
		}
		for i, name := range got {
			got[i] = contentHash.ReplaceAllString(name, "$1.{hash}.$2")
		}
		slices.Sort(got)
		got = slices.Compact(got)
		if diff := cmp.Diff(withFormats(step.want), got); diff != "" {
			t.Errorf("change of %s: files rewritten (-want +got):\n%s", step.name, diff)
		}
	}
}

// withFormats returns the files, and the other formats of each feed among them.
func withFormats(names []string) (out []string) {
	for _, name := range names {
		out = append(out, name)
		if before, after, ok := strings.Cut(name, "feed.xml"); ok {
			out = append(out, before+"feed.atom"+after, before+"feed.json"+after)
		}
	}
	slices.Sort(out)
	return out
}

// contentHash matches the hash in the names of share cards and of parts of the search index, which
// change with their content.
var contentHash = regexp.MustCompile(`\b(og|search)\.[0-9a-f]{8}\.(png|bin)\b`)

// number writes a proposal whose number only its header states.
func number(t *testing.T, dir, name string, n int) {
	t.Helper()
	text := fmt.Sprintf("---\nmip: %d\ntitle: Note\nstatus: Draft\ntype: Standards Track\n"+
		"category: Core\ncreated: 2026-01-20\n---\n\nA note.\n", n)
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// modified returns every file's modification time.
func modified(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	out := map[string]time.Time{}
	for name := range files(t, dir) {
		st, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = st.ModTime()
	}
	return out
}

// age sets every file's time into the past, so that later writes are visible.
func age(t *testing.T, dir string) {
	t.Helper()
	past := time.Unix(1_000_000_000, 0)
	for name := range files(t, dir) {
		if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(name)), past, past); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRendered plans a folder repeatedly with the texts of earlier plans, and compares each plan
// with one without them.
func TestRendered(t *testing.T) {
	in := folderOf(t,
		"MIP-1.md", proposalText("", "[a](./MIP-2.md) [b](data.csv) [c](MIP-3.md)"),
		"MIP-3.md", proposalText("", "Text."))
	s := testSite("MIP")
	s.SourceURL = "https://git.example/{commit}/{path}"
	texts := &build.Cache{}
	plan := func(texts *build.Cache) map[string][]byte {
		t.Helper()
		c, err := build.Load(t.Context(), build.Options{Site: buildtest.In(s, in), Cache: texts})
		if err != nil {
			t.Fatal(err)
		}
		p, err := build.NewPlan(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return bytesOf(t, p)
	}
	network := func(name, lists string) {
		put(t, filepath.Join(in, "MIP-9.md"),
			"---\ntitle: Network Upgrade - "+name+"\ntype: Meta\n---\n\n"+lists+"\n")
	}
	for _, step := range []struct {
		name   string
		change func()
	}{
		{"the first", func() {}},
		{"the same", func() {}},
		{"a proposal that is linked", func() {
			put(t, filepath.Join(in, "MIP-2.md"), proposalText("", "Text."))
		}},
		{"a file that is linked", func() { put(t, filepath.Join(in, "data.csv"), "1") }},
		{"another text", func() {
			put(t, filepath.Join(in, "MIP-3.md"), proposalText("", "Other text."))
		}},
		{"another source", func() { s.SourceURL = "https://git.example/other/{commit}/{path}" }},
		{"a commit", func() { commit(t, in, "All", 10) }},
		{"the text of an upgrade", func() {
			network("Reed", "### Maybe\n\n- MIP-1\n\n### Proposed\n\n- MIP-3")
			commit(t, in, "Propose", 100_000)
			network("Reed", "### Considered\n\n- MIP-1\n\n### Proposed\n\n- MIP-3")
			commit(t, in, "Consider", 200_000)
		}},
		{"another text again", func() {
			put(t, filepath.Join(in, "MIP-3.md"), proposalText("", "Once more."))
		}},
		{"a word for a stage", func() {
			s.Upgrades.Stages = map[string][]string{"scheduled": {"Maybe"}}
		}},
		{"another name of the upgrade", func() {
			network("Rush", "### Considered\n\n- MIP-1\n\n### Proposed\n\n- MIP-3")
		}},
		{"one more version", func() {
			network("Rush", "### Declined\n\n- MIP-1")
			commit(t, in, "Decline", 300_000)
		}},
	} {
		step.change()
		if diff := diffTree(plan(nil), plan(texts)); diff != "" {
			t.Errorf("%s: %s", step.name, diff)
		}
	}
}
