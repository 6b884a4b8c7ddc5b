package header

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

var (
	// keyLine is a line of Markdown with a key and its value: **Status:** Draft, ## **title:** A
	// title, - Type: Core.
	keyLine = regexp.MustCompile(`^[ \t]*(?:(?:#{1,6}|[-*+>])[ \t]+)?(\*\*|__)?([A-Za-z][A-Za-z0-9 _-]{0,39}?)[ \t]*` +
		`(?::(?:\*\*|__)|(?:\*\*|__):|:)(?:[\t\pZ]+(.*))?$`)
	// firstHeading is a heading above such lines.
	firstHeading = regexp.MustCompile(`^#[ \t]+(.*?)[ \t#]*$`)
	// ruleCell is a cell of the line between the head of a table and its rows.
	ruleCell = regexp.MustCompile(`^:?-+:?$`)
	// leadingNumber is a number with a remark behind it: 28 (temporary number).
	leadingNumber = regexp.MustCompile(`^\d+\b`)
)

// otherForm finds the header of a file that is named like a proposal, where it has a form of
// Markdown: a table with a key and its value in each row or each column, or lines that begin with a
// key. A heading may stand above it, and a line of hyphens. It is nil for any other text.
func (o Options) otherForm(text string, r *problem.Report) *block {
	start := beginning(text)
	first := mip.LineAt(text, start)
	lines := strings.Split(text[start:min(len(text), start+maxHeader)], "\n")
	at, heading, ruled := 0, "", false
	for ; at < len(lines); at++ {
		if m := firstHeading.FindStringSubmatch(lines[at]); m != nil && heading == "" && (!keyLine.MatchString(lines[at]) || aboveTable(lines[at+1:])) {
			heading = m[1]
		} else if isMark(lines[at], "---") && !ruled {
			ruled = true
		} else if strings.TrimSpace(lines[at]) != "" {
			break
		}
	}
	if at == len(lines) {
		return nil
	}
	isTable := strings.HasPrefix(strings.TrimSpace(lines[at]), "|")
	// Behind a line of hyphens, bare lines with keys are the usual form.
	if m := keyLine.FindStringSubmatch(lines[at]); !isTable && (m == nil || ruled && m[1] == "") {
		return nil
	}
	fields, end := table(lines[at:])
	if !isTable {
		fields, end = o.keyLines(lines[at:])
	}
	if len(fields) < 2 || !telling(fields) && !slices.ContainsFunc(fields, func(f field) bool { return o.isNumber(f.name) }) {
		return nil
	}
	for i := range fields {
		f := &fields[i]
		f.line += first + at
		// What the number's key holds beside a number is a remark, and the file's name has the
		// number.
		if o.isNumber(f.name) {
			f.value = leadingNumber.FindString(f.value)
		}
	}
	if isTable {
		r.Add(first+at, "no-header/table")
	} else {
		r.Add(first+at, "no-header/lines")
	}
	body := start
	for _, line := range lines[:at+end] {
		body += len(line) + 1
	}
	return &block{fields: fields, heading: heading, body: min(body, len(text))}
}

// aboveTable reports whether the first of the lines with a text is one of a table.
func aboveTable(lines []string) bool {
	i := slices.IndexFunc(lines, func(line string) bool { return strings.TrimSpace(line) != "" })
	return i >= 0 && strings.HasPrefix(strings.TrimSpace(lines[i]), "|")
}

// isNumber reports the name of a number's key.
func (o Options) isNumber(name string) bool {
	return slices.ContainsFunc(o.Kinds(), func(prefix string) bool { return fieldName(prefix) == name })
}

// isKey reports a name that means something in a header.
func (o Options) isKey(name string) bool {
	if o.isNumber(name) {
		return true
	}
	for _, names := range keysOf(o.Keys) {
		if slices.ContainsFunc(names, func(n string) bool { return fieldName(n) == name }) {
			return true
		}
	}
	return false
}

// keyLines are the fields of lines that begin with a key, counted from 0, and the number of these
// lines. Between them may be empty ones where the keys behind are bold and mean something: other
// bold text begins a paragraph.
func (o Options) keyLines(lines []string) (fields []field, end int) {
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		m := keyLine.FindStringSubmatch(line)
		if m == nil {
			break
		}
		f := newField(m[2], m[3], i)
		if end < i && (m[1] == "" || !o.isKey(f.name)) {
			break
		}
		fields, end = append(fields, f), i+1
	}
	return fields, end
}

// table are the fields of a table, counted from 0, and the number of its lines. One with two rows
// and more than two columns has its keys in the first row.
func table(lines []string) (fields []field, end int) {
	type row struct {
		cells []string
		line  int
	}
	var rows []row
	for ; end < len(lines); end++ {
		line, ok := strings.CutPrefix(strings.TrimSpace(lines[end]), "|")
		if !ok {
			break
		}
		cells := strings.Split(strings.ReplaceAll(strings.TrimSuffix(line, "|"), `\|`, "\x00"), "|")
		for i, cell := range cells {
			cells[i] = strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|"))
		}
		if !slices.ContainsFunc(cells, func(cell string) bool { return !ruleCell.MatchString(cell) }) {
			continue
		}
		rows = append(rows, row{cells, end})
	}
	if len(rows) == 2 && len(rows[0].cells) > 2 {
		for i, key := range rows[0].cells[:min(len(rows[0].cells), len(rows[1].cells))] {
			fields = append(fields, newField(key, rows[1].cells[i], rows[1].line))
		}
		return fields, end
	}
	for _, r := range rows {
		if len(r.cells) > 1 {
			fields = append(fields, newField(r.cells[0], r.cells[1], r.line))
		}
	}
	return fields, end
}

// newField is a key and its value without marks of Markdown around them.
func newField(key, value string, line int) field {
	bare := func(s string) string { return strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "*_")) }
	key = strings.TrimSuffix(bare(key), ":")
	return field{key: key, name: fieldName(key), value: bare(value), line: line}
}
