// Package git runs the git program and parses its output: the place of a folder in its repository,
// the commits that touched files, and the contents of committed files.
//
// Repositories are not trusted. Each process is bounded in memory, and the context bounds its time;
// [Walk] has a limit of its own. Output is read as a stream, and only the beginning of each record
// is kept. Nothing is checked out, no hook and no filter runs, and only [Resolve] and [Fetch]
// contact another host.
//
// All errors wrap [ErrFailed], except the context's and those named below. The package does not
// know the purpose of the files.
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

// Reasons why a repository could not be read.
var (
	ErrNoGit  = errors.New("no git program")
	ErrNoRepo = errors.New("no repository")
	ErrOwner  = errors.New(
		"git refuses the repository because another user owns it; list it in git's safe.directory")
	ErrFailed = errors.New("git could not read the repository")
)

// Limits of a process.
const (
	// maxMemory bounds the address space of each git process, in KiB. Packs are mapped into it.
	maxMemory = 4 << 20
	// maxAnswer bounds the part of a short output that is kept, in bytes.
	maxAnswer = 1 << 20
	// maxComplaint bounds git's reason for a failure, in bytes. A server can send as much as it
	// likes.
	maxComplaint = 300
)

// errTooMuch reports a repository that exceeds the time or memory limit of a process.
const errTooMuch = complaint("it takes git more time or memory than any sound repository")

// complaint is the reason for a failure as git printed it, on one line. It wraps [ErrFailed].
type complaint string

// Error returns the reason.
func (c complaint) Error() string { return string(c) }

// Unwrap returns [ErrFailed].
func (c complaint) Unwrap() error { return ErrFailed }

// command is a git process. All processes start here and fail in the same way.
type command struct {
	*exec.Cmd
	ctx     context.Context
	address string // of the remote repository; errors omit its user and password
	stderr  prefix
}

// newCommand prepares git so that nothing in the caller's environment or configuration changes its
// output or starts other programs. Settings of safe.directory, proxies, certificates and
// credentials stay in effect.
func newCommand(ctx context.Context, dir string, args ...string) *command {
	return limited(ctx, dir, "", args...)
}

// limited is newCommand with further limits, given as a line of shell.
func limited(ctx context.Context, dir, limits string, args ...string) *command {
	fixed := []string{
		"--no-pager", "--no-optional-locks", "--literal-pathspecs",
		"-c", "core.quotepath=off", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false",
		"-c", "log.mailmap=false", "-c", "i18n.logOutputEncoding=UTF-8", "-c", "log.follow=false",
		// Read large packs through small windows, keep few delta bases, and keep no large file in
		// memory.
		"-c", "core.packedGitWindowSize=32m", "-c", "core.packedGitLimit=512m",
		"-c", "core.deltaBaseCacheLimit=16m", "-c", "core.bigFileThreshold=8m",
		"-C", dir,
	}
	c := &command{Cmd: exec.CommandContext(ctx, "git", append(fixed, args...)...), ctx: ctx}
	c.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "LC_") || strings.HasPrefix(kv, "LANGUAGE=") ||
			strings.HasPrefix(kv, "GIT_") && !inherited.MatchString(kv)
	}), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1",
		// Replace refs and grafts of the clone must not change the history.
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE="+os.DevNull,
		// older git would fetch missing objects with a command of the repository
		"GIT_ALLOW_PROTOCOL=")
	c.Stderr = &c.stderr
	// On SIGTERM git ends its child processes, too. A child may keep a pipe open.
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = time.Second
	// A shell sets the limits and then execs git, so that they apply from its first instruction and
	// to its children. A lower limit already in place stays. Without a shell, git runs without
	// limits.
	if shell, err := exec.LookPath("sh"); err == nil && c.Err == nil {
		script := fmt.Sprintf(`ulimit -v %d 2>/dev/null; %s exec "$@"`, maxMemory, limits)
		c.Args = slices.Concat([]string{"sh", "-c", script, "sh", c.Path}, c.Args[1:])
		c.Path = shell
	}
	return c
}

// inherited matches the GIT_ variables that stay: containers set safe.directory in GIT_CONFIG_*.
var inherited = regexp.MustCompile(`^GIT_(CONFIG_|SSH|SSL|ASKPASS=)`)

// output runs the command and returns the beginning of its output.
func (c *command) output() (string, error) {
	var out prefix
	c.Stdout = &out
	err := c.failure(c.Run())
	return string(out), err
}

// start starts the command and returns its output. The caller must call [command.end].
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

// end waits for the process. readErr is the error of reading its output, nil if all was read;
// otherwise end kills the process. An error of git explains more than readErr and takes precedence.
func (c *command) end(readErr error) error {
	if readErr != nil {
		c.Process.Kill() // it may have ended already
	}
	err := c.Wait() // closes the pipe
	if readErr != nil && c.ctx.Err() == nil && c.ProcessState.ExitCode() <= 0 {
		return readErr
	}
	return c.failure(err)
}

// stream runs the command and passes its output to read.
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

// failure converts the error of a process: ErrNoGit, the context's error, or one that wraps
// ErrFailed.
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

// marked matches a line that git marks as an error. Servers send lines of their own before it,
// prefixed with "remote: ".
var marked = regexp.MustCompile(`(?m)^(?:fatal|error): (.*)$`)

// reason returns the first line that git marks as an error, else the first line, with the password
// of the address removed.
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

// Write never fails: an error would end the process.
func (p *prefix) Write(b []byte) (int, error) {
	*p = append(*p, b[:min(len(b), maxAnswer-len(*p))]...)
	return len(b), nil
}
