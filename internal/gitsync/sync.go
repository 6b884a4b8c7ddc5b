// Package gitsync copies proposals from an upstream git repository into local folders: whole or not at all, nothing
// but the texts of proposals, and nothing over what somebody wrote there.
//
// A run has four steps. It locks the folders. It fetches the repository, bare, into a temporary folder. It compares
// the folders with the commit and writes new texts under temporary names. When nothing is in the way, it records which
// files it is about to put in place ([Record].Placing), renames them, removes files that left the upstream, and writes
// the final record.
//
// A run that is killed leaves whole files. The record then has the hashes of the old and the new bytes, so that the
// next run knows both as its own and completes the rest. Any other bytes under those names are somebody's edit: they
// are reported and stay.
//
// The package knows nothing of site.yaml, of what the texts say, or of how they are published.
package gitsync

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxRepository bounds what is fetched, in bytes. The largest repository of proposals known takes a quarter.
const maxRepository = 1 << 30

// Options says what comes from where.
type Options struct {
	// Git is the address of the upstream. It must not begin with a hyphen.
	Git string
	// Ref is a branch, a tag, the full name of either (refs/heads/main) or a whole hash; empty means the default branch.
	Ref     string
	Targets []Target
	// KeepGoing takes what can be taken: files with an error stay as they are here.
	KeepGoing bool
	// Timeout is for all that git does; 0 means no limit.
	Timeout time.Duration
	// Doing, when set, is called with each step, in words. Waiting, when set, is called once if another sync has to end
	// first.
	Doing   func(what string)
	Waiting func()
}

// Target is a local folder and what comes into it.
type Target struct {
	// Folder is made when it is not there.
	Folder string
	// From are folders of the upstream, "." for its top; at least one.
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
	// Problems keep files from being taken. With one, and without KeepGoing, nothing was done.
	Problems []mip.Problem `json:"problems"`
	// Notices are sentences about commits of the upstream that keep no file from being taken.
	Notices []string `json:"notices"`
}

// Why nothing could be synced.
var (
	ErrRef      = errors.New("the upstream has no such ref")
	ErrFolder   = errors.New("the folders do not fit")
	ErrUpstream = errors.New("the upstream cannot be fetched")
	ErrWrite    = errors.New("cannot be written")
)

// syncer is one run.
type syncer struct {
	Options
	// clone is the folder of the fetched repository.
	clone string
	// commit is the one of the upstream that is synced.
	commit  string
	folders []*folder
	report  *Report
}

// Sync brings the folders to what the upstream has. The error wraps one of those above, [git.ErrNoGit] or the
// context's; what concerns a file is in the report's problems.
func Sync(ctx context.Context, o Options) (Report, error) {
	report := Report{Git: git.Public(o.Git), Ref: o.Ref, Added: []string{}, Changed: []string{}, Removed: []string{},
		Problems: []mip.Problem{}, Notices: []string{}}
	s := &syncer{Options: o, report: &report}
	// The clone is made first: a temporary folder that cannot be written is no reason to make the folders.
	clone, remove, err := makeClone()
	if err != nil {
		return report, fmt.Errorf("%w: %w", ErrWrite, err)
	}
	defer remove()
	s.clone = clone
	// Folders are closed after a failure as well: what was prepared is removed.
	err = s.run(ctx)
	for _, f := range s.folders {
		f.close()
	}
	report.To = s.commit
	// The order of the report does not depend on that of the steps.
	for _, list := range [][]string{report.Added, report.Changed, report.Removed} {
		slices.Sort(list)
	}
	report.Problems = mip.SortProblems(report.Problems)
	return report, err
}

