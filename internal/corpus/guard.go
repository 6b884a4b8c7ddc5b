package corpus

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxHeader bounds the header that is decoded, in bytes. The largest real header is under 3
// KiB.
const maxHeader = 64 << 10

// header is the text between the fences, key by key, with nothing interpreted.
type header struct {
	fields []field
	// Offset of the text after the closing fence.
	body int
}

// field is one top-level key of a header.
type field struct {
	// As spelt, trimmed, quotes resolved.
	key string
	// For look-up: see fieldName.
	name string
	// The text after the colon on the same line, trimmed.
	value string
	// The lines below, as they are.
	more []string
	// line is the number of the line in the file, from 1.
	line int
	// The value goes on below, whatever stands there.
	open bool
}

// raw is the field's whole value as written.
func (f *field) raw() string { return strings.TrimSpace(f.value + "\n" + strings.Join(f.more, "\n")) }

// fieldName is the form in which keys are compared: Discussions_To and "discussions-to
// (*optional)" are both discussions-to.
func fieldName(key string) string {
	key = strings.ToLower(strings.TrimSpace(key))
	if i := strings.Index(key, "(*"); i > 0 && strings.HasSuffix(key, ")") {
		key = key[:i]
	}
	return strings.Join(strings.FieldsFunc(key, func(c rune) bool { return strings.ContainsRune(" \t_-", c) }), "-")
}

// The kinds of fields, by name.
var (
	// freeText are the fields in which " #" and a colon are text: no comment is cut from them.
	freeText = map[string]bool{"title": true, "description": true, "withdrawal-reason": true, "abstract": true}
	// shownText are the fields whose text pages show as it is.
	shownText = map[string]bool{"title": true, "description": true, "status": true, "type": true, "category": true}
	// foldedLists are the fields whose lists real files fold over lines without indentation.
	foldedLists = map[string]bool{"author": true, "authors": true, "requires": true, "depends-on": true}
)

// normalise returns the file's text as UTF-8 with LF line ends and without a byte order mark. A
// file that is not text is an error of r, with the line of the first offending byte. The result
// may share memory with raw.
func normalise(raw string, r *report) (string, bool) {
	// The byte order marks of UTF-16, little endian and big endian.
	if strings.HasPrefix(raw, "\xFF\xFE") || strings.HasPrefix(raw, "\xFE\xFF") {
		r.errorf(1, "not-utf8", "the file is UTF-16; save it as UTF-8")
		return "", false
	}
	text := strings.TrimPrefix(raw, "\uFEFF")
	if i := strings.IndexByte(text, 0); i >= 0 {
		r.errorf(lineAt(text, i), "nul-byte", "a NUL byte: this is a binary file or UTF-16, and a proposal is UTF-8 text")
		return "", false
	}
	if !utf8.ValidString(text) {
		i := 0
		for c, n := utf8.DecodeRuneInString(text); c != utf8.RuneError || n != 1; c, n = utf8.DecodeRuneInString(text[i:]) {
			i += n
		}
		r.errorf(lineAt(text, i), "not-utf8", "byte 0x%02X is not valid UTF-8; save the file as UTF-8", text[i])
		return "", false
	}
	whole := strings.ReplaceAll(text, "\r\n", "\n")
	if i := strings.IndexByte(whole, '\r'); i >= 0 {
		r.errorf(lineAt(whole, i), "lone-cr", "a carriage return without a line feed; end lines with LF or CRLF")
		return "", false
	}
	return whole, true
}

// lineAt is the line of an offset, from 1.
func lineAt(text string, offset int) int { return 1 + strings.Count(text[:offset], "\n") }

