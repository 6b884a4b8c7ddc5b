// Package git runs the git program and reads what it prints: where a folder is in its repository, which commits
// touched which files, and what a committed file holds. It does not know what the files are for.
package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Why a repository could not be read.
var (
	ErrNoGit  = errors.New("no git program")
	ErrNoRepo = errors.New("no repository")
	ErrOwner  = errors.New("git refuses the repository because another user owns it; list it in git's safe.directory")
	ErrFailed = errors.New("git could not read the repository")
)

// Place is where a folder is in its repository.
type Place struct {
	Top     string          // the repository's top folder
	Prefix  string          // of the folder's files within it, empty or ending in a slash
	Shallow map[string]bool // commits at which a shallow clone ends; nil when the clone is whole
}

// Command prepares git so that nothing in the caller's environment or configuration changes what
// it prints or starts other programs. GIT_CONFIG_* stay: containers name safe.directory there.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	fixed := []string{"--no-pager", "--no-optional-locks", "--literal-pathspecs", "-c", "core.quotepath=off", "-c", "core.fsmonitor=false",
		"-c", "log.showSignature=false", "-c", "log.showRoot=true", "-c", "i18n.logOutputEncoding=UTF-8", "-c", "log.follow=false", "-c", "diff.relative=false", "-C", dir}
	cmd := exec.CommandContext(ctx, "git", append(fixed, args...)...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "GIT_CONFIG_") || strings.HasPrefix(kv, "LC_") || strings.HasPrefix(kv, "LANGUAGE=")
	}), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1")
	cmd.WaitDelay = time.Second // for a child of git that keeps the pipe open
	return cmd
}

// Locate asks git where a folder is.
func Locate(ctx context.Context, folder string) (Place, error) {
	cmd := Command(ctx, folder, "rev-parse", "--show-toplevel", "--show-prefix", "--is-shallow-repository", "--git-path", "shallow")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return Place{}, ErrNoGit
	case err != nil && strings.Contains(complaint.String(), "dubious ownership"):
		return Place{}, ErrOwner
	case err != nil && (strings.Contains(complaint.String(), "not a git repository") || strings.Contains(complaint.String(), "work tree")):
		return Place{}, ErrNoRepo
	case err != nil:
		return Place{}, ErrFailed
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != 4 {
		return Place{}, ErrFailed
	}
	p := Place{Top: lines[0], Prefix: lines[1]}
	if lines[2] != "true" {
		return p, nil
	}
	boundary := lines[3]
	if !filepath.IsAbs(boundary) {
		boundary = filepath.Join(folder, boundary)
	}
	b, err := os.ReadFile(boundary)
	if err != nil {
		return Place{}, ErrFailed
	}
	p.Shallow = map[string]bool{}
	for hash := range strings.FieldsSeq(string(b)) {
		p.Shallow[hash] = true
	}
	return p, nil
}

// Commit is one commit as git log prints it.
type Commit struct {
	Hash    string
	When    int64 // committer time, Unix seconds
	Subject string
}

// Touch is what a commit made of a file: its path and its text by hash, empty when the file is gone or no
// regular file any more.
type Touch struct{ Path, Blob string }

// Log calls touched for every file of every commit below the folders that leads to rev, HEAD when
// that is empty, newest commit first. Paths are relative to top. A merge touches what it changes against all of its parents.
func Log(ctx context.Context, top, rev string, prefixes []string, touched func(Commit, Touch)) error {
	args := []string{"log", "-z", "-c", "--no-renames", "--raw", "--no-abbrev", "--no-color", "--no-ext-diff", "--no-notes", "--no-decorate", "--format=format:%x01%H %ct %s"}
	if rev != "" {
		args = append(args, rev)
	}
	args = append(args, "--")
	for _, prefix := range prefixes {
		args = append(args, "./"+prefix)
	}
	cmd := Command(ctx, top, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFailed, err)
	}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: %w", ErrFailed, err)
	}
	parseErr := parseLog(out, touched)
	io.Copy(io.Discard, out) // git must not wait for a reader
	if err := cmd.Wait(); err != nil {
		if strings.Contains(complaint.String(), "does not have any commits yet") {
			return ErrNoRepo
		}
		return fmt.Errorf("%w: %w", ErrFailed, err)
	}
	return parseErr
}

// parseLog reads records that begin with U+0001 and the commit, then a line feed and the first file;
// commits without one, the two parts of a file (what changed, and its path) and records end with NUL.
func parseLog(r io.Reader, touched func(Commit, Touch)) error {
	in := bufio.NewReader(r)
	var at Commit
	what := "" // of a file whose path comes next
	for {
		token, err := in.ReadString(0)
		token = strings.TrimSuffix(token, "\x00")
		head, isHead := strings.CutPrefix(token, "\x01")
		switch {
		case what != "":
			blob, bad := changedTo(what)
			if bad != nil {
				return bad
			}
			touched(at, Touch{token, blob})
			what = ""
		case isHead:
			head, what, _ = strings.Cut(head, "\n")
			hash, rest, _ := strings.Cut(head, " ")
			when, subject, _ := strings.Cut(rest, " ")
			seconds, bad := strconv.ParseInt(when, 10, 64)
			if bad != nil {
				return fmt.Errorf("%w: log record %q", ErrFailed, head)
			}
			at = Commit{hash, seconds, subject}
		default:
			what = token
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFailed, err)
		}
	}
}

// changedTo reads what git diff-tree --raw prints before a path, such as ":100644 100644 HASH HASH M", with
// as many colons as the commit has parents that differ, and as many modes and hashes before the last ones.
func changedTo(what string) (blob string, err error) {
	fields := strings.TrimLeft(what, ":")
	parents := len(what) - len(fields)
	parts := strings.Fields(fields)
	if parents == 0 || len(parts) != 2*parents+3 {
		return "", fmt.Errorf("%w: log record %q", ErrFailed, what)
	}
	if !strings.HasPrefix(parts[parents], "100") { // neither gone nor a link, a folder or a submodule
		return "", nil
	}
	return parts[2*parents+1], nil
}
