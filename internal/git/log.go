package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxCommits bounds a history. The longest of a repository of proposals known has a thirtieth.
	maxCommits = 500_000
	// maxTouched bounds the files that all commits of a history touch. The largest number known is about 50,000.
	maxTouched = 1_000_000
	// maxSubject bounds what is kept of the first line of a commit's message, in bytes.
	maxSubject = 1000
	// lastSecond is the last of the year 9999, the last year that RFC 3339 can write.
	lastSecond = 253402300799
)

// The trees without entries, which git has in every repository.
const (
	emptySHA1   = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	emptySHA256 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
)

// Commit is one commit as git log prints it.
type Commit struct {
	Hash    string
	When    int64 // committer time, Unix seconds, from 1970 through 9999
	Undated bool  // the commit has no such time, and When is 0
	Subject string
}

// Touch is what a commit made of a file: its path and its text by hash, empty when the file is gone or no
// regular file any more.
type Touch struct{ Path, Blob string }

// node is a commit with what is needed to follow its history.
type node struct {
	Commit
	parents []string
	root    string   // its tree
	trees   []string // of the folders, in their order
	wanted  bool
}

// Log calls touched for every file of every commit in the folders that leads to rev, HEAD when that is empty,
// newest commit first. Folders are named from top, empty or ending in a slash. What is below them is not opened:
// a few objects can name each other so often that no walk through them ends. Of a merge only the parent that
// has the same files is followed, if there is one; otherwise it touches what it changes against all of its parents.
func Log(ctx context.Context, top, rev string, folders []string, touched func(Commit, Touch)) error {
	nodes, err := commits(ctx, top, rev)
	if err == nil {
		err = folderTrees(ctx, top, nodes, folders)
	}
	if err != nil {
		return err
	}
	return changes(ctx, top, simplify(nodes), folders, touched)
}

// commits lists what leads to rev without opening any tree.
func commits(ctx context.Context, top, rev string) ([]*node, error) {
	if rev == "" {
		rev = "HEAD"
		if Command(ctx, top, "rev-parse", "--quiet", "--verify", "HEAD^{commit}").Run() != nil {
			return nil, errors.Join(ErrNoRepo, ctx.Err()) // no commit yet
		}
	}
	var nodes []*node
	err := stream(ctx, top, nil, func(out io.Reader) (err error) {
		nodes, err = parseLog(out)
		return err
	}, "log", "-z", "--no-color", "--no-notes", "--no-decorate", "--max-count="+strconv.Itoa(maxCommits+1), "--format=%H%n%T%n%P%n%ct%n%s", rev, "--")
	return nodes, err
}

// parseLog reads records of five lines: commit, tree, parents, seconds, and the first line of the message.
func parseLog(out io.Reader) ([]*node, error) {
	var nodes []*node
	for in := (records{bufio.NewReader(out)}); ; {
		record, err := in.next()
		if err == io.EOF {
			return nodes, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: log: %w", ErrFailed, err)
		}
		lines := strings.SplitN(record, "\n", 5)
		if len(lines) != 5 || !WholeHash(lines[0]) || !WholeHash(lines[1]) {
			return nil, fmt.Errorf("%w: log record %.200q", ErrFailed, record)
		}
		if len(nodes) == maxCommits {
			return nil, fmt.Errorf("%w: its history has more than %d commits", ErrFailed, maxCommits)
		}
		c := Commit{Hash: lines[0], Subject: strings.Clone(lines[4][:min(len(lines[4]), maxSubject)])}
		c.When, err = strconv.ParseInt(lines[3], 10, 64)
		if err != nil || c.When < 0 || c.When > lastSecond {
			c.When, c.Undated = 0, true
		}
		nodes = append(nodes, &node{Commit: c, root: lines[1], parents: strings.Fields(lines[2])})
	}
}

// folderTrees finds the trees that the folders have in each commit, that without entries where there is none.
func folderTrees(ctx context.Context, top string, nodes []*node, folders []string) error {
	var roots []string
	asked := map[string]bool{}
	for _, n := range nodes {
		if !asked[n.root] {
			asked[n.root] = true
			roots = append(roots, n.root)
		}
	}
	for _, folder := range folders {
		found, err := treesOf(ctx, top, roots, strings.TrimSuffix(folder, "/"))
		if err != nil {
			return err
		}
		for _, n := range nodes {
			n.trees = append(n.trees, cmp.Or(found[n.root], emptyTree(n.Hash)))
		}
	}
	return nil
}

// step is a commit that changes the folders, with their trees in each of its parents.
type step struct {
	*node
	before [][]string
}

// simplify follows the history from its first commit as git log does for some files, and keeps the commits that
// change them, in the same order.
func simplify(nodes []*node) []step {
	byHash := make(map[string]*node, len(nodes))
	for _, n := range nodes {
		byHash[n.Hash] = n
	}
	kept := map[*node][][]string{}
	follow := slices.Clone(nodes[:min(1, len(nodes))])
	for len(follow) > 0 {
		n := follow[len(follow)-1]
		follow = follow[:len(follow)-1]
		if n.wanted {
			continue
		}
		n.wanted = true
		var parents []*node
		var before [][]string
		for _, hash := range n.parents {
			if p := byHash[hash]; p != nil {
				parents, before = append(parents, p), append(before, p.trees)
			}
		}
		same := slices.IndexFunc(before, func(trees []string) bool { return slices.Equal(trees, n.trees) })
		if same >= 0 {
			follow = append(follow, parents[same])
			continue
		}
		follow = append(follow, parents...)
		kept[n] = before
	}
	var steps []step
	for _, n := range nodes {
		if before, ok := kept[n]; ok {
			steps = append(steps, step{n, before})
		}
	}
	return steps
}

