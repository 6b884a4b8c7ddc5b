package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// events returns the events of a folder in order, and whether git has all of them.
func events(t *testing.T, c *Corpus) ([]mip.Event, bool) {
	t.Helper()
	var r history.Reader
	defer r.Close()
	all, complete, err := c.Past().Events(&r)
	if err != nil {
		t.Fatal(err)
	}
	return all, complete
}

// eventLine formats an event as a line.
func eventLine(e mip.Event) string {
	line := e.MIP.String() + " " + string(e.Kind)
	switch {
	case e.From != nil && e.To != nil:
		line += " " + *e.From + " > " + *e.To
	case e.From != nil:
		line += " " + *e.From + " >"
	case e.To != nil:
		line += " > " + *e.To
	}
	if !e.Deadline.IsZero() {
		line += " until " + e.Deadline.String()
	}
	return line
}

// TestEvents makes a repository with everything that can happen to proposals. A number in want is
// the last one.
func TestEvents(t *testing.T) {
	r := newRepo(t)
	path := func(name string) string { return filepath.Join(r.dir, "MIPs", name) }
	// text is a proposal with further lines of its header.
	text := func(n int, lines ...string) string {
		return fmt.Sprintf("---\nmip: %d\ntitle: Title %d\n%s\n---\n\n* One item\n"+
			"* `a - b`, _two_\n\n|a|b|\n|--|--|\n|1|2|\n", n, n, strings.Join(lines, "\n"))
	}
	put := func(name, text string) { writeFile(t, path(name), []byte(text)) }
	move := func(from, to string) { r.git(0, "mv", "MIPs/"+from, "MIPs/"+to) }
	lastCall := []string{"status: Last Call", "last-call-deadline: 2023-12-01"}
	const side = "side"
	steps := []struct {
		name string
		do   func()
		want []string
	}{
		{"two drafts, and what is none", func() {
			put("MIP-1.md", text(1, "status: Draft"))
			put("MIP-2.md", text(2, "status: Draft"))
			put("README.md", "# Read me\n")
			put("MIP-X.md", "---\nmip: TBD\nstatus: Draft\n---\n")
		}, []string{"MIP-1 created > Draft", "MIP-21 created > Draft"}},
		{"last call", func() { put("MIP-1.md", text(1, lastCall...)) },
			[]string{"MIP-1 status Draft > Last Call until 2023-12-01",
				"MIP-1 deadline > 2023-12-01"}},
		{"back", func() { put("MIP-1.md", text(1, "status: Draft")) },
			[]string{"MIP-1 status Last Call > Draft", "MIP-1 deadline 2023-12-01 >"}},
		{"and forth", func() { put("MIP-1.md", text(1, lastCall...)) },
			[]string{"MIP-1 status Draft > Last Call until 2023-12-01",
				"MIP-1 deadline > 2023-12-01"}},
		{"the same in other letters, words and line ends", func() {
			other := "---\nTitle: \"Title 1\"\nMIP: 1\nlast-call-deadline: 1 Dec 2023\n" +
				"status: 'last-call'\n---\n\n- One item\n-  `a - b`, *two*\n\n" +
				"| a | b |\n|:---|---:|\n| 1 | 2 |\n"
			put("MIP-1.md", "\uFEFF"+strings.ReplaceAll(other, "\n", "\r\n"))
		}, nil},
		{"a sign of a formula, and a title", func() {
			put("MIP-1.md", strings.ReplaceAll(text(1, lastCall...), "a - b", "a + b"))
			put("MIP-2.md", strings.Replace(text(2, "status: Draft"), "Title 2", "Name", 1))
		}, []string{"MIP-1 text", "MIP-21 title Title 2 > Name"}},
		{"relations", func() {
			put("MIP-2.md",
				strings.Replace(text(2, "status: Draft", "requires: 1, ERC-20"), "Title 2",
					"Name", 1))
		}, []string{"MIP-21 relation > requires ERC-20", "MIP-21 relation > requires MIP-1"}},
		{"other relations", func() {
			put("MIP-2.md",
				strings.Replace(text(2, "status: Draft", "requires: [MIP-1]", "replaces: 1"),
					"Title 2", "Name", 1))
		}, []string{"MIP-21 relation > replaces MIP-1", "MIP-21 relation requires ERC-20 >"}},
		{"a file moves", func() { move("MIP-1.md", "mip-0001-title.md") }, nil},
		{"and gets a copy, which takes its place", func() {
			put("MIP-1.md", strings.ReplaceAll(text(1, lastCall...), "a - b", "a + b"))
		}, nil},
		{"the first of both goes", func() { r.git(0, "rm", "-q", "MIPs/mip-0001-title.md") }, nil},
		{"a file gets a number", func() {
			move("MIP-2.md", "MIP-20.md")
			put("MIP-20.md",
				strings.Replace(text(20, "status: Review", "requires: 1", "replaces: 1"),
					"Title 20", "Name", 1))
		}, []string{"MIP-21 renumbered MIP-2 > MIP-20", "MIP-21 status Draft > Review"}},
		{"and another one in place", func() {
			put("MIP-20.md",
				strings.Replace(text(21, "status: Review", "requires: 1", "replaces: 1"),
					"Title 21", "Name", 1))
		}, []string{"MIP-21 renumbered MIP-20 > MIP-21"}},
		{"a header that nobody can read", func() {
			put("MIP-1.md", "---\nmip: 1\n<<<<<<< HEAD\nstatus: Draft\n\n# Heading\n")
		}, nil},
		{"no text", func() { put("MIP-1.md", "") }, []string{"MIP-1 text"}},
		{"mended", func() { put("MIP-1.md", text(1, "status: Final")) },
			[]string{"MIP-1 status Last Call > Final", "MIP-1 deadline 2023-12-01 >",
				"MIP-1 text"}},
		{"removed", func() { os.Remove(path("MIP-1.md")) }, []string{"MIP-1 removed Final >"}},
		{"restored", func() { put("MIP-1.md", text(1, "status: Final")) },
			[]string{"MIP-1 created > Final"}},
		{"a text whose header alone has its number", func() {
			put("words.md", text(8, "status: Draft"))
		}, []string{"MIP-8 created > Draft"}},
		{"which its name gets, too", func() {
			move("words.md", "MIP-8.md")
			put("MIP-8.md", text(8, "status: Review"))
		}, []string{"MIP-8 status Draft > Review"}},
		{"a text moves, and a line is left that says where", func() {
			move("MIP-8.md", "8-words.md")
			put("MIP-8.md", "It went to [another file](8-words.md).\n")
		}, nil},
		{"and goes on there", func() { put("8-words.md", text(8, "status: Final")) },
			[]string{"MIP-8 status Review > Final"}},
		{"without the line", func() { r.git(0, "rm", "-q", "MIPs/MIP-8.md") }, nil},
		{"an import", func() {
			for n := 100; n < 200; n++ {
				put(fmt.Sprintf("MIP-%d.md", n), text(n, "status: Living")+fmt.Sprint(n))
			}
		}, []string{"100 created"}},
		{"a removal of many", func() {
			for n := 100; n < 200; n++ {
				os.Remove(path(fmt.Sprintf("MIP-%d.md", n)))
			}
		}, []string{"100 removed"}},
		{"a branch that is squashed", func() {
			put("MIP-3.md", text(3, "status: Draft"))
			r.commit(1000)
			r.git(0, "switch", "-q", "-c", side)
			for _, status := range []string{"Review", "Last Call", "Final"} {
				put("MIP-3.md", text(3, "status: "+status))
				r.commit(1010)
			}
			r.git(0, "switch", "-q", "main")
			r.git(0, "merge", "-q", "--squash", side)
		}, []string{"MIP-3 status Draft > Final"}},
		{"a branch that is merged", func() {
			r.git(0, "branch", "-q", "-D", side)
			r.git(0, "switch", "-q", "-c", side)
			put("MIP-3.md", text(3, "status: Living"))
			put("MIP-21.md", "")
			r.commit(1030)
			r.git(0, "switch", "-q", "main")
			put("README.md", "# Read\n")
			r.commit(1020)
			r.git(1040, "merge", "-q", "--no-edit", "--no-ff", side)
		}, nil},
		{"two branches that do the same, and one does more, which is given up", func() {
			r.git(0, "branch", "-q", "-D", side)
			put("MIP-4.md", text(4, "status: Draft"))
			put("MIP-5.md", text(5, "status: Draft"))
			r.commit(1050)
			r.git(0, "switch", "-q", "-c", side)
			put("MIP-4.md", text(4, "status: Review"))
			put("MIP-5.md", text(5, "status: Withdrawn"))
			put("MIP-6.md", text(6, "status: Draft"))
			r.commit(1060)
			r.git(0, "switch", "-q", "main")
			put("MIP-4.md", text(4, "status: Review"))
			put("MIP-5.md", text(5, "status: Review"))
			r.commit(1070)
			r.git(1080, "merge", "-q", "--no-edit", "-X", "ours", side)
		}, nil},
		{"a clock that goes wrong", func() {
			put("MIP-6.md", text(6, "status: Review"))
			r.commit(-5000)
			put("MIP-6.md", text(6, "status: Final"))
		}, []string{"MIP-6 status Review > Final"}},
	}
	heads := map[string]int{}
	for i, step := range steps {
		step.do()
		r.git(100+10*i, "add", ".")
		r.git(100+10*i, "commit", "-q", "--allow-empty", "-m", step.name)
		heads[r.head()] = i
	}
	all, complete := events(t, r.load(r.dir, "MIPs"))
	if !complete {
		t.Error("the history of a whole repository is not complete")
	}
	told := make([][]string, len(steps))
	for _, e := range all {
		if i, ok := heads[e.Commit]; ok {
			told[i] = append(told[i], eventLine(e))
		}
	}
	for i, step := range steps {
		if n := len(told[i]); n > 50 {
			told[i] = []string{fmt.Sprint(n, " ", strings.Fields(told[i][0])[1])}
		}
		if diff := cmp.Diff(step.want, told[i]); diff != "" {
			t.Errorf("%s: events (-want +got):\n%s", step.name, diff)
		}
	}
	// The events of branches and merges, from their first commit.
	var got []string
	ids := map[string]bool{}
	for _, e := range all {
		if n := e.MIP.Number; 3 <= n && n <= 6 {
			got = append(got, eventLine(e))
		}
		if ids[e.ID] {
			t.Errorf("two events %s", e.ID)
		}
		ids[e.ID] = true
	}
	slices.Sort(got)
	want := []string{
		"MIP-3 created > Draft", "MIP-3 status Draft > Final", "MIP-3 status Final > Living",
		"MIP-4 created > Draft", "MIP-4 status Draft > Review",
		"MIP-5 created > Draft", "MIP-5 status Draft > Review", "MIP-6 created > Draft",
		"MIP-6 status Draft > Review", "MIP-6 status Review > Final",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events of branches (-want +got):\n%s", diff)
	}
	r.git(0, "config", "uploadpack.allowFilter", "true")
	// A clone and another name of the folder give the same events. A clone without some commits or
	// texts invents none.
	for _, clone := range []struct {
		args  []string
		whole bool
	}{{nil, true}, {[]string{"--depth", "5"}, false}, {[]string{"--depth", "7"},
		true}, {[]string{"--filter=blob:none"}, false}} {
		dir := filepath.Join(t.TempDir(), "clone")
		r.git(0, slices.Concat([]string{"clone", "-q"}, clone.args,
			[]string{"file://" + filepath.ToSlash(r.dir), dir})...)
		if clone.whole && clone.args != nil { // a shallow clone that is deepened
			r.git(0, "-C", dir, "fetch", "-q", "--unshallow")
		}
		there, complete := events(t, r.load(dir, "MIPs"))
		if complete != clone.whole {
			t.Errorf("clone %v: complete is %t", clone.args, complete)
		}
		if clone.whole {
			if diff := cmp.Diff(all, there, cmp.AllowUnexported(mip.Time{})); diff != "" {
				t.Errorf("a clone tells others (-repository +clone):\n%s", diff)
			}
		}
		for _, e := range there {
			if !ids[e.ID] {
				t.Errorf("clone %v invents %s of %s", clone.args, eventLine(e), e.Commit)
			}
		}
	}
}

