package header

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// maxHeader bounds the header that is decoded, in bytes. The largest real header is under 3 KiB.
const maxHeader = 64 << 10

// block is a header key by key, as it is written.
type block struct {
	fields []field
	// body is the offset of the text after the closing fence. A header of plain text alone is a part of that.
	body int
	// heading is that above a header of another form.
	heading string
	// rule is the offset of the closing fence of such a header, else 0.
	rule int
}

// field is one top-level key of a header.
type field struct {
	// key is as spelt, trimmed, quotes resolved; name is its [fieldName].
	key, name string
	// meaning is that of another name, which the site gives this one; see [field.means].
	meaning string
	// value is the text after the colon on the same line, trimmed.
	value string
	// more has the lines below, as they are.
	more []string
	// line is the number of the line in the file, from 1.
	line int
	// open says that the value goes on below, whatever stands there.
	open bool
	// read is the decoded value: nil, string, []any or map[string]any. v is the same, until
	// something asks for it: from then on a reader sees every character of its texts.
	read, v any
	// used says that something asked for the value.
	used bool
}

// raw is the field's whole value as written.
func (f *field) raw() string { return strings.TrimSpace(f.value + "\n" + strings.Join(f.more, "\n")) }

// fieldName is the form in which keys are compared, letters and digits in lower case:
// Discussions_To, DiscussionsTo and "discussions-to (*optional)" are all discussionsto.
func fieldName(key string) string {
	return separators.Replace(strings.ToLower(withoutRemark(strings.TrimSpace(key))))
}

// withoutRemark is a key without the remark of its template, such as (*only required for Standard Track).
func withoutRemark(key string) string {
	if i := strings.Index(key, "(*"); i > 0 && strings.HasSuffix(key, ")") {
		return key[:i]
	}
	return key
}

// separators stand between the words of a key.
var separators = strings.NewReplacer(" ", "", "\t", "", "_", "", "-", "")

// Normalise returns the file's text as UTF-8 with LF line ends and without a byte order mark. A
// file that is not text is an error of r, with the line of the first offending byte.
func Normalise(raw string, r *problem.Report) (string, bool) {
	// The byte order marks of UTF-16, little endian and big endian.
	if strings.HasPrefix(raw, "\xFF\xFE") || strings.HasPrefix(raw, "\xFE\xFF") {
		r.Add(1, "not-utf8/utf-16")
		return "", false
	}
	text := strings.TrimPrefix(raw, "\uFEFF")
	if utf8.ValidString(text) && !strings.ContainsAny(text, "\x00\r") {
		return text, true // as most are
	}
	for i, c := range text {
		switch {
		case c == 0:
			r.Add(mip.LineAt(text, i), "nul-byte")
		case c == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			r.Add(mip.LineAt(text, i), "not-utf8", text[i])
		case c == '\r' && !strings.HasPrefix(text[i:], "\r\n"):
			r.Add(mip.LineAt(text, i), "lone-cr")
		default:
			continue
		}
		return "", false
	}
	return strings.ReplaceAll(text, "\r\n", "\n"), true
}

// isMark reports a line that holds a mark at its beginning and nothing else.
func isMark(line, mark string) bool {
	rest, ok := strings.CutPrefix(line, mark)
	return ok && strings.TrimSpace(rest) == ""
}

// beginning is the offset of the header: after blanks, and after comments of HTML such as that of a
// license.
func beginning(text string) int {
	rest := strings.TrimLeft(text, " \t\n")
	for strings.HasPrefix(rest, "<!--") {
		_, after, closed := strings.Cut(rest, "-->")
		after = strings.TrimLeft(after, " \t\n")
		if !closed {
			break
		}
		rest = after
	}
	if !strings.HasPrefix(rest, "---") && !codeFence.MatchString(rest) {
		rest = strings.TrimLeft(text, " \t\n")
	}
	return len(text) - len(rest)
}

// codeFence begins a block of code that may hold a header.
var codeFence = regexp.MustCompile("^(`{3,}|~{3,})[ \t]*(?:ya?ml|te?xt|toml|md|markdown|mediawiki)?[ \t]*(?:\n|$)")

// fenced finds the header of a text that begins with a block of code: lines that have the key title or status at least.
// It is nil for another block.
func fenced(text string, start int, fence string, r *problem.Report) *block {
	lines := strings.SplitAfter(text[start:min(len(text), start+maxHeader)], "\n")
	body, end := start+len(lines[0]), 1
	for end < len(lines) && (len(strings.TrimSpace(lines[end])) < len(fence) || strings.Trim(lines[end], fence[:1]+" \t\n") != "") {
		body += len(lines[end])
		end++
	}
	if end == len(lines) {
		return nil
	}
	inner := lines[1:end]
	indent := -1 // that of the first line, which the others have too
	for i, line := range inner {
		rest := strings.TrimLeft(line, " \t")
		switch {
		case isMark(line, "---"), strings.TrimSpace(line) == "":
			inner[i] = ""
			continue
		case indent < 0:
			indent = len(line) - len(rest)
		}
		inner[i] = strings.TrimSuffix(line[min(indent, len(line)-len(rest)):], "\n")
	}
	begin, before := mip.LineAt(text, start), len(r.Problems)
	r.Add(begin, "no-header/fence")
	s := splitter{lines: inner, first: begin + 1, r: r}
	s.split()
	if s.stop+s.list+s.scalar > 0 || !telling(s.fields) {
		r.Problems = r.Problems[:before]
		return nil
	}
	// An author stands on a line of his own there.
	for i, f := range s.fields {
		if strings.HasPrefix(f.name, "author") {
			s.fields[i].value, s.fields[i].more = strings.Join(append([]string{f.value}, f.more...), ", "), nil
		}
	}
	return &block{fields: s.fields, body: body + len(lines[end])}
}

