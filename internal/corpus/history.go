package corpus

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/gitsync"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// history holds the commits that touched the files in the folders.
type history struct {
	// epoch, when set, is the time of every change.
	epoch *time.Time
	// places are those of the folders in their repositories, by folder; whole says that every folder
	// has one with all its commits.
	places map[string]git.Place
	whole  bool
	// partial holds the top folders of clones that lack some contents.
	partial map[string]bool
	// tracked are the files of each repository, by its top folder.
	tracked map[string]func() (map[string]bool, error)
	// files are the commits of each file, newest first.
	files map[fileKey][]touch
	// touched counts, by commit, the files named like proposals that it touches.
	touched map[string]int
	// records are those of mipwatch sync, by folder.
	records  map[string]*gitsync.Record
	problems []mip.Problem
}

// fileKey is a path within a repository.
type fileKey struct{ top, path string }

// touch is one commit of a file.
type touch struct {
	git.Commit
	// blob is git's name for the text; empty when the commit removed the file.
	blob string
	// edge says that a shallow clone ends at the commit, which shows every file as new.
	edge bool
}

// readHistory reads the history of all folders, and of the folders in them that hold texts, which deeper has by name. The
// header's dates stay where git knows nothing.
func readHistory(ctx context.Context, folders []string, deeper map[string][]string, o Options) *history {
	h := &history{
		epoch: o.Epoch, whole: true, places: map[string]git.Place{}, partial: map[string]bool{},
		tracked: map[string]func() (map[string]bool, error){},
		files:   map[fileKey][]touch{}, touched: map[string]int{}, records: map[string]*gitsync.Record{},
	}
	for _, dir := range folders {
		h.readRecord(dir, git.Public(o.Upstream))
	}
	if h.epoch != nil {
		return h
	}
	// Several folders may lie in one repository, whose log is read once.
	byTop := map[string][]string{}
	for _, dir := range folders {
		p, err := git.Locate(ctx, dir)
		if err != nil {
			h.missing(dir, err)
			if errors.Is(err, git.ErrNoGit) {
				return h
			}
			continue
		}
		h.places[dir] = p
		if p.Shallow != nil {
			h.whole = false
			h.report(dir, "history-shallow")
		}
		byTop[p.Top] = append(byTop[p.Top], dir)
	}
	for top, dirs := range byTop {
		h.tracked[top] = sync.OnceValues(func() (map[string]bool, error) {
			return git.Tracked(context.WithoutCancel(ctx), top)
		})
		if git.Partial(ctx, top) {
			h.partial[top] = true
			h.report(dirs[0], "history-partial")
		}
		if err := h.readLog(ctx, top, dirs, deeper); err != nil {
			h.missing(dirs[0], err)
		}
	}
	return h
}

// report notes a problem of a folder, or of a file in it.
func (h *history) report(name, id string, args ...any) {
	r := report{file: filepath.ToSlash(name)}
	r.add(0, id, args...)
	h.problems = append(h.problems, r.problems...)
}

// missing notes why a folder has no history. A folder outside of any repository is nothing to
// note.
func (h *history) missing(dir string, err error) {
	h.whole = false
	for _, known := range []error{git.ErrNoGit, git.ErrOwner, git.ErrFailed} {
		if errors.Is(err, known) {
			h.report(dir, "history-none", known)
			return
		}
	}
}

// readRecord reads the record of mipwatch sync in a folder. One that cannot be read, or is of
// another upstream than the site's, is a problem, and times come from the local repository then.
func (h *history) readRecord(dir, upstream string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return // reported where the folder is listed
	}
	defer root.Close()
	record, err := gitsync.ReadRecord(root)
	name := path.Join(filepath.ToSlash(dir), gitsync.RecordName)
	switch {
	case err != nil:
		h.report(name, "upstream-record", folder.Cause(err))
	case record.Commit == "": // never synced
	case upstream == "":
		h.report(name, "upstream-record/none", mip.ShortenRunes(record.Git, maxSubject))
	case record.Git != upstream:
		h.report(name, "upstream-record/other", mip.ShortenRunes(record.Git, maxSubject), upstream)
	default:
		h.records[dir] = record
	}
}

// readLog takes the commits of every file in the folders of one repository, in those of their texts and in their folders of
// translations, from one pass over the log.
func (h *history) readLog(ctx context.Context, top string, dirs []string, deeper map[string][]string) error {
	var prefixes []string
	// proposals has the prefixes of the folders, without those of translations.
	proposals, texts := map[string]bool{}, map[string]bool{}
	for _, dir := range dirs {
		prefix := h.places[dir].Prefix
		for _, name := range deeper[dir] {
			texts[prefix+name] = true
			prefixes = append(prefixes, prefix+path.Dir(name)+"/")
		}
		proposals[prefix] = true
		prefixes = append(prefixes, prefix)
		for _, language := range languages(dir) {
			prefixes = append(prefixes, prefix+language+"/")
		}
	}
	slices.Sort(prefixes)
	undated, example := 0, ""
	changes, err := git.Log(ctx, top, "", slices.Compact(prefixes))
	for _, c := range changes {
		if c.Undated {
			undated++
			example = max(example, c.Hash)
		}
		for _, t := range c.Files {
			dir, name := path.Split(t.Path)
			if _, numbered := numberInName(name); numbered && proposals[dir] || texts[t.Path] {
				h.touched[c.Hash]++
			}
			key := fileKey{top, t.Path}
			h.files[key] = append(h.files[key], touch{c.Commit, t.Blob, h.places[dirs[0]].Shallow[c.Hash]})
		}
	}
	if undated > 0 {
		h.report(dirs[0], "commit-date", example, undated)
	}
	return err
}

