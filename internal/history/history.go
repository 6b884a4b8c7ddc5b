// Package history reads the history of files in folders from git and from the records of mipwatch
// sync: their versions, their times, and the events of the proposals in them.
//
// Events follow from the contents of versions: another wording or form of the same content is no
// event. Each commit is compared with its own parents, so that branches do not undo each other. A
// change that two branches made, or that a merge brings, counts once. A change that is reverted and
// made again counts each time. A file that moves keeps its events, since a proposal is identified
// by its number. A version that cannot be read has no events.
//
// The package does not know which files are proposals today and which are published.
package history

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/gitsync"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// Options select the files whose history is read.
type Options struct {
	// Headers configure how headers of versions are parsed.
	Headers header.Options
	// Rules decide which files are or were texts.
	Rules filename.Rules
	// Dated has, for each folder of proposals, its subfolders whose files have times too.
	Dated map[string][]string
	// Texts are the present texts. Translations are the translations beside them.
	Texts, Translations []folder.File
	// Epoch, if set, is the time of every change, and git is not run.
	Epoch *time.Time
	// Upstream is the address that a folder's record of mipwatch sync must have.
	Upstream string
	// Config, if set, is the site's file, which may be outside of the folders.
	Config string
	// Before, if set, is an earlier log. Its data about a repository is reused if the newest commit
	// and the selected files are the same.
	Before *Log
}

// Log is the history of the files in the folders. It is immutable and safe for concurrent use.
type Log struct {
	// Problems are about repositories and records.
	Problems []mip.Problem
	// Config is the history of the file of the same name in [Options].
	Config FilePast

	options Options
	// places are the places of folders in their repositories, by folder. whole is true if every
	// folder has one with all its commits.
	places map[string]git.Place
	whole  bool
	// repositories are by their top folders.
	repositories map[string]*repository
	// files are the versions of each file, newest first.
	files map[fileKey][]Version
	// touched counts the proposal files that a commit touches, by commit.
	touched map[string]int
	// records are the records of mipwatch sync, by folder.
	records map[string]*gitsync.Record
	// imported are the commits of upstreams that import texts, by folder.
	imported map[string]map[string]bool
}

// fileKey is a path within a repository.
type fileKey struct{ top, path string }

// repository is the history of one repository.
type repository struct {
	pastFiles
	place git.Place
	// folders are the folders of the walk. counted has every file of the walk, with true if it was
	// selected. It is nil if the walk failed.
	folders []string
	counted map[string]bool
	// tracked are the files of the newest commit, or nil if git fails.
	tracked map[string]bool
}

// Read reads the history of all folders: of the present texts, their translations, and all files
// that were texts. It reports missing history as a problem at most.
func Read(ctx context.Context, o Options) *Log {
	h := &Log{
		options: o, whole: true,
		places: map[string]git.Place{}, repositories: map[string]*repository{},
		files: map[fileKey][]Version{}, touched: map[string]int{},
		records: map[string]*gitsync.Record{}, imported: map[string]map[string]bool{},
	}
	for _, dir := range o.Rules.Folders() {
		h.readRecord(dir, git.Public(o.Upstream))
	}
	if o.Epoch != nil {
		return h
	}
	earlier := cmp.Or(o.Before, &Log{})
	h.options.Before = nil // keep only one earlier log
	// Several folders may be in one repository, whose log is read once.
	byTop := map[string][]string{}
	if h.Config = placeOf(ctx, o.Config); h.Config.path != "" {
		byTop[h.Config.place.Top] = nil
	}
	for _, dir := range o.Rules.Folders() {
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
		r := &repository{pastFiles: pastFiles{top: top}, place: h.Config.place}
		if len(dirs) > 0 {
			r.place = h.places[dirs[0]]
		}
		h.repositories[top] = r
		err := h.walk(ctx, r, earlier.repositories[top], dirs)
		if len(dirs) == 0 {
			continue // the site's file is no text, whose history somebody misses
		}
		if err != nil {
			h.missing(dirs[0], err)
		}
		if r.lacks {
			h.report(dirs[0], "history-partial")
		}
	}
	return h
}

