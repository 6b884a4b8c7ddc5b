package corpus

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"
)

// maxHeader bounds what is handed to a YAML decoder. The largest real header is under 3 KiB.
const maxHeader = 64 << 10

// header is what stands between the fences, key by key, with nothing interpreted.
type header struct {
	fields []field
	body   int // offset of the text after the closing fence
}

// field is one top-level key of a header.
type field struct {
	key   string   // as spelt, trimmed, quotes resolved
	name  string   // for look-up: see fieldName
	value string   // what follows the colon on the same line, trimmed
	more  []string // the lines below, as they are
	line  int      // in the file, from 1
}

// raw is the field's whole value as written.
func (f *field) raw() string {
	return strings.TrimSpace(f.value + "\n" + strings.Join(f.more, "\n"))
}

// fieldName is the form in which keys are compared: Discussions_To and "discussions-to (*optional)"
// are both discussions-to.
func fieldName(key string) string {
	key = strings.ToLower(strings.TrimSpace(key))
	if i := strings.Index(key, "(*"); i > 0 && strings.HasSuffix(key, ")") {
		key = key[:i]
	}
	return strings.Join(strings.FieldsFunc(key, func(c rune) bool {
		return c == ' ' || c == '\t' || c == '_' || c == '-'
	}), "-")
}

// guard finds the header of a normalised text. ok is false when the file cannot be published: r then
// holds the error. A file without any header has ok true and a nil header.
func guard(text []byte, r *report) (h *header, ok bool) {
	start, line := 0, 1
	for start < len(text) && (text[start] == '\n' || text[start] == ' ' || text[start] == '\t') {
		if text[start] == '\n' {
			line++
		}
		start++
	}
	first, next := cutLine(text, start)
	if start > 0 && text[start-1] != '\n' || !isFence(first) {
		return nil, true
	}
	g := guarding{r: r, line: line, late: report{file: r.file}}
	for at := next; at < len(text); at = next {
		first, next = cutLine(text, at)
		g.line++
		switch {
		case isFence(first):
			return g.close(next)
		case isDots(first):
			r.errorf(g.line, "header-dots", "the header ends with ...; end it with ---")
			return nil, false
		case next > maxHeader:
			if g.end == 0 {
				r.errorf(line, "header-too-large", "the header is longer than %d KiB, or no --- ends it", maxHeader>>10)
				return nil, false
			}
			g.unterminated(g.end)
			return nil, false
		}
		g.add(string(first))
	}
	g.end = cmp.Or(g.end, g.heading, line)
	g.unterminated(g.end)
	return nil, false
}

func cutLine(text []byte, at int) (line []byte, next int) {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return text[at : at+i], at + i + 1
	}
	return text[at:], len(text)
}

func isFence(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.Trim(line[3:], " \t")) == 0
}

func isDots(line []byte) bool {
	return bytes.HasPrefix(line, []byte("...")) && len(bytes.Trim(line[3:], " \t")) == 0
}

// guarding is the state of reading a header line by line.
type guarding struct {
	r       *report
	fields  []field
	line    int
	blank   bool   // the line before was blank
	heading int    // line of what looks like a Markdown heading, until a key follows it directly
	end     int    // line at which the header seems to end, 0 as long as it looks like one
	list    int    // line of a list item that belongs to no key
	scalar  int    // line of text that belongs to no key
	late    report // of a header that is closed; an open one has an error of its own
	drop    bool   // what is indented below belongs to a line that was left out
}

func (g *guarding) unterminated(line int) {
	g.r.errorf(line, "header-unterminated", "the header is not closed: put a line with --- where it ends, which seems to be here")
}

// add takes the next line of the header.
func (g *guarding) add(line string) {
	trimmed := strings.TrimSpace(line)
	blank, heading := g.blank, g.heading
	g.blank, g.heading = trimmed == "", 0
	if trimmed == "" {
		if heading > 0 && g.end == 0 {
			g.end = heading // a heading between blank lines is Markdown, a comment would belong to something
		}
		g.extend(line)
		return
	}
	indented := line[0] == ' ' || line[0] == '\t'
	switch {
	case indented && len(g.fields) > 0:
		g.below(line, trimmed)
	case !indented && line[0] == '#':
		switch {
		case heading > 0:
			g.heading = heading
		case blank && isHeading(line):
			g.heading = g.line
		}
	case line == "-" || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "-\t"):
		if len(g.fields) == 0 {
			g.list = g.line
			return
		}
		g.extend(line)
	default:
		f, isKey := splitKey(line)
		if isKey {
			g.key(f)
			return
		}
		if heading > 0 && g.end == 0 {
			g.end = heading
		}
		// Text after a blank line is prose, and hyphens are meant as the end.
		if (blank || strings.Trim(trimmed, "-") == "") && g.end == 0 {
			g.end = g.line
		}
		if len(g.fields) == 0 {
			g.scalar = g.line
			return
		}
		g.stray(line)
	}
}

func (g *guarding) key(f field) {
	f.line = g.line
	g.fields = append(g.fields, f)
	g.drop = false
}