// comparison is of one folder in a commit and in one of its parents.
type comparison struct {
	commit      *node
	folder      string
	first, last bool // of the comparisons of this commit and folder
}

// maxAsked is how many comparisons one process is asked for: git diff-tree keeps all trees that it has read.
const maxAsked = 500

// changes compares the trees of each step.
func changes(ctx context.Context, top string, steps []step, folders []string, touched func(Commit, Touch)) error {
	entries := 0
	var asked []comparison
	var questions strings.Builder
	compare := func() error {
		if len(asked) == 0 {
			return nil
		}
		err := stream(ctx, top, strings.NewReader(questions.String()), func(out io.Reader) error {
			return parseChanges(out, asked, &entries, touched)
		}, "diff-tree", "--stdin", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-color", "--no-ext-diff")
		asked = asked[:0]
		questions.Reset()
		return err
	}
	for _, s := range steps {
		for i, folder := range folders {
			before := treesBefore(s, i)
			for k, tree := range before {
				asked = append(asked, comparison{s.node, folder, k == 0, k == len(before)-1})
				questions.WriteString(tree + " " + s.trees[i] + "\n")
			}
			if len(asked) < maxAsked {
				continue
			}
			if err := compare(); err != nil {
				return err
			}
		}
	}
	return compare()
}

// treesBefore are the trees that a folder had in a commit's parents; none when one of them has the same.
func treesBefore(s step, folder int) []string {
	if len(s.before) == 0 && s.trees[folder] != emptyTree(s.Hash) {
		return []string{emptyTree(s.Hash)}
	}
	var before []string
	for _, trees := range s.before {
		if trees[folder] == s.trees[folder] {
			return nil
		}
		before = append(before, trees[folder])
	}
	return before
}

// emptyTree is the name of the tree without entries where commits have names such as hash.
func emptyTree(hash string) string {
	if len(hash) == sha256Digits {
		return emptySHA256
	}
	return emptySHA1
}

// parseChanges reads for each comparison a line with both trees, and for each entry that differs two records: what
// changed, such as ":100644 100644 HASH HASH M", and its name. A merge touches what differs from all parents. The
// entries are added to those that were read before.
func parseChanges(out io.Reader, asked []comparison, entries *int, touched func(Commit, Touch)) error {
	in := records{bufio.NewReader(out)}
	at := -1
	var changed []Touch    // in the comparison at hand
	var all map[Touch]bool // in each of those before of the same commit and folder
	settle := func() {
		if at < 0 {
			return
		}
		c := asked[at]
		if !c.first {
			changed = slices.DeleteFunc(changed, func(f Touch) bool { return !all[f] })
		}
		all = map[Touch]bool{}
		for _, f := range changed {
			if c.last {
				touched(c.commit.Commit, f)
			} else {
				all[f] = true
			}
		}
		changed = changed[:0]
	}
	for {
		record, err := in.next()
		for record != "" && record[0] != ':' {
			var trees string
			trees, record, _ = strings.Cut(record, "\n")
			if a, b, _ := strings.Cut(trees, " "); !WholeHash(a) || !WholeHash(b) || at+1 == len(asked) {
				return fmt.Errorf("%w: comparison %.200q", ErrFailed, trees)
			}
			settle()
			at++
		}
		switch {
		case record == "" && (err == io.EOF || err == io.ErrUnexpectedEOF) && at+1 == len(asked):
			settle()
			return nil
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return fmt.Errorf("%w: %d of %d comparisons", ErrFailed, at+1, len(asked))
		case err != nil:
			return err
		case record == "": // after lines with trees
			continue
		}
		name, err := in.next()
		if err != nil || at < 0 {
			return fmt.Errorf("%w: comparison %.200q", ErrFailed, record)
		}
		if *entries++; *entries > maxTouched {
			return fmt.Errorf("%w: its commits touch more than %d files", ErrFailed, maxTouched)
		}
		blob, file, err := changedTo(record)
		if err != nil {
			return err
		}
		if file {
			changed = append(changed, Touch{asked[at].folder + name, blob})
		}
	}
}

// changedTo reads what changed: the text of a file by hash, empty when there is none any more. What is or was a
// folder is no file.
func changedTo(what string) (blob string, file bool, err error) {
	parts := strings.Fields(strings.TrimPrefix(what, ":"))
	if len(parts) != 5 || !WholeHash(parts[3]) {
		return "", false, fmt.Errorf("%w: comparison %.200q", ErrFailed, what)
	}
	const folder = "040000"
	switch {
	case parts[0] == folder || parts[1] == folder:
		return "", false, nil
	case strings.HasPrefix(parts[1], "100"): // neither gone nor a link or a submodule
		return parts[3], true, nil
	}
	return "", true, nil
}
