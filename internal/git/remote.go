package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Limits of what a repository that anybody may have made can cost here, beside the deadline of the caller.
const (
	maxAnswer  = 1 << 20 // bytes of what is read of an answer that should be short
	slowBytes  = 1000    // a second, below which a server is given up
	slowTime   = 30      // seconds of being slower
	partingGit = time.Second

	sha1Digits, sha256Digits = 40, 64
)

// RemoteError is what git says when a repository cannot be asked.
type RemoteError struct {
	Said string // its first complaint, one line without the repository's user and password
	err  error
}

func (e *RemoteError) Error() string { return e.Said }

// Unwrap is the error of the process or, when its time was up, the context's.
func (e *RemoteError) Unwrap() error { return e.err }

// remote prepares git to talk to somebody else's repository: no prompt, no hook, no other program than those that
// git has for the protocols that are named, no file larger than so many bytes. What the caller's own configuration
// says of proxies, certificates and credentials counts.
func remote(ctx context.Context, dir string, maxFile int64, args ...string) *exec.Cmd {
	fixed := []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "fetch.unpackLimit=1", "-c", "fetch.writeCommitGraph=false",
		"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "submodule.recurse=false", "-c", "fetch.recurseSubmodules=false",
		"-c", "http.lowSpeedLimit=" + strconv.Itoa(slowBytes), "-c", "http.lowSpeedTime=" + strconv.Itoa(slowTime)}
	cmd := Command(ctx, dir, append(fixed, args...)...)
	for _, kv := range os.Environ() {
		if strings.HasPrefix(kv, "GIT_SSH") || strings.HasPrefix(kv, "GIT_SSL") || strings.HasPrefix(kv, "GIT_ASKPASS=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh")
	// The units of ulimit are 512 bytes or, in some shells, 1 KiB.
	// A write beyond it fails then, instead of ending the process without a word.
	limit(cmd, fmt.Sprintf(`trap "" XFSZ 2>/dev/null; ulimit -f %d 2>/dev/null`, maxFile/512))
	// Asked to end, git ends what it started as well.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = partingGit
	return cmd
}

// Refs asks a repository for what it has under these full names, such as HEAD or refs/heads/main; a tag's commit
// is that of its name and ^{}. Names that it does not have are missing.
func Refs(ctx context.Context, dir, address string, names ...string) (map[string]string, error) {
	args := append([]string{"ls-remote", "--quiet", "--", address}, names...)
	out, err := answer(ctx, remote(ctx, dir, maxAnswer, args...), address)
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		hash, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if slices.Contains(names, name) && WholeHash(hash) {
			refs[name] = hash
		}
	}
	return refs, nil
}

// Fetch makes a bare repository in dir, an empty folder, that holds a commit and all that leads to it. maxFile
// bounds what is kept, in bytes.
func Fetch(ctx context.Context, dir, address, commit string, maxFile int64) error {
	format := "sha1"
	if len(commit) == sha256Digits {
		format = "sha256"
	}
	if _, err := answer(ctx, Command(ctx, dir, "init", "--quiet", "--bare", "--template=", "--object-format="+format, "."), address); err != nil {
		return err
	}
	_, err := answer(ctx, remote(ctx, dir, maxFile, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance",
		"--", address, commit+":refs/heads/fetched"), address)
	return err
}

// answer runs a command and returns the beginning of what it prints.
func answer(ctx context.Context, cmd *exec.Cmd, address string) ([]byte, error) {
	out, words := &head{most: maxAnswer}, &head{most: maxAnswer}
	cmd.Stdout, cmd.Stderr = out, words
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, ErrNoGit
	case ctx.Err() != nil:
		return nil, &RemoteError{"it takes too long", ctx.Err()}
	case err != nil:
		return nil, &RemoteError{complaint(words.String(), address), err}
	}
	return out.Bytes(), nil
}

// head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	most int
}

func (h *head) Write(b []byte) (int, error) {
	h.Buffer.Write(b[:min(len(b), max(0, h.most-h.Len()))])
	return len(b), nil
}

// complaint is the first line in which git itself says why it ends, else the first line of all.
func complaint(text, address string) string {
	found, said := "", false
	for line := range strings.Lines(strings.ReplaceAll(text, "\r", "\n")) {
		line = strings.TrimSpace(line)
		switch {
		case strings.Contains(line, "File too large"), strings.Contains(line, "Out of memory"):
			return "it is larger than what is fetched"
		case !said && (strings.HasPrefix(line, "fatal: ") || strings.HasPrefix(line, "error: ")):
			found, said = line, true
		case found == "":
			found = line
		}
	}
	found = strings.ReplaceAll(found, address, Public(address))
	for _, kind := range []string{"fatal: ", "error: "} {
		found = strings.TrimPrefix(found, kind)
	}
	const longest = 300 // bytes
	if len(found) > longest {
		found = strings.ToValidUTF8(found[:longest], "") + "…"
	}
	if found == "" {
		return "git ends without a word"
	}
	return found
}

// Public is an address without the user and the password that it may hold.
func Public(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address // a path, or user@host:path, which holds no password
	}
	host, path, slash := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if slash {
		host += "/" + path
	}
	return scheme + "://" + host
}

// WholeHash reports whether s is an object's name that is not abbreviated.
func WholeHash(s string) bool {
	return (len(s) == sha1Digits || len(s) == sha256Digits) && strings.Trim(s, "0123456789abcdef") == ""
}

// Ancestor reports whether a commit is another one or leads to it. One that is not there is none.
func Ancestor(ctx context.Context, top, commit, of string) bool {
	return Command(ctx, top, "merge-base", "--is-ancestor", commit, of).Run() == nil
}
