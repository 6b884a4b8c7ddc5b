// Package git runs the git program and reads what it prints: where a folder is in its repository, which commits
// touched which files, and what a committed file holds.
//
// Anybody may have made the repository. Each process is bounded in memory, and the context bounds its time. Output is
// read as a stream, and of each record only the beginning is kept. Folders below the named ones are not opened, since
// a few objects can name each other so often that no walk through them ends. Nothing is checked out, no hook and no
// filter runs, and only [Refs] and [Fetch] talk to another host.
//
// All errors but the context's and those named below wrap [ErrFailed]. The package does not know what the files are
// for.
package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
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
	// Top is the repository's top folder.
	Top string
	// Prefix is the folder's path below Top, empty or ending in a slash.
	Prefix string
	// Shallow holds the commits at which a shallow clone ends; nil when the clone is whole.
	Shallow map[string]bool
}

// Locate asks git where a folder is. The error is one of those above.
func Locate(ctx context.Context, folder string) (Place, error) {
	out, err := newCommand(ctx, folder, "rev-parse",
		"--show-toplevel", "--show-prefix", "--is-shallow-repository", "--git-path", "shallow").output()
	// These are words of git that have been the same for years; a test of each version of git would show others.
	if e, ok := errors.AsType[*Error](err); ok {
		switch {
		case strings.Contains(e.Message, "dubious ownership"):
			return Place{}, ErrOwner
		case strings.Contains(e.Message, "not a git repository"), strings.Contains(e.Message, "work tree"):
			return Place{}, ErrNoRepo
		}
	}
	if err != nil {
		return Place{}, err
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 4 {
		return Place{}, ErrFailed
	}
	p := Place{Top: lines[0], Prefix: lines[1]}
	// The clone is whole.
	if lines[2] != "true" {
		return p, nil
	}
	// The file lists the commits whose parents were left out.
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

// Partial reports whether a clone was made without some of the contents that its commits name (git clone
// --filter) and still lacks some. Nothing is fetched here, so they are not there.
func Partial(ctx context.Context, top string) bool {
	if _, err := newCommand(ctx, top, "config", "--get-regexp", `^remote\..*\.promisor$`).output(); err != nil {
		return false
	}
	// Objects that are missing are printed with a question mark.
	missing := false
	err := newCommand(ctx, top, "rev-list", "--objects", "--no-object-names", "--missing=print", "HEAD").lines(func(line string) {
		missing = missing || strings.HasPrefix(line, "?")
	})
	return err == nil && missing
}

// HasBlobs reports for each hash whether the repository has a blob of that name. All objects are listed, since git
// ends when it is asked for one that a partial clone lacks.
func HasBlobs(ctx context.Context, top string, hashes []string) ([]bool, error) {
	// Hashes may repeat: two versions can have one text.
	blobs := make(map[string]bool, len(hashes))
	for _, hash := range hashes {
		blobs[hash] = false
	}
	args := []string{"cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname) %(objecttype)"}
	err := newCommand(ctx, top, args...).lines(func(line string) {
		hash, kind, _ := strings.Cut(line, " ")
		if _, asked := blobs[hash]; asked {
			blobs[hash] = kind == "blob"
		}
	})
	found := make([]bool, len(hashes))
	for i, hash := range hashes {
		found[i] = blobs[hash]
	}
	return found, err
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
