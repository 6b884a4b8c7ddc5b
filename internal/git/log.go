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
	// Files are sorted by path.
	Files []Step
	// GivenUp are the paths of further files that the commit touched, on a branch whose texts of
	// them no merge took. It is empty for a merge.
	GivenUp []string

	// listed is the time by which git log sorts commits: When, but never later than the newest
	// child.
	listed int64
}

// Step is what a commit made of a file: its path, and its text before and after by hash, empty
// where there is no regular file. Before is the text in the first parent. A commit that changes
// nothing but the mode of a file has the same text before and after.
type Step struct{ Path, Before, After string }

// Walk lists the commits that lead to rev and made something of files below the folders, parents
// before their children whatever their clocks say. Folders, or files, are paths from top; inside
// chooses the files. The commits of a file are those that git log lists for its path: of a merge
// the walk follows the parent alone that has the same text, if there is one, so that what was given
// up on a branch is no step.
//
// A few objects can name each other so often that no walk through them ends. Git is stopped then,
// and the error wraps ErrFailed.
func Walk(
	ctx context.Context, top, rev string, folders []string, inside func(path string) bool,
) ([]Commit, error) {
	args := []string{"log", "-z", "--format=^%P%n%H%n%ct%n%an%n%s", "--topo-order", "--full-history",
		"--parents", "--raw", "--root", "--no-abbrev", "--no-renames", "--diff-merges=first-parent",
		"--no-color", "--no-notes", "--no-decorate", rev, "--"}
	for _, folder := range folders {
		args = append(args, cmp.Or(folder, "."))
	}
	limit := fmt.Sprintf("ulimit -S -t %d 2>/dev/null; ulimit -v %d 2>/dev/null;", maxSeconds, maxWalk)
	w := newWalk(inside)
	if err := limited(ctx, top, limit, args...).stream(w.read); err != nil {
		return nil, err
	}
	return w.steps()
}

// AsListed sorts the commits of a walk as git log does: newest first, by their times as far as no
// commit comes before its children.
func AsListed(commits []Commit) []*Commit {
	out := make([]*Commit, len(commits))
	for i := range commits {
		out[len(out)-1-i] = &commits[i]
	}
	slices.SortStableFunc(out, func(a, b *Commit) int { return cmp.Compare(b.listed, a.listed) })
	return out
}

// read reads what git log prints.
func (w *walk) read(out *bufio.Reader) error {
	for touched := 0; ; {
		record, err := readRecord(out)
		record = strings.TrimPrefix(record, "\n") // git sets files apart
		head, isCommit := strings.CutPrefix(record, "^")
		raw, isFile := strings.CutPrefix(record, ":")
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%w: log: %w", ErrFailed, err)
		case len(w.nodes) == maxCommits || touched == maxTouched:
			return fmt.Errorf("%w: its history has more than %d commits or touches more than %d files", ErrFailed, maxCommits, maxTouched)
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

// touch notes a step of the newest node.
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

// parseStep reads what a commit made of a file against one parent, behind the first colon: two modes, two hashes and a letter.
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
