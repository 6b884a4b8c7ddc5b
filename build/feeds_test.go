package build_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mmcdole/gofeed"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// day is one in seconds.
const day = 24 * 3600

// feedRepo is a repository of proposals, whose commits are days apart.
type feedRepo struct {
	dir string
	now int64
}

// put writes a proposal, with its status and the last lines of its header.
func (r *feedRepo) put(t *testing.T, n int, status string, lines ...string) {
	t.Helper()
	text := fmt.Sprintf("---\nmip: %d\ntitle: Title %d\nstatus: %s\ncategory: Core\n%s\n---\n"+
		"\nWords.\n", n, n, status, strings.Join(lines, "\n"))
	put(t, filepath.Join(r.dir, fmt.Sprintf("MIP-%d.md", n)), text)
}

// commit commits everything a day after the commit before.
func (r *feedRepo) commit(t *testing.T, message string) {
	t.Helper()
	r.now += day
	commit(t, r.dir, message, r.now)
}

// read builds the site and reads one of its JSON files.
func (r *feedRepo) read(t *testing.T, file string, into any) {
	t.Helper()
	if err := json.Unmarshal(r.build(t, file), into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// feed builds the site and reads one of its feeds.
func (r *feedRepo) feed(t *testing.T, file string) *gofeed.Feed {
	t.Helper()
	f, err := gofeed.NewParser().Parse(bytes.NewReader(r.build(t, file)))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return f
}

// build builds the site and returns one of its files.
func (r *feedRepo) build(t *testing.T, file string) []byte {
	t.Helper()
	s := testSite("MIP")
	s.Statuses = mip.Process{{Name: "Draft", Stage: mip.StageDraft},
		{Name: "Review", Stage: mip.StageReview},
		{Name: "Last Call", Stage: mip.StageLastCall}, {Name: "Final", Stage: mip.StageFinal}}
	s.HardForks = []mip.HardFork{{Name: "Nine", BundledMIPs: []int{1}}, {Name: "Ten"}}
	s.Kinds = []site.Kind{{Prefix: "MIP", Name: "MIPs"}, {Prefix: "MRC", Name: "MRCs"}}
	p, err := buildtest.Plan(t.Context(), s, r.dir)
	if err != nil {
		t.Fatal(err)
	}
	return artifact(t, p, file)
}

// artifact returns one file of a plan.
func artifact(t *testing.T, p *build.Plan, file string) []byte {
	t.Helper()
	for _, a := range p.Artifacts {
		if a.File == file {
			b, err := a.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
	}
	t.Fatalf("no %s", file)
	return nil
}

// titles returns the titles of a feed's items.
func (r *feedRepo) titles(t *testing.T, file string) (out []string) {
	t.Helper()
	for _, i := range r.feed(t, file).Items {
		out = append(out, i.Title)
	}
	return out
}

// TestFeeds checks the events in the feeds of a site and of its lists.
func TestFeeds(t *testing.T) {
	r := &feedRepo{dir: t.TempDir()}
	lastCall := "last-call-deadline: 2026-12-08"
	r.put(t, 1, "Draft")
	r.commit(t, "One")
	r.put(t, 1, "Last Call", lastCall)
	r.commit(t, "Move MIP-1 to Last Call (#1)")
	r.put(t, 1, "Review")
	r.commit(t, "Back")
	r.put(t, 1, "Last Call", lastCall)
	r.commit(t, "And forth")
	r.put(t, 1, "Last Call", "last-call-deadline: 2026-12-24")
	r.put(t, 2, "Final")
	r.commit(t, "Later")
	put(t, filepath.Join(r.dir, "MIP-2.md"),
		"---\nmip: 2\ntitle: Title 2\nstatus: Final\n---\n\nOther words.\n")
	r.commit(t, "Words")
	for n := 100; n < 111; n++ {
		r.put(t, n, "Draft", "created: 2022-01-02")
	}
	r.commit(t, "Import")
	for n := 100; n < 111; n++ {
		r.put(t, n, "Review", "created: 2022-01-02")
	}
	r.commit(t, "Review them all")
	os.Remove(filepath.Join(r.dir, "MIP-2.md"))
	r.commit(t, "Remove")

	created := "MIP-1 was created as Draft: Title 1"
	second := []string{
		"The deadline for comments on MIP-1 moved from 8 December 2026 to 24 December 2026: " +
			"Title 1",
		"MIP-1 entered Last Call, comments until 8 December 2026: Title 1",
	}
	calls := append(second, "MIP-1 left Last Call for Review: Title 1",
		"MIP-1 entered Last Call, comments until 8 December 2026: Title 1")
	many := []string{"11 proposals changed their status"}
	var imported []string
	for n := 100; n < 111; n++ {
		imported = append(imported, fmt.Sprintf("MIP-%d was created: Title %d", n, n))
	}
	join := func(lists ...[]string) (out []string) {
		for _, l := range lists {
			out = append(out, l...)
		}
		return out
	}
	for file, want := range map[string][]string{
		"feed.json": join([]string{"MIP-2 was removed: Title 2"}, many, second[:1],
			[]string{"MIP-2 was created as Final: Title 2"}, calls[1:], []string{created},
			imported),
		"changes/feed.json": join([]string{"MIP-2 was removed: Title 2"}, many,
			[]string{"The text of MIP-2 changed: Title 2"}, second[:1],
			[]string{"MIP-2 was created as Final: Title 2"}, calls[1:], []string{created},
			imported),
		"status/last-call/feed.atom": calls,
		"status/review/feed.atom": join(many, []string{
			"MIP-1 entered Last Call, comments until 8 December 2026: Title 1",
			"MIP-1 left Last Call for Review: Title 1"}),
		"status/final/feed.atom": {"MIP-2 was removed: Title 2",
			"MIP-2 was created as Final: Title 2"},
		"category/core/feed.atom": join(many, calls, []string{created}, imported),
		"upgrade/nine/feed.atom":  join(calls, []string{created}),
		"upgrade/ten/feed.atom":   nil,
		"kind/mrc/feed.atom":      nil,
		"mip/1/feed.atom":         join(calls, []string{created}),
		"mip/100/feed.atom": {"MIP-100 moved from Draft to Review: Title 100",
			"MIP-100 was created: Title 100"},
	} {
		if diff := cmp.Diff(want, r.titles(t, file)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
	f := r.feed(t, "feed.json")
	if many := f.Items[1]; many.Content[:16] != "MIP-100, MIP-101" ||
		many.Link != testBase+"/changes/" {
		t.Errorf("the item of many changes is %+v", many)
	}
	last := f.Items[len(f.Items)-1]
	if last.Published != "2022-01-02T00:00:00Z" ||
		!strings.Contains(last.Content, "Imported by commit ") {
		t.Errorf("the item of an imported proposal is %+v", last)
	}
	first := f.Items[len(f.Items)-len(imported)-2]
	if !strings.HasPrefix(first.Link, testBase+"/mip/1/history/#v-") ||
		!strings.HasPrefix(first.Content, "Move MIP-1 to Last Call (#1). Commit ") {
		t.Errorf("the item of a last call is %+v", first)
	}
}

// TestFeedsOfShortHistory checks that headers give only the creation of proposals, where git has no
// history.
func TestFeedsOfShortHistory(t *testing.T) {
	r := &feedRepo{dir: t.TempDir()}
	r.put(t, 1, "Draft", "created: 2025-01-01")
	r.put(t, 2, "Final")
	want := []string{"MIP-1 was created: Title 1", "MIP-2 was created: Title 2"}
	if diff := cmp.Diff(want, r.titles(t, "feed.json")); diff != "" {
		t.Errorf("without git (-want +got):\n%s", diff)
	}
	r.commit(t, "Two")
	r.put(t, 1, "Last Call", "created: 2025-01-01")
	r.commit(t, "Call")
	shallow := &feedRepo{dir: t.TempDir()}
	testenv.Git(t, shallow.dir, "", "clone", "-q", "--depth=2", "file://"+r.dir, ".")
	want = []string{"MIP-1 entered Last Call: Title 1", "MIP-1 was created: Title 1",
		"MIP-2 was created: Title 2"}
	r.put(t, 1, "Last Call", "created: 2025-01-01", "requires: 2")
	r.commit(t, "More")
	testenv.Git(t, shallow.dir, "", "fetch", "-q", "--depth=2")
	testenv.Git(t, shallow.dir, "", "reset", "-q", "--hard", "origin/main")
	want[0] = "MIP-1 requires MIP-2: Title 1"
	if diff := cmp.Diff(want, shallow.titles(t, "feed.json")); diff != "" {
		t.Errorf("in a shallow clone (-want +got):\n%s", diff)
	}
}

// TestReaderSeesEachEventOnce polls the feed of a site after each commit of more than a year, in
// which an old branch is merged after more events than the feed has room for.
func TestReaderSeesEachEventOnce(t *testing.T) {
	r := &feedRepo{dir: t.TempDir()}
	seen := map[string]int{}
	var order []string
	poll := func() {
		t.Helper()
		for _, i := range r.feed(t, "feed.json").Items {
			if seen[i.GUID]++; seen[i.GUID] == 1 {
				order = append(order, i.Title)
			}
		}
	}
	statuses := []string{"Draft", "Review", "Last Call", "Review", "Last Call", "Final"}
	for n := range 9 {
		r.put(t, n+1, "Draft")
	}
	r.commit(t, "Begin")
	poll()
	testenv.Git(t, r.dir, "", "switch", "-q", "-c", "side")
	r.put(t, 50, "Draft")
	r.put(t, 9, "Final")
	r.commit(t, "On the side")
	testenv.Git(t, r.dir, "", "switch", "-q", "main")
	for step := range 40 {
		for n := range 8 {
			if (step+n)%3 == 0 {
				r.put(t, n+1, statuses[(step/3+n)%len(statuses)])
			}
		}
		r.commit(t, fmt.Sprint("Step ", step))
		r.now += 8 * day
		poll()
	}
	r.now += day
	testenv.Git(t, r.dir, fmt.Sprintf("@%d +0000", 1_700_000_000+r.now), "merge", "-q",
		"--no-edit", "--no-ff", "side")
	poll()
	last := []string{
		"MIP-9 moved from Draft to Final: Title 9", "MIP-50 was created as Draft: Title 50"}
	if got := order[len(order)-2:]; !cmp.Equal(got, last) {
		t.Errorf("the old branch brought %q", got)
	}
	var all mip.Events
	r.read(t, "api/v1/events.json", &all)
	told := 0
	for _, e := range all.Events {
		if e.Kind == mip.EventText {
			continue
		}
		told++
		if seen["tag:mips.example.org,2026:"+e.ID] == 0 {
			t.Errorf("nobody saw %s %s %s > %s", e.MIP, e.Kind, mip.Deref(e.From), mip.Deref(e.To))
		}
	}
	if told < 110 || told != len(seen) {
		t.Errorf("%d events and %d items", told, len(seen))
	}
}