// last is the newest commit of a file by its time, and when it was; nil when none is known.
func last(all []touch) (git.Commit, *mip.Time) {
	all = slices.DeleteFunc(slices.Clone(all), func(t touch) bool { return t.edge })
	if len(all) == 0 {
		return git.Commit{}, nil
	}
	c := slices.MaxFunc(all, func(a, b touch) int { return cmp.Compare(a.When, b.When) }).Commit
	return c, commitTime(c)
}

// commitTime is the time of a commit, by its committer's clock.
func commitTime(c git.Commit) *mip.Time { return new(mip.NewTime(time.Unix(c.When, 0))) }

// created is the time of a file's first commit; nil when that is unknown, or touches other
// proposals too, and so may have moved or imported it.
func (h *history) created(all []touch) *mip.Time {
	if len(all) == 0 || slices.ContainsFunc(all, func(t touch) bool { return t.edge }) {
		return nil
	}
	first := slices.MinFunc(all, func(a, b touch) int { return cmp.Compare(a.When, b.When) })
	if first.Undated || h.touched[first.Hash] != 1 {
		return nil
	}
	return commitTime(first.Commit)
}

// date sets the times of the corpus and of its proposals, and takes the problems of the log.
func (h *history) date(c *Corpus) {
	var newest git.Commit
	known, synced := 0, 0
	moved := map[*Proposal]bool{}
	for _, p := range c.Proposals {
		// Without git the path is the best guess of the one in a repository.
		place := h.places[p.source.Folder]
		p.RepoPath = path.Join(filepath.Base(p.source.Folder), p.source.Name)
		if place.Top != "" {
			p.RepoPath = place.Prefix + p.source.Name
		}
		all := h.files[fileKey{place.Top, p.RepoPath}]
		created := h.created(all)
		// A file that was edited since it was synced has the local repository's times.
		from, ok := h.records[p.source.Folder].File(p.source.Name)
		if ok && from.SHA256 == p.ContentHash {
			p.RepoPath, p.Upstream, created, all = from.Path, true, from.Added, nil
			for _, v := range from.Versions {
				commit := git.Commit{Hash: v.Commit, When: v.Time.UTC().Unix(), Author: v.Author, Subject: v.Subject}
				all = append(all, touch{Commit: commit, blob: v.Blob})
			}
			synced++
		}
		// The newest commit dates the text; without one the header does.
		switch commit, when := last(all); {
		case h.epoch != nil:
			p.Updated = new(mip.NewTime(*h.epoch))
		case when != nil:
			known++
			// A commit that brought this file together with others may have moved or imported them.
			moved[p] = len(all) == 1 && h.touched[commit.Hash] > 1
			p.Updated, p.Commit, p.History = when, commit.Hash, newHistory(all, place.Top)
			// A clone that lacks texts must not be asked for any, and without one there is none.
			if p.History != nil && p.Upstream && p.History.Before == "nothing" && !from.Whole() {
				p.History.Before = "more"
			}
			if p.History != nil && (place.Top == "" || h.partial[place.Top]) {
				clear(p.History.Blobs)
			}
			// The hash decides between commits of one second, so that their order does not matter.
			if cmp.Or(cmp.Compare(commit.When, newest.When), strings.Compare(commit.Hash, newest.Hash)) > 0 {
				newest, c.CommittedAt = commit, when
			}
			if p.Created.IsZero() && created != nil {
				p.Created = created.Date()
				p.Inferred = append(p.Inferred, "created")
			}
		case !p.Created.IsZero():
			p.Updated = new(mip.NewTime(p.Created.Time()))
		}
	}
	c.Commit = newest.Hash
	if h.epoch == nil {
		for _, p := range c.Proposals {
			p.dateByHeader(moved[p], c.CommittedAt)
		}
	}
	// Where some files were synced, a link to the upstream does not fit the others.
	for _, p := range c.Proposals {
		p.Local = synced > 0 && !p.Upstream
	}
	c.Problems = append([]mip.Problem{}, h.problems...)
	cut := func(p git.Place) bool { return p.Shallow != nil }
	switch {
	case h.epoch != nil:
		c.History = "fixed"
	case known > 0 && synced == len(c.Proposals):
		// The upstream's history is whole, however much of the local one is there.
		c.History = "full"
		c.Problems = slices.DeleteFunc(c.Problems, func(p mip.Problem) bool { return strings.HasPrefix(p.Code, "history-") })
	case known == 0 && !slices.ContainsFunc(slices.Collect(maps.Values(h.places)), cut):
		c.History = "none" // the repository, if there is one, holds other files
	case known > 0 && h.whole && len(h.files) > 0:
		c.History = "full"
	default:
		c.History = "shallow"
	}
}

// dateByHeader believes the last change that the header states where it is newer than what else is known, and where git knows
// no more than a commit that moved the file. A day after the newest commit of all is a mistake.
func (p *Proposal) dateByHeader(moved bool, newest *mip.Time) {
	const day = 24 * time.Hour // what time zones may differ
	at := mip.NewTime(p.stated.Time())
	switch {
	case p.stated.IsZero():
	case newest != nil && at.UTC().After(newest.UTC().Add(day)):
	case p.Updated == nil, moved, at.UTC().After(p.Updated.UTC()):
		p.Updated = &at
	}
}
