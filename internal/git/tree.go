package git

import (
	"bufio"
	"context"
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

// maxEntries bounds a folder. The largest real ones have about a thousand files.
const maxEntries = 100_000

// Entry is what a commit has under a name in a folder.
type Entry struct {
	Mode string // 100644, 100755, 120000 (a symbolic link), 160000 (a submodule) or 040000 (a folder)
	Hash string
	Size int64  // bytes; -1: has none
	Name string // as it is: it may hold anything but NUL
}

// Tree lists a folder of a commit, "." for all of it, without what is below its folders. listed is called for each
// entry; what is not kept costs no memory. The error is ErrNoFolder when the commit has none there, and ErrEntries
// when there are too many entries.
func Tree(ctx context.Context, top, commit, folder string, listed func(Entry) error) error {
	if folder == "." {
		folder = ""
	}
	found, err := treesOf(ctx, top, []string{commit}, folder)
	switch {
	case err != nil:
		return err
	case found[commit] == "":
		return ErrNoFolder
	}
	return stream(ctx, top, nil, func(out io.Reader) error { return parseTree(out, listed) }, "ls-tree", "-z", "-l", found[commit])
}

// treesOf finds the trees that a folder has in commits or their trees; those without the folder are missing. An empty
// name is that of the whole.
func treesOf(ctx context.Context, top string, roots []string, folder string) (map[string]string, error) {
	if strings.Contains(folder, "\n") {
		return nil, fmt.Errorf("%w: a folder's name has two lines", ErrFailed)
	}
	var questions strings.Builder
	for _, root := range roots {
		questions.WriteString(root + ":" + folder + "\n")
	}
	found := map[string]string{}
	err := stream(ctx, top, strings.NewReader(questions.String()), func(out io.Reader) error {
		in := bufio.NewReader(out)
		for _, root := range roots {
			line, err := in.ReadString('\n')
			if err != nil {
				return fmt.Errorf("%w: cat-file ends early", ErrFailed)
			}
			if hash, kind, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); kind == "tree" && WholeHash(hash) {
				found[root] = hash
			}
		}
		return nil
	}, "cat-file", "--batch-check=%(objectname) %(objecttype)")
	return found, err
}

// parseTree reads records such as "100644 blob HASH     123\tNAME", each ending with NUL.
func parseTree(r io.Reader, listed func(Entry) error) error {
	in := records{bufio.NewReader(r)}
	for n := 0; ; n++ {
		record, err := in.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%w: tree: %w", ErrFailed, err)
		case n == maxEntries:
			return ErrEntries
		}
		about, name, ok := strings.Cut(record, "\t")
		fields := strings.Fields(about)
		if !ok || len(fields) != 4 {
			return fmt.Errorf("%w: tree record %.200q", ErrFailed, record)
		}
		e := Entry{Mode: fields[0], Hash: fields[2], Size: -1, Name: name}
		if fields[3] != "-" {
			if e.Size, err = strconv.ParseInt(fields[3], 10, 64); err != nil || e.Size < 0 {
				return fmt.Errorf("%w: tree record %.200q", ErrFailed, record)
			}
		}
		if err := listed(e); err != nil {
			return err
		}
	}
}
