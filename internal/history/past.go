package history

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// Past is the history of all files that are or were proposals. It has the names of versions, and
// not their texts.
type Past struct {
	// headers configure how headers are parsed. rules name the kinds of folders.
	headers header.Options
	rules   filename.Rules
	// histories are one of each whole repository and one of each synced text.
	histories []pastFiles
	// whole is true if nothing is missing.
	whole bool
	// versions are the versions that were read.
	versions *versions
}

// versions caches the versions of texts, each of which is read once.
type versions struct {
	// byBlob has versions by path in the folder and name in git. byHeader has them by the hash of
	// the header.
	byBlob   map[[2]string]version
	byHeader map[[sha256.Size]byte]version
	// missing is true if the repository lacks a text. unread is true if a version is unknown, for
	// that reason or another.
	missing, unread bool
}

// pastFiles is a history, with parents before their children, and the repository that may have its
// texts.
type pastFiles struct {
	top     string
	commits []git.Commit
	// texts are the files that are or were texts, by their paths in the repository.
	texts map[string]folder.File
	// left are the files among texts that still exist in another place than a text's, with their
	// names in git.
	left map[string]string
	// cut are the commits at which a shallow clone ends.
	cut map[string]bool
	// imports are the commits that import texts.
	imports map[string]bool
	// lacks is true if the texts must not be read: git would fetch those that a partial clone
	// lacks.
	lacks bool
}

// Years are the years of the events and of the commits that touched texts, ascending. It reads the
// texts that commits imported.
func (p *Past) Years(r *Reader) ([]int, error) {
	t := r.kept(p)
	if t.years != nil {
		return t.years, nil
	}
	years := map[int]bool{}
	imports := *p
	imports.histories = slices.Clone(p.histories)
	for i := range imports.histories {
		h := &imports.histories[i]
		for _, s := range h.commits {
			if slices.ContainsFunc(s.Files, func(f git.Step) bool {
				_, ok := h.texts[f.Path]
				return ok
			}) {
				years[time.Unix(s.Landed, 0).UTC().Year()] = true
			}
		}
		h.commits = slices.DeleteFunc(slices.Clone(h.commits), func(c git.Commit) bool {
			return !h.imports[c.Hash]
		})
	}
	events, _, err := imports.events(r)
	if err == nil && p.versions.unread { // a later version may have the day
		events, _, err = p.events(r)
	}
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		years[e.Time.UTC().Year()] = true
	}
	t.years = append([]int{}, slices.Sorted(maps.Keys(years))...)
	r.keep(t)
	return t.years, nil
}

// Events reads the headers of all versions and returns the events, which must not be changed.
// Events of one proposal are in order, others are not. complete is false if a version is unknown.
// Title is as of [find], and URL is not set.
func (p *Past) Events(r *Reader) (events []mip.Event, complete bool, err error) {
	t := r.kept(p)
	if !t.read {
		if t.events, t.complete, err = p.events(r); err != nil {
			return nil, false, err
		}
		t.read = true
		r.keep(t)
	}
	return t.events, t.complete, nil
}

// events reads the events.
func (p *Past) events(r *Reader) (events []mip.Event, complete bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	complete = p.whole
	var histories [][]textCommit
	for _, h := range p.histories {
		if h.lacks {
			complete = false
			continue
		}
		// A file outside of the texts' places that still has a header was never a text.
		never := map[string]bool{}
		for name, blob := range h.left {
			v, err := p.read(r, h.top, h.texts[name], blob)
			if err != nil {
				return nil, false, err
			}
			never[name] = v.text != nil && v.text.Read
		}
		var commits []textCommit
		for i := range h.commits {
			c := &h.commits[i]
			commit := textCommit{Commit: c, Edge: h.cut[c.Hash], Import: h.imports[c.Hash]}
			for _, f := range c.Files {
				file, ok := h.texts[f.Path]
				if !ok || never[f.Path] || f.Before == f.After {
					continue
				}
				before, err := p.read(r, h.top, file, f.Before)
				if err != nil {
					return nil, false, err
				}
				after, err := p.read(r, h.top, file, f.After)
				if err != nil {
					return nil, false, err
				}
				if _, left := h.left[f.Path]; left && after.text != nil && !after.text.Read {
					after.text = nil // notes, or a notice of a move
				}
				commit.Texts = append(commit.Texts, textStep{
					Path: f.Path, Before: before.text, After: after.text,
					Unread: after.unread, New: f.Before == "",
				})
			}
			if len(commit.Texts) > 0 {
				commits = append(commits, commit)
			}
		}
		complete = complete && !p.versions.missing
		histories = append(histories, commits)
	}
	return find(histories...), complete, nil
}

// version is the content of a version of a file. text is nil if it is no proposal, or unread.
type version struct {
	text   *content
	unread bool
	// body is the offset of the body behind the header.
	body int
}

// read reads a version from the repository at top. The empty name gives the zero version.
func (p *Past) read(r *Reader, top string, file folder.File, blob string) (v version, err error) {
	key := [2]string{file.Path, blob}
	if v, known := p.versions.byBlob[key]; known || blob == "" {
		return v, nil
	}
	raw, err := r.read(top, blob)
	if err != nil {
		return v, err
	}
	if raw == nil { // too large for a proposal, or missing
		v.unread, p.versions.missing = true, true
	} else {
		v = p.version(file, string(raw))
	}
	p.versions.byBlob[key] = v
	p.versions.unread = p.versions.unread || v.unread
	return v, nil
}

// version parses a text. It caches headers, since most versions of a file have the same.
func (p *Past) version(file folder.File, raw string) (v version) {
	text, ok := header.Normalize(raw, &problem.Report{})
	if !ok {
		return version{unread: true}
	}
	head, _, closed := strings.Cut(text, "\n---\n")
	key := sha256.Sum256([]byte(file.Path + "\x00" + head))
	v, known := p.versions.byHeader[key]
	if !known || !closed || v.body == 0 {
		v = p.parse(file, text)
		p.versions.byHeader[key] = v
	}
	if v.text != nil {
		whole := *v.text
		whole.Body = bodyOf(text[v.body:])
		v.text = &whole
	}
	return v
}

// parse parses the header of a text.
func (p *Past) parse(file folder.File, text string) version {
	var r problem.Report
	h := p.headers.Parse(header.Place{Kind: p.rules.Kind(file.Folder), Name: file.Name}, text, &r)
	if h == nil {
		return version{unread: r.Failed}
	}
	t := &content{ID: h.ID, Read: h.Written}
	if !t.Read {
		return version{text: t, body: h.Body}
	}
	t.Status, t.Title = mip.Status(strings.Clone(string(h.Status()))), strings.Clone(h.Title())
	t.Created, _ = h.Day("created")
	if deadline, known := h.Day("last-call-deadline"); known {
		t.Deadline = &deadline
	}
	t.Relations = h.Relations()
	return version{text: t, body: h.Body}
}
