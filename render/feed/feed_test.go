package feed

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// feedFormats are the three writers; version is feedparser's name of the format.
func feedFormats() []struct {
	file, version string
	write         func(mip.Site, []mip.Metadata) ([]byte, error)
} {
	return []struct {
		file, version string
		write         func(mip.Site, []mip.Metadata) ([]byte, error)
	}{{"feed.xml", "rss20", RSS}, {"feed.atom", "atom10", Atom}, {"feed.json", "", JSONFeed}}
}

func TestFeedOrder(t *testing.T) {
	all := rendertest.SampleList() // 6 and 7 changed at the same moment, 3 before, 4 at no known time
	var got []string
	for _, m := range newest(all) {
		got = append(got, m.ID.String())
	}
	if want := []string{"MIP-7", "MIP-6", "MIP-3", "MIP-4"}; !slices.Equal(got, want) {
		t.Errorf("newest = %v, want %v", got, want)
	}
	if all[0].Number != 3 || all[3].Number != 7 {
		t.Errorf("newest changed the order of its argument: %d … %d", all[0].Number, all[3].Number)
	}
}

// A change of one proposal leaves the others' entries as they were, those of the same second too.
func TestAtomTimesAreStable(t *testing.T) {
	read := func(all []mip.Metadata) map[string]string {
		var feed parsedAtom
		rendertest.StrictXML(t, rendertest.Must[[]byte](t)(Atom(rendertest.SampleInfo(), all)), &feed)
		out := map[string]string{}
		for _, e := range feed.Entries {
			out[e.ID[0]] = e.Updated[0]
		}
		return out
	}
	all := rendertest.SampleList()
	before := read(all)
	later := mip.NewTime(all[3].Updated.UTC().Add(time.Hour))
	all[2].Updated = &later // 6, which had the same second as 7
	after := read(all)
	if before[all[2].URL] == after[all[2].URL] {
		t.Errorf("%s kept %s after a change", all[2].ID, before[all[2].URL])
	}
	delete(before, all[2].URL)
	delete(after, all[2].URL)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("times of others changed (-before +after):\n%s", diff)
	}
}

// feedparser is the reader of most Python programs; bozo is its word for a feed that it had to mend.
func TestFeedsByFeedparser(t *testing.T) {
	python := feedparser(t)
	const script = `import sys, json, feedparser
read = []
for text in json.load(sys.stdin):
    d = feedparser.parse(text.encode())
    read.append({"bozo": bool(d.bozo), "why": str(d.get("bozo_exception", "")), "version": d.version, "ids": [e.id for e in d.entries], "titles": [e.title for e in d.entries]})
print(json.dumps(read))`
	var feeds []rssCase
	for _, c := range rssCases(t) {
		c.version = "rss20"
		feeds = append(feeds, c)
	}
	for _, tt := range rendertest.Sites() {
		for _, format := range feedFormats()[:2] {
			out := rendertest.Must[[]byte](t)(format.write(tt.Info, tt.All))
			feeds = append(feeds, rssCase{name: tt.Name + " " + format.file, version: format.version, out: out, items: min(len(tt.All), feedLimit), of: newest(tt.All)})
		}
	}
	var texts []string
	for _, f := range feeds {
		texts = append(texts, string(f.out))
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", script)
	cmd.Stdin = bytes.NewReader(rendertest.Must[[]byte](t)(json.Marshal(texts)))
	cmd.Stderr = t.Output()
	var read []struct {
		Bozo         bool
		Why, Version string
		IDs, Titles  []string
	}
	if err := json.Unmarshal(rendertest.Must[[]byte](t)(cmd.Output()), &read); err != nil || len(read) != len(feeds) {
		t.Fatalf("feedparser read %d of %d feeds: %v", len(read), len(feeds), err)
	}
	for i, f := range feeds {
		got := read[i]
		if got.Bozo || got.Version != f.version || len(got.IDs) != f.items {
			t.Errorf("%s: bozo %t (%s), version %q, %d entries, want false, %s and %d", f.name, got.Bozo, got.Why, got.Version, len(got.IDs), f.version, f.items)
			continue
		}
		for i, m := range f.of {
			if got.IDs[i] != m.URL || !strings.HasPrefix(f.name, "hostile") && got.Titles[i] != plain.ProposalTitle(*m) {
				t.Errorf("%s: entry %d: %q %q, want %q %q", f.name, i, got.IDs[i], got.Titles[i], m.URL, plain.ProposalTitle(*m))
			}
		}
	}
}

func TestFeedGolden(t *testing.T) {
	for _, format := range feedFormats() {
		rendertest.Golden(t, "testdata/feeds.txtar", format.file, rendertest.Must[[]byte](t)(format.write(rendertest.SampleInfo(), rendertest.SampleList())))
	}
	all := rendertest.SampleList()
	list := plain.Listing{Kind: "category", Value: "Ядро", Slug: "ядро", Metadata: all[:1]}
	rendertest.Golden(t, "testdata/feeds.txtar", "category/feed.xml", rendertest.Must[[]byte](t)(List(rendertest.SampleInfo(), list)))
	rendertest.Golden(t, "testdata/feeds.txtar", "mip/3/feed.xml", rendertest.Must[[]byte](t)(History(rendertest.SampleInfo(), all[0], sampleChanges(all[0]))))
}
