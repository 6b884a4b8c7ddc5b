// Package git runs the git program and reads what it prints: where a folder is in its repository, which commits
// touched which files, and what a committed file holds.
//
// Anybody may have made the repository. Each process is bounded in memory, and the context bounds its time; [Walk] has a
// limit of its own. Output is read as a stream, and of each record only the beginning is kept. Nothing is checked out, no
// hook and no filter runs, and only [Resolve] and [Fetch] talk to another host.
//
// All errors but the context's and those named below wrap [ErrFailed]. The package does not know what the files are
// for.
package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Why a repository could not be read.
var (
	ErrNoGit  = errors.New("no git program")
	ErrNoRepo = errors.New("no repository")
	ErrOwner  = errors.New("git refuses the repository because another user owns it; list it in git's safe.directory")
	ErrFailed = errors.New("git could not read the repository")
)

// Limits of a process.
const (
	// maxMemory bounds the address space of each git process, in KiB. Packs are mapped into it.
	maxMemory = 4 << 20
	// maxAnswer bounds what is kept of an output that should be short, in bytes.
	maxAnswer = 1 << 20
	// maxComplaint bounds the reason that a process gives, in bytes. A server can send as much as it likes.
	maxComplaint = 300
)

// errTooMuch is that of a repository beyond the limits of a process.
const errTooMuch = complaint("it takes git more time or memory than any sound repository")

// complaint is the reason for a failure as git printed it, in one line. It wraps [ErrFailed].
type complaint string

// Error is the reason.
func (c complaint) Error() string { return string(c) }

// Unwrap returns [ErrFailed].
func (c complaint) Unwrap() error { return ErrFailed }

// command is a git process. All of them start here and fail in the same way.
type command struct {
	*exec.Cmd
	ctx     context.Context
	address string // of the repository that it talks to; errors leave out its user and password
	stderr  prefix
}

// newCommand prepares git so that nothing in the caller's environment or configuration changes what it prints or starts
// other programs. Settings of safe.directory, proxies, certificates and credentials stay in force.
func newCommand(ctx context.Context, dir string, args ...string) *command {
	return limited(ctx, dir, "", args...)
}

// limited is newCommand with further limits, a line of shell.
func limited(ctx context.Context, dir, limits string, args ...string) *command {
	fixed := []string{
		"--no-pager", "--no-optional-locks", "--literal-pathspecs",
		"-c", "core.quotepath=off", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "log.mailmap=false",
		"-c", "i18n.logOutputEncoding=UTF-8", "-c", "log.follow=false",
		// A large pack is read through small windows, few bases of deltas are kept, and no large file as a whole.
		"-c", "core.packedGitWindowSize=32m", "-c", "core.packedGitLimit=512m",
		"-c", "core.deltaBaseCacheLimit=16m", "-c", "core.bigFileThreshold=8m",
		"-C", dir,
	}
	c := &command{Cmd: exec.CommandContext(ctx, "git", append(fixed, args...)...), ctx: ctx}
	c.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "LC_") || strings.HasPrefix(kv, "LANGUAGE=") ||
			strings.HasPrefix(kv, "GIT_") && !inherited.MatchString(kv)
	}), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1",
		// The history is what its commits say, not what files of the clone put in their place.
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE="+os.DevNull,
		"GIT_ALLOW_PROTOCOL=") // older versions fetch what is missing by a command that the repository names
	c.Stderr = &c.stderr
	// Asked to end, git ends the processes that it started as well. One of them may keep a pipe open.
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = time.Second
	// A shell sets the limits and is then replaced by git, so that they hold from its first instruction and for its
	// children. A lower limit that is there stays. Where there is no shell, git runs without.
	if shell, err := exec.LookPath("sh"); err == nil && c.Err == nil {
		script := fmt.Sprintf(`ulimit -v %d 2>/dev/null; %s exec "$@"`, maxMemory, limits)
		c.Args = slices.Concat([]string{"sh", "-c", script, "sh", c.Path}, c.Args[1:])
		c.Path = shell
	}
	return c
}

// inherited matches the variables of git that stay: containers name safe.directory in GIT_CONFIG_*.
var inherited = regexp.MustCompile(`^GIT_(CONFIG_|SSH|SSL|ASKPASS=)`)

// output runs the command and returns the beginning of its output.
func (c *command) output() (string, error) {
	var out prefix
	c.Stdout = &out
	err := c.failure(c.Run())
	return string(out), err
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
	err := c.Wait() // closes the pipe, so that nothing is left to read
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
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return ErrNoGit
	case exited && exit.ExitCode() > 0:
		return complaint(reason(string(c.stderr), c.address))
	case exited: // the kernel killed it
		return errTooMuch
	}
	return fmt.Errorf("%w: %w", ErrFailed, err)
}

// marked matches a line that git marks as an error. Servers send lines of their own, marked "remote: ", before it.
var marked = regexp.MustCompile(`(?m)^(?:fatal|error): (.*)$`)

// reason is the first line that git marks as an error, else the first line of all, without an address's password.
func reason(text, address string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r", "\n"))
	switch {
	case strings.Contains(text, "File too large"):
		return "it is larger than what is fetched"
	case strings.Contains(text, "Out of memory"):
		return string(errTooMuch)
	}
	line, _, _ := strings.Cut(text, "\n")
	if found := marked.FindStringSubmatch(text); found != nil {
		line = found[1]
	}
	if address != "" {
		line = strings.ReplaceAll(line, address, Public(address))
	}
	switch line = strings.TrimSpace(line); {
	case line == "":
		return "git ends without a word"
	case len(line) > maxComplaint:
		return strings.ToValidUTF8(line[:maxComplaint], "") + "…"
	}
	return line
}

// prefix keeps the first maxAnswer bytes that are written to it.
type prefix []byte

// Write never fails: a refused write would end the process.
func (p *prefix) Write(b []byte) (int, error) {
	*p = append(*p, b[:min(len(b), maxAnswer-len(*p))]...)
	return len(b), nil
}