// report adds a problem of a folder, or of a file in it.
func (h *Log) report(name, id string, args ...any) {
	r := problem.Report{File: filepath.ToSlash(name)}
	r.Add(0, id, args...)
	h.Problems = append(h.Problems, r.Problems...)
}

// missing reports why a folder has no history. A folder outside of any repository is no problem.
func (h *Log) missing(dir string, err error) {
	h.whole = false
	for _, known := range []error{git.ErrNoGit, git.ErrOwner, git.ErrFailed} {
		if errors.Is(err, known) {
			h.report(dir, "history-none", known)
			return
		}
	}
}

// readRecord reads the record of mipwatch sync in a folder. An unreadable record, or one of another
// upstream, is a problem. Times then come from the local repository.
func (h *Log) readRecord(dir, upstream string) {
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
		h.records[dir], h.imported[dir] = record, importsOf(record)
	}
}

// walk reads the log of one repository, and collects the versions of every file in the folders, in
// subfolders with texts and in folders of translations.
func (h *Log) walk(ctx context.Context, r, earlier *repository, dirs []string) (err error) {
	r.texts, r.left, r.cut = map[string]folder.File{}, map[string]string{}, r.place.Shallow
	// Prefixes of folders: dated are folders whose files have times, and proposals are the folders
	// of proposals among them.
	dated, proposals := map[string]bool{}, map[string]bool{}
	// Paths of files: today are the present texts, and deeper the files in subfolders.
	today, deeper := map[string]bool{}, map[string]bool{}
	for _, dir := range dirs {
		prefix := h.places[dir].Prefix
		r.folders = append(r.folders, prefix)
		dated[prefix], proposals[prefix] = true, true
		for _, below := range h.options.Dated[dir] {
			dated[prefix+below+"/"] = true
		}
	}
	for i, f := range slices.Concat(h.options.Texts, h.options.Translations) {
		p, known := h.places[f.Folder]
		if !known || p.Top != r.top {
			continue
		}
		name := p.Prefix + f.Name
		if strings.Contains(f.Name, "/") {
			deeper[name], dated[path.Dir(name)+"/"] = true, true
		}
		if i < len(h.options.Texts) {
			today[name] = true
		}
	}
	if h.Config.place.Top == r.top {
		r.folders = append(r.folders, h.Config.path)
	}
	slices.Sort(r.folders)
	r.folders = slices.Compact(r.folders)
	err = r.read(ctx, earlier, func(name string) bool {
		file, ok := h.wasText(r.top, name, today[name])
		if ok {
			r.texts[name] = file
		}
		dir, _ := path.Split(name)
		return ok || dated[dir] || name == h.Config.path
	})
	h.Config.find(r)
	numbered := map[string]bool{}
	for name, file := range r.texts {
		_, numbered[name] = filename.Number(filename.Own(file.Name))
	}
	r.imports = imports(r.commits, r.cut, numbered)
	undated, example := 0, ""
	last := map[string]string{}
	for _, c := range r.commits {
		if c.Undated {
			undated++
			example = max(example, c.Hash)
		}
		touched := slices.Clone(c.GivenUp)
		for _, f := range c.Files {
			last[f.Path] = f.After
			touched = append(touched, f.Path)
		}
		for _, name := range touched {
			dir, base := path.Split(name)
			if _, numbered := filename.Number(base); numbered && proposals[dir] || deeper[name] {
				h.touched[c.Hash]++
			}
		}
	}
	for name, file := range r.texts {
		if blob := last[name]; blob != "" && !today[name] && !h.options.Rules.Is(file) {
			r.left[name] = blob
		}
	}
	for _, c := range git.AsListed(r.commits) {
		for _, f := range c.Files {
			key := fileKey{r.top, f.Path}
			h.files[key] = append(h.files[key], Version{c, f, r.cut[c.Hash]})
		}
	}
	if undated > 0 && len(dirs) > 0 {
		h.report(dirs[0], "commit-date", example, undated)
	}
	return err
}

