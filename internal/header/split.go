package header

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// splitter splits a header into fields line by line.
type splitter struct {
	lines  []string
	first  int // the number of the first line in the file
	r      *problem.Report
	fields []field
	stop   int // the line at which the header seems to end, 0 if it does not
	// list and scalar are the lines of a list item and of text that belong to no key.
	list, scalar int
	drop         bool // the indented lines below belong to a line that was left out
}

// hasTitleOrStatus reports whether there is a key title or status, with which no prose begins.
func hasTitleOrStatus(fields []field) bool {
	return slices.ContainsFunc(fields, func(f field) bool {
		return f.name == "title" || f.name == "status"
	})
}

// split fills the splitter from its lines.
func (s *splitter) split() {
	for i, line := range s.lines {
		n, trimmed := s.first+i, strings.TrimSpace(line)
		_, item := itemText(line)
		switch {
		case trimmed == "":
			s.extend(line)
		case (line[0] == ' ' || line[0] == '\t') && len(s.fields) > 0:
			s.indented(line, trimmed, n)
		case item:
			if len(s.fields) == 0 {
				s.list = n
			}
			s.extend(line)
		case line[0] == '#':
			if s.heading(i) {
				s.stop = cmp.Or(s.stop, n)
			}
		default:
			if f, isKey := splitKey(line); isKey {
				s.key(f, n)
				continue
			}
			// Text after a blank line is prose, and hyphens are intended as the end.
			if i > 0 && strings.TrimSpace(s.lines[i-1]) == "" || strings.Trim(trimmed, "-") == "" {
				s.stop = cmp.Or(s.stop, n)
			}
			s.unindented(line, n)
		}
	}
}

var headingLine = regexp.MustCompile(`^#{1,6}[ \t]+\S`)

// heading reports whether the line at i is a Markdown heading and no comment: no key follows it.
func (s *splitter) heading(i int) bool {
	if i == 0 || strings.TrimSpace(s.lines[i-1]) != "" || !headingLine.MatchString(s.lines[i]) {
		return false
	}
	for _, next := range s.lines[i+1:] {
		if strings.HasPrefix(next, "#") {
			continue
		}
		_, isKey := splitKey(next)
		return next == "" || !isKey && !strings.ContainsAny(next[:1], "- \t")
	}
	return true
}

// key begins a field at line n.
func (s *splitter) key(f field, n int) {
	f.line = n
	s.fields = append(s.fields, f)
	s.drop = false
}

// extend adds a line to the last field, unless that is left out.
func (s *splitter) extend(line string) {
	if n := len(s.fields); n > 0 && !s.drop {
		s.fields[n-1].more = append(s.fields[n-1].more, line)
	}
}

// indented handles an indented line. A one-word key below a complete value is a key that was
// indented by mistake: YAML refuses it, and it would be published as part of that value.
func (s *splitter) indented(line, trimmed string, n int) {
	f, isKey := splitKey(trimmed)
	switch {
	case s.drop || s.fields[len(s.fields)-1].open:
		s.extend(line)
	case isComplex(trimmed):
		s.drop = true
		s.r.Add(n, "yaml-fallback/complex-key")
	case isKey && oneWord.MatchString(f.key):
		s.r.Add(n, "yaml-fallback/indented", mip.Quote(f.key))
		s.key(f, n)
	default:
		s.extend(line)
	}
}

// unindented handles a line that is neither indented nor a key. Lists of people and of proposals
// are folded like that; other such lines are left out, rather than published as part of the line
// above.
func (s *splitter) unindented(line string, n int) {
	switch {
	case len(s.fields) == 0:
		s.scalar = cmp.Or(s.scalar, n)
	case s.fields[len(s.fields)-1].isFolded() && !isComplex(line) && !s.drop:
		s.r.Add(n, "yaml-fallback/folded")
		s.extend(strings.Repeat(" ", 8) + line) // deeper than the item of a list
	default:
		s.drop = true
		s.r.Add(n, "yaml-fallback/no-key")
	}
}

// keyForms are the forms of a line with a key and a value, tried in turn.
var keyForms = []*regexp.Regexp{
	// A key in quotes: "Created": 2024-01-01
	regexp.MustCompile(`^["']([^"']+)["'][ \t]*:(?:[ \t](.*))?$`),
	// The first colon before a blank or the end of the line ends the key.
	regexp.MustCompile(`^(.+?):(?:[ \t](.*))?$`),
	// No blank after the colon, which YAML reads as text and people as a key: created:2024-01-01
	regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]{0,39}):([^\s/].*)$`),
}

// oneWord matches a key of one word, as nearly all are. Folded sentences seldom begin with one.
var oneWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// splitKey splits "key: value". ok is false for any other line.
func splitKey(line string) (f field, ok bool) {
	if isComplex(line) {
		return field{}, false
	}
	for _, form := range keyForms {
		if m := form.FindStringSubmatch(line); m != nil {
			f = field{key: strings.TrimSpace(m[1]), name: fieldName(m[1]),
				value: strings.TrimSpace(m[2])}
			f.open = f.continues()
			return f, keyLike(m[1])
		}
	}
	return field{}, false
}

// continues reports a value that is empty, a block, or something that the first line does not
// close.
func (f *field) continues() bool {
	if f.value == "" {
		return true
	}
	switch f.value[0] {
	case '|', '>':
		return blockScalar(f.value)
	case '"', '\'':
		return closing(f.value) < 0
	case '[', '{':
		return closing(f.value) < 0 && !f.isFree()
	}
	return false
}

// keyLike distinguishes a key from a sentence that contains a colon.
func keyLike(key string) bool {
	const maxWords, maxBytes = 5, 64
	key = withoutRemark(key)
	return len(key) <= maxBytes && len(strings.Fields(key)) <= maxWords &&
		!strings.ContainsAny(key, ";!`") && !strings.Contains(key, ". ") &&
		(!strings.ContainsAny(key, "[{") || strings.Contains(key, "(*"))
}

// isComplex reports YAML's form for keys that are lists or maps.
func isComplex(line string) bool {
	return line == "?" || line == ":" || strings.HasPrefix(line, "? ") ||
		strings.HasPrefix(line, ": ")
}
