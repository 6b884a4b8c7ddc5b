package git

import (
	"fmt"
	"slices"
	"strings"
)

// Limits of a walk that an untrusted history can make costly.
const (
	// maxVisits bounds the commits visited to find the text of files in the second parents of
	// merges.
	maxVisits = 20_000_000
	// maxFiles bounds the files of a walk, and maxWaiting the words of all sets of pending commits.
	maxFiles, maxWaiting = 100_000, 16 << 20
)

// walk is a history that is being read, children first.
type walk struct {
	inside func(path string) bool
	nodes  []node
	at     map[string]int // index in nodes by the commit's hash
	files  map[string]int // paths inside, numbered in the order in which they were met
	visits int
}

func newWalk(inside func(path string) bool) *walk {
	return &walk{inside: inside, at: map[string]int{}, files: map[string]int{}}
}

// node is a commit and its changes to files relative to its first parent.
type node struct {
	Commit
	parents []string
	made    map[string]Step
}

// steps returns the commits that changed files, parents first.
func (w *walk) steps() (out []Commit, err error) {
	all := make(set, (len(w.files)+63)/64)
	for _, i := range w.files {
		all.add(i)
	}
	// follow maps a commit to the files whose text came from it; waiting counts the words of these
	// sets.
	follow, waiting := make([]set, len(w.nodes)), len(all)
	landed, listed := w.landed(), w.listed()
	if len(w.nodes) > 0 {
		follow[0] = all
	}
	for i, n := range w.nodes {
		here := follow[i]
		follow[i], waiting = nil, waiting-len(here)
		s := n.Commit
		s.Merge, s.Landed, s.listed = len(n.parents) > 1, w.nodes[landed[i]].When, listed[i]
		// If no parent has the file as it is here, the file came from all of them, otherwise from
		// the first that has it.
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

// landed finds, for each commit, the commit on the line of first parents that brought it: the
// oldest one that leads to it.
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

// listed finds the time by which git log sorts each commit.
func (w *walk) listed() []int64 {
	out := make([]int64, len(w.nodes)) // the newest child's time, until the commit is reached
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

// source returns the index of the parent, other than the first, from which a merge took a file, 0
// if there is none.
func (w *walk) source(n node, s Step) int {
	for k := 1; k < len(n.parents); k++ {
		if w.text(n.parents[k], s.Path) == s.After {
			return k
		}
	}
	return 0
}

// text returns the hash of a file as of a commit, following first parents.
func (w *walk) text(commit, path string) string {
	for {
		k, ok := w.at[commit]
		if w.visits++; !ok || w.visits > maxVisits {
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

// with returns the union, which may be s itself.
func (s set) with(other set) set {
	if s == nil {
		return slices.Clone(other)
	}
	for i, word := range other {
		s[i] |= word
	}
	return s
}