// run locks all folders, compares them with the upstream, and changes them.
func (s *syncer) run(ctx context.Context) error {
	// In one order, so that two runs never wait for each other.
	targets := slices.SortedFunc(slices.Values(s.Targets), func(a, b Target) int { return strings.Compare(a.Folder, b.Folder) })
	// All folders are locked before anything is asked or written.
	for _, t := range targets {
		if other := s.sameFolder(t.Folder); other != "" {
			return fmt.Errorf("%w: %s and %s are one", ErrFolder, other, t.Folder)
		}
		f, err := openFolder(ctx, t, s.Waiting)
		if err != nil {
			return err
		}
		f.report = s.report
		s.folders = append(s.folders, f)
		if s.report.From == "" && f.old != nil {
			s.report.From = f.old.Commit
		}
	}
	if err := s.upstream(ctx); err != nil {
		return err
	}
	// Whole or not at all: one file in error keeps all folders as they are.
	if len(s.report.Problems) > 0 && !s.KeepGoing {
		s.report.Unchanged = 0
		return nil
	}
	// From here on files change. An interruption is looked at between folders, where the record is sound.
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

// sameFolder is the name of a folder that is open already and is the named one; empty: there is none.
func (s *syncer) sameFolder(dir string) string {
	info, err := os.Stat(dir)
	for _, f := range s.folders {
		if other, bad := f.root.Stat("."); err == nil && bad == nil && os.SameFile(info, other) {
			return f.Folder
		}
	}
	return ""
}

// upstream does all that needs git, within the timeout.
func (s *syncer) upstream(ctx context.Context) error {
	// Waiting for another run is over by now, and is none of the upstream's time.
	limited, cancel := ctx, context.CancelFunc(func() {})
	if s.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, s.Timeout)
	}
	defer cancel()
	// The reason is that of the time first: git ends with many words when it is killed.
	err := s.fetch(limited)
	switch {
	case err == nil, ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return fmt.Errorf("%w: %s: it takes too long", ErrUpstream, s.report.Git)
	case errors.Is(err, git.ErrFailed):
		return fmt.Errorf("%w: %s: %w", ErrUpstream, s.report.Git, err)
	}
	return err
}

// fetch fetches the repository and compares the folders with it, unless they are as the last sync left them, at the
// same commit.
func (s *syncer) fetch(ctx context.Context) error {
	s.doing("asking " + s.report.Git)
	var err error
	if s.commit, err = s.resolve(ctx); err != nil {
		return err
	}
	// Most runs end here, after one question to the upstream.
	if !slices.ContainsFunc(s.folders, func(f *folder) bool { return !f.current(s.record(f)) }) {
		for _, f := range s.folders {
			s.report.Unchanged += len(f.old.Files)
		}
		return nil
	}
	s.doing("fetching " + s.report.Git)
	if err := git.Fetch(ctx, s.clone, s.Git, s.commit, maxRepository); err != nil {
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
	s.doing("comparing")
	objects, err := git.OpenObjects(ctx, s.clone)
	if err != nil {
		return err
	}
	defer objects.Close()
	for _, f := range s.folders {
		if err := f.compare(s.record(f), objects); err != nil {
			return err
		}
	}
	s.report.Rewritten = s.report.From != "" && !git.Ancestor(ctx, s.clone, s.report.From, s.commit)
	return ctx.Err()
}

// record is that of a folder after this run, without its files.
func (s *syncer) record(f *folder) *Record {
	return &Record{Git: s.report.Git, Ref: s.Ref, Folders: f.From, Commit: s.commit}
}

// resolve asks for the commit that the ref names.
func (s *syncer) resolve(ctx context.Context) (string, error) {
	// A commit needs no question: its hash is its name everywhere.
	if git.WholeHash(s.Ref) {
		return s.Ref, nil
	}
	// The upstream is asked for full names only: a short one may mean several.
	branch, tag := "refs/heads/"+s.Ref, "refs/tags/"+s.Ref
	names := []string{tag + "^{}", tag, branch} // a tag's commit before the tag
	switch {
	case s.Ref == "":
		names = []string{"HEAD"}
	case strings.HasPrefix(s.Ref, "refs/"):
		names = []string{s.Ref + "^{}", s.Ref}
	}
	refs, err := git.Refs(ctx, s.clone, s.Git, names...)
	if err != nil {
		return "", err
	}
	if refs[branch] != "" && refs[tag] != "" {
		return "", fmt.Errorf("%w: %q is both a branch and a tag; write %s or %s", ErrRef, s.Ref, branch, tag)
	}
	for _, name := range names {
		if refs[name] != "" {
			return refs[name], nil
		}
	}
	if s.Ref == "" {
		return "", fmt.Errorf("%w: it has no default branch, or no commit yet", ErrRef)
	}
	return "", fmt.Errorf("%w: no branch or tag %q; a commit is named by all digits of its hash", ErrRef, s.Ref)
}

// doing reports a step.
func (s *syncer) doing(what string) {
	if s.Doing != nil {
		s.Doing(what)
	}
}

// problem adds an error that keeps a file from being taken.
func (r *Report) problem(file, code, format string, args ...any) {
	p := mip.Problem{Level: mip.Error, Code: code, File: file, Message: fmt.Sprintf(format, args...)}
	r.Problems = append(r.Problems, p)
}

// notice adds a sentence about the upstream.
func (r *Report) notice(format string, args ...any) {
	r.Notices = append(r.Notices, fmt.Sprintf(format, args...))
}
