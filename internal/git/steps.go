package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Limits of a walk that anybody may have made costly.
const (
	// maxLooks bounds the commits that are looked at to learn what the second parents of merges held.
	maxLooks = 20_000_000
	// maxFiles bounds the files of a walk, and maxWaiting the words of all sets that wait for their commits.
	maxFiles, maxWaiting = 100_000, 16 << 20
)

// Step is what a commit made of a file: its path, and its text before and after by hash, empty
// where there is no regular file. Before is the text in the first parent. A commit that changes
// nothing but the mode of a file has the same text before and after.
type Step struct{ Path, Before, After string }

// Walk lists the commits that lead to HEAD and made something of files below the folders, parents
// before their children whatever their clocks say. Folders, or files, are paths from top; inside
// chooses the files. The commits of a file are those that git log lists for its path: of a merge
// the walk follows the parent alone that has the same text, if there is one, so that what was given
// up on a branch is no step.
//
// A few objects can name each other so often that no walk through them ends. Git is stopped then,
// and the error wraps ErrFailed. It is ErrNoRepo when there is no commit yet.
func Walk(
	ctx context.Context, top string, folders []string, inside func(path string) bool,
) ([]Commit, error) {
	verify := newCommand(ctx, top, "rev-parse", "--quiet", "--verify", "HEAD^{commit}")
	if _, err := verify.output(); err != nil {
		return nil, errors.Join(ErrNoRepo, ctx.Err())
	}
	args := []string{"log", "-z", "--format=^%P%n%H%n%ct%n%an%n%s", "--topo-order", "--full-history",
		"--parents", "--raw", "--root", "--no-abbrev", "--no-renames", "--diff-merges=first-parent",
		"--no-color", "--no-notes", "--no-decorate", "HEAD", "--"}
	for _, folder := range folders {
		args = append(args, cmp.Or(folder, "."))
	}
	limit := fmt.Sprintf("ulimit -S -t %d 2>/dev/null; ulimit -v %d 2>/dev/null;", maxSeconds, maxWalk)
	w := walk{inside: inside, at: map[string]int{}, files: map[string]int{}}
	if err := limited(ctx, top, limit, args...).stream(w.read); err != nil {
		return nil, err
	}
	return w.steps()
}

// walk is a history while it is read, children first.
type walk struct {
	inside func(path string) bool
	nodes  []node
	at     map[string]int // of nodes by the commit's hash
	files  map[string]int // the paths that are inside, by when they were met
	looks  int
}

// node is a commit and what it made of files against its first parent.
type node struct {
	Commit
	parents []string
	made    map[string]Step
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

// parseStep reads what a commit made of a file against one parent, behind the first colon: two modes, two hashes and a letter.
func parseStep(raw string) (before, after string, ok bool) {
	all := strings.Fields(raw)
	if len(all) != 5 || !WholeHash(all[2]) || !WholeHash(all[3]) {
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

// steps are the commits that made something of files, parents first.
func (w *walk) steps() (out []Commit, err error) {
	all := make(set, (len(w.files)+63)/64)
	for _, i := range w.files {
		all.add(i)
	}
	// follow has by commit the files whose texts came from there, and waiting counts its words.
	follow, waiting := make([]set, len(w.nodes)), len(all)
	landed, listed := w.landed(), w.listed()
	if len(w.nodes) > 0 {
		follow[0] = all
	}
	for i, n := range w.nodes {
		here := follow[i]
		follow[i], waiting = nil, waiting-len(here)
		s := n.Commit
		s.Merge, s.Landed, s.Listed = len(n.parents) > 1, w.nodes[landed[i]].When, listed[i]
		// A file that no parent has as it is here came from all of them, every other one from the first that has it.
		from := make([]set, len(n.parents))
		for k := range from {
			from[k] = make(set, len(here))
		}
		if len(from) > 0 {
			copy(from[0], here)
		}
		for _, step := range n.made {
			file := w.files[step.Path]
			if !here.has(file) {
				if !s.Merge {
					s.GivenUp = append(s.GivenUp, step.Path)
				}
				continue
			}
			if k := w.source(n, step); k > 0 {
				from[0].remove(file)
				from[k].add(file)
				continue
			}
			s.Files = append(s.Files, step)
			for k := range from {
				from[k].add(file)
			}
		}
		for k, parent := range n.parents {
			if at, ok := w.at[parent]; ok && at > i {
				if follow[at] == nil {
					waiting += len(here)
				}
				follow[at] = follow[at].with(from[k])
			}
		}
		if len(w.files) > maxFiles || waiting > maxWaiting {
			return nil, fmt.Errorf("%w: its history has too many files or branches", ErrFailed)
		}
		if len(s.Files) > 0 {
			slices.SortFunc(s.Files, func(a, b Step) int { return strings.Compare(a.Path, b.Path) })
			slices.Sort(s.GivenUp)
			out = append(out, s)
		}
	}
	slices.Reverse(out)
	return out, nil
}

// landed finds the commit on the line of first parents that brought each commit: the oldest that led to it.
func (w *walk) landed() []int {
	out, next := make([]int, len(w.nodes)), 0
	for i, n := range w.nodes {
		line := i == next
		if line {
			out[i] = i
		}
		for k, parent := range n.parents {
			at, ok := w.at[parent]
			if !ok || at <= i {
				continue
			}
			out[at] = max(out[at], out[i])
			if line && k == 0 {
				next = at
			}
		}
	}
	return out
}

// listed finds by which time git log sorts each commit.
func (w *walk) listed() []int64 {
	out := make([]int64, len(w.nodes)) // of the children alone, until the commit is reached
	for i, n := range w.nodes {
		if i == 0 || n.When < out[i] {
			out[i] = n.When
		}
		for _, parent := range n.parents {
			if at, ok := w.at[parent]; ok && at > i {
				out[at] = max(out[at], out[i])
			}
		}
	}
	return out
}

// source is the position of the parent, other than the first, from which a merge took a file; 0 when there is none.
func (w *walk) source(n node, s Step) int {
	for k := 1; k < len(n.parents); k++ {
		if w.text(n.parents[k], s.Path) == s.After {
			return k
		}
	}
	return 0
}

// text is the hash of a file as of a commit, found by the first parents.
func (w *walk) text(commit, path string) string {
	for {
		k, ok := w.at[commit]
		if w.looks++; !ok || w.looks > maxLooks {
			return ""
		}
		n := w.nodes[k]
		if s, made := n.made[path]; made {
			return s.After
		}
		if len(n.parents) == 0 {
			return ""
		}
		commit = n.parents[0]
	}
}

// set is a set of small numbers, a bit for each.
type set []uint64

func (s set) has(i int) bool { return i/64 < len(s) && s[i/64]&(1<<(i%64)) != 0 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) remove(i int)   { s[i/64] &^= 1 << (i % 64) }

// with is the union, which may be s itself.
func (s set) with(other set) set {
	if s == nil {
		return slices.Clone(other)
	}
	for i, word := range other {
		s[i] |= word
	}
	return s
}
