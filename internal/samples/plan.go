package samples

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// planFile is the name of the plan, and planPath the one in errors.
const planFile, planPath = "history.txt", "internal/samples/" + planFile

// commit is a commit of the plan.
type commit struct {
	line            int
	when            time.Time
	author, subject string
	changes         []change
}

// change is a change of a file by a commit.
type change struct {
	line int
	// path is the file's path, before the commit if that renames it to another one.
	path, to string
	verb     verb
	// passages are the changed parts of an edited file. A removed file has its text as the only
	// passage.
	passages []passage
}

// verb is the kind of a change.
type verb string

const (
	created verb = "created"
	removed verb = "removed"
	renamed verb = "->"
	edited  verb = ""
)

// passage is a part of a text, in lines.
type passage struct {
	line          int
	before, after []string
}

var (
	// commitLine matches the first line of a commit.
	commitLine = regexp.MustCompile(`^(\d{4}-\d\d-\d\d \d\d:\d\d) ([^:]+): (.+)$`)
	// changeLine matches the first line of a change.
	changeLine = regexp.MustCompile(`^([^\s+-]\S*)(?: (created|removed)| (->) (\S+))?$`)
)

// timeForm is the form of the time of a commit.
const timeForm = "2006-01-02 15:04"

// planError is an error in a line of the plan.
func planError(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", planPath, line, fmt.Sprintf(format, args...))
}

// parse reads a plan. Its commits are in the order of their times.
func parse(plan string) (commits []commit, err error) {
	n := 0
	for text := range strings.Lines(plan) {
		n++
		text = strings.TrimRight(text, " \t\r\n")
		switch trimmed := strings.TrimLeft(text, " \t"); {
		case trimmed == "" || text[0] == '#':
		case trimmed == text:
			c, err := parseCommit(n, text)
			if err != nil {
				return nil, err
			}
			if k := len(commits) - 1; k >= 0 && !c.when.After(commits[k].when) {
				return nil, planError(n, "want a time after the one of the commit above, %s",
					commits[k].when.Format(timeForm))
			}
			commits = append(commits, c)
		case len(commits) == 0:
			return nil, planError(n, "want a commit above its changes")
		default:
			if err := commits[len(commits)-1].add(n, trimmed); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range commits {
		if err := c.check(); err != nil {
			return nil, err
		}
	}
	return commits, nil
}

// parseCommit reads the first line of a commit.
func parseCommit(n int, text string) (commit, error) {
	m := commitLine.FindStringSubmatch(text)
	if m == nil {
		return commit{}, planError(n, `want a commit, such as "2025-01-20 09:14 Ida Brandvold: `+
			`Describe the process", or an indented change; got %q`, text)
	}
	when, err := time.Parse(timeForm, m[1])
	if err != nil {
		return commit{}, planError(n, "want a day and a time of UTC, such as 2025-01-20 09:14; "+
			"got %q", m[1])
	}
	return commit{line: n, when: when, author: m[2], subject: m[3]}, nil
}

// add reads a line below a commit, without its indent.
func (c *commit) add(n int, text string) error {
	mark, rest, _ := strings.Cut(text, " ")
	if mark != "-" && mark != "+" {
		m := changeLine.FindStringSubmatch(text)
		if m == nil {
			return planError(n, `want "PATH created", "PATH removed", "PATH -> PATH", "PATH", or `+
				`a line with - or +; got %q`, text)
		}
		c.changes = append(c.changes,
			change{line: n, path: m[1], to: m[4], verb: verb(m[2] + m[3])})
		return nil
	}
	if len(c.changes) == 0 {
		return planError(n, "want the path of the file above its lines")
	}
	f := &c.changes[len(c.changes)-1]
	if f.verb == created || f.verb == renamed || f.verb == removed && mark == "+" {
		return planError(n, "%s %s has no line with %s; write %[1]q alone above the lines of an "+
			"edit", f.path, f.verb, mark)
	}
	k := len(f.passages) - 1
	if k < 0 || mark == "-" && len(f.passages[k].after) > 0 {
		f.passages = append(f.passages, passage{line: n})
		k++
	}
	if p := &f.passages[k]; mark == "-" {
		p.before = append(p.before, rest)
	} else {
		p.after = append(p.after, rest)
	}
	return nil
}

// check reports what a commit lacks.
func (c commit) check() error {
	if len(c.changes) == 0 {
		return planError(c.line, `want changes below the commit, indented, such as `+
			`"    proposals/MIP-1.md created"`)
	}
	for _, f := range c.changes {
		if len(f.passages) == 0 && (f.verb == edited || f.verb == removed) {
			return planError(f.line, "want the lines of %s below, each with a - before it, and "+
				"for an edit also those with +", f.path)
		}
		for _, p := range f.passages {
			if f.verb == edited && (len(p.before) == 0 || len(p.after) == 0) {
				return planError(p.line, "want lines with - and then lines with +; "+
					"an added line needs one beside it in both")
			}
		}
	}
	return nil
}
