package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Place is where a folder is in its repository.
type Place struct {
	// Top is the repository's top folder.
	Top string
	// Prefix is the folder's path below Top, empty or ending in a slash.
	Prefix string
	// Head is the newest commit, empty when there is none yet.
	Head string
	// Shallow holds the commits at which a shallow clone ends; nil when the clone is whole.
	Shallow map[string]bool
}

// SameCommits reports whether two places have the same history: one newest commit, and, in a
// shallow clone, the same end.
func (p Place) SameCommits(q Place) bool {
	return p.Top == q.Top && p.Head == q.Head && maps.Equal(p.Shallow, q.Shallow)
}

// Locate finds the repository around a folder: the nearest folder, itself or above it, that holds .git. Git alone would
// also take a folder for one that holds HEAD, objects and refs, which anybody can commit. The error is one of those of
// the package.
func Locate(ctx context.Context, folder string) (Place, error) {
	dir, err := filepath.Abs(folder)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return Place{}, fmt.Errorf("%w: %w", ErrFailed, err)
	}
	top := dir
	for !holdsGit(top) {
		if top == filepath.Dir(top) {
			return Place{}, ErrNoRepo
		}
		top = filepath.Dir(top)
	}
	out, err := newCommand(ctx, top, "rev-parse", "--show-toplevel", "--git-dir", "--git-path", "shallow",
		"--revs-only", "HEAD^{commit}").output()
	// Recognise git's words, which have been the same for years. The tests fail with a version of git that has others.
	if said, ok := errors.AsType[complaint](err); ok {
		switch {
		case strings.Contains(string(said), "dubious ownership"):
			return Place{}, ErrOwner
		case strings.Contains(string(said), "not a git repository"), strings.Contains(string(said), "work tree"):
			return Place{}, ErrNoRepo
		}
	}
	lines := strings.Split(out, "\n")
	if err != nil || len(lines) < 4 {
		return Place{}, errors.Join(ErrFailed, err)
	}
	// Where .git is no repository, git goes on with the folder itself, or above it.
	if real, err := filepath.EvalSymlinks(lines[0]); err != nil || real != top || lines[1] == "." {
		return Place{}, ErrNoRepo
	}
	p := Place{Top: top, Head: lines[3]}
	if dir != top {
		rel, err := filepath.Rel(top, dir)
		if err != nil {
			return Place{}, fmt.Errorf("%w: %w", ErrFailed, err)
		}
		p.Prefix = filepath.ToSlash(rel) + "/"
	}
	// The file lists the commits whose parents were left out. A whole clone has none.
	boundary := lines[2]
	if !filepath.IsAbs(boundary) {
		boundary = filepath.Join(top, boundary)
	}
	switch b, err := os.ReadFile(boundary); {
	case err == nil:
		p.Shallow = map[string]bool{}
		for hash := range strings.FieldsSeq(string(b)) {
			p.Shallow[hash] = true
		}
	case !errors.Is(err, fs.ErrNotExist):
		return Place{}, ErrFailed
	}
	return p, nil
}

