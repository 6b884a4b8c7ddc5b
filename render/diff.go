package render

import (
	"bytes"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
)

// lineDiff is how one text became another, in lines, with a few that stayed around them.
type lineDiff struct {
	lines          []byte // as in a unified diff, without its heading
	added, removed int
}

// diffLines compares two texts. It takes time proportional to their size.
func diffLines(before, after []byte) lineDiff {
	var d lineDiff
	d.lines = diff.Diff("a", before, "b", after)
	for range 3 { // the heading: names, --- and +++
		_, d.lines, _ = bytes.Cut(d.lines, []byte("\n"))
	}
	for line := range bytes.Lines(d.lines) {
		switch line[0] {
		case '+':
			d.added++
		case '-':
			d.removed++
		}
	}
	return d
}

// diffLine is a line as a page shows it.
type diffLine struct {
	Sign string // + added, - removed, @ where in the file, empty: around a change
	Text string // without a sign + or -
}

// cut is the lines of d, at most room bytes of them, with the bytes that were used and whether that was all.
func (d lineDiff) cut(room int) (out []diffLine, used int, whole bool) {
	for line := range bytes.Lines(d.lines) {
		whole = true
		if left := room - used; len(line) > left {
			for left > 0 && !utf8.RuneStart(line[left]) {
				left--
			}
			line, whole = line[:left], false
			if left == 0 {
				return out, used, false
			}
		}
		used += len(line)
		x := diffLine{Text: string(line)}
		switch line[0] {
		case '+', '-':
			x = diffLine{string(line[0]), string(line[1:])}
		case '@', '\\':
			x.Sign = "@"
		}
		out = append(out, x)
		if !whole {
			break
		}
	}
	return out, used, whole
}
