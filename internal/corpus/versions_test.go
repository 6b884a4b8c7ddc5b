package corpus

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Published limits of a history: versions of a text, and characters of a commit's first line.
const mostVersions, mostSubject = 50, 200

// versionsOf lists the versions of a proposal by subject with the state before, and their texts'
// last lines.
func versionsOf(t *testing.T, p *Proposal) (versions, texts []string) {
	t.Helper()
	if p.History == nil {
		return nil, nil
	}
	bodies := textsOf(t, p.History)
	for _, v := range p.History.Versions {
		versions = append(versions, v.Subject)
	}
	for _, b := range bodies {
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		texts = append(texts, lines[min(2, len(lines)-1)])
	}
	return append(versions, p.History.Before), texts
}

// textsOf returns the texts after each version, and before the oldest one if there was one.
func textsOf(t *testing.T, h *history.File) (out [][]byte) {
	t.Helper()
	var r history.Reader
	defer r.Close()
	texts, err := r.Read(h)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range h.Versions {
		out = append(out, texts[v.After])
	}
	if oldest := h.Versions[len(h.Versions)-1]; oldest.Before != "" {
		out = append(out, texts[oldest.Before])
	}
	return out
}

func TestVersions(t *testing.T) {
	r := newRepo(t)
	r.write("MIPs/MIP-1.md", "one")
	r.write("MIPs/MIP-2.md", "alone")
	r.commit(10)
	r.write("MIPs/MIP-1.md", "two")
	r.commit(20)
	r.git(30, "rm", "-q", "MIPs/MIP-1.md")
	r.git(30, "commit", "-q", "-m", "away")
	writeFile(t, filepath.Join(r.dir, "MIPs/MIP-1.md"),
		[]byte("\uFEFF---\r\nmip: 1\r\ntitle: back\r\n---\r\n\r\n"))
	r.git(40, "add", ".")
	r.git(40, "commit", "-q", "-m", "  <b>\x1b[31m hostile \u202e "+strings.Repeat("é", 300), "-m",
		"not this")
	r.write("MIPs/MIP-3.md", "not committed")
	c := r.load(r.dir, "MIPs")
	versions, texts := versionsOf(t, c.Proposals[0])
	long := "<b>[31m hostile " + strings.Repeat("é", 300)
	want := []string{string([]rune(long)[:mostSubject-1]) + "…", "away", "20", "10", "nothing"}
	if diff := cmp.Diff(want, versions); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"title: back", "", "title: two", "title: one"},
		texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if got := c.Proposals[0].History.Versions[0]; got.When != 1_700_000_040 ||
		got.Hash != r.head() {
		t.Errorf("newest version %+v, want that of %s at 40", got, r.head())
	}
	if c.Proposals[2].History != nil {
		t.Errorf("a file that is not committed has the history %+v", c.Proposals[2].History)
	}
}

func TestVersionsAreBounded(t *testing.T) {
	r := newRepo(t)
	for i := range mostVersions + 2 {
		r.write("MIP-1.md", fmt.Sprint("title ", i))
		r.commit(10 * i)
	}
	versions, texts := versionsOf(t, r.load(r.dir, ".").Proposals[0])
	if len(versions) != mostVersions+1 || versions[0] != fmt.Sprint(10*(mostVersions+1)) ||
		versions[mostVersions] != "more" {
		t.Errorf("versions %q, want the newest %d and more", versions, mostVersions)
	}
	// The text before the oldest shown version is there for its comparison.
	if len(texts) != mostVersions+1 || texts[mostVersions] != "title: title 1" {
		t.Errorf("texts %q", texts)
	}
}

func TestVersionsOfShallowClone(t *testing.T) {
	r := newRepo(t)
	r.write("MIP-1.md", "one")
	r.commit(10)
	r.write("MIP-1.md", "two")
	r.write("MIP-2.md", "old")
	r.commit(20)
	r.write("MIP-1.md", "three")
	r.commit(30)
	clone := filepath.Join(t.TempDir(), "clone")
	r.git(0, "clone", "-q", "--depth", "2", "file://"+filepath.ToSlash(r.dir), clone)
	c := r.load(clone, ".")
	versions, texts := versionsOf(t, c.Proposals[0])
	if diff := cmp.Diff([]string{"30", "unknown"}, versions); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"title: three", "title: two"}, texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if c.Proposals[1].History != nil {
		t.Errorf("a file that no known commit touched has the history %+v", c.Proposals[1].History)
	}
}

