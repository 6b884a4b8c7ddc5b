package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Limits of a process.
const (
	// maxMemory bounds the address space of each git process, in KiB. Packs are mapped into it.
	maxMemory = 4 << 20
	// maxAnswer bounds what is kept of an output that should be short, in bytes.
	maxAnswer = 1 << 20
)

// command is a git process. All of them start here and fail in the same way.
type command struct {
	*exec.Cmd
	ctx     context.Context
	address string // of the repository that it talks to; errors leave out its user and password
	stderr  prefix
}

// newCommand prepares git so that nothing in the caller's environment or configuration changes what it prints or
// starts other programs. GIT_CONFIG_* stay: containers name safe.directory there. The process and its children are
// bounded in memory.
func newCommand(ctx context.Context, dir string, args ...string) *command {
	fixed := []string{
		"--no-pager", "--no-optional-locks", "--literal-pathspecs",
		"-c", "core.quotepath=off", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false",
		"-c", "i18n.logOutputEncoding=UTF-8", "-c", "log.follow=false",
		// A large pack is read through small windows, few bases of deltas are kept, and no large file as a whole.
		"-c", "core.packedGitWindowSize=32m", "-c", "core.packedGitLimit=512m", "-c", "core.deltaBaseCacheLimit=16m", "-c", "core.bigFileThreshold=8m",
		"-C", dir,
	}
	c := &command{Cmd: exec.CommandContext(ctx, "git", append(fixed, args...)...), ctx: ctx}
	c.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "GIT_CONFIG_") ||
			strings.HasPrefix(kv, "LC_") || strings.HasPrefix(kv, "LANGUAGE=")
	}), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1")
	c.Stderr = &c.stderr
	c.WaitDelay = time.Second // for a child of git that keeps a pipe open
	c.limit(fmt.Sprintf("ulimit -v %d 2>/dev/null", maxMemory))
	return c
}

// limit has a shell set limits and then replace itself by the command. The limits hold from the command's first
// instruction and for its children, which prlimit after the start would not promise. A lower limit that is there
// stays. Where there is no such limit, or no shell, the command runs without.
func (c *command) limit(limits string) {
	// The shell is replaced by git: no process more, and signals reach git itself.
	shell, err := exec.LookPath("sh")
	if err != nil || c.Err != nil {
		return
	}
	c.Args = slices.Concat([]string{"sh", "-c", limits + `; exec "$@"`, "sh", c.Path}, c.Args[1:])
	c.Path = shell
}

// output runs the command and returns the beginning of its output.
func (c *command) output() (string, error) {
	var out prefix
	c.Stdout = &out
	if err := c.Run(); err != nil {
		return "", c.failure(err)
	}
	return string(out), nil
}

// start runs the command while its output is read. [command.end] must follow.
func (c *command) start() (*bufio.Reader, error) {
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return nil, c.failure(err)
	}
	return bufio.NewReader(out), nil
}

// end waits for the process. readErr is why its output was not read to the end, nil if it was; the process is killed
// then. An error of git explains more than that of its reader, and is returned instead.
func (c *command) end(readErr error) error {
	if readErr != nil {
		c.Process.Kill() // it may have ended
	}
	// Wait closes the pipe, so that nothing is left to read.
	err := c.Wait()
	if readErr != nil && c.ctx.Err() == nil && c.ProcessState.ExitCode() <= 0 {
		return readErr
	}
	return c.failure(err)
}

// stream runs the command and has read take its output.
func (c *command) stream(read func(*bufio.Reader) error) error {
	out, err := c.start()
	if err != nil {
		return err
	}
	return c.end(read(out))
}

// lines runs the command and calls line for each line of its output.
func (c *command) lines(line func(string)) error {
	return c.stream(func(out *bufio.Reader) error {
		in := bufio.NewScanner(out)
		for in.Scan() {
			line(in.Text())
		}
		return in.Err()
	})
}

// failure is the error of a process: ErrNoGit, the context's, or one that wraps ErrFailed.
func (c *command) failure(err error) error {
	// A process that was killed has no exit code, and its reason is the context or the kernel.
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return c.ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return ErrNoGit
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case exited && exit.ExitCode() > 0:
		return &Error{complaint(string(c.stderr), c.address)}
	}
	return fmt.Errorf("%w: %w", ErrFailed, err)
}

// Error is the reason that git printed: one line without an address's user and password. It wraps [ErrFailed].
type Error struct{ Message string }

// Error is the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns [ErrFailed].
func (e *Error) Unwrap() error { return ErrFailed }

// complaint is the first line that git marks as an error, else the first line of all.
func complaint(text, address string) string {
	// Servers send lines of their own, marked "remote: ", before git names the reason.
	found, marked := "", false
	for line := range strings.Lines(strings.ReplaceAll(text, "\r", "\n")) {
		line = strings.TrimSpace(line)
		switch {
		case strings.Contains(line, "File too large"), strings.Contains(line, "Out of memory"):
			return "it is larger than what is fetched"
		case !marked && (strings.HasPrefix(line, "fatal: ") || strings.HasPrefix(line, "error: ")):
			found, marked = line, true
		case found == "":
			found = line
		}
	}
	if found == "" {
		return "git ends without a word"
	}
	if address != "" {
		found = strings.ReplaceAll(found, address, Public(address))
	}
	found = strings.TrimPrefix(strings.TrimPrefix(found, "fatal: "), "error: ")
	// A server can send as much as it likes.
	const longest = 300 // bytes
	if len(found) > longest {
		found = strings.ToValidUTF8(found[:longest], "") + "…"
	}
	return found
}

// prefix keeps the first maxAnswer bytes that are written to it.
type prefix []byte

// Write never fails: a process whose output is refused would end for that.
func (p *prefix) Write(b []byte) (int, error) {
	*p = append(*p, b[:min(len(b), maxAnswer-len(*p))]...)
	return len(b), nil
}
