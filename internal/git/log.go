package git

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Limits of an untrusted history.
const (
	// maxSeconds bounds the processor time of git log, and maxWalk its address space, in KiB. The
	// largest known repository of proposals takes two seconds.
	maxSeconds = 30
	maxWalk    = 1 << 20
	// maxCommits bounds the commits that touch the folders. The largest known number is a
	// thirtieth.
	maxCommits = 500_000
	// maxTouched bounds the files that all commits of a history touch. The largest known number is
	// about 50,000.
	maxTouched = 1_000_000
	// maxSubject bounds an author's name and the first line of a commit message, in bytes.
	maxSubject = 1000
	// maxRecord bounds the part of git's output for one commit that is kept, in bytes: messages
	// have no limit.
	maxRecord = 64 << 10
	// lastSecond is the last second of the year 9999, the last year of RFC 3339.
	lastSecond = 253402300799
)

// Commit is a commit as git log prints it, with its changes to files.
type Commit struct {
	Hash string
	// When is the committer time in Unix seconds, from 1970 through 9999.
	When int64
	// Undated reports a time outside that range; When is 0 then.
	Undated bool
	// Author is the author's name as given.
	Author, Subject string
	// Merge reports that the commit has several parents. Each of Files differs from all of them.
	Merge bool
	// Landed is the time at which the commit reached HEAD's line of first parents, directly or by a
	// merge, in Unix seconds.
	Landed int64
	// Files are sorted by path.
	Files []Step
	// GivenUp lists further paths that the commit touched on a branch whose version of them no
	// merge took. It is empty for a merge.
	GivenUp []string

	// listed is the time by which git log sorts commits: When, but never later than the newest
	// child.
	listed int64
}

// Step is a commit's change to a file: its path, and its blob hashes before and after, empty where
// there is no regular file. Before is the blob in the first parent. A commit that changes only the
// mode of a file has equal hashes.
type Step struct{ Path, Before, After string }

// Walk lists the commits that lead to rev and changed files below the folders, parents before their
// children regardless of their times. Folders, or files, are paths from top; inside selects the
// files. A file's commits are those that git log lists for its path: at a merge, the walk follows
// only the parent with the same text, if there is one. Changes abandoned on a branch are therefore
// no steps.
//
// A few objects can refer to each other so often that no walk through them ends. Git is killed
// then, and the error wraps ErrFailed.
func Walk(
	ctx context.Context, top, rev string, folders []string, inside func(path string) bool,
) ([]Commit, error) {
	args := []string{"log", "-z", "--format=^%P%n%H%n%ct%n%an%n%s", "--topo-order",
		"--full-history", "--parents", "--raw", "--root", "--no-abbrev", "--no-renames",
		"--diff-merges=first-parent", "--no-color", "--no-notes", "--no-decorate", rev, "--"}
	for _, folder := range folders {
		args = append(args, cmp.Or(folder, "."))
	}
	limit := fmt.Sprintf("ulimit -S -t %d 2>/dev/null; ulimit -v %d 2>/dev/null;",
		maxSeconds, maxWalk)
	w := newWalk(inside)
	if err := limited(ctx, top, limit, args...).stream(w.read); err != nil {
		return nil, err
	}
	return w.steps()
}

// AsListed sorts the commits of a walk as git log does: newest first, but no commit before its
// children.
func AsListed(commits []Commit) []*Commit {
	out := make([]*Commit, len(commits))
	for i := range commits {
		out[len(out)-1-i] = &commits[i]
	}
	slices.SortStableFunc(out, func(a, b *Commit) int { return cmp.Compare(b.listed, a.listed) })
	return out
}

// read parses the output of git log.
func (w *walk) read(out *bufio.Reader) error {
	for touched := 0; ; {
		record, err := readRecord(out)
		record = strings.TrimPrefix(record, "\n") // git separates the files by it
		head, isCommit := strings.CutPrefix(record, "^")
		raw, isFile := strings.CutPrefix(record, ":")
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%w: log: %w", ErrFailed, err)
		case len(w.nodes) == maxCommits || touched == maxTouched:
			return fmt.Errorf(
				"%w: its history has more than %d commits or touches more than %d files",
				ErrFailed, maxCommits, maxTouched)
		case record == "": // ends the message of a merge
		case isCommit:
			parents, rest, _ := strings.Cut(head, "\n")
			c, ok := parseCommit(rest)
			if !ok {
				return fmt.Errorf("%w: log record %.200q", ErrFailed, record)
			}
			w.at[c.Hash] = len(w.nodes)
			w.nodes = append(w.nodes, node{Commit: c, parents: strings.Fields(parents)})
		case isFile && len(w.nodes) > 0:
			before, after, ok := parseStep(raw)
			name, err := readRecord(out)
			if !ok || err != nil {
				return fmt.Errorf("%w: log record %.200q", ErrFailed, record)
			}
			touched++
			mode := before == after && (before == "" || len(w.nodes[len(w.nodes)-1].parents) > 1)
			if w.inside(name) && !mode {
				w.touch(Step{name, before, after})
			}
		default:
			return fmt.Errorf("%w: log record %.200q", ErrFailed, record)
		}
	}
}

// touch adds a step to the newest node.
func (w *walk) touch(s Step) {
	n := &w.nodes[len(w.nodes)-1]
	if n.made == nil {
		n.made = map[string]Step{}
	}
	n.made[s.Path] = s
	if _, met := w.files[s.Path]; !met {
		w.files[s.Path] = len(w.files)
	}
}

// parseCommit reads the lines of a commit: hash, seconds, author, and the first line of the
// message.
func parseCommit(record string) (c Commit, ok bool) {
	// The subject is last: it may contain anything but a line feed and NUL.
	lines := strings.SplitN(record, "\n", 4)
	if len(lines) != 4 || !WholeHash(lines[0]) {
		return c, false
	}
	kept := func(s string) string { return strings.Clone(s[:min(len(s), maxSubject)]) }
	c = Commit{Hash: lines[0], Author: kept(lines[2]), Subject: kept(lines[3])}
	// Git prints nothing, a negative number or too many digits for an invalid time.
	when, err := strconv.ParseInt(lines[1], 10, 64)
	if c.Undated = err != nil || when < 0 || when > lastSecond; !c.Undated {
		c.When = when
	}
	return c, true
}

// parseStep parses a commit's change to a file against one parent, after the first colon: two
// modes, two hashes and a letter.
func parseStep(raw string) (before, after string, ok bool) {
	all := strings.Fields(raw)
	if len(all) != 5 || strings.HasPrefix(raw, ":") || !WholeHash(all[2]) || !WholeHash(all[3]) {
		return "", "", false
	}
	if strings.HasPrefix(all[0], ModeFile) {
		before = all[2]
	}
	if strings.HasPrefix(all[1], ModeFile) {
		after = all[3]
	}
	return before, after, true
}

// readRecord reads up to the next NUL and returns the first maxRecord bytes; io.EOF after the last
// record.
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
