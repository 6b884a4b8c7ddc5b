package corpus

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/gitsync"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// history is what git knows of the files in the folders.
type history struct {
	state    string // full, shallow, none or fixed
	epoch    *time.Time
	places   map[string]git.Place  // by folder
	partial  map[string]bool       // top folders of clones that lack some contents
	changes  map[fileKey]fileTimes // of committed files
	sizes    map[string]int        // files named like proposals that a commit touches, by hash
	problems []mip.Problem
	records  map[string]*gitsync.Record // by folder, of those that were synced
}

// fileKey is a path within a repository.
type fileKey struct{ top, path string }

// fileTimes are the commits that touched a file.
type fileTimes struct {
	last     git.Commit
	first    git.Commit
	known    bool // both are
	complete bool // the file does not reach the edge of a shallow clone
	past     past // of a file that is named like a proposal
}

// maxLanguages bounds the folders of translations whose files have times too.
const maxLanguages = 200

// askGit reads the history of all folders. What git cannot say leaves the header's dates.
func askGit(ctx context.Context, folders []string, epoch *time.Time) *history {
	h := &history{state: "none", epoch: epoch, places: map[string]git.Place{}, partial: map[string]bool{}, changes: map[fileKey]fileTimes{}, sizes: map[string]int{}}
	h.readRecords(folders)
	if epoch != nil {
		h.state = "fixed"
		return h
	}
	prefixes := map[string][]string{}
	var tops []string
	complete := true
	for _, folder := range folders {
		p, err := git.Locate(ctx, folder)
		if err != nil {
			complete = false
			h.missing(folder, err)
			if errors.Is(err, git.ErrNoGit) {
				return h
			}
			continue
		}
		h.places[folder] = p
		if prefixes[p.Top] == nil {
			tops = append(tops, p.Top)
			if git.Partial(ctx, p.Top) {
				h.partial[p.Top] = true
				h.notice(folder, "history-partial",
					"the clone lacks what files held before: versions are told without their texts; fetch it all (git fetch --refetch --no-filter)")
			}
		}
		prefixes[p.Top] = append(prefixes[p.Top], p.Prefix)
		for _, language := range subfolders(filepath.Join(folder, TranslationsDir)) {
			prefixes[p.Top] = append(prefixes[p.Top], p.Prefix+TranslationsDir+"/"+language+"/")
		}
		if p.Shallow != nil {
			complete = false
			h.notice(folder, "history-shallow", "the clone is shallow: times before its first commit are unknown; fetch the whole history (git fetch --unshallow)")
		}
	}
	for _, top := range tops {
		if err := h.read(ctx, top, prefixes[top], h.folderIn(folders, top)); err != nil {
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
		if p.Shallow != nil {
			return true
		}
	}
	return false
}

func (h *history) folderIn(folders []string, top string) string {
	for _, folder := range folders {
		if h.places[folder].Top == top {
			return folder
		}
	}
	return top
}

// missing notes why a folder has no history. A folder outside of any repository is nothing to note.
func (h *history) missing(folder string, err error) {
	switch {
	case errors.Is(err, git.ErrNoRepo):
	case errors.Is(err, git.ErrNoGit):
		h.notice(folder, "history-none", "there is no git program: times come from the headers")
	case errors.Is(err, git.ErrOwner):
		h.notice(folder, "history-none", "%v; until then times come from the headers", git.ErrOwner)
	default:
		h.notice(folder, "history-none", "%v: times come from the headers", git.ErrFailed)
	}
}

func (h *history) notice(folder, code, format string, args ...any) {
	r := report{file: filepath.ToSlash(folder)}
	r.noticef(0, code, format, args...)
	h.problems = append(h.problems, r.problems...)
}

// subfolders are the names of the first folders in a folder, none when it is not there.
func subfolders(dir string) []string {
	entries, _ := os.ReadDir(dir) // what is wrong with it is reported where its files are read
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names[:min(len(names), maxLanguages)]
}

// read takes the first and last commit of every file from one pass over the log.
func (h *history) read(ctx context.Context, top string, prefixes []string, folder string) error {
	var shallow map[string]bool
	var own []string // with proposals
	for _, p := range h.places {
		if p.Top == top {
			shallow = p.Shallow
			own = append(own, p.Prefix)
		}
	}
	slices.Sort(prefixes)
	undated := map[string]bool{}
	example := ""
	err := git.Log(ctx, top, "", slices.Compact(prefixes), func(c git.Commit, f git.Touch) {
		if c.Undated && !undated[c.Hash] {
			undated[c.Hash] = true
			example = max(example, c.Hash)
		}
		key := fileKey{top, f.Path}
		t, seen := h.changes[key]
		// A translation is no proposal, whatever its name.
		if dir, name := path.Split(f.Path); slices.Contains(own, dir) {
			if _, numbered := numberInName(name); numbered {
				h.sizes[c.Hash]++
			}
			t.past.add(c, f.Blob, shallow[c.Hash])
		}
		if !seen {
			t.complete = true
		}
		if shallow[c.Hash] { // git shows every file as new there
			t.complete = false
			h.changes[key] = t
			return
		}
		if !t.known || c.When > t.last.When {
			t.last = c
		}
		if !t.known || c.When < t.first.When {
			t.first = c
		}
		t.known = true
		h.changes[key] = t
	})
	if len(undated) > 0 {
		h.warn(folder, "commit-date", "commit %.12s has no date from 1970 through 9999 and counts as of 1970 (such commits: %d)", example, len(undated))
	}
	return err
}

// changed is the time of the newest commit that touched a file of a folder or below it, nil when that is
// not known.
func (h *history) changed(f folder.File) *mip.Time {
	if h.epoch != nil {
		return moment(*h.epoch)
	}
	pl := h.places[f.Folder]
	t := h.changes[fileKey{pl.Top, pl.Prefix + f.Name}]
	if pl.Top == "" || !t.known {
		return nil
	}
	return moment(time.Unix(t.last.When, 0))
}

// date sets the times of the proposals, settles the state, and returns the newest commit that touched one,
// with its time.
func (h *history) date(proposals []*Proposal) (string, *mip.Time) {
	var newest git.Commit
	known, local := false, false
	for _, p := range proposals {
		p.RepoPath = path.Join(filepath.Base(p.source.Folder), p.source.Name)
		t, pl := fileTimes{}, h.places[p.source.Folder]
		if pl.Top != "" {
			p.RepoPath = pl.Prefix + p.source.Name
			t = h.changes[fileKey{pl.Top, p.RepoPath}]
		}
		from, synced := h.synced(p)
		if synced {
			p.RepoPath, p.Upstream, t = from.Path, true, upstreamTimes(from)
		}
		local = local || !synced
		switch {
		case h.epoch != nil:
			p.Updated = moment(*h.epoch)
		case t.known:
			p.Updated, p.Commit = moment(time.Unix(t.last.When, 0)), t.last.Hash
			p.Past = t.past.publish(pl.Top)
			if synced || h.sizes[t.first.Hash] == 1 {
				create(p, t)
			}
			known = true
			if cmp.Or(cmp.Compare(t.last.When, newest.When), strings.Compare(t.last.Hash, newest.Hash)) > 0 {
				newest = t.last
			}
		case !p.Created.IsZero():
			p.Updated = moment(p.Created.Time())
		}
	}
	if slices.ContainsFunc(proposals, func(p *Proposal) bool { return p.Upstream }) {
		for _, p := range proposals {
			p.Local = !p.Upstream
		}
	}
	switch {
	case h.epoch == nil && known && !local:
		// The upstream's history is whole, whatever is known of the one here.
		h.state = "full"
		h.problems = slices.DeleteFunc(h.problems, func(p mip.Problem) bool { return strings.HasPrefix(p.Code, "history-") })
	case h.state == "none" && known:
		h.state = "shallow"
	case h.state == "full" && !known:
		h.state = "none" // the repository holds other files, not these
	}
	if !known {
		return "", nil
	}
	return newest.Hash, moment(time.Unix(newest.When, 0))
}

func (h *history) warn(folder, code, format string, args ...any) {
	r := report{file: filepath.ToSlash(folder)}
	r.warnf(0, code, format, args...)
	h.problems = append(h.problems, r.problems...)
}

// create infers the day of creation, where the header has none, from the first commit of the file, which
// must not touch other proposals: it may have moved or imported the file then, and says nothing.
func create(p *Proposal, t fileTimes) {
	if p.Created.IsZero() && t.complete && !t.first.Undated {
		p.Created = mip.NewTime(time.Unix(t.first.When, 0)).Date()
		p.Inferred = append(p.Inferred, "created")
	}
}

func moment(t time.Time) *mip.Time {
	m := mip.NewTime(t)
	return &m
}

// readRecords reads what mipwatch sync left in the folders, by folder. One that cannot be read is a problem, and
// times come from the local repository then.
func (h *history) readRecords(folders []string) {
	h.records = map[string]*gitsync.Record{}
	for _, dir := range folders {
		root, err := os.OpenRoot(dir)
		if err != nil {
			continue // reported where the folder is listed
		}
		record, err := gitsync.ReadRecord(root)
		root.Close()
		if err != nil {
			r := report{file: path.Join(filepath.ToSlash(dir), gitsync.RecordName)}
			r.warnf(0, "upstream-record",
				"the record of mipwatch sync cannot be read (%v): times come from the repository here; bring it back, or remove it and sync again",
				folder.Cause(err))
			h.problems = append(h.problems, r.problems...)
			continue
		}
		if record != nil {
			h.records[dir] = record
		}
	}
}

// synced returns what the upstream knows of a proposal. A file that was edited since has the local
// repository's times.
func (h *history) synced(p *Proposal) (gitsync.File, bool) {
	f, ok := h.records[p.source.Folder].File(p.source.Name)
	return f, ok && f.SHA256 == p.ContentHash
}

// upstreamTimes is a synced file's history, as it would be read in a clone of the upstream.
func upstreamTimes(f gitsync.File) fileTimes {
	t := fileTimes{complete: f.Added != nil}
	for _, v := range f.Versions {
		c := git.Commit{Hash: v.Commit, When: v.Time.UTC().Unix(), Subject: v.Subject}
		if !t.known || c.When > t.last.When {
			t.last = c
		}
		t.known = true
		t.past.add(c, v.Blob, false)
	}
	if f.Added != nil {
		t.first = git.Commit{When: f.Added.UTC().Unix()}
	}
	return t
}

// keepTexts forgets which texts the local repository does not hold: those of synced files are there as far as
// they were committed here or fetched, those of a partial clone as far as they were fetched. Without a repository none is.
func (h *history) keepTexts(ctx context.Context, proposals []*Proposal) {
	byTop, folders := map[string][]*Past{}, map[string]string{}
	for _, p := range proposals {
		if p.Past != nil && (p.Upstream || h.partial[p.Past.top]) {
			folders[p.Past.top] = p.source.Folder
			byTop[p.Past.top] = append(byTop[p.Past.top], p.Past)
		}
	}
	for top, pasts := range byTop {
		var hashes []string
		for _, past := range pasts {
			hashes = append(hashes, past.Texts...)
		}
		held := make([]bool, len(hashes))
		if top != "" {
			var err error
			if held, err = git.Held(ctx, top, hashes); err != nil {
				h.notice(folders[top], "history-texts", "%v: pages of versions show no texts", git.ErrFailed)
				held = make([]bool, len(hashes))
			}
		}
		for _, past := range pasts {
			for k := range past.Texts {
				if !held[k] {
					past.Texts[k] = ""
				}
			}
			held = held[len(past.Texts):]
		}
	}
}
