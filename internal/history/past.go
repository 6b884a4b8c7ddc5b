package history

import (
	"crypto/sha256"
	"fmt"
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

// Past is what the repositories of the folders know of all files that are or were proposals. It
// names the versions of texts, and holds none.
type Past struct {
	// headers are how headers are read, and rules name the kinds of folders.
	headers header.Options
	rules   filename.Rules
	// histories are those of whole repositories, and of synced texts, each for itself.
	histories []pastFiles
	// whole says that nothing is missing.
	whole bool
}

// pastFiles is a history, parents before their children, and the repository that may hold its
// texts.
type pastFiles struct {
	top     string
	commits []git.Commit
	// texts are the files that are or were texts, by their paths in the repository.
	texts map[string]folder.File
	// left are those of them that are there today beside the place of a text, with their names in
	// git.
	left map[string]string
	// cut are the commits at which a shallow clone ends.
	cut map[string]bool
	// lacks is true where the texts cannot be read: a clone that lacks some must not be asked.
	lacks bool
}

// Years are those of the commits that touched texts, ascending.
func (p *Past) Years() []int {
	years := map[int]bool{}
	for _, h := range p.histories {
		for _, s := range h.commits {
			if slices.ContainsFunc(s.Files, func(f git.Step) bool { _, ok := h.texts[f.Path]; return ok }) {
				years[time.Unix(s.Landed, 0).UTC().Year()] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(years))
}

// Events reads the headers of all versions and tells what happened, in no particular order but for
// that of each proposal. complete is false where a version is not known. Title is as of [find], and
// URL is not set.
func (p *Past) Events(r *Reader) (events []mip.Event, complete bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	complete = p.whole
	var histories [][]textCommit
	for _, h := range p.histories {
		if h.lacks {
			complete = false
			continue
		}
		reader := pastReader{Past: p, top: h.top, objects: r, byBlob: map[[2]string]version{}, byHeader: map[[sha256.Size]byte]version{}}
		// What still has a header beside the place of a text never was one.
		never := map[string]bool{}
		for name, blob := range h.left {
			v, err := reader.read(h.texts[name], blob)
			if err != nil {
				return nil, false, err
			}
			never[name] = v.text != nil && v.text.Read
		}
		var commits []textCommit
		for i := range h.commits {
			c := &h.commits[i]
			commit := textCommit{Commit: c, Edge: h.cut[c.Hash]}
			for _, f := range c.Files {
				file, ok := h.texts[f.Path]
				if !ok || never[f.Path] || f.Before == f.After {
					continue
				}
				before, err := reader.read(file, f.Before)
				if err != nil {
					return nil, false, err
				}
				after, err := reader.read(file, f.After)
				if err != nil {
					return nil, false, err
				}
				if _, left := h.left[f.Path]; left && after.text != nil && !after.text.Read {
					after.text = nil // notes, or a line that says where the text went
				}
				commit.Texts = append(commit.Texts, textStep{
					Path: f.Path, Before: before.text, After: after.text, Unread: after.unread,
				})
			}
			if len(commit.Texts) > 0 {
				commits = append(commits, commit)
			}
		}
		complete = complete && !reader.missing
		histories = append(histories, commits)
	}
	return find(histories...), complete, nil
}

// pastReader reads versions of texts, each once.
type pastReader struct {
	*Past
	top     string
	objects *Reader
	// byBlob has versions by path in the folder and name in git, byHeader by what stands before the
	// text.
	byBlob   map[[2]string]version
	byHeader map[[sha256.Size]byte]version
	// missing says that the repository lacks a text.
	missing bool
}

// version is what a version of a file says. text is nil where it is no proposal, or unread.
type version struct {
	text   *content
	unread bool
	// body is where the text begins behind the header.
	body int
}

// read reads a version, none for the empty name.
func (r *pastReader) read(file folder.File, blob string) (v version, err error) {
	key := [2]string{file.Path, blob}
	if v, known := r.byBlob[key]; known || blob == "" {
		return v, nil
	}
	raw, err := r.objects.read(r.top, blob)
	if err != nil {
		return v, err
	}
	if raw == nil { // too large for a proposal, or not there
		v.unread, r.missing = true, true
	} else {
		v = r.version(file, string(raw))
	}
	r.byBlob[key] = v
	return v, nil
}

// version reads a text. Most versions of a file have one header.
func (r *pastReader) version(file folder.File, raw string) (v version) {
	text, ok := header.Normalise(raw, &problem.Report{})
	if !ok {
		return version{unread: true}
	}
	head, _, closed := strings.Cut(text, "\n---\n")
	key := sha256.Sum256([]byte(file.Path + "\x00" + head))
	v, known := r.byHeader[key]
	if !known || !closed || v.body == 0 {
		v = r.parse(file, text)
		r.byHeader[key] = v
	}
	if v.text != nil {
		whole := *v.text
		whole.Body = bodyOf(text[v.body:])
		v.text = &whole
	}
	return v
}

// parse reads what a text states above its body.
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
	if deadline, known := h.Deadline(); known {
		t.Deadline = &deadline
	}
	t.Ties = h.Ties()
	return version{text: t, body: h.Body}
}

// Sum is a hash of all that the events follow from.
func (p *Past) Sum() [sha256.Size]byte {
	o := p.headers
	b := fmt.Appendln(nil, o.Prefix, o.Others, p.rules.Sources, o.Keys, o.Dates, o.Statuses, o.References, p.whole)
	for _, h := range p.histories {
		for _, s := range h.commits {
			b = fmt.Appendln(b, s.Hash, s.Landed, h.cut[s.Hash], s.Files)
		}
		b = fmt.Appendln(b, slices.Sorted(maps.Keys(h.texts)))
	}
	return sha256.Sum256(b)
}