// readHeader finds the header of a normalised text. ok is false when the file cannot be published: r
// then holds the error. A file without any header has ok true and a nil header.
func readHeader(text string, r *problem.Report) (h *block, ok bool) {
	start := beginning(text)
	lines := strings.SplitAfter(text[start:min(len(text), start+maxHeader)], "\n")
	if start > 0 && text[start-1] != '\n' {
		return nil, true
	}
	if m := codeFence.FindStringSubmatch(text[start:]); m != nil {
		return fenced(text, start, m[1], r), true
	}
	if !isMark(lines[0], "---") {
		return nil, true
	}
	// The header ends at the first fence, if no line before that is Markdown.
	body, end := start+len(lines[0]), 1
	for end < len(lines) && !isMark(lines[end], "---") && !isMark(lines[end], "...") {
		body += len(lines[end])
		lines[end] = strings.TrimSuffix(lines[end], "\n")
		end++
	}
	begin, before := mip.LineAt(text, start), len(r.Problems)
	s := splitter{lines: lines[1:end], first: begin + 1, r: r}
	s.split()
	fail := func(line int, id string) (*block, bool) {
		r.Problems = r.Problems[:before] // the warnings of a header that is none
		r.Add(line, id)
		return nil, false
	}
	switch closed := end < len(lines); {
	case closed && isMark(lines[end], "..."):
		return fail(begin+end, "header-dots")
	case !closed && s.stop == 0 && len(text) > start+maxHeader:
		return fail(begin, "header-too-large")
	case !closed || s.stop > 0 && len(s.fields) > 0: // it would swallow the text
		return fail(cmp.Or(s.stop, begin), "header-unterminated")
	case s.list > 0:
		return fail(s.list, "header-not-mapping/list")
	case s.scalar > 0 && !telling(s.fields):
		r.Problems = r.Problems[:before]
		return &block{body: start + len(lines[0]), rule: body}, true
	case s.scalar > 0:
		r.Add(s.scalar, "yaml-fallback/no-key")
	}
	return &block{fields: s.fields, body: body + len(lines[end])}, true
}

// splitter takes a header apart line by line.
type splitter struct {
	lines []string
	// first is the number of the first line in the file.
	first  int
	r      *problem.Report
	fields []field
	// stop is the line at which the header seems to end, 0 as long as all looks like one.
	stop int
	// list and scalar are the lines of a list item and of text that belong to no key.
	list, scalar int
	// drop says that the lines indented below belong to a line that was left out.
	drop bool
}

// telling reports whether a key is there that no prose begins with: title or status.
func telling(fields []field) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return f.name == "title" || f.name == "status" })
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
			s.below(line, trimmed, n)
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
			// Text after a blank line is prose, and hyphens are meant as the end.
			if i > 0 && strings.TrimSpace(s.lines[i-1]) == "" || strings.Trim(trimmed, "-") == "" {
				s.stop = cmp.Or(s.stop, n)
			}
			s.stray(line, n)
		}
	}
}

var headingLine = regexp.MustCompile(`^#{1,6}[ \t]+\S`)

// heading reports a line, by its position, that is a heading of Markdown and no comment: no key
// follows it.
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

// below takes an indented line. A key of one word below a value that is complete is a key that
// was indented by mistake: YAML refuses it, and as a part of that value it would be published.
func (s *splitter) below(line, trimmed string, n int) {
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

// stray takes a line that is neither indented nor a key. Lists of people and of proposals are
// folded like that; every other one is left out, since it would be published as a part of the
// line above.
func (s *splitter) stray(line string, n int) {
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

// oneWord is a key as nearly all are; a sentence that is folded over lines seldom begins like it.
var oneWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// splitKey splits "key: value". ok is false for a line that is something else.
func splitKey(line string) (f field, ok bool) {
	if isComplex(line) {
		return field{}, false
	}
	for _, form := range keyForms {
		if m := form.FindStringSubmatch(line); m != nil {
			f = field{key: strings.TrimSpace(m[1]), name: fieldName(m[1]), value: strings.TrimSpace(m[2])}
			f.open = f.goesOn()
			return f, keyLike(m[1])
		}
	}
	return field{}, false
}

// goesOn reports a value that is empty, a block, or quotes, a list or a map that the first line
// does not close.
func (f *field) goesOn() bool {
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

// keyLike separates a key from a sentence that happens to hold a colon.
func keyLike(key string) bool {
	const maxWords, maxBytes = 5, 64
	key = withoutRemark(key)
	return len(key) <= maxBytes && len(strings.Fields(key)) <= maxWords &&
		!strings.ContainsAny(key, ";!`") && !strings.Contains(key, ". ") &&
		(!strings.ContainsAny(key, "[{") || strings.Contains(key, "(*"))
}

// isComplex reports YAML's form for keys that are lists or maps.
func isComplex(line string) bool {
	return line == "?" || line == ":" || strings.HasPrefix(line, "? ") || strings.HasPrefix(line, ": ")
}