// TestEventsOfMovedTexts moves a text to the place of a pattern, and leaves a notice in the old
// one.
func TestEventsOfMovedTexts(t *testing.T) {
	r := newRepo(t)
	put := func(at int, name, text string) {
		writeFile(t, filepath.Join(r.dir, filepath.FromSlash(name)), []byte(text))
		r.commit(at)
	}
	text := func(n int, status string) string {
		return fmt.Sprintf("---\nmip: %d\ntitle: T\nstatus: %s\n---\nWords.\n", n, status)
	}
	put(1, "MIP-0001/MIP-0001.md", text(1, "Draft"))
	put(2, "MIP-0001/MIP-0001.md", text(1, "Review"))
	writeFile(t, filepath.Join(r.dir, "MIP-0001", "README.md"), []byte(text(1, "Review")))
	put(3, "MIP-0001/MIP-0001.md", "Moved to [README.md](./README.md).\n")
	put(4, "MIP-0001/README.md", text(1, "Final"))
	put(5, "MIP-0001/MIP-1-old.md", text(1, "Draft"))
	put(5, "MIP-0003/MIP-3-notes.md", "Notes.\n")
	put(6, "MIP-words/README.md", text(2, "Draft"))
	r.git(7, "mv", "MIP-words", "MIP-0002")
	r.commit(7)
	c, err := Load(t.Context(), Options{
		Rules: filename.Rules{Sources: []filename.Source{{Folder: r.dir,
			Pattern: "MIP-*/README.md"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	all, _ := events(t, c)
	for _, e := range all {
		got = append(got, fmt.Sprint(e.Time.UTC().Unix()-1_700_000_000, " ", eventLine(e)))
	}
	want := []string{"1 MIP-1 created > Draft", "2 MIP-1 status Draft > Review",
		"4 MIP-1 status Review > Final", "6 MIP-2 created > Draft"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
