// Package gitsync copies proposals from an upstream git repository into local folders: whole or not
// at all, nothing but the texts of proposals and the files that they name, and nothing over files
// that are not committed.
//
// A run has four steps. It locks the folders. It fetches the repository, bare, into a temporary
// folder. It compares the folders with the commit and writes new texts under temporary names. If
// there is no problem, it removes files that left the upstream, renames the new ones, and writes
// the record.
//
// A file is replaced or removed only if git has its bytes: in the upstream's repository, or in the
// last commit of the local repository. Other files are somebody's work: they are reported and stay.
// A killed run leaves whole files of the upstream, and the next run completes the rest without
// asking.
//
// A run continues if a file that a text names cannot be taken.
//
// The package does not know site.yaml, the meaning of the texts, or their publication.
package gitsync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/mipwatch/mipwatch/internal/attachment"
	local "github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxRepository bounds a fetch, in bytes. The largest known repository of proposals has a quarter
// of it.
const maxRepository = 1 << 30

// Options configure a sync.
type Options struct {
	// Git is the address of the upstream. It must not begin with a hyphen.
	Git string
	// Named is the address in site.yaml, for the records. Empty means Git. They differ for a local
	// path, which is different on another machine.
	Named string
	// Ref is a branch, a tag, the full name of either (refs/heads/main) or a full hash. Empty means
	// the default branch.
	Ref     string
	Targets []Target
	// Texts finds the files that the texts name. If it is nil, none is taken.
	Texts Texts
	// KeepGoing syncs the sound files. Local files stay as they are if the upstream's have errors.
	KeepGoing bool
	// Timeout bounds all work of git.
	Timeout time.Duration
	// Doing is called at each step with its description. Waiting is called once if another sync has
	// to end first.
	Doing   func(what string)
	Waiting func()
}

// Target is a local folder and its sources.
type Target struct {
	// Folder is created if it is missing.
	Folder string
	// From are folders of the upstream, "." for its top, or patterns of files, such as
	// CIP-*/README.md. There is at least one.
	From []string
}

// Report is the result of a sync. Lists are sorted and never null.
type Report struct {
	// Git is the address of the upstream without user and password.
	Git string `json:"git"`
	Ref string `json:"ref"`
	// From is the commit of the previous sync, or empty if there was none.
	From string `json:"from"`
	To   string `json:"to"`
	// Rewritten is true if From is no ancestor of To.
	Rewritten bool     `json:"rewritten"`
	Added     []string `json:"added"`
	Changed   []string `json:"changed"`
	Removed   []string `json:"removed"`
	Unchanged int      `json:"unchanged"`
	// Overwritten are the changed or removed files whose bytes only the last local commit has, and
	// not the upstream.
	Overwritten []string `json:"overwritten"`
	// Problems are reasons why files are not taken. With an error, and without KeepGoing, nothing
	// was changed. Problems of files that texts name are warnings.
	Problems []mip.Problem `json:"problems"`
	// Notices are sentences about commits of the upstream. They prevent nothing.
	Notices []string `json:"notices"`
}

// problem adds the reason why a file is not taken. name is its local name.
func (r *Report) problem(name, file, code, format string, args ...any) {
	p := mip.Problem{Level: mip.Error, Code: code, File: file,
		Message: fmt.Sprintf(format, args...)}
	if isAttached(name) {
		p.Level = mip.Warning
	}
	r.Problems = append(r.Problems, p)
}

// Failed reports whether a text is not taken.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Problems, func(p mip.Problem) bool { return p.Level == mip.Error })
}

// Reasons why nothing could be synced.
var (
	ErrRef      = git.ErrRef
	ErrFolder   = errors.New("the folders do not fit")
	ErrUpstream = errors.New("the upstream cannot be fetched")
	ErrWrite    = errors.New("cannot be written")
)

// syncer is one run.
type syncer struct {
	Options
	// clone is the folder of the fetched repository.
	clone   string
	folders []*folder
	*Report
}

// Sync brings the folders to the state of the upstream. The error wraps one of the above,
// [git.ErrNoGit] or the context's. Problems of single files are in the report.
func Sync(ctx context.Context, o Options) (Report, error) {
	s := &syncer{Options: o,
		Report: &Report{Git: git.Public(o.Git), Ref: o.Ref, Added: []string{}, Changed: []string{},
			Removed: []string{}, Overwritten: []string{}, Problems: []mip.Problem{},
			Notices: []string{}}}
	err := s.run(ctx)
	// Close folders after a failure too: this removes new, empty ones.
	for _, f := range s.folders {
		f.close()
	}
	// The order in the report does not depend on the order of the steps.
	for _, list := range [][]string{s.Added, s.Changed, s.Removed, s.Overwritten} {
		slices.Sort(list)
	}
	s.Problems = mip.SortProblems(s.Problems)
	return *s.Report, err
}

