package git

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// ErrNoFolder reports a commit without the folder to list.
var ErrNoFolder = errors.New("no such folder")

// errEntries reports a folder that exceeds maxEntries.
const errEntries = complaint("a folder has more than 100,000 entries")

// Limits of an untrusted folder.
const (
	// maxEntries bounds the entries of a folder. The largest real folders have about a thousand
	// files.
	maxEntries = 100_000
	// maxTree bounds a tree object, in bytes: maxEntries entries with the longest names of a file
	// system.
	maxTree = 32 << 20
)

// Objects is a running git cat-file that reads committed objects. One goroutine may use it at a
// time. After an error it cannot be read again.
type Objects struct {
	cmd *command
	in  io.WriteCloser
	out *bufio.Reader
}

// OpenObjects starts the process in a repository. It ends with [Objects.Close], and with the
// context.
func OpenObjects(ctx context.Context, top string) (o *Objects, err error) {
	o = &Objects{cmd: newCommand(ctx, top, "cat-file", "--batch")}
	if o.in, err = o.cmd.StdinPipe(); err != nil {
		return nil, o.cmd.failure(err)
	}
	o.out, err = o.cmd.start()
	return o, err
}

// Close ends the process.
func (o *Objects) Close() {
	o.in.Close()
	io.Copy(io.Discard, o.out)
	o.cmd.Wait() // its output has been read
}

// Blob returns the text of a blob, or nil if the repository has no such blob or the blob is larger
// than most bytes. The name is a hash, or a path in a commit, such as HEAD:MIPs/MIP-1.md, without a
// line feed. In a clone for which [Partial] is true, the blob must not be missing: git would fetch
// it.
func (o *Objects) Blob(name string, most int64) ([]byte, error) {
	text, _, err := o.read(name, "blob", most)
	return text, err
}

// BlobName returns the hash of a text in the object format of the commit's repository, whether or
// not it exists there.
func BlobName(commit string, text []byte) string {
	sum := sha1.New()
	if len(commit) == sha256Digits {
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "blob %d\x00", len(text))
	sum.Write(text)
	return hex.EncodeToString(sum.Sum(nil))
}

// read returns an object of a kind, the zero object if there is none. text is nil if it is larger
// than most bytes.
func (o *Objects) read(expression, kind string, most int64) (text []byte, x object, err error) {
	io.WriteString(o.in, expression+"\n") // a failure shows when reading
	line, err := o.out.ReadString('\n')
	if err == nil {
		x, err = parseObject(line)
	}
	if err == nil && x.hash != "" {
		// Read the whole object even if only part of it is kept: the next answer follows, after a
		// line feed.
		body := io.LimitReader(o.out, x.size+1)
		if x.kind == kind && x.size <= most {
			text = make([]byte, x.size)
			_, err = io.ReadFull(body, text)
		}
		_, rest := io.Copy(io.Discard, body)
		err = errors.Join(err, rest)
	}
	switch {
	case err != nil:
		return nil, object{}, o.cmd.end(fmt.Errorf("%w: %w", ErrFailed, err))
	case x.kind != kind:
		return nil, object{}, nil
	}
	return text, x, nil
}

// object is an object's header in git; the zero value stands for no object.
type object struct {
	hash, kind string
	size       int64
}

// parseObject reads a line of git cat-file: HASH KIND SIZE, or EXPRESSION missing.
func parseObject(line string) (x object, err error) {
	fields := strings.Fields(line)
	switch {
	case len(fields) == 3 && WholeHash(fields[0]):
		x.hash, x.kind = fields[0], fields[1]
		x.size, err = strconv.ParseInt(fields[2], 10, 64)
	case !strings.HasSuffix(strings.TrimSuffix(line, "\n"), " missing"):
		err = fmt.Errorf("cat-file answers %.200q", line)
	}
	return x, err
}

// lookUp finds objects by git expressions, each without a line feed, without reading them.
func lookUp(ctx context.Context, top string, expressions []string) (found []object, err error) {
	c := newCommand(ctx, top, "cat-file", "--batch-check")
	c.Stdin = strings.NewReader(strings.Join(expressions, "\n") + "\n")
	var bad error
	err = c.lines(func(line string) {
		x, err := parseObject(line)
		found, bad = append(found, x), cmp.Or(bad, err)
	})
	if err == nil && (bad != nil || len(found) < len(expressions)) {
		err = fmt.Errorf("%w: %d of %d objects: %w", ErrFailed, len(found), len(expressions),
			cmp.Or(bad, io.ErrUnexpectedEOF))
	}
	return found, err
}

