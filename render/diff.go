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

// diff appends the lines of d, at most room bytes of them. What was added or removed begins with a sign and
// is marked as such for programs that read aloud. It returns the bytes that were used and whether that
// was all.
func (m *markup) diff(d lineDiff, room int) (used int, whole bool) {
	rest := d.lines
	for len(rest) > 0 {
		line := rest
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			line = rest[:end+1]
		}
		rest = rest[len(line):]
		if cut := room - used; len(line) > cut {
			for cut > 0 && !utf8.RuneStart(line[cut]) {
				cut--
			}
			line, rest = line[:cut], nil
			if cut == 0 {
				return used, false
			}
			whole = false
		} else {
			whole = len(rest) == 0
		}
		used += len(line)
		tag, class := "span", ""
		switch line[0] {
		case '+':
			tag = "ins"
		case '-':
			tag = "del"
		case '@', '\\':
			class = ` class="at"`
		}
		m.raw("<", tag, class, ">")
		m.text(string(line))
		m.raw("</", tag, ">")
	}
	return used, whole
}
