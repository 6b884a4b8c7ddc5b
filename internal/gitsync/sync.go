// Package gitsync brings proposals from an upstream git repository into folders here: whole or not at all, nothing
// that is no text of a proposal, and nothing over what somebody wrote here. It knows nothing of site.yaml, of what
// the texts say, or of how they are published.
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
	Git     string // address; must not begin with a hyphen
	Ref     string // branch, tag, full name of either (refs/heads/main) or whole hash of a commit; empty: the default branch
	Targets []Target
	// KeepGoing takes what can be taken: files with an error stay as they are here.
	KeepGoing bool
	// Timeout is for all that the upstream has to do; 0 means no limit.
	Timeout time.Duration
	// Doing, when set, is told what goes on; Waiting, once, that another sync has to end first.
	Doing   func(what string)
	Waiting func()
}

// Target is a folder here and what comes into it.
type Target struct {
	Folder string   // is made when it is not there
	From   []string // folders of the upstream, "." for its top; at least one
}

// Report is what was done. Lists are sorted and never null.
type Report struct {
	Git       string   `json:"git"` // without user and password
	Ref       string   `json:"ref"`
	From      string   `json:"from"` // commit of the sync before; empty: there was none
	To        string   `json:"to"`
	Rewritten bool     `json:"rewritten"` // From does not lead to To
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
	left    time.Duration // of Timeout
	bare    string        // folder of the fetched repository
	commit  string
	trees   []map[string]*text // by target; nil: the folders are as the upstream has them
	folders []*folder
	report  Report
}

// Sync brings the folders to what the upstream has. The error wraps one of those above, [git.ErrNoGit] or the
// context's; what concerns a file is in the report's problems.
func Sync(ctx context.Context, o Options) (Report, error) {
	s := &syncer{Options: o, left: o.Timeout, report: Report{Git: git.Public(o.Git), Ref: o.Ref, Added: []string{}, Changed: []string{}, Removed: []string{},
		Problems: []mip.Problem{}, Notices: []string{}}}
	// In one order, so that two runs never wait for each other.
	s.Targets = slices.SortedFunc(slices.Values(o.Targets), func(a, b Target) int { return strings.Compare(a.Folder, b.Folder) })
	bare, remove, err := makeClone()
	if err != nil {
		return s.report, fmt.Errorf("%w: %w", ErrWrite, err)
	}
	defer remove()
	s.bare = bare
	defer func() {
		for _, f := range s.folders {
			f.close()
		}
	}()
	err = s.run(ctx)
	s.report.To = s.commit
	for _, list := range [][]string{s.report.Added, s.report.Changed, s.report.Removed} {
		slices.Sort(list)
	}
	s.report.Problems = mip.SortProblems(s.report.Problems)
	return s.report, err
}

func (s *syncer) run(ctx context.Context) error {
	if err := s.upstream(ctx, s.read); err != nil || s.trees == nil {
		return err
	}
	for i, t := range s.Targets {
		if other := s.sameFolder(i); other != "" {
			return fmt.Errorf("%w: %s and %s are one", ErrFolder, other, t.Folder)
		}
		f, err := openFolder(ctx, t.Folder, s.Waiting)
		if err != nil {
			return err
		}
		s.folders = append(s.folders, f)
		if s.report.From == "" && f.old != nil {
			s.report.From = f.old.Commit
		}
	}
	s.doing("comparing")
	if err := s.upstream(ctx, s.compareAll); err != nil {
		return err
	}
	if len(s.report.Problems) > 0 && !s.KeepGoing {
		return nil
	}
	for _, f := range s.folders {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.place(); err != nil {
			return err
		}
		s.tell(f)
	}
	return nil
}

// upstream does what needs git, in what is left of the time, and says what went wrong with the upstream. Waiting for
// another run of sync is none of the upstream's time.
func (s *syncer) upstream(ctx context.Context, work func(context.Context) error) error {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if s.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, s.left)
		begun := time.Now()
		defer func() { s.left -= time.Since(begun) }()
	}
	defer cancel()
	err := work(limited)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return fmt.Errorf("%w: %s: it takes too long", ErrUpstream, s.report.Git)
	case errors.Is(err, git.ErrFailed) || errors.As(err, new(*git.RemoteError)):
		return fmt.Errorf("%w: %s: %w", ErrUpstream, s.report.Git, err)
	}
	return err
}

