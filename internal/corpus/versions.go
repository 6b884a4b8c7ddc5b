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
	maxVersions = 50
	// maxSubject bounds the first line of a commit's message, in characters.
	maxSubject = 200
)

// History has the committed versions of a file under its present name: a rename is not followed.
type History struct {
	// Newest first, at least one.
	Versions []Version
	// Before is the state before the oldest of Versions: "nothing", "more" when there are older
	// versions than are published, "unknown" when a shallow clone ends there.
	Before string

	// Blobs are the names that git has for the texts of Versions, and of the version before the
	// oldest one if it is there; empty where the text is not available.
	Blobs []string

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

// newHistory returns the versions of a file, nil when there are none. A removal is no version.
func newHistory(all []touch, top string) *History {
	h := &History{Before: "nothing", top: top}
	for _, t := range all {
		if t.blob == "" || h.Before != "nothing" {
			continue
		}
		h.Blobs = append(h.Blobs, t.blob)
		switch {
		case t.edge: // its text is there, and its author may be another one
			h.Before = "unknown"
		case len(h.Versions) == maxVersions:
			h.Before = "more"
		default:
			h.Versions = append(h.Versions, Version{
				Commit: t.Hash, When: mip.NewTime(time.Unix(t.When, 0)), Author: oneLine(t.Author), Subject: oneLine(t.Subject),
			})
		}
	}
	if len(h.Versions) == 0 {
		return nil
	}
	return h
}

// oneLine makes a name or the first line of a message fit for a page. Both are as free as any text.
func oneLine(s string) string {
	return strings.Clone(mip.ShortenRunes(mip.Collapse(mip.OneLine(s)), maxSubject))
}

// VersionReader reads the versions of proposals, all through one git process for each repository, which
// runs from the first call of Read until Close. The zero value is ready; it is safe for
// concurrent use.
type VersionReader struct {
	mu sync.Mutex
	// programs are the git processes by the repository's top folder.
	programs map[string]*git.Objects
}

// Read returns the texts of p.History.Versions and, if it is there, of the version before the
// oldest one. A text that the repository does not hold, or that is larger than a proposal may
// be, is nil.
func (r *VersionReader) Read(p *Proposal) ([][]byte, error) {
	out := make([][]byte, len(p.History.Blobs))
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, blob := range p.History.Blobs {
		if blob == "" {
			continue
		}
		text, err := r.read(p.History.top, blob)
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
func (r *VersionReader) read(top, blob string) (_ []byte, err error) {
	program, ok := r.programs[top]
	if !ok {
		if program, err = git.OpenObjects(context.Background(), top); err != nil {
			return nil, err
		}
		if r.programs == nil {
			r.programs = map[string]*git.Objects{}
		}
		r.programs[top] = program
	}
	return program.Blob(blob, folder.MaxFile)
}

// Close ends the processes. Read begins anew.
func (r *VersionReader) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, program := range r.programs {
		program.Close()
	}
	r.programs = nil
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
func (c *Corpus) StatusOf(text []byte) mip.Status {
	var r report
	h, ok := readHeader(string(text), &r)
	if !ok || h == nil {
		return ""
	}
	h.mean(c.keys)
	f := decode(h, &r)
	f.keys, f.process = keysOf(c.keys), c.process
	standing, _ := f.status()
	return standing.Status
}
