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

// history holds the commits that touched the files in the folders.
type history struct {
	// Full, shallow, none or fixed.
	state  string
	epoch  *time.Time
	places map[string]git.Place // by folder
	// partial holds the top folders of clones that lack some contents.
	partial map[string]bool
	// files are the histories of committed files.
	files map[fileKey]*fileHistory
	// touched counts, by commit, the files named like proposals that it touches.
	touched map[string]int
	// records are those of mipwatch sync, by folder.
	records  map[string]*gitsync.Record
	problems []mip.Problem
}

// fileKey is a path within a repository.
type fileKey struct{ top, path string }

// fileHistory is one file's commits.
type fileHistory struct {
	first, last git.Commit
	known       bool // both are
	// The file does not reach the edge of a shallow clone.
	complete bool
	// past is that of a file named like a proposal.
	past Past
}

// touch takes a commit into account, newest first.
func (f *fileHistory) touch(c git.Commit) {
	if !f.known || c.When > f.last.When {
		f.last = c
	}
	if !f.known || c.When < f.first.When {
		f.first = c
	}
	f.known = true
}

// maxLanguages bounds the folders of translations whose files have times too.
const maxLanguages = 200

// readHistory reads the history of all folders. Where git knows nothing the header's dates
// stay.
func readHistory(ctx context.Context, folders []string, epoch *time.Time) *history {
	h := &history{
		state: "none", epoch: epoch, places: map[string]git.Place{}, files: map[fileKey]*fileHistory{}, touched: map[string]int{},
		records: map[string]*gitsync.Record{}, partial: map[string]bool{},
	}
	for _, dir := range folders {
		h.readRecord(dir)
	}
	if epoch != nil {
		h.state = "fixed"
		return h
	}
	// Several folders may lie in one repository, whose log is read once.
	byTop := map[string][]string{} // folders by repository
	whole := true
	for _, dir := range folders {
		p, err := git.Locate(ctx, dir)
		if err != nil {
			whole = false
			h.missing(dir, err)
			if errors.Is(err, git.ErrNoGit) {
				return h
			}
			continue
		}
		h.places[dir] = p
		if p.Shallow != nil {
			whole = false
			h.report(mip.Notice, dir, "history-shallow",
				"the clone is shallow: times before its first commit are unknown; fetch the whole history (git fetch --unshallow)")
		}
		byTop[p.Top] = append(byTop[p.Top], dir)
	}
	for top, dirs := range byTop {
		if git.Partial(ctx, top) {
			h.partial[top] = true
			h.report(mip.Notice, dirs[0], "history-partial",
				"the clone lacks what files held before: versions are told without their texts; fetch it all (git fetch --refetch --no-filter)")
		}
		if err := h.readLog(ctx, top, dirs); err != nil {
			whole = false
			h.missing(dirs[0], err)
		}
	}
	// A clone without any commit of these files has no history at all.
	shallow := slices.ContainsFunc(folders, func(dir string) bool { return h.places[dir].Shallow != nil })
	switch {
	case len(h.files) == 0 && !shallow:
	case whole:
		h.state = "full"
	default:
		h.state = "shallow"
	}
	return h
}

// report notes a problem of a folder, or of a file in it.
func (h *history) report(level mip.Level, name, code, format string, args ...any) {
	r := report{file: filepath.ToSlash(name)}
	r.add(level, 0, code, format, args...)
	h.problems = append(h.problems, r.problems...)
}

// missing notes why a folder has no history. A folder outside of any repository is nothing to
// note.
func (h *history) missing(dir string, err error) {
	switch {
	case errors.Is(err, git.ErrNoRepo):
	case errors.Is(err, git.ErrNoGit):
		h.report(mip.Notice, dir, "history-none", "there is no git program: times come from the headers")
	case errors.Is(err, git.ErrOwner):
		h.report(mip.Notice, dir, "history-none", "%v; until then times come from the headers", git.ErrOwner)
	default:
		h.report(mip.Notice, dir, "history-none", "%v: times come from the headers", git.ErrFailed)
	}
}