// below takes an indented line. A key of one word below a value that is complete is a key that was
// indented by mistake: YAML refuses it, and as a part of that value it would be published.
func (g *guarding) below(line, trimmed string) {
	last := &g.fields[len(g.fields)-1]
	if g.drop || last.value == "" || isOpen(last) {
		g.extend(line)
		return
	}
	if isComplex(trimmed) {
		g.drop = true
		g.late.warnf(g.line, "yaml-fallback", "a key that begins with ? is left out; write it as key: value")
		return
	}
	f, isKey := splitKey(trimmed)
	if !isKey || !oneWord.MatchString(f.key) {
		g.extend(line)
		return
	}
	g.late.warnf(g.line, "yaml-fallback", "%s is indented below a value that is complete: it is read as a key of its own; take the blanks out", quoted(f.key))
	g.key(f)
}

// stray takes a line that is neither indented nor a key. Lists of people and of proposals are folded
// like that; everything else is left out, since it would be published as a part of the line above.
func (g *guarding) stray(line string) {
	last := &g.fields[len(g.fields)-1]
	if listLike(last.name) && !isComplex(line) && !g.drop {
		g.late.warnf(g.line, "yaml-fallback", "this line has no key: it is read as part of the line above; indent it")
		g.extend("  " + line)
		return
	}
	g.drop = true
	g.late.warnf(g.line, "yaml-fallback", "this line has no key and is left out; write key: value, or indent it below its key")
}

func (g *guarding) extend(line string) {
	if n := len(g.fields); n > 0 && !g.drop {
		g.fields[n-1].more = append(g.fields[n-1].more, line)
	}
}

// close is called at the closing fence; body is the offset after it.
func (g *guarding) close(body int) (*header, bool) {
	if g.end == 0 {
		g.end = g.heading
	}
	switch {
	case g.end > 0 && len(g.fields) > 0:
		g.unterminated(g.end)
		return nil, false
	case g.list > 0:
		g.r.errorf(g.list, "header-not-mapping", "the header is a list; it must consist of lines such as title: A title")
		return nil, false
	case g.scalar > 0:
		g.r.errorf(g.scalar, "header-not-mapping", "the header is plain text; it must consist of lines such as title: A title")
		return nil, false
	}
	g.r.problems = append(g.r.problems, g.late.problems...)
	return &header{fields: g.fields, body: body}, true
}

var headingLine = regexp.MustCompile(`^#{1,6}[ \t]+\S`)

func isHeading(line string) bool { return headingLine.MatchString(line) }

// bareKey is a key whose colon has no blank after it, which YAML reads as text and people as a key.
var bareKey = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]{0,39}):([^\s/].*)$`)

// splitKey splits "key: value".
func splitKey(line string) (field, bool) {
	if strings.HasPrefix(line, "? ") {
		return field{}, false
	}
	if line[0] == '"' || line[0] == '\'' {
		if i := strings.IndexByte(line[1:], line[0]); i > 0 {
			rest := strings.TrimLeft(line[i+2:], " \t")
			if rest == ":" || strings.HasPrefix(rest, ": ") || strings.HasPrefix(rest, ":\t") {
				return newField(line[1:i+1], rest[1:]), true
			}
		}
	}
	for i := 0; i < len(line); i++ {
		if line[i] != ':' {
			continue
		}
		if i > 0 && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t') {
			return newField(line[:i], line[i+1:]), keyLike(line[:i])
		}
	}
	if m := bareKey.FindStringSubmatch(line); m != nil {
		return newField(m[1], m[2]), true
	}
	return field{}, false
}

func newField(key, value string) field {
	key = strings.TrimSpace(key)
	return field{key: key, name: fieldName(key), value: strings.TrimSpace(value)}
}

// keyLike tells a key from a sentence that happens to hold a colon.
func keyLike(key string) bool {
	const maxWords, maxBytes = 5, 64
	return len(key) <= maxBytes && len(strings.Fields(key)) <= maxWords && !strings.ContainsAny(key, ";!`") && !strings.Contains(key, ". ") &&
		(!strings.ContainsAny(key, "[{") || strings.Contains(key, "(*"))
}

// oneWord is a key as nearly all are; a sentence that is folded over lines seldom begins like it.
var oneWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// isComplex reports YAML's form for keys that are lists or maps.
func isComplex(line string) bool {
	return line == "?" || line == ":" || strings.HasPrefix(line, "? ") || strings.HasPrefix(line, ": ")
}

// listLike are the fields whose lists real files fold over lines without indentation.
func listLike(name string) bool {
	switch name {
	case "author", "authors", "requires", "depends-on":
		return true
	}
	return false
}

// shown are the fields whose text pages show as it is.
func shown(name string) bool {
	switch name {
	case "title", "description", "status", "type", "category":
		return true
	}
	return false
}

// isOpen reports a value that goes on below whatever stands there: a block, or quotes, a list or a
// map that the first line does not close.
func isOpen(f *field) bool {
	switch f.value[0] {
	case '|', '>':
		return blockScalar(f.value)
	case '"', '\'':
		return quotedEnd(f.value) == 0
	case '[', '{':
		_, _, closed := rewriteFlow(f.value, 0)
		return !closed && !freeText(f.name)
	}
	return false
}