// run locks all folders, compares them with the upstream, and changes them.
func (s *syncer) run(ctx context.Context) error {
	// Make the clone first, so that no folder is created if the temporary folder is not writable.
	clone, remove, err := makeClone()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrWrite, err)
	}
	defer remove()
	s.clone = clone
	// Lock all folders first, in a fixed order, so that two runs never wait for each other.
	byName := func(a, b Target) int { return strings.Compare(a.Folder, b.Folder) }
	for _, t := range slices.SortedFunc(slices.Values(s.Targets), byName) {
		if err := s.open(ctx, t); err != nil {
			return err
		}
	}
	if err := s.upstream(ctx); err != nil {
		return err
	}
	// Whole or not at all: one file with an error leaves all folders as they are.
	if s.Failed() && !s.KeepGoing {
		s.Unchanged, s.Overwritten = 0, []string{}
		return nil
	}
	// From here on files change. Check for cancellation only between folders, when the record is
	// consistent.
	for _, f := range s.folders {
		for _, step := range f.steps() {
			if err := step(); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// upstream does all work of git, within the timeout.
func (s *syncer) upstream(ctx context.Context) error {
	// Start the timeout here: waiting for another run does not count.
	limited, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	// Check the context first: a killed git prints a long error.
	err := s.fetch(limited)
	switch {
	case err == nil, ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return fmt.Errorf("%w: %s: it takes too long", ErrUpstream, s.Report.Git)
	case errors.Is(err, git.ErrFailed):
		return fmt.Errorf("%w: %s: %w", ErrUpstream, s.Report.Git, err)
	}
	return err
}

// fetch fetches the repository and compares the folders with it, unless they are unchanged since
// the last sync of the same commit.
func (s *syncer) fetch(ctx context.Context) (err error) {
	s.Doing("asking " + s.Report.Git)
	if s.To, err = git.Resolve(ctx, s.clone, s.Options.Git, s.Options.Ref); err != nil {
		return err
	}
	// Most runs end here, after one request to the upstream.
	if !slices.ContainsFunc(s.folders, func(f *folder) bool { return !f.current(s.record(f)) }) {
		for _, f := range s.folders {
			s.Unchanged += len(f.old.Files)
		}
		return nil
	}
	s.Doing("fetching " + s.Report.Git)
	if err := git.Fetch(ctx, s.clone, s.Options.Git, s.To, maxRepository); err != nil {
		return err
	}
	for _, f := range s.folders {
		if err := s.list(ctx, f); err != nil {
			return err
		}
	}
	// Times come from the log, since nothing is checked out.
	if err := s.versions(ctx); err != nil {
		return err
	}
	s.Doing("comparing")
	objects, err := git.OpenObjects(ctx, s.clone)
	if err != nil {
		return err
	}
	defer objects.Close()
	var count attachment.Count
	for _, f := range s.folders {
		if err := s.attach(ctx, f, objects, &count); err != nil {
			return err
		}
		k := openRepositories(ctx, objects, s.To, f.Folder)
		err := f.compare(s.record(f), k)
		k.close()
		if err != nil {
			return err
		}
	}
	s.Rewritten = s.From != "" && !git.Ancestor(ctx, s.clone, s.From, s.To)
	return ctx.Err()
}

// record is the record of a folder after this run, without its files.
func (s *syncer) record(f *folder) *Record {
	named := git.Public(cmp.Or(s.Named, s.Options.Git))
	return &Record{About: about, Git: named, Ref: s.Options.Ref, Folders: f.From, Commit: s.To}
}

const (
	// clonePrefix begins the names of clones in the system's temporary folder.
	clonePrefix = "mipwatch-sync-"
	// cloneMark is the name of a file in each clone, with the text markText: other programs may use
	// the same folder name.
	cloneMark = "mipwatch-sync"
	markText  = "This folder is written by mipwatch sync, which removes it.\n"
)

// makeClone creates a temporary folder for a repository. It stays locked until remove is called, so
// that no other run removes it. makeClone first removes the clones of killed runs.
func makeClone() (dir string, remove func(), err error) {
	removeClones()
	// Other runs look only at names with clonePrefix, so lock the folder before it gets one.
	fresh, err := os.MkdirTemp("", "mipwatch-")
	if err != nil {
		return "", nil, err
	}
	lock := flock.New(fresh, flock.SetFlag(os.O_RDONLY))
	dir = filepath.Join(filepath.Dir(fresh), clonePrefix+filepath.Base(fresh))
	_, err = lock.TryLock()
	err = errors.Join(err, os.WriteFile(filepath.Join(fresh, cloneMark), []byte(markText), 0o600))
	if err = errors.Join(err, os.Rename(fresh, dir)); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(fresh), lock.Close())
	}
	return dir, func() { os.RemoveAll(dir); lock.Close() }, nil
}

// removeClones removes the clones of killed runs: folders with the mark that no process has locked.
// It ignores folders that it cannot remove, such as another user's.
func removeClones() {
	// on an error those that could be read
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), clonePrefix+"*"))
	for _, dir := range left {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !marked(dir) {
			continue
		}
		lock := flock.New(dir, flock.SetFlag(os.O_RDONLY))
		if ok, _ := lock.TryLock(); ok {
			os.RemoveAll(dir)
		}
		lock.Close()
	}
}

// marked reports whether a run created the folder.
func marked(dir string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close()
	text, err := local.Read(root, cloneMark, int64(len(markText)))
	return err == nil && string(text) == markText
}
