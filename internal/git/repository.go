package git

import (
	"bufio"
	"bytes"
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

// Place is the location of a folder in its repository.
type Place struct {
	// Top is the repository's top folder.
	Top string
	// Prefix is the folder's path below Top, empty or ending in a slash.
	Prefix string
	// Head is the newest commit, empty if there is none yet.
	Head string
	// Shallow holds the commits at which a shallow clone ends, nil for a complete clone.
	Shallow map[string]bool
}

// SameCommits reports whether two places have the same history: the same newest commit and, in a
// shallow clone, the same end.
func (p Place) SameCommits(q Place) bool {
	return p.Top == q.Top && p.Head == q.Head && maps.Equal(p.Shallow, q.Shallow)
}

// Locate finds the repository of a folder: the nearest folder, itself or an ancestor, that contains
// .git. Git alone would also accept a folder that contains HEAD, objects and refs, which anybody
// can commit. For a folder of [InPlaceOf] it finds the repository of the other one. The error is
// one of the package's.
func Locate(ctx context.Context, folder string) (Place, error) {
	dir, err := real(folder)
	if other, ok := ctx.Value(instead(dir)).(string); ok && err == nil {
		dir, err = real(other)
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
	out, err := newCommand(ctx, top, "rev-parse", "--show-toplevel", "--git-dir", "--git-path",
		"shallow", "--revs-only", "HEAD^{commit}").output()
	// Match git's messages, which have not changed for years. The tests fail with a version of git
	// that changes them.
	if printed, ok := errors.AsType[complaint](err); ok {
		switch {
		case strings.Contains(string(printed), "dubious ownership"):
			return Place{}, ErrOwner
		case strings.Contains(string(printed), "not a git repository"),
			strings.Contains(string(printed), "work tree"):
			return Place{}, ErrNoRepo
		}
	}
	lines := strings.Split(out, "\n")
	if err != nil || len(lines) < 4 {
		return Place{}, errors.Join(ErrFailed, err)
	}
	// If .git is no repository, git goes on with the folder itself, or an ancestor.
	if at, err := real(lines[0]); err != nil || at != top || lines[1] == "." {
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
	// The file lists the commits whose parents are missing. A complete clone has no such file.
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

// instead is the key of the folder that stands for a folder in a context.
type instead string

// InPlaceOf returns a context in which [Locate] finds the folder other in place of folder: a
// history can lie outside of the folder of the files that it is about. A folder that does not exist
// changes nothing.
func InPlaceOf(ctx context.Context, folder, other string) context.Context {
	dir, err := real(folder)
	if err != nil {
		return ctx
	}
	return context.WithValue(ctx, instead(dir), other)
}

// real is the absolute path of a folder without symbolic links.
func real(folder string) (string, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// holdsGit reports whether a folder contains .git, which is a folder or, in a linked worktree or a
// submodule, a file.
func holdsGit(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// Partial reports whether a clone was made without some of the contents of its commits (git clone
// --filter) and still lacks some. This package does not fetch them.
func Partial(ctx context.Context, top string) bool {
	filtered := newCommand(ctx, top, "config", "--get-regexp", `^remote\..*\.promisor$`)
	if _, err := filtered.output(); err != nil {
		return false
	}
	// Missing objects are printed with a question mark.
	missing := false
	args := []string{"rev-list", "--objects", "--no-object-names", "--missing=print", "HEAD"}
	err := newCommand(ctx, top, args...).lines(func(line string) {
		missing = missing || strings.HasPrefix(line, "?")
	})
	return err == nil && missing
}

// maxTracked bounds the files of an untrusted commit.
const maxTracked = 200_000

// Tracked returns the paths below top that a commit contains, files and their folders, whether or
// not they are checked out.
func Tracked(ctx context.Context, top, commit string) (map[string]bool, error) {
	paths := map[string]bool{}
	ls := newCommand(ctx, top, "ls-tree", "-r", "-z", "--name-only", commit)
	err := ls.stream(func(out *bufio.Reader) error {
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

// Ancestor reports whether commit is of, or an ancestor of it. It is false for a commit that does
// not exist.
func Ancestor(ctx context.Context, top, commit, of string) bool {
	_, err := newCommand(ctx, top, "merge-base", "--is-ancestor", commit, of).output()
	return err == nil
}

// Number of digits of an object's name.
const sha1Digits, sha256Digits = 40, 64

// WholeHash reports whether s is an object's name in full length.
func WholeHash(s string) bool {
	return (len(s) == sha1Digits || len(s) == sha256Digits) &&
		strings.Trim(s, "0123456789abcdef") == ""
}

// Git gives up on a server that sends fewer than slowBytes a second for slowTime seconds.
const slowBytes, slowTime = 1000, 30

// newRemote prepares git to contact an untrusted repository: no prompt, no hook, no programs but
// git's own for the listed protocols, no file larger than maxFile bytes.
func newRemote(ctx context.Context, dir, address string, maxFile int64, args ...string) *command {
	fixed := []string{
		"-c", "core.hooksPath=" + os.DevNull, "-c", "fetch.unpackLimit=1",
		"-c", "fetch.writeCommitGraph=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "submodule.recurse=false", "-c", "http.lowSpeedLimit=" + strconv.Itoa(slowBytes),
		"-c", "http.lowSpeedTime=" + strconv.Itoa(slowTime),
	}
	// The unit of ulimit is 512 bytes or, in some shells, 1 KiB. A write beyond the limit fails,
	// instead of silently killing the process.
	limits := fmt.Sprintf(`trap "" XFSZ 2>/dev/null; ulimit -f %d 2>/dev/null;`, maxFile/512)
	c := limited(ctx, dir, limits, append(fixed, args...)...)
	c.address = address
	c.Env = append(c.Env, "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh")
	return c
}

// ErrRef reports a ref that the repository does not have, or that is ambiguous.
var ErrRef = errors.New("the upstream has no such ref")

// Resolve asks a repository for the commit of a branch, a tag, the full name of either, such as
// refs/heads/main, or of its default branch if ref is empty. A whole hash is returned without
// asking. The error is one of the package's, or wraps ErrRef.
func Resolve(ctx context.Context, dir, address, ref string) (string, error) {
	if WholeHash(ref) {
		return ref, nil
	}
	// Ask for full names only: a short one may be ambiguous. An annotated tag's commit, under
	// TAG^{}, comes before the tag.
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
	// A server may return more refs than were requested.
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		if hash, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); WholeHash(hash) {
			refs[name] = hash
		}
	}
	found := slices.IndexFunc(names, func(name string) bool { return refs[name] != "" })
	switch {
	case ref != "" && refs[branch] != "" && refs[tag] != "":
		return "", fmt.Errorf("%w: %q is both a branch and a tag; write %s or %s",
			ErrRef, ref, branch, tag)
	case found >= 0:
		return refs[names[found]], nil
	case ref == "":
		return "", fmt.Errorf("%w: it has no default branch, or no commit yet", ErrRef)
	}
	return "", fmt.Errorf("%w: no branch or tag %q; a commit is named by all digits of its hash",
		ErrRef, ref)
}

// Fetch creates a bare repository in dir, an empty folder, with a commit and its history. maxFile
// bounds each of its files, in bytes.
func Fetch(ctx context.Context, dir, address, commit string, maxFile int64) error {
	// An empty repository does not adopt the object format of the remote.
	format := "--object-format=sha1"
	if len(commit) == sha256Digits {
		format = "--object-format=sha256"
	}
	init := newCommand(ctx, dir, "init", "--quiet", "--bare", "--template=", format, ".")
	if _, err := init.output(); err != nil {
		return err
	}
	_, err := newRemote(ctx, dir, address, maxFile, "fetch", "--quiet", "--no-tags",
		"--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance",
		"--", address, commit+":refs/heads/fetched").output()
	return err
}

// FetchBlobs fetches texts by their names in git into the repository of a folder. It writes neither
// refs nor FETCH_HEAD. A name that the remote lacks is an error, and nothing is fetched then.
// maxFile bounds each written file, in bytes.
func FetchBlobs(ctx context.Context, top, address string, blobs []string, maxFile int64) error {
	c := newRemote(ctx, top, address, maxFile, "fetch", "--quiet", "--no-tags",
		"--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance", "--stdin",
		"--", address)
	c.Stdin = strings.NewReader(strings.Join(blobs, "\n") + "\n")
	_, err := c.output()
	return err
}

// Import makes a repository in dir, an empty folder, from the input of git fast-import, whose
// branch is main. It checks no file out. The same input gives the same commits.
func Import(ctx context.Context, dir string, stream []byte) error {
	init := newCommand(ctx, dir, "init", "--quiet", "--template=", "--object-format=sha1",
		"--initial-branch=main", ".")
	if _, err := init.output(); err != nil {
		return err
	}
	load := newCommand(ctx, dir, "fast-import", "--quiet")
	load.Stdin = bytes.NewReader(stream)
	_, err := load.output()
	return err
}

// user matches the user and password of a URL. A path, or user@host:path, holds no password.
var user = regexp.MustCompile(`^([^:/]*://)[^/]*@`)

// Public returns an address without its user and password.
func Public(address string) string { return user.ReplaceAllString(address, "$1") }
