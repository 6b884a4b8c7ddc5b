package git

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A server is given up that sends fewer bytes a second for so many seconds.
const slowBytes, slowTime = 1000, 30

// newRemote prepares git to talk to somebody else's repository: no prompt, no hook, no other program than those that
// git has for the protocols that are named, no file larger than maxFile bytes. What the caller's own configuration
// says of proxies, certificates and credentials counts.
func newRemote(ctx context.Context, dir, address string, maxFile int64, args ...string) *command {
	fixed := []string{
		"-c", "core.hooksPath=" + os.DevNull, "-c", "fetch.unpackLimit=1", "-c", "fetch.writeCommitGraph=false",
		"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "submodule.recurse=false",
		"-c", "http.lowSpeedLimit=" + strconv.Itoa(slowBytes), "-c", "http.lowSpeedTime=" + strconv.Itoa(slowTime),
	}
	c := newCommand(ctx, dir, append(fixed, args...)...)
	c.address = address
	// These were taken out with the other variables of git.
	for _, kv := range os.Environ() {
		if strings.HasPrefix(kv, "GIT_SSH") || strings.HasPrefix(kv, "GIT_SSL") || strings.HasPrefix(kv, "GIT_ASKPASS=") {
			c.Env = append(c.Env, kv)
		}
	}
	c.Env = append(c.Env, "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh")
	// The units of ulimit are 512 bytes or, in some shells, 1 KiB.
	// A write beyond it fails then, instead of ending the process without a word.
	c.limit(fmt.Sprintf(`trap "" XFSZ 2>/dev/null; ulimit -f %d 2>/dev/null`, maxFile/512))
	// Asked to end, git ends the processes that it started as well.
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	return c
}

// Refs asks a repository for the hashes of full names, such as HEAD or refs/heads/main; a tag's commit is that of its
// name and ^{}. Names that the repository does not have are missing.
func Refs(ctx context.Context, dir, address string, names ...string) (map[string]string, error) {
	args := append([]string{"ls-remote", "--quiet", "--", address}, names...)
	out, err := newRemote(ctx, dir, address, maxAnswer, args...).output()
	if err != nil {
		return nil, err
	}
	// A server may answer more than it was asked for.
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		hash, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if slices.Contains(names, name) && WholeHash(hash) {
			refs[name] = hash
		}
	}
	return refs, nil
}

// Fetch makes a bare repository in dir, an empty folder, that holds a commit and all that leads to it. maxFile
// bounds each file of it, in bytes.
func Fetch(ctx context.Context, dir, address, commit string, maxFile int64) error {
	format := "sha1"
	// An empty repository does not learn the format from the one that it fetches from.
	if len(commit) == sha256Digits {
		format = "sha256"
	}
	if _, err := newCommand(ctx, dir, "init", "--quiet", "--bare", "--template=", "--object-format="+format, ".").output(); err != nil {
		return err
	}
	_, err := newRemote(ctx, dir, address, maxFile, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules",
		"--no-write-fetch-head", "--no-auto-maintenance", "--", address, commit+":refs/heads/fetched").output()
	return err
}

// Public is an address without the user and the password that it may hold.
func Public(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address // a path, or user@host:path, which holds no password
	}
	host, path, slash := strings.Cut(rest, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if slash {
		host += "/" + path
	}
	return scheme + "://" + host
}