// readRecord reads the record of mipwatch sync in a folder. One that cannot be read is a
// problem, and times come from the local repository then.
func (h *history) readRecord(dir string) {
	// A folder that was never synced has no record.
	root, err := os.OpenRoot(dir)
	if err != nil {
		return // reported where the folder is listed
	}
	defer root.Close()
	record, err := gitsync.ReadRecord(root)
	if err != nil {
		h.report(mip.Warning, path.Join(filepath.ToSlash(dir), gitsync.RecordName), "upstream-record",
			"the record of mipwatch sync cannot be read (%v): times come from the repository here; bring it back, or remove it and sync again",
			folder.Cause(err))
		return
	}
	h.records[dir] = record
}

// readLog takes the commits of every file in the folders of one repository, and in their
// folders of translations, from one pass over the log.
func (h *history) readLog(ctx context.Context, top string, dirs []string) error {
	var prefixes []string
	proposals := map[string]bool{} // prefixes of proposals' folders
	for _, dir := range dirs {
		// Paths of the log are those within the repository.
		prefix := h.places[dir].Prefix
		proposals[prefix] = true
		prefixes = append(prefixes, prefix)
		entries, _ := os.ReadDir(filepath.Join(dir, TranslationsDir)) // an error is reported where the files are read
		entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() })
		for _, e := range entries[:min(len(entries), maxLanguages)] {
			prefixes = append(prefixes, prefix+TranslationsDir+"/"+e.Name()+"/")
		}
	}
	slices.Sort(prefixes)
	shallow := h.places[dirs[0]].Shallow
	undated, example := map[string]bool{}, ""
	err := git.Log(ctx, top, "", slices.Compact(prefixes), func(c git.Commit, t git.Touch) {
		if c.Undated {
			undated[c.Hash] = true
			example = max(example, c.Hash)
		}
		f := h.files[fileKey{top, t.Path}]
		if f == nil {
			f = &fileHistory{complete: true}
			h.files[fileKey{top, t.Path}] = f
		}
		edge := shallow[c.Hash] // git shows every file as new there
		// A translation is no proposal, whatever its name. touched separates a commit that
		// creates one proposal from one that imports many.
		if dir, name := path.Split(t.Path); proposals[dir] {
			if _, numbered := numberInName(name); numbered {
				h.touched[c.Hash]++
			}
			f.past.add(c, t.Blob, edge)
		}
		if edge {
			f.complete = false
		} else {
			f.touch(c)
		}
	})
	if len(undated) > 0 {
		h.report(mip.Warning, dirs[0], "commit-date",
			"commit %.12s has no date from 1970 through 9999 and counts as of 1970 (such commits: %d)", example, len(undated))
	}
	return err
}

// changed is the time of the newest commit that touched a file of a folder or below it, nil
// when git has none.
func (h *history) changed(f folder.File) *mip.Time {
	if h.epoch != nil {
		return new(mip.NewTime(*h.epoch))
	}
	p := h.places[f.Folder]
	found := h.files[fileKey{p.Top, p.Prefix + f.Name}]
	if found == nil || !found.known {
		return nil
	}
	return commitTime(found.last)
}

// commitTime is the time of a commit, by its committer's clock.
func commitTime(c git.Commit) *mip.Time { return new(mip.NewTime(time.Unix(c.When, 0))) }

