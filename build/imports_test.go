package build_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// TestImport publishes two years of proposals that one commit imported. Each is an event, an item
// and a row of its own day, also in years without a commit, and is updated when it was created.
func TestImport(t *testing.T) {
	r := &feedRepo{dir: t.TempDir()}
	for n := 1; n <= 24; n++ {
		r.put(t, n, "Draft", fmt.Sprintf("created: %d-%02d-02", 2020+(n-1)/12, (n-1)%12+1))
	}
	put(t, filepath.Join(r.dir, "MIP-30.md"), "\xff")
	r.commit(t, "Import")
	r.put(t, 30, "Draft", "created: 2019-12-02")
	r.commit(t, "A text that can be read")
	r.put(t, 24, "Review", "created: 2021-12-02")
	r.commit(t, "Review")
	moved := "MIP-24 moved from Draft to Review: Title 24"
	var all []string
	for n := 24; n > 0; n-- {
		all = append(all, fmt.Sprintf("MIP-%d was created: Title %d", n, n))
	}
	all = append(all, "MIP-30 was created: Title 30")
	for _, file := range []string{"feed.json", "feed.atom", "feed.xml"} {
		if diff := cmp.Diff(append([]string{moved}, all...), r.titles(t, file)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
	var events mip.Events
	r.read(t, "api/v1/events/2020.json", &events)
	if len(events.Events) != 12 || !cmp.Equal(events.Years, []int{2019, 2020, 2021, 2023}) {
		t.Errorf("%d events in 2020, years %d", len(events.Events), events.Years)
	}
	for i, e := range events.Events {
		n := 12 - i
		if e.ID != fmt.Sprintf("mip-%d-created", n) || !e.Imported ||
			e.Time.String() != fmt.Sprintf("2020-%02d-02T00:00:00Z", n) {
			t.Errorf("the event of MIP-%d is %+v", n, e)
		}
	}
	for file, want := range map[string][]string{
		"changes/index.html":      {"2 Jan</time>", ">MIP-1 was created<", "December 2021"},
		"changes/2020/index.html": {"December 2020", ">MIP-12 was created<"},
		"mip/1/history/index.html": {
			"<p>Created 2 January 2020 (day of its header; imported 15 November 2023).</p>"},
		"api/v1/site.json": {`"committedAt":"2023-11-17T`},
		"sitemap.xml":      {"/mip/1/</loc>\n    <lastmod>2020-01-02T00:00:00Z</lastmod>"},
	} {
		text := string(r.build(t, file))
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %q", file, part)
			}
		}
	}
	var list mip.List
	r.read(t, "api/v1/mips.json", &list)
	if got := list.MIPs[0].Updated.String(); got != "2020-01-02T00:00:00Z" {
		t.Errorf("MIP-1 was updated at %s", got)
	}
	if got := list.MIPs[23].Updated.Date().String(); got != "2023-11-17" {
		t.Errorf("MIP-24 was updated on %s", got)
	}
}
