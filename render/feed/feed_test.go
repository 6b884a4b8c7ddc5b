package feed

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// feedparser is the parser of most Python programs. It sets bozo for a feed that it had to repair.
func TestFeedsByFeedparser(t *testing.T) {
	python := feedparser(t)
	const script = `import sys, json, feedparser
read = []
for text in json.load(sys.stdin):
    d = feedparser.parse(text.encode())
    read.append({"bozo": bool(d.bozo), "why": str(d.get("bozo_exception", "")), "version": d.version, "ids": [e.id for e in d.entries], "titles": [e.title for e in d.entries]})
print(json.dumps(read))`
	type written struct {
		feedCase
		version string
	}
	var feeds []written
	var texts []string
	for _, tt := range feedCases() {
		for i, version := range []string{"rss20", "atom10"} {
			feeds = append(feeds, written{tt, version})
			texts = append(texts,
				string(rendertest.Must[[]byte](t)(Formats()[i].Write(tt.info, tt.feed))))
		}
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", script)
	cmd.Stdin = bytes.NewReader(rendertest.Must[[]byte](t)(json.Marshal(texts)))
	cmd.Stderr = t.Output()
	var read []struct {
		Bozo         bool
		Why, Version string
		IDs, Titles  []string
	}
	err := json.Unmarshal(rendertest.Must[[]byte](t)(cmd.Output()), &read)
	if err != nil || len(read) != len(feeds) {
		t.Fatalf("feedparser read %d of %d feeds: %v", len(read), len(feeds), err)
	}
	for i, f := range feeds {
		got := read[i]
		var ids, titles []string
		for _, item := range f.feed.Items {
			ids, titles = append(ids, item.tag(f.info)), append(titles, item.Title)
		}
		// It takes the title of a hostile feed for HTML, and repairs it.
		if got.Bozo || got.Version != f.version || !slices.Equal(got.IDs, ids) ||
			!strings.HasPrefix(f.name, "hostile") && !slices.Equal(got.Titles, titles) {
			t.Errorf("%s: bozo %t (%s), version %q, ids %q, titles %q, want %s, %q and %q",
				f.name, got.Bozo, got.Why, got.Version, got.IDs, got.Titles, f.version, ids, titles)
		}
	}
}

func TestFeedGolden(t *testing.T) {
	sample := feedCases()[0]
	for _, format := range Formats() {
		testenv.Golden(t, "testdata/feeds.txtar", format.File,
			rendertest.Must[[]byte](t)(format.Write(sample.info, sample.feed)))
	}
}
