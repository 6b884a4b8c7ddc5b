package header

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

var (
	// keyLine matches a Markdown line with a key: **Status:** Draft, ## **title:** X, - Type: Core.
	keyLine = regexp.MustCompile(`^[ \t]*(?:(?:#{1,6}|[-*+>])[ \t]+)?(\*\*|__)?` +
		`([A-Za-z][A-Za-z0-9 _-]{0,39}?)[ \t]*` +
		`(?::(?:\*\*|__)|(?:\*\*|__):|:)(?:[\t\pZ]+(.*))?$`)
	// firstHeading is a heading above such lines.
	firstHeading = regexp.MustCompile(`^#[ \t]+(.*?)[ \t#]*$`)
	// ruleCell is a cell of the delimiter row of a table.
	ruleCell = regexp.MustCompile(`^:?-+:?$`)
	// leadingNumber is a number followed by a remark: 28 (temporary number).
	leadingNumber = regexp.MustCompile(`^\d+\b`)
)

// otherForm finds a header in Markdown form, in a file named like a proposal: a table with a key
// and its value in each row or each column, or lines that begin with a key. A heading and a line of
// hyphens may precede it. It returns nil for any other text.
func (o Options) otherForm(text string, r *problem.Report) *block {
	start := beginning(text)
	first := mip.LineAt(text, start)
	lines := strings.Split(text[start:min(len(text), start+maxHeader)], "\n")
	at, heading, ruled := 0, "", false
	for ; at < len(lines); at++ {
		if m := firstHeading.FindStringSubmatch(lines[at]); m != nil && heading == "" &&
			(!keyLine.MatchString(lines[at]) || aboveTable(lines[at+1:])) {
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
	// After a line of hyphens, bare lines with keys are the usual form.
	if m := keyLine.FindStringSubmatch(lines[at]); !isTable && (m == nil || ruled && m[1] == "") {
		return nil
	}
	fields, end := table(lines[at:])
	if !isTable {
		fields, end = o.keyLines(lines[at:])
	}
	hasNumber := slices.ContainsFunc(fields, func(f field) bool { return o.isNumber(f.name) })
	if len(fields) < 2 || !hasTitleOrStatus(fields) && !hasNumber {
		return nil
	}
	for i := range fields {
		f := &fields[i]
		f.line += first + at
		// Anything next to the number is a remark; the file's name has the number.
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

// aboveTable reports whether the first line with text is a table's.
func aboveTable(lines []string) bool {
	i := slices.IndexFunc(lines, func(line string) bool { return strings.TrimSpace(line) != "" })
	return i >= 0 && strings.HasPrefix(strings.TrimSpace(lines[i]), "|")
}

// isNumber reports the name of a number's key.
func (o Options) isNumber(name string) bool {
	return slices.ContainsFunc(o.Kinds(), func(prefix string) bool {
		return fieldName(prefix) == name
	})
}

// isKey reports a name that has a meaning in a header.
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

// keyLines returns the fields of lines that begin with a key, with line numbers from 0, and the
// number of these lines. Empty lines in between are allowed if the following key is bold and known:
// other bold text begins a paragraph.
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

// table returns the fields of a table, with line numbers from 0, and the number of its lines. A
// table of two rows and more than two columns has its keys in the first row.
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
		isText := func(cell string) bool { return !ruleCell.MatchString(cell) }
		if !slices.ContainsFunc(cells, isText) {
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

// newField returns a key and its value without Markdown marks around them.
func newField(key, value string, line int) field {
	bare := func(s string) string {
		return strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "*_"))
	}
	key = strings.TrimSuffix(bare(key), ":")
	return field{key: key, name: fieldName(key), value: bare(value), line: line}
}
