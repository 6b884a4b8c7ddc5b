package corpus

import (
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// history is what git knows of the files in the folders.
type history struct {
	state    string // full, shallow, none or fixed
	epoch    *time.Time
	places   map[string]place      // by folder
	changes  map[fileKey]fileTimes // of committed files
	sizes    map[string]int        // files named like proposals that a commit touches, by hash
	problems []mip.Problem
}

// fileKey is a path within a repository.
type fileKey struct{ top, path string }

// fileTimes are the commits that touched a file.
type fileTimes struct {
	last     commit
	first    commit
	known    bool // both are
	complete bool // the file does not reach the edge of a shallow clone
	past     past // of a file that is named like a proposal
}

// askGit reads the history of all folders: two runs of git for one repository. What git cannot say
// leaves the header's dates.
func askGit(ctx context.Context, folders []string, epoch *time.Time) *history {
	h := &history{state: "none", epoch: epoch, places: map[string]place{}, changes: map[fileKey]fileTimes{}, sizes: map[string]int{}}
	if epoch != nil {
		h.state = "fixed"
		return h
	}
	prefixes := map[string][]string{}
	var tops []string
	complete := true
	for _, folder := range folders {
		p, err := locate(ctx, folder)
		if err != nil {
			complete = false
			h.missing(folder, err)
			if errors.Is(err, errNoGit) {
				return h
			}
			continue
		}
		h.places[folder] = p
		if prefixes[p.top] == nil {
			tops = append(tops, p.top)
		}
		prefixes[p.top] = append(prefixes[p.top], p.prefix)
		if p.shallow != nil {
			complete = false
			h.notice(folder, "history-shallow", "the clone is shallow: times before its first commit are unknown; fetch the whole history (git fetch --unshallow)")
		}
	}
	for _, top := range tops {
		if err := h.read(ctx, top, prefixes[top]); err != nil {
			complete = false
			h.missing(h.folderIn(folders, top), err)
		}
	}
	switch {
	case len(h.changes) == 0 && !h.shallow():
	case complete:
		h.state = "full"
	default:
		h.state = "shallow"
	}
	return h
}

func (h *history) shallow() bool {
	for _, p := range h.places {
		if p.shallow != nil {
			return true
		}
	}
	return false
}

func (h *history) folderIn(folders []string, top string) string {
	for _, folder := range folders {
		if h.places[folder].top == top {
			return folder
		}
	}
	return top
}

// missing notes why a folder has no history. A folder outside of any repository is nothing to note.
func (h *history) missing(folder string, err error) {
	switch {
	case errors.Is(err, errNoRepo):
	case errors.Is(err, errNoGit):
		h.notice(folder, "history-none", "there is no git program: times come from the headers")
	case errors.Is(err, errOwner):
		h.notice(folder, "history-none", "%v; until then times come from the headers", errOwner)
	default:
		h.notice(folder, "history-none", "%v: times come from the headers", errGitFailed)
	}
}

func (h *history) notice(folder, code, format string, args ...any) {
	r := report{file: filepath.ToSlash(folder)}
	r.noticef(0, code, format, args...)
	h.problems = append(h.problems, r.problems...)
}

// read takes the first and last commit of every file from one pass over the log.
func (h *history) read(ctx context.Context, top string, prefixes []string) error {
	slices.Sort(prefixes)
	var shallow map[string]bool
	for _, p := range h.places {
		if p.top == top {
			shallow = p.shallow
		}
	}
	prefixes = slices.Compact(prefixes)
	return log(ctx, top, prefixes, func(c commit, f touch) {
		key := fileKey{top, f.path}
		t, seen := h.changes[key]
		// What lies in a sub-folder is no proposal, whatever its name: such as a translation of one.
		if dir, name := path.Split(f.path); slices.Contains(prefixes, dir) {
			if _, numbered := numberInName(name); numbered {
				h.sizes[c.hash]++
			}
			t.past.add(c, f.blob, shallow[c.hash])
		}
		if !seen {
			t.complete = true
		}
		if shallow[c.hash] { // git shows every file as new there
			t.complete = false
			h.changes[key] = t
			return
		}
		if !t.known || c.when > t.last.when {
			t.last = c
		}
		if !t.known || c.when < t.first.when {
			t.first = c
		}
		t.known = true
		h.changes[key] = t
	})
}

// changed is the time of the newest commit that touched a file of a folder or below it, nil when that is
// not known.
func (h *history) changed(f folder.File) *mip.Time {
	if h.epoch != nil {
		return moment(*h.epoch)
	}
	pl := h.places[f.Folder]
	t := h.changes[fileKey{pl.top, pl.prefix + f.Name}]
	if pl.top == "" || !t.known {
		return nil
	}
	return moment(time.Unix(t.last.when, 0))
}

// date sets the times of the proposals, settles the state, and returns the newest commit that touched one,
// with its time.
func (h *history) date(proposals []*Proposal) (string, *mip.Time) {
	var newest commit
	known := false
	for _, p := range proposals {
		p.RepoPath = path.Join(filepath.Base(p.source.Folder), p.source.Name)
		t, pl := fileTimes{}, h.places[p.source.Folder]
		if pl.top != "" {
			p.RepoPath = pl.prefix + p.source.Name
			t = h.changes[fileKey{pl.top, p.RepoPath}]
		}
		switch {
		case h.epoch != nil:
			p.Updated = moment(*h.epoch)
		case t.known:
			p.Updated, p.Commit = moment(time.Unix(t.last.when, 0)), t.last.hash
			p.Past = t.past.publish(pl.top)
			h.create(p, t)
			known = true
			if cmp.Or(cmp.Compare(t.last.when, newest.when), strings.Compare(t.last.hash, newest.hash)) > 0 {
				newest = t.last
			}
		case !p.Created.IsZero():
			p.Updated = moment(p.Created.Time())
		}
	}
	if h.state == "full" && !known {
		h.state = "none" // the repository holds other files, not these
	}
	if !known {
		return "", nil
	}
	return newest.hash, moment(time.Unix(newest.when, 0))
}

// create infers the day of creation, where the header has none, from the first commit of the file. One
// that touches other proposals as well may have moved or imported the file, and says nothing.
func (h *history) create(p *Proposal, t fileTimes) {
	if p.Created.IsZero() && t.complete && h.sizes[t.first.hash] == 1 {
		p.Created = mip.NewTime(time.Unix(t.first.when, 0)).Date()
		p.Inferred = append(p.Inferred, "created")
	}
}

func moment(t time.Time) *mip.Time {
	m := mip.NewTime(t)
	return &m
}
