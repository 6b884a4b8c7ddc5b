package render

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
)

func historyPage(t *testing.T, v HistoryPage) []byte {
	t.Helper()
	p, all := newTestPages(t, pageInfo("https://example.org/p"), pageForks()), pageList()
	v.Metadata = all[2]
	for len(v.Texts) < len(v.Versions) {
		v.Texts = append(v.Texts, VersionText{SourceURL: "https://git.example.net/a"})
	}
	page, err := p.History(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range pageFaults(t, page) {
		t.Error(f)
	}
	return page
}

// version is a version with its text before and after. A missing text is -.
func version(name, subject, before, after string) mip.Version {
	v := mip.Version{
		Commit: name + strings.Repeat("0", 39), Subject: subject,
		Time: mip.NewTime(time.Date(2026, 9, 1, 2, 3, 0, 0, time.UTC)),
	}
	if before != "-" && after != "-" {
		history.Compare(&v, []byte(before), []byte(after))
	}
	return v
}

// pageOf is the page of versions. before is the state before the oldest: nothing, more or unknown.
func pageOf(before string, versions ...mip.Version) HistoryPage {
	return HistoryPage{History: mip.History{Before: before, Versions: versions}}
}

// partsOf returns the marked lines of a page and its text about each version.
func partsOf(t *testing.T, page []byte) (lines []string, text string) {
	t.Helper()
	for _, e := range pageElements(t, page) {
		switch {
		case e.tag == "ins" || e.tag == "del",
			e.tag == "span" && strings.HasPrefix(e.attr["class"], "at"):
			lines = append(lines, e.tag+" "+e.text)
		case e.tag == "main":
			text = e.text
		}
	}
	return lines, text
}

func TestHistoryPage(t *testing.T) {
	v := pageOf("nothing",
		version("c", "", "a\nB\nc\n", "a\nB\nc\n"),
		version("b", pageHostile("subject"), "a\nb\nc", "a\nB\nc\n"),
		version("a", "first", "", "a\nb\nc"),
	)
	v.Events = []mip.Event{
		change("09-01", v.Versions[0].Commit, 3, mip.EventText, "", "").Event, change("09-01",
			v.Versions[1].Commit, 3, mip.EventText, "", "").Event,
		change("09-01", v.Versions[1].Commit, 3, mip.EventStatus, "Draft",
			pageHostile("status")).Event,
		change("09-01", "of another file", 3, mip.EventHardfork, "", "NINE").Event,
	}
	lines, text := partsOf(t, historyPage(t, v))
	want := []string{"span @@ -1,3 +1,3 @@\n", "del -b\n", "del -c\n",
		"span \\ No newline at end of file\n", "ins +B\n", "ins +c\n"}
	if got := fmt.Sprintf("%q", lines); got != fmt.Sprintf("%q", want) {
		t.Errorf("lines %s, want %q", got, want)
	}
	for _, want := range []string{"No message", pageHostile("subject"), "first",
		"MIP-3 moved from Draft to " + pageHostile("status"), "The 3 versions",
		"1 Sep 2026, 02:03 UTC", "No line changed", "2 lines added, 2 lines removed",
		"First version"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q: %s", want, text)
		}
	}
	if strings.Contains(text, "NINE") || strings.Contains(text, "The text of") {
		t.Errorf("the page tells of another file, or of a new text in words: %s", text)
	}
}

