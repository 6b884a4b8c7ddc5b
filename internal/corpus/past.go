package corpus

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	// maxVersions bounds the versions of a file that are published.
	maxVersions = 20
	// maxSubject bounds the first line of a commit's message, in characters.
	maxSubject = 200
)

// Past is what git knows of a file under its present name: a rename is not followed.
type Past struct {
	Versions []Version // newest first, at least one
	// Before says what came before the oldest of Versions: "nothing", "more" when there are older
	// versions than are published, "unknown" when a shallow clone ends there.
	Before string

	// Texts are the names that git has for the texts of Versions, and of the version before the oldest
	// one if it is there; empty where the text is not to be had.
	Texts []string

	top string // of the repository; empty: there is none here
}

// Version is a state of a file as it was committed.
type Version struct {
	Commit  string
	When    mip.Time
	Subject string // of the commit: one line, printable, perhaps shortened; may be empty
}

// past gathers versions as git log lists them, newest first.
type past struct {
	commits []git.Commit
	blobs   []string
	edge    bool // the last one is what a shallow clone begins with
}

// add takes a version into account. edge is that of a commit at which a shallow clone ends: the text is
// known there, and not who wrote it. A removal is no version.
func (p *past) add(c git.Commit, blob string, edge bool) {
	if blob == "" || len(p.commits) > maxVersions || p.edge {
		return
	}
	c.Subject = subjectLine(c.Subject)
	p.commits, p.blobs, p.edge = append(p.commits, c), append(p.blobs, blob), edge
}

// subjectLine makes the first line of a message fit for a page. Messages are as free as any text.
func subjectLine(s string) string {
	clean, _ := printable([]byte(strings.ToValidUTF8(s, "\uFFFD")))
	s = foldBlanks(string(clean))
	if utf8.RuneCountInString(s) > maxSubject {
		s = string([]rune(s)[:maxSubject-1]) + "…"
	}
	return strings.Clone(s)
}

// publish returns the versions, nil when there are none.
func (p *past) publish(top string) *Past {
	out := &Past{Before: "nothing", top: top, Texts: p.blobs}
	shown := len(p.commits)
	switch {
	case p.edge:
		out.Before = "unknown"
		shown--
	case shown > maxVersions:
		out.Before = "more"
		shown--
	}
	for _, c := range p.commits[:shown] {
		out.Versions = append(out.Versions, Version{c.Hash, mip.NewTime(time.Unix(c.When, 0)), c.Subject})
	}
	if len(out.Versions) == 0 {
		return nil
	}
	return out
}

// Texts reads the versions of proposals, all through one git process for each repository, which runs
// from the first call of Read until Close. The zero value is ready; it is safe for concurrent use.
type Texts struct {
	mu       sync.Mutex
	programs map[string]*git.Objects // by the repository's top folder
}

// Read returns the texts of p.Past.Versions and, if it is there, of the version before the oldest one. A
// text that the repository does not hold, or that is larger than a proposal may be, is nil.
func (t *Texts) Read(p *Proposal) ([][]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.ContainsFunc(p.Past.Texts, func(blob string) bool { return blob != "" }) {
		return make([][]byte, len(p.Past.Texts)), nil
	}
	program, ok := t.programs[p.Past.top]
	if !ok {
		var err error
		if program, err = git.OpenObjects(context.Background(), p.Past.top); err != nil {
			return nil, fmt.Errorf("versions of %s: %w", p.File, err)
		}
		if t.programs == nil {
			t.programs = map[string]*git.Objects{}
		}
		t.programs[p.Past.top] = program
	}
	var out [][]byte
	for _, blob := range p.Past.Texts {
		if blob == "" {
			out = append(out, nil)
			continue
		}
		text, err := program.Blob(blob, folder.MaxFile)
		if err != nil {
			return nil, fmt.Errorf("versions of %s: %w", p.File, err)
		}
		out = append(out, legible(text))
	}
	return out, nil
}

// Close ends the processes. Read begins anew.
func (t *Texts) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, program := range t.programs {
		program.Close()
	}
	t.programs = nil
}

// legible makes a committed text one that can stand on a page: what is refused in a proposal is replaced.
func legible(raw []byte) []byte {
	if raw == nil {
		return nil
	}
	text := bytes.ToValidUTF8(bytes.TrimPrefix(raw, []byte("\uFEFF")), []byte("\uFFFD"))
	text, _ = printable(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	if text == nil {
		return []byte{} // empty, and there
	}
	return text
}

// earlier decodes the headers of earlier texts, of which a page asks for several.
var earlier = sync.OnceValue(newDecoder)

// StatusOf is the status in the header of an earlier text, read as that of a proposal is; empty when there is
// none. Nothing is said of what is wrong with the text.
func StatusOf(text []byte) mip.Status {
	var r report
	h, ok := guard(text, &r)
	if !ok || h == nil {
		return ""
	}
	var only header
	for _, f := range h.fields {
		if f.name == "status" {
			only.fields = append(only.fields, f)
		}
	}
	if v := earlier().decode(&only, &r).get("status"); v != nil {
		return mip.ParseStatus(v.text())
	}
	return ""
}
