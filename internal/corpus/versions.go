package corpus

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

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

// Past has the committed versions of a file under its present name: a rename is not followed.
type Past struct {
	// Newest first, at least one.
	Versions []Version
	// Before is the state before the oldest of Versions: "nothing", "more" when there are older
	// versions than are published, "unknown" when a shallow clone ends there.
	Before string

	// Texts are the names that git has for the texts of Versions, and of the version before the
	// oldest one if it is there; empty where the text is not available.
	Texts []string

	// top is the folder of the repository; empty when there is none here.
	top string
}

// Version is a state of a file as it was committed.
type Version struct {
	Commit string
	When   mip.Time
	// Author and Subject are those of the commit: one line, printable, perhaps shortened; may be
	// empty.
	Author, Subject string
}

// newPast returns the versions of a file, nil when there are none. A removal is no version.
func newPast(all []touch, top string) *Past {
	p := &Past{Before: "nothing", top: top}
	for _, t := range all {
		if t.blob == "" || p.Before != "nothing" {
			continue
		}
		p.Texts = append(p.Texts, t.blob)
		switch {
		case t.edge: // its text is there, and its author may be another one
			p.Before = "unknown"
		case len(p.Versions) == maxVersions:
			p.Before = "more"
		default:
			p.Versions = append(p.Versions, Version{
				Commit: t.Hash, When: mip.NewTime(time.Unix(t.When, 0)), Author: oneLine(t.Author), Subject: oneLine(t.Subject),
			})
		}
	}
	if len(p.Versions) == 0 {
		return nil
	}
	return p
}

// oneLine makes a name or the first line of a message fit for a page. Both are as free as any text.
func oneLine(s string) string {
	return strings.Clone(mip.ShortenRunes(mip.Collapse(mip.OneLine(s)), maxSubject))
}

// Texts reads the versions of proposals, all through one git process for each repository, which
// runs from the first call of Read until Close. The zero value is ready; it is safe for
// concurrent use.
type Texts struct {
	mu sync.Mutex
	// programs are the git processes by the repository's top folder.
	programs map[string]*git.Objects
}

// Read returns the texts of p.Past.Versions and, if it is there, of the version before the
// oldest one. A text that the repository does not hold, or that is larger than a proposal may
// be, is nil.
func (t *Texts) Read(p *Proposal) ([][]byte, error) {
	out := make([][]byte, len(p.Past.Texts))
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, blob := range p.Past.Texts {
		if blob == "" {
			continue
		}
		text, err := t.read(p.Past.top, blob)
		if err != nil {
			return nil, fmt.Errorf("versions of %s: %w", p.File, err)
		}
		if text != nil {
			out[i] = []byte(legible(string(text)))
		}
	}
	return out, nil
}

// read returns one text from the process of a repository, which it starts if need be.
func (t *Texts) read(top, blob string) (_ []byte, err error) {
	program, ok := t.programs[top]
	if !ok {
		if program, err = git.OpenObjects(context.Background(), top); err != nil {
			return nil, err
		}
		if t.programs == nil {
			t.programs = map[string]*git.Objects{}
		}
		t.programs[top] = program
	}
	return program.Blob(blob, folder.MaxFile)
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

// legible makes a committed text one that can stand on a page: every character that is refused
// in a proposal is replaced.
func legible(raw string) string {
	text := strings.ToValidUTF8(strings.TrimPrefix(raw, "\uFEFF"), "\uFFFD")
	text, _ = mip.Printable(strings.ReplaceAll(text, "\r\n", "\n"))
	return text
}

// StatusOf is the status in the header of an earlier text, read as that of a proposal is; empty
// when there is none. Problems of the text are not reported.
func StatusOf(text []byte) mip.Status {
	var r report
	h, ok := readHeader(string(text), &r)
	if !ok || h == nil {
		return ""
	}
	return mip.ParseStatus(decode(h, &r, "status").get("status").text())
}
