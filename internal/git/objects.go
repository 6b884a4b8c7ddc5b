package git

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Why a folder of a commit could not be listed.
var (
	ErrNoFolder = errors.New("no such folder")
	ErrEntries  = fmt.Errorf("a folder has more than %d entries", maxEntries)
)

// Limits of a folder that anybody may have made.
const (
	// maxEntries bounds a folder. The largest real ones have about a thousand files.
	maxEntries = 100_000
	// maxTree bounds the object of a folder, in bytes: so many entries with the longest names of a file system.
	maxTree = 32 << 20
)

// Objects is a running git cat-file, which looks up committed objects. One goroutine may use it at a time. After an
// error nothing else can be read from it.
type Objects struct {
	cmd *command
	in  io.WriteCloser
	out *bufio.Reader
}

// OpenObjects starts the process in a repository. It ends with [Objects.Close], and with the context.
func OpenObjects(ctx context.Context, top string) (*Objects, error) {
	return openObjects(ctx, top, "--batch")
}

// openObjects starts git cat-file with --batch, which prints objects, or --batch-check, which prints their sizes alone.
func openObjects(ctx context.Context, top, mode string) (o *Objects, err error) {
	o = &Objects{cmd: newCommand(ctx, top, "cat-file", mode)}
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
	o.cmd.Wait() // its answers have been read
}

// object is what git knows of one; the zero value stands for none.
type object struct {
	hash, kind string
	size       int64
}

// ask looks up objects by git's expressions for them, each without a line feed, and calls found with each in order.
func (o *Objects) ask(found func(i int, x object) error, expressions ...string) error {
	// Questions and answers are under way at once: a pipe holds few of either.
	go io.WriteString(o.in, strings.Join(expressions, "\n")+"\n") // the error is that of reading
	for i := range expressions {
		line, err := o.out.ReadString('\n')
		fields := strings.Fields(line) // HASH KIND SIZE, or EXPRESSION missing
		var x object
		switch {
		case err != nil:
		case len(fields) == 3 && WholeHash(fields[0]):
			x.hash, x.kind = fields[0], fields[1]
			x.size, err = strconv.ParseInt(fields[2], 10, 64)
		case !strings.HasSuffix(line, " missing\n"):
			err = fmt.Errorf("cat-file answers %.200q", line)
		}
		if err == nil {
			err = found(i, x)
		}
		if err != nil {
			return o.cmd.end(fmt.Errorf("%w: %w", ErrFailed, err))
		}
	}
	return nil
}

// Blob returns the text of a blob, nil when the repository has none of that name or when it is larger than so many
// bytes. In a partial clone only a blob that [HasBlobs] has found may be asked for.
func (o *Objects) Blob(hash string, most int64) ([]byte, error) {
	text, _, err := o.read(hash, "blob", most)
	return text, err
}

// read returns an object of a kind. Its text is nil when it is larger than most bytes.
func (o *Objects) read(expression, kind string, most int64) (text []byte, x object, err error) {
	err = o.ask(func(_ int, found object) error {
		if found.hash == "" {
			return nil
		}
		// The whole object is read, whatever is kept of it: the next answer follows.
		body := io.LimitReader(o.out, found.size+1) // a line feed follows
		if found.kind == kind {
			x = found
			if x.size <= most {
				text = make([]byte, x.size)
				if _, err := io.ReadFull(body, text); err != nil {
					return err
				}
			}
		}
		_, err := io.Copy(io.Discard, body)
		return err
	}, expression)
	return text, x, err
}

// file is an entry of a folder: a file, or a folder, symbolic link or submodule. Its hash is in binary.
type file struct{ name, mode, hash string }

// tree returns a folder as git stores it: entries such as "100644 NAME", a NUL, and the hash in binary. The error is
// ErrNoFolder or ErrEntries, or wraps ErrFailed.
func (o *Objects) tree(expression string) (text string, x object, err error) {
	raw, x, err := o.read(expression, "tree", maxTree)
	switch {
	case err != nil:
	case x.hash == "":
		err = ErrNoFolder
	case x.size > maxTree:
		err = ErrEntries
	}
	return string(raw), x, err
}

// cutFile splits a tree after its first entry, whose hash has so many bytes. An empty tree has the zero value.
func cutFile(tree string, hashSize int) (f file, rest string, err error) {
	if tree == "" {
		return file{}, "", nil
	}
	mode, rest, spaced := strings.Cut(tree, " ")
	name, rest, ended := strings.Cut(rest, "\x00")
	if !spaced || !ended || len(rest) < hashSize {
		return file{}, "", fmt.Errorf("%w: tree entry %.200q", ErrFailed, tree)
	}
	return file{name, mode, rest[:hashSize]}, rest[hashSize:], nil
}

// parseTree returns the entries of a tree.
func parseTree(tree string, hashSize int) ([]file, error) {
	var files []file
	for tree != "" {
		f, rest, err := cutFile(tree, hashSize)
		if err != nil {
			return nil, err
		}
		if len(files) == maxEntries {
			return nil, ErrEntries
		}
		files, tree = append(files, f), rest
	}
	return files, nil
}

// hexHash is the name of the entry's object.
func (f file) hexHash() string { return hex.EncodeToString([]byte(f.hash)) }

// Modes of a folder's entries. Those of files begin with [ModeFile].
const (
	ModeFile      = "100"
	ModeFolder    = "40000"
	ModeSymlink   = "120000"
	ModeSubmodule = "160000"
)

// Entry is what a commit has under a name in a folder.
type Entry struct {
	// Name is as committed: it may hold anything but NUL and slash, or those of a hostile tree.
	Name string
	Mode string
	Hash string
	// Size is in bytes; 0 for a submodule.
	Size int64
}

// Tree lists a folder of a commit, "." for all of it, without what is below its folders. The error is ErrNoFolder when
// the commit has none there, and ErrEntries when there are too many entries.
func Tree(ctx context.Context, top, commit, folder string) ([]Entry, error) {
	if strings.Contains(folder, "\n") {
		return nil, ErrNoFolder
	}
	objects, err := OpenObjects(ctx, top)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	text, x, err := objects.tree(commit + ":" + strings.TrimPrefix(folder, "."))
	if err != nil {
		return nil, err
	}
	files, err := parseTree(text, len(x.hash)/2)
	if err != nil {
		return nil, err
	}
	entries, hashes := make([]Entry, len(files)), make([]string, len(files))
	for i, f := range files {
		hashes[i] = f.hexHash()
		entries[i] = Entry{Name: f.name, Mode: f.mode, Hash: hashes[i]}
	}
	// Sizes without contents: a few large objects can have thousands of names.
	sizes, err := openObjects(ctx, top, "--batch-check")
	if err != nil {
		return nil, err
	}
	defer sizes.Close()
	err = sizes.ask(func(i int, x object) error {
		// An object that is missing has the size 0; reading it fails later.
		entries[i].Size = x.size
		return nil
	}, hashes...)
	return entries, err
}
