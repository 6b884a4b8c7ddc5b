package ai

import (
	"strings"
)

// flush ends the paragraph at hand: definitions, then text, then perhaps a table.
func (l *layouter) flush() {
	lines := l.lines
	l.lines = nil
	n := definitions(lines)
	for _, line := range lines[:n] {
		l.fix(line.start + line.text + line.end)
	}
	lines = lines[n:]
	header := tableAt(lines)
	l.paragraph(lines[:header])
	for i, line := range lines[header:] {
		if i == 1 {
			l.fix(line.start + line.text + line.end)
			continue
		}
		l.row(line)
	}
}

func (l *layouter) paragraph(lines []textLine) {
	if len(lines) == 0 {
		return
	}
	first, last := &lines[0], lines[len(lines)-1]
	if box := taskBox().FindString(first.text); listMarker().MatchString(strings.TrimLeft(first.start, " \t>")) {
		first.start, first.text = first.start+box, first.text[len(box):]
	}
	l.fix(first.start)
	p := part{kind: paragraphPart}
	var b strings.Builder
	for i, line := range lines {
		b.WriteString(line.text)
		if i+1 < len(lines) {
			b.WriteString(line.end)
			p.starts = append(p.starts, lines[i+1].start)
		}
	}
	p.text = b.String()
	l.pass(p)
	l.fix(last.end)
}

// tableAt returns the index of the first table's header, or the number of lines.
func tableAt(lines []textLine) int {
	for i := 1; i < len(lines); i++ {
		if n := delimiterCells(lines[i].text); n > 0 {
			if n != len(cells(lines[i-1].text)) {
				break
			}
			return i - 1
		}
	}
	return len(lines)
}

var delimiterCell = lazily(`^[ \t]*:?-+:?[ \t]*$`)

// delimiterCells is the number of columns of a table's delimiter row, 0 for any other line.
func delimiterCells(text string) int {
	if !strings.ContainsAny(text, "|:") || strings.Trim(text, "|:- \t") != "" {
		return 0
	}
	all := cells(text)
	for _, cell := range all {
		if !delimiterCell().MatchString(cell) {
			return 0
		}
	}
	return len(all)
}

// cells splits a table's row at the bars that no backslash precedes, whatever stands around them: so
// does GitHub, in code too.
func cells(row string) []string {
	row = strings.TrimPrefix(row, "|")
	var out []string
	from := 0
	for i := range len(row) {
		if row[i] == '|' && (i == 0 || row[i-1] != '\\') {
			out = append(out, row[from:i])
			from = i + 1
		}
	}
	if from < len(row) {
		out = append(out, row[from:])
	}
	return out
}

// row adds a table's row, each cell as a passage.
func (l *layouter) row(line textLine) {
	l.fix(line.start)
	rest := strings.TrimPrefix(line.text, "|")
	l.fix(line.text[:len(line.text)-len(rest)])
	for _, cell := range cells(line.text) {
		line := cutText(cell, strings.TrimLeft(cell, " \t"))
		l.fix(line.start)
		l.oneLine(cellPart, line.text)
		l.fix(line.end)
		if rest = rest[len(cell):]; rest != "" {
			l.fix("|")
			rest = rest[1:]
		}
	}
	l.fix(line.end)
}

var (
	definitionLine  = lazily(`^\[((?:[^\[\]\\]|\\.)*)\]:[ \t]*(?:<[^<>]*>|[^<\s]\S*)?(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?$`)
	definitionTitle = lazily(`^(?:"[^"]*"|'[^']*'|\([^()]*\))$`)
)

// definitions is the number of lines at the beginning of a paragraph that define reference links.
func definitions(lines []textLine) int {
	n := 0
	for n < len(lines) && definitionLine().MatchString(lines[n].text) {
		next := n + 1
		if strings.HasSuffix(lines[n].text, "]:") { // the target is on the next line
			if next == len(lines) || strings.ContainsAny(lines[next].text, " \t") {
				break
			}
			next++
		}
		if next < len(lines) && definitionTitle().MatchString(lines[next].text) {
			next++
		}
		n = next
	}
	return n
}