// TestHistoryOfImport checks that a version that an import brought names both days, beside what
// else its commit did, and that each day has a line among the changes.
func TestHistoryOfImport(t *testing.T) {
	v := pageOf("nothing", version("a", "first", "", "a"))
	commit := v.Versions[0].Commit
	created := change("01-02", commit, 3, mip.EventCreated, "", "Final")
	created.Imported = true
	joined := change("09-01", commit, 3, mip.EventHardfork, "", "NINE")
	v.Events = []mip.Event{joined.Event, created.Event}
	_, text := partsOf(t, historyPage(t, v))
	want := "Created 2 January 2026 (day of its header; imported 1 September 2026); " +
		"MIP-3 joined hard fork NINE."
	if !strings.Contains(text, want) {
		t.Errorf("the page does not say %q: %s", want, text)
	}
	page, err := newTestPages(t, pageInfo("https://example.org/p"), nil).Changes(
		ChangesPage{Years: []int{2026}, Changes: []Change{joined, created}, Complete: true})
	if err != nil {
		t.Fatal(err)
	}
	_, text = partsOf(t, page)
	for _, want := range []string{"1 Sep MIP-3 joined hard fork NINE MIP-3 Title 3",
		"2 Jan MIP-3 was created MIP-3 Title 3"} {
		if !strings.Contains(text, want) {
			t.Errorf("the changes do not say %q: %s", want, text)
		}
	}
}

// TestLongDiff checks that a long diff is folded after its first lines, and loses none.
func TestLongDiff(t *testing.T) {
	for lines, folded := range map[int]string{
		59: "", 60: "Show all: 21 more lines", 400: "Show all: 361 more lines",
	} {
		text := strings.Repeat("a\n", lines)
		page := historyPage(t, pageOf("more", version("b", "s", "", text)))
		got, words := partsOf(t, page)
		if len(got) != lines+1 || strings.Contains(words, "Show all") != (folded != "") ||
			!strings.Contains(words, folded) || !strings.Contains(words, "lines added") ||
			strings.Contains(words, "removed") {
			t.Errorf("%d lines: %d are shown, with %q: %s", lines, len(got), folded, words)
		}
	}
}

func TestHistoryHostileText(t *testing.T) {
	evil := pageOf("unknown",
		version("b", "s", pageHostile("removed")+"\n", pageHostile("added")+"\n"))
	evil.Texts = []VersionText{{SourceURL: "javascript:alert(1)"}}
	page := historyPage(t, evil)
	lines, text := partsOf(t, page)
	if len(lines) != 3 || lines[1] != "del -"+pageHostile("removed")+"\n" ||
		lines[2] != "ins +"+pageHostile("added")+"\n" {
		t.Errorf("lines %q", lines)
	}
	for _, e := range pageElements(t, page) {
		if e.tag == "img" {
			t.Errorf("a text became <%s %v>", e.tag, e.attr)
		}
	}
	if !strings.Contains(text, "a shallow clone") {
		t.Errorf("the page does not say that older versions are unknown: %s", text)
	}
}

// A page has a bounded size, and links to the rest.
func TestHistoryIsBounded(t *testing.T) {
	many := func(s string) string { return strings.Repeat(s+strings.Repeat("é", 50)+"\n", 1_500) }
	page := historyPage(t, pageOf("more",
		version("d", "small", many("é"), "x\nnew\n"), version("c", "large", many("b"), many("é")),
		version("b", "shut out", "y", many("b")), version("a", "too", "x", "y"),
	))
	lines, text := partsOf(t, page)
	size := 0
	for _, l := range lines {
		size += len(l) - len("ins ")
		if !utf8.ValidString(l) {
			t.Fatalf("a line was cut within a character: %q", l)
		}
	}
	if size > maxChanges+1000 || size < maxChanges/2 || len(page) > 4*maxChanges {
		t.Errorf("%d bytes of lines on a page of %d, want about %d", size, len(page), maxChanges)
	}
	for want, n := range map[string]int{"The changes go on: see the source": 1,
		"The changes are too long for this page: see the source": 3,
		"There are older versions: see the source":               1} {
		if got := strings.Count(text, want); got != n {
			t.Errorf("the page says %q %d times, want %d", want, got, n)
		}
	}
	gone := pageOf("nothing", version("c", "s", "-", "x"), version("b", "s", "", "-"))
	gone.Texts = []VersionText{{}, {Missing: true}}
	if _, text := partsOf(t, historyPage(t, gone)); !strings.Contains(text,
		"What was before is not in the copy") ||
		!strings.Contains(text, "This version is not in the copy") {
		t.Errorf("texts that cannot be had: %s", text)
	}
}
