// Package gitsync copies proposals from an upstream git repository into local folders: whole or not at all, nothing
// but the texts of proposals, and nothing over what no commit has.
//
// A run has four steps. It locks the folders. It fetches the repository, bare, into a temporary folder. It compares
// the folders with the commit and writes new texts under temporary names. When nothing is in the way, it removes files
// that left the upstream, renames the new ones, and writes the record.
//
// A file is replaced or removed only if git has its bytes: the upstream's repository, or the last commit of the repository
// around the folder. Any others are somebody's work: they are reported and stay. A run that is killed leaves whole files of
// the upstream, so that the next one completes the rest without a question.
//
// The package knows nothing of site.yaml, of what the texts say, or of how they are published.
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

	local "github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxRepository bounds what is fetched, in bytes. The largest repository of proposals known takes a quarter.
const maxRepository = 1 << 30

// Options says what comes from where.
type Options struct {
	// Git is the address of the upstream. It must not begin with a hyphen.
	Git string
	// Named is how site.yaml has the address, which records then have too; empty: as Git. The path of a
	// repository on this machine is another one elsewhere.
	Named string
	// Ref is a branch, a tag, the full name of either (refs/heads/main) or a whole hash; empty means the default branch.
	Ref     string
	Targets []Target
	// KeepGoing takes what can be taken: files with an error stay as they are here.
	KeepGoing bool
	// Timeout is for all that git does.
	Timeout time.Duration
	// Doing is called with each step, in words, and Waiting once if another sync has to end first.
	Doing   func(what string)
	Waiting func()
}

// Target is a local folder and what comes into it.
type Target struct {
	// Folder is made when it is not there.
	Folder string
	// From are folders of the upstream, "." for its top, or patterns of files there, such as CIP-*/README.md; at least one.
	From []string
}

// Report is what was done. Lists are sorted and never null.
type Report struct {
	// Git is the address of the upstream without user and password.
	Git string `json:"git"`
	Ref string `json:"ref"`
	// From is the commit of the sync before; empty when there was none.
	From string `json:"from"`
	To   string `json:"to"`
	// Rewritten is true when From does not lead to To.
	Rewritten bool     `json:"rewritten"`
	Added     []string `json:"added"`
	Changed   []string `json:"changed"`
	Removed   []string `json:"removed"`
	Unchanged int      `json:"unchanged"`
	// Overwritten are those changed or removed files of which the last commit here, and not the upstream, has the bytes.
	Overwritten []string `json:"overwritten"`
	// Problems keep files from being taken. With one, and without KeepGoing, nothing was done.
	Problems []mip.Problem `json:"problems"`
	// Notices are sentences about commits of the upstream that keep no file from being taken.
	Notices []string `json:"notices"`
}

// problem adds an error that keeps a file from being taken.
func (r *Report) problem(file, code, format string, args ...any) {
	p := mip.Problem{Level: mip.Error, Code: code, File: file, Message: fmt.Sprintf(format, args...)}
	r.Problems = append(r.Problems, p)
}

// Why nothing could be synced.
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

// Sync brings the folders to what the upstream has. The error wraps one of those above, [git.ErrNoGit] or the
// context's; what concerns a file is in the report's problems.
func Sync(ctx context.Context, o Options) (Report, error) {
	s := &syncer{Options: o, Report: &Report{Git: git.Public(o.Git), Ref: o.Ref, Added: []string{}, Changed: []string{},
		Removed: []string{}, Overwritten: []string{}, Problems: []mip.Problem{}, Notices: []string{}}}
	err := s.run(ctx)
	// Folders are closed after a failure as well: those that are new and empty are removed.
	for _, f := range s.folders {
		f.close()
	}
	// The order of the report does not depend on that of the steps.
	for _, list := range [][]string{s.Added, s.Changed, s.Removed, s.Overwritten} {
		slices.Sort(list)
	}
	s.Problems = mip.SortProblems(s.Problems)
	return *s.Report, err
}

// run locks all folders, compares them with the upstream, and changes them.
func (s *syncer) run(ctx context.Context) error {
	// Make the clone first, so that no folder is made when the temporary folder cannot be written.
	clone, remove, err := makeClone()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrWrite, err)
	}
	defer remove()
	s.clone = clone
	// Lock all folders before anything is asked or written, in one order, so that two runs never wait for each other.
	byName := func(a, b Target) int { return strings.Compare(a.Folder, b.Folder) }
	for _, t := range slices.SortedFunc(slices.Values(s.Targets), byName) {
		if err := s.open(ctx, t); err != nil {
			return err
		}
	}
	if err := s.upstream(ctx); err != nil {
		return err
	}
	// Whole or not at all: one file in error keeps all folders as they are.
	if len(s.Problems) > 0 && !s.KeepGoing {
		s.Unchanged, s.Overwritten = 0, []string{}
		return nil
	}
	// From here on files change. Look for an interruption only between folders, where the record is sound.
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

// upstream does all that needs git, within the timeout.
func (s *syncer) upstream(ctx context.Context) error {
	// The timeout begins here: the time of waiting for another run does not count.
	limited, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	// Check the time first: git ends with many words when it is killed.
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

// fetch fetches the repository and compares the folders with it, unless they are as the last sync left them, at the
// same commit.
func (s *syncer) fetch(ctx context.Context) (err error) {
	s.Doing("asking " + s.Report.Git)
	if s.To, err = git.Resolve(ctx, s.clone, s.Options.Git, s.Options.Ref); err != nil {
		return err
	}
	// Most runs end here, after one question to the upstream.
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
	// Times come from the log, since nothing of the upstream is checked out.
	if err := s.versions(ctx); err != nil {
		return err
	}
	s.Doing("comparing")
	objects, err := git.OpenObjects(ctx, s.clone)
	if err != nil {
		return err
	}
	defer objects.Close()
	for _, f := range s.folders {
		k := newKeepers(ctx, objects, s.To, f.Folder)
		err := f.compare(s.record(f), k)
		k.close()
		if err != nil {
			return err
		}
	}
	s.Rewritten = s.From != "" && !git.Ancestor(ctx, s.clone, s.From, s.To)
	return ctx.Err()
}

// record is that of a folder after this run, without its files.
func (s *syncer) record(f *folder) *Record {
	named := git.Public(cmp.Or(s.Named, s.Options.Git))
	return &Record{About: about, Git: named, Ref: s.Options.Ref, Folders: f.From, Commit: s.To}
}

const (
	// clonePrefix begins the names of folders for fetched repositories in the system's temporary folder.
	clonePrefix = "mipwatch-sync-"
	// cloneMark is a file in each of them, with the text markText: somebody else's folder may have such a name.
	cloneMark = "mipwatch-sync"
	markText  = "This folder is written by mipwatch sync, which removes it.\n"
)

// makeClone makes a temporary folder for a repository. It is locked until remove is called, so that no other run takes
// it for one that was left behind. makeClone removes those first.
func makeClone() (dir string, remove func(), err error) {
	removeClones()
	// Only a locked folder has a name that others look at.
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

// removeClones removes what killed runs left: the folders that have the mark and that no process locks. It leaves what
// it cannot remove, such as another user's.
func removeClones() {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), clonePrefix+"*")) // those that could be read
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

// marked reports whether a run made the folder.
func marked(dir string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close()
	text, err := local.Read(root, cloneMark, int64(len(markText)))
	return err == nil && string(text) == markText
}
