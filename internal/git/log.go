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
	// maxSubject bounds what is kept of the first line of a commit's message, in bytes.
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
	Subject string
}

// Touch is what a commit made of a file: its path and its text by hash, empty when the file is gone or no
// regular file any more.
type Touch struct{ Path, Blob string }

// node is a commit with what is needed to follow its history.
type node struct {
	Commit
	parents []string
	// root is the commit's tree.
	root string
	// trees are those of the folders, empty where the commit has no such folder.
	trees []string
	// before are the parents that the commit changes the folders against.
	before []*node
	// kept is true when the commit changes the folders.
	kept bool
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
	args := []string{"log", "-z", "--no-color", "--no-notes", "--no-decorate", "--format=%H%n%T%n%P%n%ct%n%s",
		"--max-count=" + strconv.Itoa(maxCommits+1), rev, "--"}
	// One commit more than the limit shows that the history is longer than that.
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
	return compare(ctx, top, simplify(nodes), folders, touched)
}

// parseLog reads records of five lines: commit, tree, parents, seconds, and the first line of the message.
func parseLog(out *bufio.Reader) ([]*node, error) {
	var nodes []*node
	for {
		record, err := readRecord(out)
		if err == io.EOF {
			return nodes, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: log: %w", ErrFailed, err)
		}
		// The subject comes last: it may hold anything but a line feed and NUL.
		lines := strings.SplitN(record, "\n", 5)
		if len(lines) != 5 || !WholeHash(lines[0]) || !WholeHash(lines[1]) {
			return nil, fmt.Errorf("%w: log record %.200q", ErrFailed, record)
		}
		if len(nodes) == maxCommits {
			return nil, fmt.Errorf("%w: its history has more than %d commits", ErrFailed, maxCommits)
		}
		c := Commit{Hash: lines[0], Subject: strings.Clone(lines[4][:min(len(lines[4]), maxSubject)])}
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
	objects, err := openObjects(ctx, top, "--batch-check")
	if err != nil {
		return err
	}
	defer objects.Close()
	for _, folder := range folders {
		expressions := make([]string, len(nodes))
		for i, n := range nodes {
			expressions[i] = n.root + ":" + strings.TrimSuffix(folder, "/")
		}
		err := objects.ask(func(i int, x object) error {
			if x.kind != "tree" {
				x.hash = ""
			}
			nodes[i].trees = append(nodes[i].trees, x.hash)
			return nil
		}, expressions...)
		if err != nil {
			return err
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
	// A stack and no recursion: a history is as deep as it is long.
	seen := map[*node]bool{}
	follow := slices.Clone(nodes[:min(1, len(nodes))])
	for len(follow) > 0 {
		n := follow[len(follow)-1]
		follow = follow[:len(follow)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		// The parents of the oldest commits are missing in a shallow clone.
		var parents []*node // but those that a shallow clone lacks
		for _, hash := range n.parents {
			if p := byHash[hash]; p != nil {
				parents = append(parents, p)
			}
		}
		// A merge that took all files of one side has no changes of its own, and the other side left no trace.
		same := slices.IndexFunc(parents, func(p *node) bool { return slices.Equal(p.trees, n.trees) })
		if same >= 0 {
			follow = append(follow, parents[same])
			continue
		}
		n.kept, n.before = true, parents
		follow = append(follow, parents...)
	}
	return slices.DeleteFunc(nodes, func(n *node) bool { return !n.kept })
}

// compare reads the trees of each commit and of its parents, and calls touched for the files that differ.
func compare(ctx context.Context, top string, nodes []*node, folders []string, touched func(Commit, Touch)) error {
	objects, err := OpenObjects(ctx, top)
	if err != nil {
		return err
	}
	defer objects.Close()
	t := &trees{objects: objects}
	count := 0
	for _, n := range nodes {
		for i, folder := range folders {
			changed, err := t.changes(n, i)
			if err != nil {
				return err
			}
			// A history that touches all files in each commit would take all memory of the caller.
			if count += len(changed); count > maxTouched {
				return fmt.Errorf("%w: its commits touch more than %d files", ErrFailed, maxTouched)
			}
			for _, f := range changed {
				blob := "" // of a file that is gone, a link or a submodule
				if strings.HasPrefix(f.mode, ModeFile) {
					blob = f.hexHash()
				}
				touched(n.Commit, Touch{folder + f.name, blob})
			}
		}
	}
	return nil
}

// trees reads trees and keeps the last one, which is mostly that of the next commit.
type trees struct {
	objects    *Objects
	hash, text string
}

// read returns a tree as git stores it, empty where there is none.
func (t *trees) read(hash string) (text string, err error) {
	if hash == "" {
		return "", nil
	}
	if hash != t.hash {
		t.hash = hash
		t.text, _, err = t.objects.tree(hash)
	}
	return t.text, err
}

// changes returns the files of a folder that a commit changes against each of its parents.
func (t *trees) changes(n *node, folder int) ([]file, error) {
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
	after, err := t.read(n.trees[folder])
	if err != nil {
		return nil, err
	}
	var changed []file
	for i, hash := range before {
		tree, err := t.read(hash)
		if err != nil {
			return nil, err
		}
		found, err := difference(tree, after, len(n.Hash)/2)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			changed = found
			continue
		}
		// A merge touches what differs from this parent as well.
		again := map[file]bool{}
		for _, f := range found {
			again[f] = true
		}
		changed = slices.DeleteFunc(changed, func(f file) bool { return !again[f] })
	}
	return changed, nil
}

// difference compares two trees and returns the files that are new or not the same, and those that are gone
// without mode and hash. Folders are left out.
func difference(before, after string, hashSize int) (changed []file, err error) {
	for before != "" || after != "" {
		old, beforeRest, err := cutFile(before, hashSize)
		if err != nil {
			return nil, err
		}
		// Most entries are the same, and are compared without looking into them.
		if entry := before[:len(before)-len(beforeRest)]; entry != "" && strings.HasPrefix(after, entry) {
			before, after = beforeRest, after[len(entry):]
			continue
		}
		f, afterRest, err := cutFile(after, hashSize)
		if err != nil {
			return nil, err
		}
		order := strings.Compare(old.sortName(), f.sortName())
		gone := after == "" || before != "" && order < 0
		added := before == "" || after != "" && order > 0
		if !added {
			before = beforeRest
		}
		if !gone {
			after = afterRest
		}
		switch {
		case gone && old.mode != ModeFolder:
			changed = append(changed, file{name: old.name})
		case !gone && f.mode != ModeFolder:
			changed = append(changed, f)
		}
	}
	return changed, nil
}

// sortName is the name by which git sorts an entry of a tree.
func (f file) sortName() string {
	if f.mode == ModeFolder {
		return f.name + "/"
	}
	return f.name
}
