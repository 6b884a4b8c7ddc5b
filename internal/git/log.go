package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Limits of a history that anybody may have made.
const (
	// maxCommits bounds a history. The longest of a repository of proposals known has a thirtieth.
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

// Commit is one commit as git log prints it.
type Commit struct {
	Hash string
	// When is the committer time in Unix seconds, from 1970 through 9999.
	When int64
	// Undated is true when the commit has no such time, and When is 0.
	Undated bool
	// Author is the name that the author gave.
	Author, Subject string
}

// Touch is what a commit made of a file: its path and its text by hash, empty when the file is gone or no
// regular file any more.
type Touch struct{ Path, Blob string }

// node is a commit with what is needed to follow its history.
type node struct {
	Commit
	root    string   // the commit's tree
	parents []string // hashes
	trees   []string // those of the folders, empty where the commit has no such folder
	before  []*node  // the parents that the commit changes the folders against
}

// Log calls touched for every file of every commit in the folders that leads to rev, HEAD when that is empty,
// newest commit first. Folders are named from top, empty or ending in a slash. What is below them is not opened:
// a few objects can name each other so often that no walk through them ends. Of a merge only the parent that
// has the same files is followed, if there is one; otherwise it touches what it changes against all of its parents.
// The error is ErrNoRepo when there is no commit yet.
func Log(ctx context.Context, top, rev string, folders []string, touched func(Commit, Touch)) error {
	if rev == "" {
		rev = "HEAD"
		if _, err := newCommand(ctx, top, "rev-parse", "--quiet", "--verify", "HEAD^{commit}").output(); err != nil {
			return errors.Join(ErrNoRepo, ctx.Err())
		}
	}
	var nodes []*node
	// One commit more than the limit shows that the history is longer than that.
	args := []string{"log", "-z", "--no-color", "--no-notes", "--no-decorate", "--format=%H%n%T%n%P%n%ct%n%an%n%s",
		"--max-count=" + strconv.Itoa(maxCommits+1), rev, "--"}
	err := newCommand(ctx, top, args...).stream(func(out *bufio.Reader) (err error) {
		nodes, err = parseLog(out)
		return err
	})
	if err != nil {
		return err
	}
	// Only the trees of the folders are looked up, so that the size of the rest of the repository does not matter.
	if err := findTrees(ctx, top, nodes, folders); err != nil {
		return err
	}
	objects, err := OpenObjects(ctx, top)
	if err != nil {
		return err
	}
	defer objects.Close()
	count := 0
	for _, n := range simplify(nodes) {
		for i, folder := range folders {
			changed, err := objects.changes(n, i)
			if err != nil {
				return err
			}
			// A history that touches all files in each commit would take all memory of the caller.
			if count += len(changed); count > maxTouched {
				return fmt.Errorf("%w: its commits touch more than %d files", ErrFailed, maxTouched)
			}
			for _, e := range changed {
				t := Touch{Path: folder + e.Name}
				if strings.HasPrefix(e.Mode, ModeFile) {
					t.Blob = e.Hash()
				}
				touched(n.Commit, t)
			}
		}
	}
	return nil
}

// parseLog reads records of six lines: commit, tree, parents, seconds, author, and the first line of the message.
func parseLog(out *bufio.Reader) (nodes []*node, err error) {
	for {
		record, err := readRecord(out)
		if err == io.EOF {
			return nodes, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: log: %w", ErrFailed, err)
		}
		// The subject comes last: it may hold anything but a line feed and NUL.
		lines := strings.SplitN(record, "\n", 6)
		if len(lines) != 6 || !WholeHash(lines[0]) || !WholeHash(lines[1]) {
			return nil, fmt.Errorf("%w: log record %.200q", ErrFailed, record)
		}
		if len(nodes) == maxCommits {
			return nil, fmt.Errorf("%w: its history has more than %d commits", ErrFailed, maxCommits)
		}
		kept := func(s string) string { return strings.Clone(s[:min(len(s), maxSubject)]) }
		c := Commit{Hash: lines[0], Author: kept(lines[4]), Subject: kept(lines[5])}
		// Git prints nothing, a negative number or too many digits for times that nobody can have meant.
		c.When, err = strconv.ParseInt(lines[3], 10, 64)
		if err != nil || c.When < 0 || c.When > lastSecond {
			c.When, c.Undated = 0, true
		}
		nodes = append(nodes, &node{Commit: c, root: lines[1], parents: strings.Fields(lines[2])})
	}
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

// findTrees looks up the trees that the folders have in each commit.
func findTrees(ctx context.Context, top string, nodes []*node, folders []string) error {
	for _, folder := range folders {
		expressions := make([]string, len(nodes))
		for i, n := range nodes {
			expressions[i] = n.root + ":" + strings.TrimSuffix(folder, "/")
		}
		found, err := lookUp(ctx, top, expressions)
		if err != nil {
			return err
		}
		for i, n := range nodes {
			if found[i].kind != "tree" {
				found[i].hash = ""
			}
			n.trees = append(n.trees, found[i].hash)
		}
	}
	return nil
}

// simplify follows the history from its first commit as git log does for some files, and returns the commits that
// change them, in the same order.
func simplify(nodes []*node) []*node {
	byHash := make(map[string]*node, len(nodes))
	for _, n := range nodes {
		byHash[n.Hash] = n
	}
	seen, kept := map[*node]bool{}, map[*node]bool{}
	// A stack and no recursion: a history is as deep as it is long.
	follow := slices.Clone(nodes[:min(1, len(nodes))])
	for len(follow) > 0 {
		n := follow[len(follow)-1]
		follow = follow[:len(follow)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		// The parents of the oldest commits are missing in a shallow clone.
		for _, hash := range n.parents {
			if p := byHash[hash]; p != nil {
				n.before = append(n.before, p)
			}
		}
		// A merge that took all files of one side has no changes of its own, and the other side left no trace.
		same := slices.IndexFunc(n.before, func(p *node) bool { return slices.Equal(p.trees, n.trees) })
		if same >= 0 {
			follow = append(follow, n.before[same])
			continue
		}
		kept[n] = true
		follow = append(follow, n.before...)
	}
	return slices.DeleteFunc(nodes, func(n *node) bool { return !kept[n] })
}

// changes returns the files of a folder that a commit changes against each of its parents.
func (o *Objects) changes(n *node, folder int) ([]Entry, error) {
	var before []string
	for _, p := range n.before {
		before = append(before, p.trees[folder])
	}
	if before == nil {
		before = []string{""} // of a first commit
	}
	if slices.Contains(before, n.trees[folder]) {
		return nil, nil
	}
	after, err := o.tree(n.trees[folder])
	if err != nil {
		return nil, err
	}
	var changed []Entry
	for i, hash := range before {
		old, err := o.tree(hash)
		if err != nil {
			return nil, err
		}
		// A merge touches what differs from this parent as well.
		again := map[Entry]bool{}
		for _, e := range difference(old, after) {
			if again[e] = true; i == 0 {
				changed = append(changed, e)
			}
		}
		changed = slices.DeleteFunc(changed, func(e Entry) bool { return !again[e] })
	}
	return changed, nil
}

// difference compares two trees and returns the files that are new or not the same, and those that are gone
// without mode and hash, sorted by name. Folders are left out.
func difference(before, after []Entry) (changed []Entry) {
	// Most entries are the same.
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	gone := map[string]Entry{}
	for _, e := range before {
		gone[e.Name] = e
	}
	for _, e := range after {
		if e.Mode == ModeFolder {
			continue
		}
		if e != gone[e.Name] {
			changed = append(changed, e)
		}
		delete(gone, e.Name)
	}
	for name, e := range gone {
		if e.Mode != ModeFolder {
			changed = append(changed, Entry{Name: name})
		}
	}
	slices.SortFunc(changed, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return changed
}
