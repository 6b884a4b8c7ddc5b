package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Limits of a history that anybody may have made.
const (
	// maxSeconds bounds the processor time of git log, and maxWalk its address space, in KiB. The largest repository of
	// proposals known takes two seconds.
	maxSeconds = 30
	maxWalk    = 1 << 20
	// maxCommits bounds the commits that touch the folders. The largest number known is a thirtieth.
	maxCommits = 500_000
	// maxTouched bounds the files that all commits of a history touch. The largest number known is about 50,000.
	maxTouched = 1_000_000
	// maxSubject bounds what is kept of an author's name and of the first line of a commit's message, in bytes.
	maxSubject = 1000
	// maxRecord bounds what is kept of all that git prints of a commit, in bytes: messages have no end.
	maxRecord = 64 << 10
	// lastSecond is the last of the year 9999, the last year that RFC 3339 can write.
	lastSecond = 253402300799
)

// Commit is a commit as git log prints it, with what it made of files.
type Commit struct {
	Hash string
	// When is the committer time in Unix seconds, from 1970 through 9999.
	When int64
	// Undated is true when the commit has no such time, and When is 0.
	Undated bool
	// Author is the name that the author gave.
	Author, Subject string
	// Merge is true when the commit has several parents. Each of Files differs from all of them.
	Merge bool
	// Landed is the time at which HEAD's line of first parents got the commit, by itself or by a
	// merge, in seconds.
	Landed int64
	// Listed is the time by which git log sorts commits, in seconds: When, but never later than
	// the newest child. Commits of one time are sorted children first.
	Listed int64
	// Files are sorted by path.
	Files []Step
	// GivenUp are the paths of further files that the commit touched, on a branch whose texts of
	// them no merge took. It is empty for a merge.
	GivenUp []string
}

// Touch is what a commit made of a file: its path and its text by hash, empty when the file is gone or no
// regular file any more.
type Touch struct{ Path, Blob string }

// Change is a commit with the files of the folders that it touches.
type Change struct {
	Commit
	Files []Touch
}

// Log lists the commits that lead to rev, HEAD when that is empty, and touch files in the folders, newest first. A file
// below a folder's folders counts as none. Folders are named from top, empty or ending in a slash, and sorted. Log follows only the
// parent of a merge that has the same files, if there is one; otherwise the merge touches what it changes against all
// of its parents.
//
// A few objects can name each other so often that no walk through them ends. Git is stopped then, and the error wraps
// ErrFailed. It is ErrNoRepo when there is no commit yet.
func Log(ctx context.Context, top, rev string, folders []string) ([]Change, error) {
	if rev == "" {
		rev = "HEAD"
		if _, err := newCommand(ctx, top, "rev-parse", "--quiet", "--verify", "HEAD^{commit}").output(); err != nil {
			return nil, errors.Join(ErrNoRepo, ctx.Err())
		}
	}
	args := []string{"log", "-z", "--format=%H%n%ct%n%an%n%s", "--raw", "--root", "--no-abbrev", "--no-renames",
		"--diff-merges=combined", "--no-color", "--no-notes", "--no-decorate", rev, "--"}
	for _, folder := range folders {
		args = append(args, cmp.Or(folder, "."))
	}
	limit := fmt.Sprintf("ulimit -S -t %d 2>/dev/null; ulimit -v %d 2>/dev/null;", maxSeconds, maxWalk)
	var changes []Change
	err := limited(ctx, top, limit, args...).stream(func(out *bufio.Reader) (err error) {
		changes, err = parseLog(out, folders)
		return err
	})
	if err != nil {
		return nil, err
	}
	// Those are left that touch a file further down.
	return slices.DeleteFunc(changes, func(c Change) bool { return len(c.Files) == 0 }), nil
}

// parseLog reads a record for each commit and two for each of its files: what it made of the file, and the path.
func parseLog(out *bufio.Reader, folders []string) (changes []Change, err error) {
	for files := 0; ; {
		record, err := readRecord(out)
		record = strings.TrimPrefix(record, "\n") // git sets files apart
		raw, isFile := strings.CutPrefix(record, ":")
		switch {
		case err == io.EOF:
			return changes, nil
		case err != nil:
			return nil, fmt.Errorf("%w: log: %w", ErrFailed, err)
		case len(changes) == maxCommits || files == maxTouched:
			return nil, fmt.Errorf("%w: its history has more than %d commits or touches more than %d files", ErrFailed, maxCommits, maxTouched)
		case record == "": // ends the message of a merge
		case isFile && len(changes) > 0:
			blob, ok := parseBlob(raw)
			name, err := readRecord(out)
			if !ok || err != nil {
				return nil, fmt.Errorf("%w: log record %.200q", ErrFailed, record)
			}
			files++
			folder, _ := path.Split(name)
			if _, inside := slices.BinarySearch(folders, folder); inside {
				last := &changes[len(changes)-1]
				last.Files = append(last.Files, Touch{name, blob})
			}
		default:
			c, ok := parseCommit(record)
			if !ok {
				return nil, fmt.Errorf("%w: log record %.200q", ErrFailed, record)
			}
			changes = append(changes, Change{Commit: c})
		}
	}
}

// parseCommit reads the lines of a commit: hash, seconds, author, and the first line of the message.
func parseCommit(record string) (c Commit, ok bool) {
	// The subject comes last: it may hold anything but a line feed and NUL.
	lines := strings.SplitN(record, "\n", 4)
	if len(lines) != 4 || !WholeHash(lines[0]) {
		return c, false
	}
	kept := func(s string) string { return strings.Clone(s[:min(len(s), maxSubject)]) }
	c = Commit{Hash: lines[0], Author: kept(lines[2]), Subject: kept(lines[3])}
	// Git prints nothing, a negative number or too many digits for times that nobody can have meant.
	when, err := strconv.ParseInt(lines[1], 10, 64)
	if c.Undated = err != nil || when < 0 || when > lastSecond; !c.Undated {
		c.When = when
	}
	return c, true
}

// parseBlob reads what a commit made of a file, behind the first colon: a further colon for each parent after the first, the
// modes and the hashes of the parents, each followed by those of the commit, and letters. The hash is empty when the file is
// gone or no regular file.
func parseBlob(raw string) (hash string, ok bool) {
	fields := strings.TrimLeft(raw, ":")
	parents := 1 + len(raw) - len(fields)
	all := strings.Fields(fields)
	if len(all) != 2*parents+3 || !WholeHash(all[2*parents+1]) {
		return "", false
	}
	if mode := all[parents]; strings.HasPrefix(mode, ModeFile) {
		hash = all[2*parents+1]
	}
	return hash, true
}

// readRecord reads up to the next NUL and returns the first maxRecord bytes; io.EOF after the last record.
func readRecord(in *bufio.Reader) (string, error) {
	var record []byte
	for {
		part, err := in.ReadSlice(0)
		record = append(record, part[:min(len(part), maxRecord-len(record))]...)
		switch {
		case err == nil:
			return strings.TrimSuffix(string(record), "\x00"), nil
		case err == io.EOF && len(record) > 0:
			return "", io.ErrUnexpectedEOF
		case err != bufio.ErrBufferFull:
			return "", err
		}
	}
}
