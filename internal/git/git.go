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

// maxMemory bounds the address space of each git process, in KiB. Files of objects are mapped into it.
const maxMemory = 4 << 20

// Command prepares git so that nothing in the caller's environment or configuration changes what
// it prints or starts other programs. GIT_CONFIG_* stay: containers name safe.directory there.
// The process and its children are bounded in memory.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	fixed := []string{"--no-pager", "--no-optional-locks", "--literal-pathspecs", "-c", "core.quotepath=off", "-c", "core.fsmonitor=false",
		"-c", "log.showSignature=false", "-c", "log.showRoot=true", "-c", "i18n.logOutputEncoding=UTF-8", "-c", "log.follow=false", "-c", "diff.relative=false",
		// A large store of objects is read through small windows, and large files are never held as a whole.
		"-c", "core.packedGitWindowSize=32m", "-c", "core.packedGitLimit=512m", "-c", "core.bigFileThreshold=8m", "-C", dir}
	cmd := exec.CommandContext(ctx, "git", append(fixed, args...)...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "GIT_CONFIG_") || strings.HasPrefix(kv, "LC_") || strings.HasPrefix(kv, "LANGUAGE=")
	}), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1")
	cmd.WaitDelay = time.Second // for a child of git that keeps the pipe open
	limit(cmd, fmt.Sprintf("ulimit -v %d 2>/dev/null", maxMemory))
	return cmd
}

// limit runs a command by a shell that sets limits first and is replaced by the command. The limits hold from the
// command's first instruction and for its children, which prlimit after the start would not promise. A system that
// has no such limit, or no shell, runs the command without. A lower limit that is there stays.
func limit(cmd *exec.Cmd, limits string) {
	shell, err := exec.LookPath("sh")
	if err != nil || cmd.Err != nil {
		return
	}
	cmd.Args = slices.Concat([]string{"sh", "-c", limits + `; exec "$@"`, "sh", cmd.Path}, cmd.Args[1:])
	cmd.Path = shell
}

// stream runs git and has read take what it prints. When read fails, git is ended instead of being heard to the end.
func stream(ctx context.Context, dir string, stdin io.Reader, read func(io.Reader) error, args ...string) error {
	cmd := Command(ctx, dir, args...)
	words := &head{most: maxAnswer}
	cmd.Stdin, cmd.Stderr = stdin, words
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFailed, err)
	}
	readErr := read(out)
	if readErr != nil {
		cmd.Process.Kill() // it may have ended
	}
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case cmd.ProcessState.ExitCode() > 0:
		return fmt.Errorf("%w: %s", ErrFailed, complaint(words.String(), ""))
	case readErr != nil:
		return readErr
	case err != nil:
		return fmt.Errorf("%w: %w", ErrFailed, err)
	}
	return nil
}

// maxRecord bounds what is kept of one record that git prints, in bytes: names and messages have no end.
const maxRecord = 64 << 10

// records reads what git prints under -z.
type records struct{ in *bufio.Reader }

// next returns a record without its NUL and without what is beyond [maxRecord]; io.EOF after the last one. With
// io.ErrUnexpectedEOF comes what has no NUL at its end.
func (r records) next() (string, error) {
	var record []byte
	for {
		part, err := r.in.ReadSlice(0)
		if err == nil {
			part = part[:len(part)-1]
		}
		record = append(record, part[:min(len(part), maxRecord-len(record))]...)
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(record) > 0:
			err = io.ErrUnexpectedEOF
		case err != nil && err != io.EOF:
			err = fmt.Errorf("%w: %w", ErrFailed, err)
		}
		return string(record), err
	}
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
