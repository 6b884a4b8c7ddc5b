package build_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// TestEvents publishes the events of proposals of two kinds, one of them removed: the newest events
// in one list, and all events of each year.
func TestEvents(t *testing.T) {
	in := t.TempDir()
	text := func(kind string, n int, title, status string) {
		put(t, filepath.Join(in, fmt.Sprintf("%s-%d.md", kind, n)),
			fmt.Sprintf("---\n%s: %d\ntitle: %s\nstatus: %s\n---\n\nWords.\n", kind,
				n, title, status))
	}
	const year = 366 * 24 * 3600
	text("MIP", 1, "One", "Draft")
	text("MRC", 14, "Fourteen", "Draft")
	commit(t, in, "Two", 0)
	os.Remove(filepath.Join(in, "MIP-1.md"))
	text("MRC", 14, "Other", "Review")
	commit(t, in, "One of them", year)
	for n := 100; n < 700; n++ {
		text("MRC", n, fmt.Sprint(n), "Draft")
	}
	commit(t, in, "Many", 2*year)
	s := testSite("MIP")
	s.Kinds = []site.Kind{{Prefix: "MIP", Name: "MIPs"}, {Prefix: "MRC", Name: "MRCs"}}
	b := buildCorpus(t, in, s)
	events := func(file string) (out mip.Events) {
		t.Helper()
		d := json.NewDecoder(bytes.NewReader(b.files[file]))
		d.DisallowUnknownFields()
		if err := d.Decode(&out); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if out.Count != len(out.Events) || !out.Complete ||
			!cmp.Equal(out.Years, []int{2023, 2024, 2025}) {
			t.Errorf("%s: %d events, count %d, complete %t, years %d", file, len(out.Events),
				out.Count, out.Complete, out.Years)
		}
		return out
	}
	var got []string
	for _, file := range []string{"api/v1/events/2024.json", "api/v1/events/2023.json"} {
		for _, e := range events(file).Events {
			got = append(got, fmt.Sprintln(e.Time.UTC().Year(), e.MIP, e.Kind, mip.Deref(e.From),
				mip.Deref(e.To), e.Title, mip.Deref(e.URL)))
		}
	}
	want := []string{
		"2024 MIP-1 removed Draft  One \n",
		"2024 MRC-14 title Fourteen Other Other " + testBase + "/mrc/14/\n",
		"2024 MRC-14 status Draft Review Other " + testBase + "/mrc/14/\n",
		"2023 MIP-1 created  Draft One \n",
		"2023 MRC-14 created  Draft Other " + testBase + "/mrc/14/\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	newest, whole := events("api/v1/events.json").Events, events("api/v1/events/2025.json").Events
	if len(newest) != 500 || len(whole) != 600 {
		t.Errorf("%d newest events and %d of the last year, want 500 and 600",
			len(newest), len(whole))
	}
	// The page of the newest changes links to the many, which are on their year's page.
	link := regexp.MustCompile(
		`href="[^"]*(/changes/2025/)#([^"]*)">600 proposals were imported`)
	many := link.FindSubmatch(b.files["changes/index.html"])
	if many == nil || !bytes.Contains(b.files["changes/2025/index.html"],
		append([]byte(`id="`), many[2]...)) {
		t.Errorf("the page of the newest changes has no link to the 600 of the year: %q", many)
	}
}

// TestEventsOfOne changes the status of one proposal many times in a year: its newest 200 events
// are listed, and the others are counted, also on the page.
func TestEventsOfOne(t *testing.T) {
	for _, changes := range []int{200, 201, 1000} {
		in := t.TempDir()
		var stream strings.Builder
		for i := range changes {
			text := fmt.Sprintf("---\nmip: 1\ntitle: One\nstatus: %s\n---\n\nWords.\n",
				[]string{"Draft", "Review"}[i%2])
			fmt.Fprintf(&stream, "commit refs/heads/main\n"+
				"committer Ada <ada@example.org> %d +0000\ndata 1\nx\n", 1_700_000_000+i)
			fmt.Fprintf(&stream, "M 100644 inline MIP-1.md\ndata %d\n%s\n", len(text), text)
		}
		testenv.Git(t, in, "", "init", "-q", "-b", "main")
		testenv.GitInput(t, in, stream.String(), "fast-import", "--quiet")
		testenv.Git(t, in, "", "reset", "-q", "--hard")
		b := buildCorpus(t, in, testSite("MIP"))
		for _, file := range []string{"api/v1/events.json", "api/v1/events/2023.json"} {
			var got mip.Events
			if err := json.Unmarshal(b.files[file], &got); err != nil {
				t.Fatal(err)
			}
			newest := got.Events[0].Time.UTC().Unix() - 1_700_000_000
			if got.Count != 200 || got.Truncated != changes-200 || newest != int64(changes-1) {
				t.Errorf("%d changes: %s has %d, the newest of second %d, and leaves %d out",
					changes, file, got.Count, newest, got.Truncated)
			}
		}
		left := fmt.Appendf(nil, "Left out: %d.", changes-200)
		for _, file := range []string{"changes/index.html", "changes/2023/index.html"} {
			if got := bytes.Contains(b.files[file], left); got != (changes > 200) {
				t.Errorf("%d changes: %s: a line about what is left out: %t", changes, file, got)
			}
		}
	}
}

// TestForkEvents checks events for proposals that the site's file adds to hard forks or removes.
// Its first version has no events.
func TestForkEvents(t *testing.T) {
	in := t.TempDir()
	config := filepath.Join(in, "site.yaml")
	for n := 1; n <= 3; n++ {
		put(t, filepath.Join(in, "MIPs", fmt.Sprintf("MIP-%d.md", n)),
			fmt.Sprintf("---\nmip: %d\ntitle: Title %d\n---\n\nWords.\n", n, n))
	}
	for i, forks := range []string{
		"hardforks: [{name: NINE, mips: [1]}]",
		"hardforks:\n- name: NINE\n  mips: [1] # the same",
		"hardforks: [{name: NINE, mips: [1, 2]}, {name: TEN, meta: 3, mips: []}]",
		"hardforks: [{name: NINE",
		"hardforks: [{name: NINE, mips: [2]}, {name: TEN, meta: 3, mips: [1]}]",
		"hardforks: [{name: NINE, mips: [2]}]\noverrides: {3: {hardfork: NINE}}",
	} {
		put(t, config, "title: T\nbase_url: "+testBase+"\nproposals: [MIPs]\n"+forks+"\n")
		commit(t, in, fmt.Sprint(i), int64(i))
	}
	s, err := site.Load(config)
	if err != nil {
		t.Fatal(err)
	}
	c, err := build.Load(t.Context(),
		build.Options{Site: buildtest.In(s, filepath.Join(in, "MIPs"))})
	if err != nil {
		t.Fatal(err)
	}
	p, err := build.NewPlan(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var all mip.Events
	if err := json.Unmarshal(bytesOf(t, p)["api/v1/events.json"], &all); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range all.Events {
		if e.Kind == mip.EventHardfork {
			got = append(got, fmt.Sprintf("%d %s %q > %q %s", e.Time.UTC().Unix()-1_700_000_000,
				e.MIP, mip.Deref(e.From), mip.Deref(e.To), e.Title))
		}
	}
	want := []string{
		`5 MIP-1 "TEN" > "" Title 1`, `5 MIP-3 "TEN" > "NINE" Title 3`,
		`4 MIP-1 "NINE" > "TEN" Title 1`, `2 MIP-2 "" > "NINE" Title 2`,
		`2 MIP-3 "" > "TEN" Title 3`,
	}
	if diff := cmp.Diff(want, got); diff != "" || !all.Complete {
		t.Errorf("complete %t, events (-want +got):\n%s", all.Complete, diff)
	}
}

// TestCancelledPlan makes the search index for a canceled caller.
func TestCancelledPlan(t *testing.T) {
	t.Parallel()
	in := t.TempDir()
	write(t, in, 1, "One", "Words.")
	c, err := build.Load(t.Context(), build.Options{Site: buildtest.In(testSite("MIP"), in)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p, err := build.NewPlan(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Index(); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}
