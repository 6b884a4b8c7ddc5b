package history

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/gitsync"
	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	// maxVersions bounds the published versions of a file.
	maxVersions = 50
	// maxSubject bounds the first line of a commit message, in characters.
	maxSubject = 200
)

// File has the committed versions of a file under its present name. It does not follow renames.
type File struct {
	// Versions are newest first. There is at least one.
	Versions []Version
	// Before is the state before the oldest of Versions: "nothing", "more" if older versions are
	// not published, or "unknown" if a shallow clone ends there.
	Before string

	// top is the top folder of the repository with the texts, or "" if they cannot be read.
	top string
}

// Version is a change of a file by a commit. The author and the subject of the commit are single,
// printable lines. They may be shortened, and may be empty.
type Version struct {
	*git.Commit
	git.Step
	// Edge is true if the state before is unknown: a shallow clone ends at the commit, so that
	// every file looks new.
	Edge bool
}

// Time is the time of the commit, by its committer's clock.
func (v Version) Time() mip.Time { return mip.NewTime(time.Unix(v.When, 0)) }

// Published is when the commit reached the line of first parents, by itself or by a merge.
func (v Version) Published() mip.Time { return mip.NewTime(time.Unix(v.Landed, 0)) }

// newFile returns the newest versions of a file, or nil if there are none.
func newFile(all []Version) *File {
	h := &File{Before: "nothing"}
	for _, v := range all {
		if v.Edge { // its text exists, and its author may be another
			h.Before = "unknown"
			break
		}
		if len(h.Versions) == maxVersions {
			h.Before = "more"
			break
		}
		h.Versions = append(h.Versions, v)
	}
	if len(h.Versions) == 0 {
		return nil
	}
	return h
}

// synced are the commits in the record of a synced file, parents first.
func synced(from gitsync.File) (out []git.Commit) {
	for i, v := range slices.Backward(from.Versions) {
		at := v.Time.UTC().Unix()
		landed := at
		if v.Landed != nil {
			landed = v.Landed.UTC().Unix()
		}
		step := git.Step{Path: from.Path, After: v.Blob}
		switch {
		case v.Before != nil:
			step.Before = *v.Before
		case i+1 < len(from.Versions):
			step.Before = from.Versions[i+1].Blob
		}
		out = append(out, git.Commit{
			Hash: v.Commit, When: at, Landed: landed, Author: oneLine(v.Author),
			Subject: oneLine(v.Subject),
			Files:   []git.Step{step},
		})
	}
	return out
}

// oneLine makes an author name or a subject fit for a page. Both may contain anything.
func oneLine(s string) string {
	return strings.Clone(mip.ShortenRunes(mip.Collapse(mip.OneLine(s)), maxSubject))
}

// Reader reads the versions of proposals through one git process for each repository. A process
// runs from the first Read until Close. The zero value is ready to use. It is safe for concurrent
// use.
type Reader struct {
	// Context, if set, ends the processes too.
	Context context.Context
	// Cache, if set, keeps events for other readers.
	Cache *Cache

	mu sync.Mutex
	// programs are the git processes by the repository's top folder.
	programs map[string]*git.Objects
	// known are the texts that need not be read, by their names in git.
	known map[string]string
}

// Know adds the present text of a file, which is mostly its newest version, so that it need not be
// read from git. A nil file adds nothing.
func (r *Reader) Know(h *File, text string) {
	if h == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]string{}
	}
	r.known[git.BlobName(h.Versions[0].Hash, []byte(text))] = text
}

// Read returns the texts before and after each of the versions, by their names in git. The empty
// name has the empty text. The map lacks texts that the repository lacks or that exceed the size of
// a proposal.
func (r *Reader) Read(h *File) (map[string][]byte, error) {
	texts := map[string][]byte{"": {}}
	if h.top == "" {
		return texts, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range h.Versions {
		for _, blob := range []string{v.After, v.Before} {
			if _, known := texts[blob]; known {
				continue
			}
			text, err := r.read(h.top, blob)
			if err != nil {
				return nil, fmt.Errorf("versions of %s: %w", v.Path, err)
			}
			if text != nil {
				texts[blob] = []byte(legible(string(text)))
			}
		}
	}
	return texts, nil
}

// Text returns a text of a file by the name of its blob. It is nil for the empty name, and if the
// text is missing or exceeds the size of a proposal.
func (r *Reader) Text(p FilePast, blob string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.read(p.place.Top, blob)
}

// read returns one text from the process of a repository, which it starts if necessary. The empty
// name gives nil.
func (r *Reader) read(top, blob string) (_ []byte, err error) {
	if blob == "" {
		return nil, nil
	}
	if text, ok := r.known[blob]; ok {
		return []byte(text), nil
	}
	program, ok := r.programs[top]
	if !ok {
		ctx := cmp.Or(r.Context, context.Background())
		if program, err = git.OpenObjects(ctx, top); err != nil {
			return nil, err
		}
		if r.programs == nil {
			r.programs = map[string]*git.Objects{}
		}
		r.programs[top] = program
	}
	return program.Blob(blob, folder.MaxFile)
}

// Close ends the processes. Read starts new ones.
func (r *Reader) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, program := range r.programs {
		program.Close()
	}
	r.programs = nil
}

// legible makes a committed text fit for a page: it replaces every character that a proposal must
// not have.
func legible(raw string) string {
	text := strings.ToValidUTF8(strings.TrimPrefix(raw, "\uFEFF"), "\uFFFD")
	text, _ = mip.Printable(strings.ReplaceAll(text, "\r\n", "\n"))
	return text
}