// Modes of tree entries. Modes of regular files begin with [ModeFile].
const (
	ModeFile      = "100"
	ModeFolder    = "40000"
	ModeSymlink   = "120000"
	ModeSubmodule = "160000"
)

// Entry is an entry of a committed folder.
type Entry struct {
	// Name is the committed name: it may contain anything but NUL, and a slash only in a hostile
	// tree.
	Name string
	Mode string
	// Size is in bytes; 0 for a submodule.
	Size int64
	// Hash is the object's name, in hexadecimal digits.
	Hash string
}

// Tree lists the entries of a folder of a commit, not recursively; "." is the root. The error is
// ErrNoFolder if the commit has no such folder.
func Tree(ctx context.Context, top, commit, folder string) ([]Entry, error) {
	if strings.Contains(folder, "\n") {
		return nil, ErrNoFolder
	}
	objects, err := OpenObjects(ctx, top)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	entries, err := objects.tree(commit + ":" + strings.TrimPrefix(folder, "."))
	if err != nil {
		return nil, err
	}
	// Sizes are looked up without contents: a few large objects can have thousands of names.
	hashes := make([]string, len(entries))
	for i, e := range entries {
		hashes[i] = e.Hash
	}
	found, err := lookUp(ctx, top, hashes)
	for i, x := range found[:min(len(found), len(entries))] {
		entries[i].Size = x.size // 0 for a missing object, which fails when it is read
	}
	return entries, err
}

// Files returns the entries at paths of a commit: files, folders, links and submodules. It follows
// no link. Paths that the commit lacks are missing in the result.
func Files(ctx context.Context, top, commit string, paths []string) (map[string]Entry, error) {
	objects, err := OpenObjects(ctx, top)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	byFolder := map[string][]string{}
	for _, name := range paths {
		if dir, base := path.Split(name); !strings.Contains(name, "\n") {
			byFolder[dir] = append(byFolder[dir], base)
		}
	}
	var names, hashes []string
	entries := map[string]Entry{}
	for dir, wanted := range byFolder {
		listed, err := objects.tree(commit + ":" + strings.TrimSuffix(dir, "/"))
		if err != nil && !errors.Is(err, ErrNoFolder) {
			return nil, err
		}
		for _, e := range listed {
			if slices.Contains(wanted, e.Name) {
				entries[dir+e.Name] = e
				names, hashes = append(names, dir+e.Name), append(hashes, e.Hash)
			}
		}
	}
	if len(hashes) == 0 {
		return entries, nil
	}
	found, err := lookUp(ctx, top, hashes)
	for i, x := range found[:min(len(found), len(names))] {
		e := entries[names[i]]
		e.Size = x.size // 0 for a submodule
		entries[names[i]] = e
	}
	return entries, err
}

// tree returns the entries of the folder that a git expression names. It fails like [Tree].
func (o *Objects) tree(expression string) ([]Entry, error) {
	text, x, err := o.read(expression, "tree", maxTree)
	switch {
	case err != nil:
		return nil, err
	case x.hash == "":
		return nil, ErrNoFolder
	case x.size > maxTree:
		return nil, errEntries
	}
	return parseTree(string(text), len(x.hash)/2)
}

// parseTree parses a tree object: each entry is such as "100644 NAME", a NUL, and a hash of
// hashSize bytes.
func parseTree(text string, hashSize int) (entries []Entry, err error) {
	for text != "" {
		mode, rest, spaced := strings.Cut(text, " ")
		name, rest, ended := strings.Cut(rest, "\x00")
		switch {
		case !spaced || !ended || len(rest) < hashSize:
			return nil, fmt.Errorf("%w: tree entry %.200q", ErrFailed, text)
		case len(entries) == maxEntries:
			return nil, errEntries
		}
		hash := hex.EncodeToString([]byte(rest[:hashSize]))
		entries = append(entries, Entry{Name: name, Mode: mode, Hash: hash})
		text = rest[hashSize:]
	}
	return entries, nil
}
