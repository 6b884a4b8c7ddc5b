package build_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/render/plain"
)

// TestMoves commits the sections of the archive, and compares the events of hard forks, the
// proposals of each hard fork, and the lines of the proposals' pages with its last sections.
func TestMoves(t *testing.T) {
	const path = "testdata/moves.txtar"
	in := t.TempDir()
	for n := 10; n < 15; n++ {
		put(t, filepath.Join(in, fmt.Sprintf("EIP-%d.md", n)), fmt.Sprintf(
			"---\neip: %d\ntitle: T\nstatus: Draft\ncreated: 2025-12-01\n---\n\nWords.\n", n))
	}
	testenv.Git(t, in, "2025-12-01T00:00:00Z", "init", "-q", ".")
	subjects := map[string]string{}
	save := func(when, message string) {
		testenv.Git(t, in, when, "add", ".")
		testenv.Git(t, in, when, "commit", "-q", "-m", message)
		hash := testenv.Git(t, in, when, "rev-parse", "HEAD")
		subjects[strings.TrimSpace(hash)] = message
	}
	save("2025-12-01T00:00:00Z", "Proposals")
	for _, f := range testenv.Archives(t, path)[path].Files {
		commit, file, ok := strings.Cut(f.Name, "/")
		if !ok {
			continue
		}
		when, message := commit[:len("2026-01-05 10:00")], commit[len("2026-01-05 10:00 "):]
		title, body, _ := strings.Cut(string(f.Data), "\n")
		if strings.Contains(body, "UNREADABLE") {
			body = strings.Repeat("> ", 200) + "\n"
		}
		number := strings.TrimSuffix(strings.TrimPrefix(file, "EIP-"), ".md")
		put(t, filepath.Join(in, file), fmt.Sprintf("---\neip: %s\ntitle: %q\nstatus: Draft\n"+
			"type: Meta\ncreated: 2026-01-01\n---\n%s", number, title, body))
		save(strings.Replace(when, " ", "T", 1)+":00Z", message)
	}
	b := buildCorpus(t, in, testSite("EIP"))

	var out bytes.Buffer
	var events mip.Events
	decode(t, b.files["api/v1/events.json"], &events)
	ids := map[string]bool{}
	for _, e := range events.Events {
		if ids[e.ID] {
			t.Errorf("two events %s", e.ID)
		}
		if ids[e.ID] = true; e.Kind != mip.EventHardfork {
			continue
		}
		from := mip.Inclusion("-")
		if e.Stage.From != nil {
			from = *e.Stage.From
		}
		fmt.Fprintf(&out, "%s  %-10s > %-10s  %s (%s)\n", e.Time.Date(), from, e.Stage.To,
			plain.Event(nil, e), subjects[e.Commit])
	}
	testenv.Golden(t, path, "events", out.Bytes())

	out.Reset()
	var all mip.HardForks
	decode(t, b.files["api/v1/hardforks.json"], &all)
	for _, f := range all.HardForks {
		fmt.Fprintf(&out, "%s, %s\n", f.Name, f.Status)
		for _, p := range f.Proposals {
			before := mip.Inclusion("-")
			if p.Before != nil {
				before = *p.Before
			}
			fmt.Fprintf(&out, "  %s  %-10s  since %s, %s before (%s)\n", p.ID, p.Stage, p.Since,
				before, subjects[mip.Deref(p.Commit)])
		}
	}
	testenv.Golden(t, path, "proposals", out.Bytes())

	out.Reset()
	line := regexp.MustCompile(`<p>(<a href="/upgrade/[^"]*">[^<]*</a>: .*?)</p>`)
	tags := regexp.MustCompile(`<[^>]*>`)
	for n := 10; n < 15; n++ {
		page := b.files[fmt.Sprintf("eip/%d/index.html", n)]
		for _, m := range line.FindAllSubmatch(page, -1) {
			fmt.Fprintf(&out, "EIP-%d  %s\n", n, tags.ReplaceAll(m[1], nil))
		}
	}
	testenv.Golden(t, path, "pages", out.Bytes())
}

// decode decodes a published document.
func decode(t *testing.T, body []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatal(err)
	}
}