// Texts that the repository lacks, or that exceed the limits, differ from empty ones.
func TestTextsThatCannotBeHad(t *testing.T) {
	r := newRepo(t)
	writeFile(t, filepath.Join(r.dir, "MIP-1.md"), []byte(strings.Repeat("x\n", 600_000)))
	r.commit(10)
	writeFile(t, filepath.Join(r.dir, "MIP-1.md"), nil)
	r.commit(20)
	writeFile(t, filepath.Join(r.dir, "MIP-1.md"), []byte("---\nmip: 1\n---\n\xff\x00"))
	r.commit(30)
	r.write("MIP-1.md", "one")
	r.commit(40)
	p := r.load(r.dir, ".").Proposals[0]
	newest := &p.History.Versions[0]
	newest.After = strings.Repeat("0", len(newest.After))
	got := textsOf(t, p.History)
	if len(got) != 4 || got[0] != nil || string(got[1]) != "---\nmip: 1\n---\n\uFFFD\uFFFD" ||
		got[2] == nil || len(got[2]) != 0 || got[3] != nil {
		t.Errorf("texts %q", got)
	}
	var texts history.Reader
	for range 2 { // Read starts again
		if again, err := texts.Read(p.History); err != nil || len(again) != 3 {
			t.Errorf("%d texts, error %v; want the empty one and two", len(again), err)
		}
		texts.Close()
	}
}

// TestPartialClone reads versions in a clone without earlier contents, as some hosts make them:
// times are known, texts are not, and nothing is fetched.
func TestPartialClone(t *testing.T) {
	r := newRepo(t)
	r.git(0, "config", "uploadpack.allowFilter", "true")
	for at, title := range []string{"one", "two", "three"} {
		r.write("MIP-1.md", title)
		r.commit(10 * (at + 1))
	}
	clone := filepath.Join(t.TempDir(), "clone")
	r.git(0, "clone", "-q", "--filter=blob:none", "file://"+filepath.ToSlash(r.dir), clone)
	load := func() (texts []string, codes []string) {
		c := r.load(clone, ".")
		if diff := cmp.Diff([]string{"1 MIP-1.md 30"}, times(c)); diff != "" ||
			c.History != "full" {
			t.Errorf("history %s, times (-want +got):\n%s", c.History, diff)
		}
		for _, p := range c.Problems {
			codes = append(codes, p.Code)
		}
		for range 2 {
			texts = nil
			for _, text := range textsOf(t, c.Proposals[0].History) {
				_, title, _ := strings.Cut(string(text), "title: ")
				title, _, _ = strings.Cut(title, "\n")
				texts = append(texts, title)
			}
		}
		return texts, codes
	}
	texts, codes := load()
	if diff := cmp.Diff([]string{"", "", ""}, texts); diff != "" ||
		!slices.Equal(codes, []string{"history-partial"}) {
		t.Errorf("problems %v, texts (-want +got):\n%s", codes, diff)
	}
	r.git(0, "-C", clone, "fetch", "-q", "--refetch", "--no-filter")
	texts, codes = load()
	if diff := cmp.Diff([]string{"three", "two", "one"}, texts); diff != "" || len(codes) > 0 {
		t.Errorf("after the command of the notice: problems %v, texts (-want +got):\n%s",
			codes, diff)
	}
}

func TestHeaderStatus(t *testing.T) {
	for text, want := range map[string]mip.Status{
		"---\nmip: 1\nstatus: last-call\n---\n\nstatus: Final\n": mip.LastCall,
		"---\nmip: 1\nStatus: 'Final' # at last\n---\n":          mip.Final,
		"---\nmip: 1\nstatus: Moved\n---\n":                      "Moved",
		"---\nmip: 1\nstatus:\n---\n":                            "",
		"---\nmip: 1\nstatus: [Draft\n":                          "",
		"---\nmip: 1\n---\n":                                     "",
		"status: Draft\n":                                        "",
		"":                                                       "",
	} {
		c := &Corpus{options: Options{Options: header.Options{Prefix: "MIP"}}}
		got := mip.Status("")
		h := c.HeaderOf(&Proposal{source: folder.File{Name: "MIP-1.md"}}, []byte(text))
		if h != nil {
			got = h.Status()
		}
		if got != want {
			t.Errorf("the status of %q is %q, want %q", text, got, want)
		}
	}
}