// guard finds the header of a normalised text. ok is false when the file cannot be published: r
// then holds the error. A file without any header has ok true and a nil header.
func guard(text string, r *report) (h *header, ok bool) {
	start := len(text) - len(strings.TrimLeft(text, " \t\n"))
	first, next := cutLine(text, start)
	if start > 0 && text[start-1] != '\n' || !isMark(first, "---") {
		return nil, true
	}
	// A header that is never closed would swallow the text: its lines are judged as they come.
	begin := lineAt(text, start)
	s := splitter{line: begin, late: report{file: r.file}}
	unclosed := func(line int) (*header, bool) {
		r.errorf(line, "header-unterminated", "the header is not closed: put a line with --- where it ends, which seems to be here")
		return nil, false
	}
	for at := next; at < len(text); at = next {
		var line string
		line, next = cutLine(text, at)
		s.line++
		switch {
		case isMark(line, "---"):
			s.end = cmp.Or(s.end, s.heading)
			switch {
			case s.end > 0 && len(s.fields) > 0:
				return unclosed(s.end)
			case s.list > 0:
				r.errorf(s.list, "header-not-mapping", "the header is a list; it must consist of lines such as title: A title")
				return nil, false
			case s.scalar > 0:
				r.errorf(s.scalar, "header-not-mapping", "the header is plain text; it must consist of lines such as title: A title")
				return nil, false
			}
			r.problems = append(r.problems, s.late.problems...)
			return &header{fields: s.fields, body: next}, true
		case isMark(line, "..."):
			r.errorf(s.line, "header-dots", "the header ends with ...; end it with ---")
			return nil, false
		case next > maxHeader && s.end == 0:
			r.errorf(begin, "header-too-large", "the header is longer than %d KiB, or no --- ends it", maxHeader>>10)
			return nil, false
		case next > maxHeader:
			return unclosed(s.end)
		}
		s.add(line)
	}
	return unclosed(cmp.Or(s.end, s.heading, begin))
}

// cutLine returns the line at an offset, without its end, and the offset of the next one.
func cutLine(text string, at int) (line string, next int) {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return text[at : at+i], at + i + 1
	}
	return text[at:], len(text)
}

// isMark reports a line that holds a mark at its beginning and nothing else.
func isMark(line string, mark string) bool {
	rest, ok := strings.CutPrefix(line, mark)
	return ok && len(strings.Trim(rest, " \t")) == 0
}

// splitter takes a header apart line by line.
type splitter struct {
	fields []field
	line   int
	// The line before was blank.
	blank bool
	// Line of a Markdown heading by its look, until a key follows it directly.
	heading int
	// Line at which the header seems to end, 0 as long as it looks like one.
	end int
	// Line of a list item that belongs to no key.
	list int
	// Line of text that belongs to no key.
	scalar int
	// late holds the warnings of a header that is closed; an open one has an error of its own.
	late report
	// The lines indented below belong to a line that was left out.
	drop bool
}

var headingLine = regexp.MustCompile(`^#{1,6}[ \t]+\S`)

// add takes the next line of the header.
func (s *splitter) add(line string) {
	trimmed := strings.TrimSpace(line)
	blank, heading := s.blank, s.heading
	s.blank, s.heading = trimmed == "", 0
	if trimmed == "" {
		s.end = cmp.Or(s.end, heading) // a heading between blank lines is Markdown, a comment would belong to something
		s.extend(line)
		return
	}
	// A line belongs to the field above it, begins a field, or is neither.
	indented := line[0] == ' ' || line[0] == '\t'
	_, item := itemText(line)
	switch {
	case indented && len(s.fields) > 0:
		s.below(line, trimmed)
	case !indented && line[0] == '#':
		// A comment, unless it stands alone like a heading.
		if heading > 0 {
			s.heading = heading
		} else if blank && headingLine.MatchString(line) {
			s.heading = s.line
		}
	case !indented && item:
		if len(s.fields) == 0 {
			s.list = s.line
		}
		s.extend(line)
	default:
		f, isKey := splitKey(line)
		if isKey {
			s.key(f)
			return
		}
		// A heading with text below it is Markdown.
		s.end = cmp.Or(s.end, heading)
		// Text after a blank line is prose, and hyphens are meant as the end.
		if blank || strings.Trim(trimmed, "-") == "" {
			s.end = cmp.Or(s.end, s.line)
		}
		s.stray(line)
	}
}

