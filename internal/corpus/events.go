package corpus

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/event"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Past is what the repositories of the folders know of all files that are or were proposals. It names the versions of texts,
// and holds none.
type Past struct {
	corpus *Corpus
	// histories are those of whole repositories, and of synced texts, each for itself.
	histories []pastFiles
	// whole says that nothing is missing.
	whole bool
}

// pastFiles is a history, parents before their children, and the repository that may hold its texts.
type pastFiles struct {
	top     string
	commits []git.Commit
	// texts are the files that are or were texts, by their paths in the repository.
	texts map[string]folder.File
	// left are those of them that are there today beside the place of a text, with their names in git.
	left map[string]string
	// cut are the commits at which a shallow clone ends.
	cut map[string]bool
}

// Past is what git and the records of mipwatch sync know. It reads no text.
func (c *Corpus) Past() *Past {
	h := c.history
	out := &Past{corpus: c, whole: c.History == "full"}
	if h.epoch != nil {
		return out
	}
	for _, top := range slices.Sorted(maps.Keys(h.repositories)) {
		r := h.repositories[top]
		out.whole = out.whole && !r.partial
		out.histories = append(out.histories, r.pastFiles)
	}
	for _, p := range c.Proposals {
		if from, ok := h.records[p.source.Folder].File(p.source.Name); ok && p.Upstream {
			past := pastFiles{
				top: h.places[p.source.Folder].Top, commits: synced(from),
				texts: map[string]folder.File{from.Path: p.source},
			}
			if !from.Whole() {
				past.cut = map[string]bool{past.commits[0].Hash: true}
				out.whole = false
			}
			out.histories = append(out.histories, past)
		}
	}
	return out
}

// wasText finds the folder of a file that is a text today, or may have been one by its name and place: directly in a folder, or
// where a pattern has a text or a folder of one. Of folders with synced texts nothing but what is there is known.
func (h *history) wasText(top, name string, here bool, o Options) (file folder.File, ok bool) {
	if !strings.EqualFold(path.Ext(name), ".md") {
		return file, false
	}
	longest := -1
	for _, dir := range h.folders {
		place := h.places[dir]
		rest, below := strings.CutPrefix(name, place.Prefix)
		if !below || place.Top != top || len(place.Prefix) <= longest {
			continue
		}
		f := folder.File{Folder: dir, Name: rest, Path: path.Join(filepath.ToSlash(dir), rest)}
		if _, synced := h.records[dir].File(rest); synced || h.records[dir] != nil && !here {
			continue
		}
		if here || o.fits(f, true) {
			file, ok, longest = f, true, len(place.Prefix)
		}
	}
	return file, ok
}

// fits reports whether a file has the name and the place of a proposal, whose number may be in its header alone. One that is no
// more may have been beside the place: in a folder of its own under another name.
func (o Options) fits(f folder.File, gone bool) bool {
	if _, _, _, translated := languageOf(f.Name, o.Locales); translated {
		return false
	}
	if kept, _ := without([]folder.File{f}, o.Ignore, nil); len(kept) == 0 {
		return false
	}
	dir, base := path.Split(f.Name)
	_, named := numberInName(base)
	return dir == "" || slices.ContainsFunc(o.Patterns[f.Folder], func(pattern string) bool {
		folders, _ := path.Split(pattern)
		whole, _ := path.Match(pattern, f.Name)
		beside, _ := path.Match(folders, dir)
		return whole || gone && beside && named
	})
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

// Events reads the headers of all versions and tells what happened, in no particular order but for that of each proposal.
// complete is false where a version is not known. Title is as of [event.Find], and URL is not set.
func (p *Past) Events(r *VersionReader) (events []mip.Event, complete bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	complete = p.whole
	var histories [][]event.Commit
	for _, h := range p.histories {
		// A clone that lacks texts must not be asked for any.
		if r := p.corpus.history.repositories[h.top]; r == nil || r.partial {
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
		var commits []event.Commit
		for _, s := range h.commits {
			commit := event.Commit{
				Hash: s.Hash, When: mip.NewTime(time.Unix(s.Landed, 0)), Author: s.Author,
				Merge: s.Merge, Edge: h.cut[s.Hash],
			}
			for _, f := range s.Files {
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
				commit.Files = append(commit.Files, event.File{Path: f.Path, Before: before.text, After: after.text, Unread: after.unread})
			}
			if len(commit.Files) > 0 {
				commits = append(commits, commit)
			}
		}
		complete = complete && !reader.missing
		histories = append(histories, commits)
	}
	return event.Find(histories...), complete, nil
}

// pastReader reads versions of texts, each once.
type pastReader struct {
	*Past
	top     string
	objects *VersionReader
	// byBlob has versions by path in the folder and name in git, byHeader by what stands before the text.
	byBlob   map[[2]string]version
	byHeader map[[sha256.Size]byte]version
	// missing says that the repository lacks a text.
	missing bool
}

// version is what a version of a file says. text is nil where it is no proposal, or unread.
type version struct {
	text   *event.Text
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
	text, ok := normalise(raw, &report{})
	if !ok {
		return version{unread: true}
	}
	head, _, closed := strings.Cut(text, "\n---\n")
	key := sha256.Sum256([]byte(file.Path + "\x00" + head))
	v, known := r.byHeader[key]
	if !known || !closed || v.body == 0 {
		v = r.corpus.version(file, text)
		r.byHeader[key] = v
	}
	if v.text != nil {
		whole := *v.text
		whole.Body = event.BodyOf(text[v.body:])
		v.text = &whole
	}
	return v
}

// version reads what a text says above its body.
func (c *Corpus) version(file folder.File, text string) version {
	var r report
	h := c.options.Parse(c.options.place(file), text, &r)
	if h == nil {
		return version{unread: r.failed}
	}
	t := &event.Text{ID: h.ID, Read: h.Written}
	if !t.Read {
		return version{text: t, body: h.Body}
	}
	t.Status, t.Title = mip.Status(strings.Clone(string(h.Status()))), strings.Clone(h.Title())
	if deadline, known := h.Deadline(c.options.Dates); known {
		t.Deadline = &deadline
	}
	for _, f := range numbersFields {
		for _, name := range h.Ties(f) {
			t.Ties = append(t.Ties, f.Name+" "+name)
		}
	}
	slices.Sort(t.Ties)
	t.Ties = slices.Compact(t.Ties)
	return version{text: t, body: h.Body}
}

// Sum is a hash of all that the events follow from.
func (p *Past) Sum() [sha256.Size]byte {
	o := p.corpus.options
	b := fmt.Appendln(nil, o.Prefix, o.Others, o.KindOf, o.Keys, o.Dates, o.Statuses, o.References, p.whole)
	for _, h := range p.histories {
		for _, s := range h.commits {
			b = fmt.Appendln(b, s.Hash, s.Landed, h.cut[s.Hash], s.Files)
		}
		b = fmt.Appendln(b, slices.Sorted(maps.Keys(h.texts)))
	}
	return sha256.Sum256(b)
}