// read fetches the repository and reads which texts it has, unless all folders are at its commit.
func (s *syncer) read(ctx context.Context) error {
	s.doing("asking " + s.report.Git)
	var err error
	if s.commit, err = s.resolve(ctx); err != nil {
		return err
	}
	if same, n := s.same(); same {
		s.report.From, s.report.Unchanged = s.commit, n
		return nil
	}
	s.doing("fetching " + s.report.Git)
	if err := git.Fetch(ctx, s.bare, s.Git, s.commit, maxRepository); err != nil {
		return err
	}
	trees := make([]map[string]*text, len(s.Targets))
	for i, t := range s.Targets {
		if trees[i], err = s.tree(ctx, t); err != nil {
			return err
		}
	}
	s.trees = trees
	return s.versions(ctx, trees)
}

// compareAll compares every folder.
func (s *syncer) compareAll(ctx context.Context) error {
	blobs, err := git.OpenBlobs(ctx, s.bare)
	if err != nil {
		return err
	}
	defer blobs.Close()
	for i, f := range s.folders {
		if err := s.compare(f, s.Targets[i], s.trees[i], blobs); err != nil {
			return err
		}
	}
	s.report.Rewritten = s.report.From != "" && !git.Ancestor(ctx, s.bare, s.report.From, s.commit)
	return ctx.Err()
}

// sameFolder is the name of a folder that is open already and is that of a target; empty: there is none.
func (s *syncer) sameFolder(target int) string {
	info, err := os.Stat(s.Targets[target].Folder)
	for _, f := range s.folders {
		if other, bad := f.root.Stat("."); err == nil && bad == nil && os.SameFile(info, other) {
			return f.dir
		}
	}
	return ""
}

// resolve asks for the commit that the ref names.
func (s *syncer) resolve(ctx context.Context) (string, error) {
	if git.WholeHash(s.Ref) {
		return s.Ref, nil
	}
	names := []string{"HEAD"}
	switch {
	case strings.HasPrefix(s.Ref, "refs/"):
		names = []string{s.Ref, s.Ref + "^{}"}
	case s.Ref != "":
		names = []string{"refs/heads/" + s.Ref, "refs/tags/" + s.Ref, "refs/tags/" + s.Ref + "^{}"}
	}
	refs, err := git.Refs(ctx, s.bare, s.Git, names...)
	if err != nil {
		return "", err
	}
	branch, tag := refs["refs/heads/"+s.Ref], refs["refs/tags/"+s.Ref]
	if branch != "" && tag != "" {
		return "", fmt.Errorf("%w: %q is both a branch and a tag; write refs/heads/%s or refs/tags/%s", ErrRef, s.Ref, s.Ref, s.Ref)
	}
	for _, name := range slices.Backward(names) { // a tag's commit before the tag
		if refs[name] != "" {
			return refs[name], nil
		}
	}
	if s.Ref == "" {
		return "", fmt.Errorf("%w: it has no default branch, or no commit yet", ErrRef)
	}
	return "", fmt.Errorf("%w: no branch or tag %q; a commit is named by all digits of its hash", ErrRef, s.Ref)
}

// same reports whether all folders are as the last sync left them, at the same commit, and how many files they
// have. Then nothing need be fetched.
func (s *syncer) same() (bool, int) {
	n := 0
	for _, t := range s.Targets {
		root, err := os.OpenRoot(t.Folder)
		if err != nil {
			return false, 0
		}
		record, err := ReadRecord(root)
		same := err == nil && record != nil && record.Commit == s.commit && record.Git == s.report.Git && record.Ref == s.Ref && slices.Equal(record.Folders, t.From) &&
			!record.Incomplete && len(record.Placing) == 0
		if same {
			for _, f := range record.Files {
				same = same && stateOf(root, t.Folder, f.Name).sum == f.SHA256
			}
			n += len(record.Files)
		}
		root.Close()
		if !same {
			return false, 0
		}
	}
	return true, n
}

func (s *syncer) doing(what string) {
	if s.Doing != nil {
		s.Doing(what)
	}
}

// tell adds what became of a folder to the report.
func (s *syncer) tell(f *folder) {
	s.report.Added = append(s.report.Added, f.added...)
	s.report.Changed = append(s.report.Changed, f.changed...)
	s.report.Removed = append(s.report.Removed, f.removed...)
	s.report.Unchanged += f.unchanged
}

func (s *syncer) problem(file, code, format string, args ...any) {
	s.report.Problems = append(s.report.Problems, mip.Problem{Level: mip.Error, Code: code, File: file, Message: fmt.Sprintf(format, args...)})
}

func (s *syncer) notice(format string, args ...any) {
	s.report.Notices = append(s.report.Notices, fmt.Sprintf(format, args...))
}