// key begins a field at the line at hand.
func (s *splitter) key(f field) {
	f.line = s.line
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
func (s *splitter) below(line, trimmed string) {
	// An open value takes all lines below it, whatever they look like.
	f, isKey := splitKey(trimmed)
	switch {
	case s.drop || s.fields[len(s.fields)-1].open:
		s.extend(line)
	case isComplex(trimmed):
		s.drop = true
		s.late.warnf(s.line, "yaml-fallback", "a key that begins with ? is left out; write it as key: value")
	case isKey && oneWord.MatchString(f.key):
		s.late.warnf(s.line, "yaml-fallback",
			"%s is indented below a value that is complete: it is read as a key of its own; take the blanks out", quoted(f.key))
		s.key(f)
	default:
		s.extend(line)
	}
}

// stray takes a line that is neither indented nor a key. Lists of people and of proposals are
// folded like that; every other one is left out, since it would be published as a part of the
// line above.
func (s *splitter) stray(line string) {
	if len(s.fields) == 0 {
		s.scalar = s.line
		return
	}
	if foldedLists[s.fields[len(s.fields)-1].name] && !isComplex(line) && !s.drop {
		s.late.warnf(s.line, "yaml-fallback", "this line has no key: it is read as part of the line above; indent it")
		s.extend("  " + line)
		return
	}
	s.drop = true
	s.late.warnf(s.line, "yaml-fallback", "this line has no key and is left out; write key: value, or indent it below its key")
}

var (
	// bareKey is a key whose colon has no blank after it, which YAML reads as text and people
	// as a key.
	bareKey = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]{0,39}):([^\s/].*)$`)
	// oneWord is a key as nearly all are; a sentence that is folded over lines seldom begins
	// like it.
	oneWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	// quotedKey is a key in quotes.
	quotedKey = regexp.MustCompile(`^(?:"([^"]+)"|'([^']+)')[ \t]*:(?:[ \t](.*))?$`)
)

// splitKey splits "key: value". line is not empty.
func splitKey(line string) (field, bool) {
	// A key that is a list or a map.
	if strings.HasPrefix(line, "? ") {
		return field{}, false
	}
	// "Created": 2024-01-01
	if m := quotedKey.FindStringSubmatch(line); m != nil {
		return newField(m[1]+m[2], m[3]), true
	}
	// The first colon before a blank or the end of the line ends the key.
	for i := 1; i < len(line); i++ {
		if line[i] == ':' && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t') {
			return newField(line[:i], line[i+1:]), keyLike(line[:i])
		}
	}
	// created:2024-01-01
	if m := bareKey.FindStringSubmatch(line); m != nil {
		return newField(m[1], m[2]), true
	}
	return field{}, false
}

// newField makes a field of the text on both sides of a colon.
func newField(key, value string) field {
	key = strings.TrimSpace(key)
	f := field{key: key, name: fieldName(key), value: strings.TrimSpace(value)}
	f.open = f.goesOn()
	return f
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
		return quotedEnd(f.value) == 0
	case '[', '{':
		_, _, closed := rewriteFlow(f.value, 0)
		return !closed && !freeText[f.name]
	}
	return false
}

// keyLike separates a key from a sentence that happens to hold a colon.
func keyLike(key string) bool {
	const maxWords, maxBytes = 5, 64
	return len(key) <= maxBytes && len(strings.Fields(key)) <= maxWords &&
		!strings.ContainsAny(key, ";!`") && !strings.Contains(key, ". ") &&
		(!strings.ContainsAny(key, "[{") || strings.Contains(key, "(*"))
}

// isComplex reports YAML's form for keys that are lists or maps.
func isComplex(line string) bool {
	return line == "?" || line == ":" || strings.HasPrefix(line, "? ") || strings.HasPrefix(line, ": ")
}