// date sets the times of the proposals, settles the state, and returns the newest commit that
// touched one, with its time.
func (h *history) date(proposals []*Proposal) (string, *mip.Time) {
	var newest git.Commit
	known, synced := 0, 0
	for _, p := range proposals {
		// Without git the path is the best guess of the one in a repository.
		place := h.places[p.source.Folder]
		p.RepoPath = path.Join(filepath.Base(p.source.Folder), p.source.Name)
		if place.Top != "" {
			p.RepoPath = place.Prefix + p.source.Name
		}
		f := h.files[fileKey{place.Top, p.RepoPath}]
		// A file that was edited since it was synced has the local repository's times.
		if from, ok := h.records[p.source.Folder].File(p.source.Name); ok && from.SHA256 == p.ContentHash {
			p.RepoPath, p.Upstream, f = from.Path, true, upstreamHistory(from)
			synced++
		}
		switch {
		case h.epoch != nil:
			p.Updated = new(mip.NewTime(*h.epoch))
		case f != nil && f.known:
			known++
			p.Updated, p.Commit, p.Past = commitTime(f.last), f.last.Hash, f.past.publish(place.Top)
			// Of commits of one second the hash decides, so that the result does not depend on
			// the order.
			if cmp.Or(cmp.Compare(f.last.When, newest.When), strings.Compare(f.last.Hash, newest.Hash)) > 0 {
				newest = f.last
			}
			// The first commit of a file is its creation. One that touches other proposals may
			// have moved or imported it, and says nothing.
			if p.Created.IsZero() && f.complete && !f.first.Undated && (p.Upstream || h.touched[f.first.Hash] == 1) {
				p.Created = commitTime(f.first).Date()
				p.Inferred = append(p.Inferred, "created")
			}
		case !p.Created.IsZero():
			p.Updated = new(mip.NewTime(p.Created.Time()))
		}
	}
	// Where some files were synced, a link to the upstream does not fit the others.
	for _, p := range proposals {
		p.Local = synced > 0 && !p.Upstream
	}
	// The state before was that of the repositories; now it is that of the proposals.
	switch {
	case h.epoch == nil && known > 0 && synced == len(proposals):
		// The upstream's history is whole, however much of the local one is there.
		h.state = "full"
		h.problems = slices.DeleteFunc(h.problems, func(p mip.Problem) bool { return strings.HasPrefix(p.Code, "history-") })
	case h.state == "none" && known > 0:
		h.state = "shallow"
	case h.state == "full" && known == 0:
		h.state = "none" // the repository holds other files, not these
	}
	if known == 0 {
		return "", nil
	}
	return newest.Hash, commitTime(newest)
}

// upstreamHistory is a synced file's history, as it would be read in a clone of the upstream.
func upstreamHistory(from gitsync.File) *fileHistory {
	f := &fileHistory{complete: from.Added != nil}
	for _, v := range from.Versions {
		c := git.Commit{Hash: v.Commit, When: v.Time.UTC().Unix(), Subject: v.Subject}
		f.touch(c)
		f.past.add(c, v.Blob, false)
	}
	if from.Added != nil {
		f.first = git.Commit{When: from.Added.UTC().Unix()}
	}
	return f
}

// keepTexts forgets which texts the local repository does not hold: those of synced files are
// there as far as they were committed here or fetched, those of a partial clone as far as they
// were fetched. Without a repository none is.
func (h *history) keepTexts(ctx context.Context, proposals []*Proposal) {
	byTop := map[string][]*Proposal{}
	for _, p := range proposals {
		if p.Past != nil && (p.Upstream || h.partial[p.Past.top]) {
			byTop[p.Past.top] = append(byTop[p.Past.top], p)
		}
	}
	for top, of := range byTop {
		var hashes []string
		for _, p := range of {
			hashes = append(hashes, p.Past.Texts...)
		}
		held := make([]bool, len(hashes))
		if top != "" {
			var err error
			if held, err = git.HasBlobs(ctx, top, hashes); err != nil {
				h.report(mip.Notice, of[0].source.Folder, "history-texts", "%v: pages of versions show no texts", git.ErrFailed)
				held = make([]bool, len(hashes))
			}
		}
		for _, p := range of {
			for k := range p.Past.Texts {
				if !held[k] {
					p.Past.Texts[k] = ""
				}
			}
			held = held[len(p.Past.Texts):]
		}
	}
}
