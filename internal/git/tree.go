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

// ErrNoFolder says that a commit has no folder of that name.
var ErrNoFolder = errors.New("no such folder")

// Entry is what a commit has under a name in a folder.
type Entry struct {
	Mode string // 100644, 100755, 120000 (a symbolic link), 160000 (a submodule) or 040000 (a folder)
	Hash string
	Size int64  // bytes; -1: has none
	Name string // as it is: it may hold anything but NUL
}

// Tree lists a folder of a commit, "." for all of it, without what is below its folders. listed is called for each
// entry; what is not kept costs no memory. ErrNoFolder: the commit has none there.
func Tree(ctx context.Context, top, commit, folder string, listed func(Entry) error) error {
	at := commit + ":"
	if folder != "." {
		at += folder
	}
	if kind, err := Command(ctx, top, "cat-file", "-t", at).Output(); err != nil || strings.TrimSpace(string(kind)) != "tree" {
		return errors.Join(ErrNoFolder, ctx.Err())
	}
	cmd := Command(ctx, top, "ls-tree", "-z", "-l", at)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFailed, err)
	}
	parseErr := parseTree(out, listed)
	io.Copy(io.Discard, out) // git must not wait for a reader
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %w", ErrFailed, err)
	}
	return parseErr
}

// parseTree reads records such as "100644 blob HASH     123\tNAME", each ending with NUL.
func parseTree(r io.Reader, listed func(Entry) error) error {
	in := bufio.NewReader(r)
	for {
		record, err := in.ReadString(0)
		if err == io.EOF && record == "" {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFailed, err)
		}
		about, name, ok := strings.Cut(strings.TrimSuffix(record, "\x00"), "\t")
		fields := strings.Fields(about)
		if !ok || len(fields) != 4 {
			return fmt.Errorf("%w: tree record %q", ErrFailed, record)
		}
		e := Entry{Mode: fields[0], Hash: fields[2], Size: -1, Name: name}
		if fields[3] != "-" {
			if e.Size, err = strconv.ParseInt(fields[3], 10, 64); err != nil {
				return fmt.Errorf("%w: tree record %q", ErrFailed, record)
			}
		}
		if err := listed(e); err != nil {
			return err
		}
	}
}