// read reads the commits and the files of the repository, or reuses an earlier log's, which may be
// nil.
func (r *repository) read(
	ctx context.Context, before *repository, counts func(name string) bool,
) error {
	if r.same(before, counts) {
		r.lacks, r.counted, r.tracked, r.commits = before.lacks, before.counted, before.tracked,
			before.commits
		return nil
	}
	r.lacks = git.Partial(ctx, r.top)
	if r.place.Head == "" {
		return git.ErrNoRepo
	}
	r.tracked, _ = git.Tracked(ctx, r.top, r.place.Head)
	counted := map[string]bool{}
	var err error
	r.commits, err = walk(ctx, r.place, r.folders, func(name string) bool {
		in, known := counted[name]
		if !known {
			in = counts(name)
			counted[name] = in
		}
		return in
	})
	if err == nil {
		r.counted = counted
	}
	return err
}

// same reports whether a new walk would find the same as an earlier one. It checks the selection of
// every file.
func (r *repository) same(before *repository, counts func(name string) bool) bool {
	same := before != nil && before.counted != nil && before.place.SameCommits(r.place) &&
		slices.Equal(before.folders, r.folders)
	if same {
		for name, counted := range before.counted {
			same = counts(name) == counted && same
		}
	}
	return same
}

// walk is [git.Walk] with author names and subjects that fit on a page.
func walk(
	ctx context.Context, from git.Place, paths []string, inside func(path string) bool,
) ([]git.Commit, error) {
	commits, err := git.Walk(ctx, from.Top, from.Head, paths, inside)
	for i := range commits {
		c := &commits[i]
		c.Author, c.Subject = oneLine(c.Author), oneLine(c.Subject)
	}
	return commits, err
}

// last is the newest version of a file by its time, or nil if none is known.
func last(all []Version) *Version {
	var newest *Version
	for i := range all {
		if v := &all[i]; !v.Edge && (newest == nil || v.When > newest.When) {
			newest = v
		}
	}
	return newest
}

// created is the time of a file's first commit. It is nil if that is unknown, or if the commit
// touches other proposals too and so may have moved or imported the file.
func (h *Log) created(all []Version) *mip.Time {
	if len(all) == 0 || slices.ContainsFunc(all, func(v Version) bool { return v.Edge }) {
		return nil
	}
	first := slices.MinFunc(all, func(a, b Version) int { return cmp.Compare(a.When, b.When) })
	if first.Undated || h.touched[first.Hash] != 1 {
		return nil
	}
	return new(first.Time())
}

// Arrival is when the published branch, or the upstream of a synced text, got a file, in Unix
// seconds. It is the largest number if that is unknown.
func (h *Log) Arrival(f folder.File) int64 {
	if from, ok := h.records[f.Folder].File(f.Name); ok && len(from.Versions) > 0 {
		return from.Versions[len(from.Versions)-1].Time.UTC().Unix()
	}
	place := h.places[f.Folder]
	for _, v := range h.files[fileKey{place.Top, place.Prefix + f.Name}] {
		if v.Before == "" {
			return v.Landed
		}
	}
	return math.MaxInt64
}

// wasText finds the folder of a file that is a text, or may have been one by its name and place:
// directly in a folder, or where a pattern has a text or a folder with one. In a folder with synced
// texts only present files count.
func (h *Log) wasText(top, name string, here bool) (file folder.File, ok bool) {
	if !strings.EqualFold(path.Ext(name), ".md") {
		return file, false
	}
	longest := -1
	for _, dir := range h.options.Rules.Folders() {
		place := h.places[dir]
		rest, below := strings.CutPrefix(name, place.Prefix)
		if !below || place.Top != top || len(place.Prefix) <= longest {
			continue
		}
		f := folder.File{Folder: dir, Name: rest, Path: path.Join(filepath.ToSlash(dir), rest)}
		if _, synced := h.records[dir].File(rest); synced || h.records[dir] != nil && !here {
			continue
		}
		if here || h.options.Rules.Was(f) {
			file, ok, longest = f, true, len(place.Prefix)
		}
	}
	return file, ok
}
