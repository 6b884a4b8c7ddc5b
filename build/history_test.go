package build_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// commit commits a folder, and makes it a repository first. The time is in seconds after a fixed
// moment.
func commit(t *testing.T, dir, message string, at int64) {
	t.Helper()
	when := time.Unix(1_700_000_000+at, 0).UTC().Format(time.RFC3339)
	for _, args := range [][]string{
		{"init", "-q", "."}, {"add", "."}, {"commit", "-q", "--allow-empty-message", "-m", message},
	} {
		testenv.Git(t, dir, when, args...)
	}
}

// The steps to Final are the stages in the history of the file, if two or more are known, each with
// the day of the newest commit that set it. The first commit of an older text set nothing.
func TestStepsOfHistory(t *testing.T) {
	in := t.TempDir()
	steps := func() string {
		t.Helper()
		p, err := buildtest.Plan(t.Context(), testSite("MIP"), in)
		if err != nil {
			t.Fatal(err)
		}
		page := string(bytesOf(t, p)["mip/1/index.html"])
		_, page, _ = strings.Cut(page, `<ol class="path">`)
		page, _, _ = strings.Cut(page, "</ol>")
		var out []string
		step := regexp.MustCompile(`<li class="([^"]*)"[^>]*>([^<]*?)\s*(?:<time datetime="([^"]*)">|</li>)`)
		for _, m := range step.FindAllStringSubmatch(page, -1) {
			out = append(out, m[2]+":"+m[1]+" "+m[3])
		}
		return strings.Join(out, ", ")
	}
	status := func(s string, at int64) {
		text := fmt.Sprintf("---\nmip: 1\ntitle: T\nstatus: %s\ncreated: 2023-01-01\n---\n\n"+
			"Words.\n", s)
		if err := os.WriteFile(filepath.Join(in, "MIP-1.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if at > 0 {
			commit(t, in, s, at*24*60*60)
		}
	}
	status("Final", 0)
	if got := steps(); got != "" {
		t.Errorf("without a history: %s", got)
	}
	status("draft", 10)
	status("Final", 20)
	if got := steps(); got != "Draft:c s-final , Final:c s-final 2023-12-04" {
		t.Errorf("after Draft: %s", got)
	}
	status("Last-Call", 30)
	status("draft", 31)
	status("Last-Call", 32)
	status("Final", 40)
	if got := steps(); got != "Draft:c s-final 2023-12-15, Last Call:c s-final 2023-12-16, "+
		"Final:c s-final 2023-12-24" {
		t.Errorf("after Draft and Last Call: %s", got)
	}
}

// TestHistoryPages builds the history pages of more proposals than one git process reads, twice.
func TestHistoryPages(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	const count = 70
	for n := 1; n <= count; n++ {
		write(t, in, n, "Title", "Old words.")
	}
	commit(t, in, "All of them", 10)
	write(t, in, 4, "Title", "New <b>words</b>.")
	commit(t, in, "Better <words>", 20)
	write(t, in, count+1, "Title", "Not committed.")
	s := testSite("MIP")
	s.SourceURL = "https://git.example.org/{commit}/{path}"
	sync := func() build.Report {
		t.Helper()
		p, err := buildtest.Plan(t.Context(), s, in)
		if err != nil {
			t.Fatal(err)
		}
		r, err := build.Sync(t.Context(), p, out, build.SyncOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	sync()
	page, err := os.ReadFile(filepath.Join(out, "mip", "4", "history", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, want := range []string{"<del>-Old words.\n</del>",
		"<ins>+New &lt;b&gt;words&lt;/b&gt;.\n</ins>", "Better &lt;words&gt;", "All of them",
		"2023-11-14T22:13:40Z", "/MIP-4.md\""} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Index(text, "Better") > strings.Index(text, "All of them") {
		t.Error("the newest version is not first")
	}
	if _, err := os.Stat(filepath.Join(out, "mip", "71", "history")); err == nil {
		t.Error("a file that is not committed has a history")
	}
	proposal, _ := os.ReadFile(filepath.Join(out, "mip", "71", "index.html"))
	if strings.Contains(string(proposal), "/history/") {
		t.Error("a page leads to a history that is not there")
	}
	proposal, _ = os.ReadFile(filepath.Join(out, "mip", "4", "index.html"))
	sitemap, _ := os.ReadFile(filepath.Join(out, "sitemap.xml"))
	if !strings.Contains(string(proposal), `href="/mip/4/history/"`) ||
		strings.Count(string(sitemap), "/history/</loc>") != count {
		t.Error("nothing leads to the history")
	}
	if r := sync(); r.Changed+r.Removed > 0 {
		t.Errorf("a second build changes %d files and removes %d", r.Changed, r.Removed)
	}
	// A commit changes the histories of the files that it touches.
	write(t, in, 70, "Title", "New words.")
	commit(t, in, "One more", 30)
	age(t, out)
	before := modified(t, out)
	sync()
	var got []string
	for name, at := range modified(t, out) {
		if !before[name].Equal(at) && strings.HasSuffix(name, "history/index.html") {
			got = append(got, name)
		}
	}
	slices.Sort(got)
	want := []string{"mip/70/history/index.html", "mip/71/history/index.html"}
	if !slices.Equal(got, want) {
		t.Errorf("histories that a commit changes: %v, want %v", got, want)
	}
}

// TestVersions reads the versions of a proposal as JSON, with the changes of each.
func TestVersions(t *testing.T) {
	in := t.TempDir()
	long := strings.Repeat("A line that is there once more.\n", 5000)
	for i, text := range []string{
		"---\nmip: 1\ntitle: One\nauthor: Ada (@ada)\nstatus: draft\ncreated: 2023-01-02\n" +
			"licence: MIT\n---\n\nWords.\n",
		"---\nMIP: 1\ntitle: 'One'\nauthor:\n- Ada (@ada)\nstatus: Draft\ncreated: " +
			"2 Jan 2023\nlicence: MIT\n---\n\nWords.\n",
		"---\nmip: 1\ntitle: Two\nauthor: Ada (@ada), Bob\nstatus: Review\ncreated: " +
			"2023-01-02\nlicence: CC0\nrequires: 3, ERC-20\n---\n\nOther words.\n",
		"---\nmip: 1\n<<<<<<< HEAD\n\n# Heading\n",
		"---\nmip: 1\ntitle: Two\n---\n\n" + long,
	} {
		put(t, filepath.Join(in, "MIP-1.md"), text)
		commit(t, in, fmt.Sprint("Step ", i), int64(10*i))
	}
	b := buildCorpus(t, in, testSite("MIP"))
	var h mip.History
	d := json.NewDecoder(bytes.NewReader(b.files["api/v1/mips/1/history.json"]))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range h.Versions {
		var line strings.Builder
		line.WriteString(v.Subject + ":")
		for _, c := range v.Changes {
			fmt.Fprintf(&line, " %s %q > %q;", c.Field, mip.Deref(c.From), mip.Deref(c.To))
		}
		if v.Diff != nil {
			fmt.Fprintf(&line, " +%d -%d", *v.Added, *v.Removed)
		}
		got = append(got, line.String())
	}
	want := []string{
		"Step 4: +5002 -2", "Step 3: +2 -8",
		`Step 2: title "One" > "Two"; authors "Ada (@ada)" > "Ada (@ada), Bob"; status "Draft" > "Review"; requires "" > "MIP-3, ERC-20"; licence "MIT" > "CC0"; +8 -8`,
		"Step 1: +6 -5", "Step 0:",
	}
	diff := cmp.Diff(want, got)
	if diff != "" || h.ID.String() != "MIP-1" || h.Before != "nothing" {
		t.Errorf("%s, before %s: versions (-want +got):\n%s", h.ID, h.Before, diff)
	}
	newest, second := h.Versions[0], h.Versions[3]
	if !newest.Truncated || len(*newest.Diff) > 64<<10 || len(*newest.Diff) < 60<<10 {
		t.Errorf("a long difference: %d bytes, truncated %t", len(*newest.Diff), newest.Truncated)
	}
	if !strings.HasPrefix(*second.Diff, "@@ -1,") ||
		!strings.Contains(*second.Diff, "\n-status: draft\n") || second.Truncated {
		t.Errorf("the difference is\n%s", *second.Diff)
	}
}

// TestVersionsOfBranches compares the versions of files with git log and git show: two merged
// branches, an abandoned one, a file that is removed and restored, and a change of mode.
func TestVersionsOfBranches(t *testing.T) {
	in := t.TempDir()
	at := int64(0)
	git := func(args ...string) string {
		t.Helper()
		at++
		when := time.Unix(1_700_000_000+60*at, 0).UTC().Format(time.RFC3339)
		return testenv.Git(t, in, when, args...)
	}
	edit := func(n int, line, text string) {
		t.Helper()
		name := filepath.Join(in, fmt.Sprintf("MIP-%d.md", n))
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		put(t, name, strings.Replace(string(b), line, text, 1))
		git("commit", "-q", "-a", "-m", text)
	}
	git("init", "-q", "-b", "main", ".")
	for n := range 3 {
		write(t, in, n+1, "Title", "First.\n\nWords.\n\nWords.\n\nWords.\n\nLast.\n")
	}
	git("add", ".")
	git("commit", "-q", "-m", "All")
	git("branch", "given-up")
	git("switch", "-q", "-c", "side")
	edit(1, "Last.", "Last one.\n\nOf the side.")
	edit(2, "Last.", "Of the side.")
	edit(1, "Last one.", "The last one.")
	git("switch", "-q", "main")
	edit(1, "First.", "First one.\n\nOf main.\n\nMore.")
	git("merge", "-q", "--no-edit", "side")
	git("switch", "-q", "given-up")
	edit(1, "First.", "Given up.")
	git("switch", "-q", "main")
	git("merge", "-q", "--no-edit", "-s", "ours", "given-up")
	git("rm", "-q", "MIP-3.md")
	git("commit", "-q", "-m", "Away")
	write(t, in, 3, "Title", "Back.")
	git("add", ".")
	git("commit", "-q", "-m", "Back")
	if err := os.Chmod(filepath.Join(in, "MIP-3.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	git("commit", "-q", "-a", "-m", "Mode")
	edit(1, "Of main.", "Of both.")
	b := buildCorpus(t, in, testSite("MIP"))
	for n, count := range []int{6, 2, 4} {
		var h mip.History
		file, name := fmt.Sprintf("MIP-%d.md", n+1), fmt.Sprintf("api/v1/mips/%d/history.json", n+1)
		if err := json.Unmarshal(b.files[name], &h); err != nil {
			t.Fatal(err)
		}
		var want, got []string
		commits := testenv.Git(t, in, "", "log", "--format=%H", "--", file)
		for commit := range strings.FieldsSeq(commits) {
			stat := testenv.Git(t, in, "", "show", "--format=", "--numstat", commit, "--", file)
			want = append(want, commit+" "+strings.Join(strings.Fields(stat)[:2], " "))
		}
		for i, v := range h.Versions {
			if i < len(h.Versions)-1 {
				got = append(got, fmt.Sprintf("%s %d %d", v.Commit, *v.Added, *v.Removed))
				continue
			}
			want[i], _, _ = strings.Cut(want[i], " ")
			if got = append(got, v.Commit); v.Added != nil {
				t.Errorf("%s: the first version has added %d lines", file, *v.Added)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) != count {
			t.Errorf("%s: %d versions, want %d (-git +here):\n%s", file, len(got), count, diff)
		}
	}
}

// The dashboard describes the newest changes, and is written again with the next one.
func TestRecentChanges(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	edit := func(n int, old, text string) {
		t.Helper()
		name := filepath.Join(in, fmt.Sprintf("MIP-%d.md", n))
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), old) {
			t.Fatalf("%s has no %q", name, old)
		}
		put(t, name, strings.Replace(string(b), old, text, 1))
	}
	for n := 1; n <= 5; n++ {
		write(t, in, n, "Title", "Old words.")
	}
	commit(t, in, "All", 10)
	edit(2, "status: Draft", "status: Review")
	commit(t, in, "Two", 20)
	edit(3, "Old words.", "New words.\nAnd more.")
	commit(t, in, "Three", 30)
	edit(4, "status: Draft\n", "")
	commit(t, in, "Four", 40)
	row := regexp.MustCompile(
		`<a href="/mip/(\d)/history/">([^<]*)</a>: Title \d</span>\s*<time`)
	rows := func() map[string]string {
		t.Helper()
		syncCommitted(t, in, out)
		got := map[string]string{}
		page := string(files(t, out)["dashboard/index.html"])
		for _, m := range row.FindAllStringSubmatch(page, -1) {
			got[m[1]] = m[2]
		}
		return got
	}
	want := map[string]string{
		"1": "MIP-1 was created as Draft", "2": "MIP-2 moved from Draft to Review",
		"3": "The text of MIP-3 changed",
		"4": "MIP-4 lost the status Draft", "5": "MIP-5 was created as Draft",
	}
	if diff := cmp.Diff(want, rows()); diff != "" {
		t.Errorf("recent changes (-want +got):\n%s", diff)
	}
	edit(5, "status: Draft", "status: last-call")
	commit(t, in, "Five", 50)
	want["5"] = "MIP-5 entered Last Call"
	if diff := cmp.Diff(want, rows()); diff != "" {
		t.Errorf("recent changes after one more (-want +got):\n%s", diff)
	}
	age(t, out)
	before := modified(t, out)["dashboard/index.html"]
	if rows(); !modified(t, out)["dashboard/index.html"].Equal(before) {
		t.Error("the dashboard is written again though nothing has changed")
	}
}