// holdsGit reports whether a folder holds .git, which is a folder or, in a linked worktree or a submodule, a file.
func holdsGit(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// Partial reports whether a clone was made without some of the contents that its commits name (git clone
// --filter) and still lacks some. Nothing is fetched here, so they are not there.
func Partial(ctx context.Context, top string) bool {
	if _, err := newCommand(ctx, top, "config", "--get-regexp", `^remote\..*\.promisor$`).output(); err != nil {
		return false
	}
	// Objects that are missing are printed with a question mark.
	missing := false
	args := []string{"rev-list", "--objects", "--no-object-names", "--missing=print", "HEAD"}
	err := newCommand(ctx, top, args...).lines(func(line string) {
		missing = missing || strings.HasPrefix(line, "?")
	})
	return err == nil && missing
}

// maxTracked bounds the files of a commit, which anybody may have made.
const maxTracked = 200_000

// Tracked are the paths below top that a commit has, files and the folders that hold them, whether they are
// checked out or not.
func Tracked(ctx context.Context, top, commit string) (map[string]bool, error) {
	paths := map[string]bool{}
	err := newCommand(ctx, top, "ls-tree", "-r", "-z", "--name-only", commit).stream(func(out *bufio.Reader) error {
		for {
			name, err := readRecord(out)
			if err == io.EOF {
				return nil
			} else if err != nil {
				return fmt.Errorf("%w: files: %w", ErrFailed, err)
			}
			if len(paths) > maxTracked {
				return fmt.Errorf("%w: more than %d files", ErrFailed, maxTracked)
			}
			for ; name != "." && !paths[name]; name = path.Dir(name) {
				paths[name] = true
			}
		}
	})
	return paths, err
}

// Ancestor reports whether a commit is another one or leads to it. One that is not there is none.
func Ancestor(ctx context.Context, top, commit, of string) bool {
	_, err := newCommand(ctx, top, "merge-base", "--is-ancestor", commit, of).output()
	return err == nil
}

// Digits of an object's name.
const sha1Digits, sha256Digits = 40, 64

// WholeHash reports whether s is an object's name that is not abbreviated.
func WholeHash(s string) bool {
	return (len(s) == sha1Digits || len(s) == sha256Digits) && strings.Trim(s, "0123456789abcdef") == ""
}

// Git gives up a server that sends fewer bytes a second for so many seconds.
const slowBytes, slowTime = 1000, 30

// newRemote prepares git to talk to somebody else's repository: no prompt, no hook, no other program than those that
// git has for the protocols that are named, no file larger than maxFile bytes.
func newRemote(ctx context.Context, dir, address string, maxFile int64, args ...string) *command {
	fixed := []string{
		"-c", "core.hooksPath=" + os.DevNull, "-c", "fetch.unpackLimit=1", "-c", "fetch.writeCommitGraph=false",
		"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "submodule.recurse=false",
		"-c", "http.lowSpeedLimit=" + strconv.Itoa(slowBytes), "-c", "http.lowSpeedTime=" + strconv.Itoa(slowTime),
	}
	// The units of ulimit are 512 bytes or, in some shells, 1 KiB. A write beyond it fails, instead of ending the
	// process without a word.
	limits := fmt.Sprintf(`trap "" XFSZ 2>/dev/null; ulimit -f %d 2>/dev/null;`, maxFile/512)
	c := limited(ctx, dir, limits, append(fixed, args...)...)
	c.address = address
	c.Env = append(c.Env, "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh")
	return c
}

// ErrRef is that of a ref which the repository does not have, or which may mean several things.
var ErrRef = errors.New("the upstream has no such ref")

// Resolve asks a repository for the commit of a branch, a tag, the full name of either, such as refs/heads/main, or its
// default branch when ref is empty. It asks nothing for a whole hash, which is the commit's name everywhere. The error
// is one of the package, or wraps ErrRef.
func Resolve(ctx context.Context, dir, address, ref string) (string, error) {
	if WholeHash(ref) {
		return ref, nil
	}
	// The repository is asked for full names only: a short one may mean several. A tag's commit comes before the tag.
	branch, tag := "refs/heads/"+ref, "refs/tags/"+ref
	names := []string{tag + "^{}", tag, branch}
	switch {
	case ref == "":
		names = []string{"HEAD"}
	case strings.HasPrefix(ref, "refs/"):
		names = []string{ref + "^{}", ref}
	}
	args := append([]string{"ls-remote", "--quiet", "--", address}, names...)
	out, err := newRemote(ctx, dir, address, maxAnswer, args...).output()
	if err != nil {
		return "", err
	}
	// A server may answer more than it was asked for.
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		if hash, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); WholeHash(hash) {
			refs[name] = hash
		}
	}
	found := slices.IndexFunc(names, func(name string) bool { return refs[name] != "" })
	switch {
	case ref != "" && refs[branch] != "" && refs[tag] != "":
		return "", fmt.Errorf("%w: %q is both a branch and a tag; write %s or %s", ErrRef, ref, branch, tag)
	case found >= 0:
		return refs[names[found]], nil
	case ref == "":
		return "", fmt.Errorf("%w: it has no default branch, or no commit yet", ErrRef)
	}
	return "", fmt.Errorf("%w: no branch or tag %q; a commit is named by all digits of its hash", ErrRef, ref)
}

// Fetch makes a bare repository in dir, an empty folder, that holds a commit and all that leads to it. maxFile
// bounds each file of it, in bytes.
func Fetch(ctx context.Context, dir, address, commit string, maxFile int64) error {
	// An empty repository does not learn the format from the one that it fetches from.
	format := "--object-format=sha1"
	if len(commit) == sha256Digits {
		format = "--object-format=sha256"
	}
	if _, err := newCommand(ctx, dir, "init", "--quiet", "--bare", "--template=", format, ".").output(); err != nil {
		return err
	}
	_, err := newRemote(ctx, dir, address, maxFile, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules",
		"--no-write-fetch-head", "--no-auto-maintenance", "--", address, commit+":refs/heads/fetched").output()
	return err
}

// user matches what stands before the host in a URL. A path, or user@host:path, holds no password.
var user = regexp.MustCompile(`^([^:/]*://)[^/]*@`)

// Public is an address without the user and the password that it may hold.
func Public(address string) string { return user.ReplaceAllString(address, "$1") }
