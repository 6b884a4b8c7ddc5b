package samples

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// address is the address of every author.
const address = "samples@example.org"

// Stream returns the history of a folder with a plan, history.txt, as the input of git fast-import:
// the commits of the branch main, whose last tree has the site.yaml and the proposals of the
// folder. An error names the line of the plan and what would be right.
func Stream(folder fs.FS) ([]byte, error) {
	plan, err := fs.ReadFile(folder, planFile)
	if err != nil {
		return nil, err
	}
	commits, err := parse(string(plan))
	if err != nil {
		return nil, err
	}
	now, err := present(folder)
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(commits))
	for i, c := range slices.Backward(commits) {
		out[i] = c.write(now)
		if err := c.undo(now); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		return nil, fmt.Errorf("%s: no commit begins %s; want one with %q",
			planPath, name, name+" created")
	}
	return bytes.Join(out, nil), nil
}

// tree has the texts of files by path.
type tree map[string]string

// present reads the present files.
func present(folder fs.FS) (tree, error) {
	now := tree{}
	for _, top := range []string{"site.yaml", "proposals"} {
		err := fs.WalkDir(folder, top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(folder, name)
			now[name] = string(text)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return now, nil
}

// write returns the commit in the form of git fast-import. after is the tree that it leaves.
func (c commit) write(after tree) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, "commit refs/heads/main")
	for _, who := range []string{"author", "committer"} {
		fmt.Fprintf(&b, "%s %s <%s> %d +0000\n", who, c.author, address, c.when.Unix())
	}
	data := func(text string) { fmt.Fprintf(&b, "data %d\n%s\n", len(text), text) }
	data(c.subject + "\n")
	paths := map[string]bool{}
	for _, f := range c.changes {
		paths[f.path] = true
		if f.verb == renamed {
			paths[f.to] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		text, ok := after[name]
		if !ok {
			fmt.Fprintln(&b, "D", name)
			continue
		}
		fmt.Fprintln(&b, "M 100644 inline", name)
		data(text)
	}
	return b.Bytes()
}

// undo changes the tree that a commit leaves into the one before it.
func (c commit) undo(now tree) error {
	for _, f := range slices.Backward(c.changes) {
		name := f.path
		if f.verb == renamed {
			name = f.to
		}
		text, ok := now[name]
		switch {
		case f.verb == removed && ok:
			return planError(f.line, "want a file that is gone; %s is there after this commit",
				name)
		case f.verb != removed && !ok:
			return planError(f.line, "want a file that is there after this commit, under its name "+
				"of that time; there is no %s", name)
		}
		switch f.verb {
		case created:
			delete(now, name)
		case removed:
			now[name] = strings.Join(f.passages[0].before, "\n") + "\n"
		case renamed:
			delete(now, name)
			now[f.path] = text
		case edited:
			for _, p := range slices.Backward(f.passages) {
				after := strings.Join(p.after, "\n")
				if n := strings.Count(text, after); n != 1 {
					return planError(p.line, "want lines with + that %s has once after this "+
						"commit; it has them %d times: %.60q", name, n, after)
				}
				text = strings.Replace(text, after, strings.Join(p.before, "\n"), 1)
			}
			now[name] = text
		}
	}
	return nil
}
