package corpus

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	meta "github.com/yuin/goldmark-meta"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// maxDepth bounds the lists and maps that one line of a header begins, one in the other; a deeper
// value is kept as text.
const maxDepth = 32

// headerParser decodes headers by goldmark-meta. It is safe for concurrent use.
var headerParser = goldmark.New(goldmark.WithExtensions(meta.Meta)).Parser()

// fields are a decoded header.
type fields struct {
	// byName has the fields by [fieldName]; of duplicates the first that is not empty.
	byName map[string]*field
	// order has the same fields in the header's order.
	order []*field
	// r takes the problems of values.
	r *report
	// alias is another prefix under which the header states the proposal's own number.
	alias string
	// addresses are those of [Options].
	addresses []string
}

// decode decodes the header's fields, only those of the names if there are any. A value that is
// no acceptable YAML is kept as text, with a warning.
func decode(h *header, r *report, names ...string) *fields {
	d := &fields{byName: make(map[string]*field, len(h.fields)), r: r}
	for i := range h.fields {
		f := &h.fields[i]
		if len(names) > 0 && !slices.Contains(names, f.name) {
			continue
		}
		// A value that is broken costs no other field its structure.
		v, ok := f.parse()
		if !ok {
			r.add(f.line, "yaml-fallback", quoted(f.key))
			v = f.asText()
		}
		f.read = tidy(v)
		f.v = f.read
		first := d.byName[f.name]
		if first == nil {
			d.byName[f.name] = f
			d.order = append(d.order, f)
			continue
		}
		r.add(f.line, "duplicate-key", quoted(f.key), first.line)
		// first is in the order already: the later field takes its place.
		if first.v == nil && f.v != nil {
			*first = *f
		}
	}
	return d
}

// parse returns the field's value. A plain scalar is the text that it is, however YAML 1.1 would
// type it (0161 is 113, no is false, " #" begins a comment). ok is false when the value has parts
// that are not accepted (anchors, aliases, tags, a block scalar within a map) or is not YAML.
func (f *field) parse() (v any, ok bool) {
	free := freeText[f.name]
	lines := append([]string{f.value}, f.more...)
	switch {
	case f.value == "" || isComment(f.value):
		if lines = withoutComments(f.more); len(lines) == 0 {
			return nil, true
		}
		// The first line decides the kind of the block.
		first := strings.TrimSpace(lines[0])
		_, isItem := itemText(first)
		key, isKey := splitKey(first)
		if isItem || isKey && (!free || oneWord.MatchString(key.key)) && !strings.ContainsAny(first[:1], "[{") {
			return decodeBlock(lines)
		}
	case blockScalar(f.value):
		lines[0] = cutComment(f.value)
		return decodeYAML(strings.Join(lines, "\n"))
	}
	plain, yaml, ok := scalar(lines, free)
	if !ok || yaml == "" {
		return plain, ok
	}
	return decodeYAML(yaml)
}

// decodeYAML decodes one value of YAML.
func decodeYAML(yaml string) (v any, ok bool) {
	// goldmark-meta takes a line of hyphens for the closing fence wherever it stands.
	if hyphens.MatchString(yaml) {
		return nil, false
	}
	pc := parser.NewContext()
	headerParser.Parse(text.NewReader([]byte("---\nv: "+yaml+"\n---\n")), parser.WithContext(pc))
	found, err := meta.TryGet(pc)
	return found["v"], err == nil
}

var hyphens = regexp.MustCompile(`(?m)^\s*-+\s*$`)

// asText reads a field that is no YAML as people do: the text after the colon, on one line, with
// the items of a list behind commas.
func (f *field) asText() string {
	s := f.value
	for _, line := range f.more {
		line = strings.TrimSpace(line)
		if item, ok := itemText(line); ok && s != "" {
			line = ", " + item
		} else if ok {
			line = item
		}
		// Below a shown text the lines may be another key's.
		if f.value == "" || !shownText[f.name] {
			s += "\n" + line
		}
	}
	s = strings.ReplaceAll(foldBlanks(s), " , ", ", ")
	// A quote that nothing closes is no part of the text.
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		s = strings.Trim(s, s[:1])
	}
	return s
}

// tidy turns the values of YAML into string, nil, []any and map[string]any, with blanks trimmed
// and empty texts as nil.
func tidy(v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		if s := strings.TrimSpace(v); s != "" {
			return s
		}
		return nil
	case []any:
		for i, item := range v {
			v[i] = tidy(item)
		}
		return v
	case map[any]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[fmt.Sprint(key)] = tidy(item)
		}
		return out
	}
	// A number or a truth value in a form that no quotes were put around.
	return tidy(fmt.Sprint(v))
}

// scalar takes a value that begins on its first line: plain text that may be folded over several
// lines, or, in yaml, quoted text or a flow list or map. Free text keeps the looks of a comment
// and of a list: real titles hold " #" and begin with [Meta].
func scalar(lines []string, free bool) (plain, yaml string, ok bool) {
	var all, folded []string
	for _, line := range lines {
		line = strings.TrimSpace(line)
		all = append(all, line)
		if !free {
			line = cutComment(line)
		}
		if line != "" {
			folded = append(folded, line)
		}
	}
	whole, rest := strings.TrimSpace(strings.Join(all, "\n")), ""
	switch whole[0] {
	case '"', '\'':
		text := quotedText.FindString(whole)
		if text == "" {
			return "", "", false
		}
		// YAML wants the lines below to be indented.
		yaml, rest = strings.ReplaceAll(text, "\n", "\n  "), whole[len(text):]
	case '[', '{':
		if free {
			break
		}
		if yaml, rest, ok = quoteFlow(whole); !ok {
			return "", "", false
		}
	case '&', '*', '!':
		return "", "", false
	}
	// [Ada](https://a.example) is no list: text follows the bracket.
	if rest = strings.TrimSpace(rest); yaml != "" && (rest == "" || rest[0] == '#') {
		return "", yaml, true
	}
	plain = strings.Join(folded, " ")
	if !free && slices.Contains([]string{"~", "null", "Null", "NULL"}, plain) {
		plain = ""
	}
	return plain, "", true
}

// isComment reports a text that is nothing but a comment.
func isComment(s string) bool { return s == "#" || strings.HasPrefix(s, "# ") }

// cutComment returns a line without the comment at its end.
func cutComment(s string) string {
	if isComment(s) {
		return ""
	}
	before, _, _ := strings.Cut(s, " #")
	return strings.TrimSpace(before)
}

// withoutComments returns the lines that are neither blank nor a comment.
func withoutComments(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		line = strings.TrimSpace(line)
		return line == "" || isComment(line)
	})
}

// blockScalar reports whether s is the head of a literal or folded block: |, >-, |2+ and the
// like.
func blockScalar(s string) bool {
	return (s[0] == '|' || s[0] == '>') && strings.Trim(cutComment(s[1:]), "+-123456789") == ""
}

// Parts of YAML, each at the beginning of a text.
var (
	// quotedText is a quoted scalar. A backslash escapes within double quotes, a second quote
	// within single ones.
	quotedText = regexp.MustCompile(`(?s)^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')`)
	// listItem and mapItem are plain scalars of a flow list, where a colon is text, and of a flow
	// map.
	listItem = regexp.MustCompile(`^[^,\]}]+`)
	mapItem  = regexp.MustCompile(`^(?:[^,\]}:]|:[^\s,\]}])+`)
)

// quoteFlow quotes the plain scalars of the flow list or map that s begins with; rest follows
// it. ok is false for a value that must not be decoded (too deep, anchors) or is never closed.
func quoteFlow(s string) (yaml, rest string, ok bool) {
	var b strings.Builder
	var open []byte // the closing brackets that are due
	for i := 0; i < len(s); {
		n := 1
		switch c := s[i]; c {
		case '[', '{':
			open = append(open, c+2) // in ASCII the closing bracket is two after the opening one
			b.WriteByte(c)
		case ']', '}':
			if c != open[len(open)-1] {
				return "", "", false
			}
			b.WriteByte(c)
			if open = open[:len(open)-1]; len(open) == 0 {
				return b.String(), s[i+1:], true
			}
		case ',', ' ', '\t', '\n':
			b.WriteByte(c)
		case '"', '\'':
			if n = len(quotedText.FindString(s[i:])); n == 0 {
				return "", "", false
			}
			b.WriteString(strings.ReplaceAll(s[i:i+n], "\n", "\n  "))
		case '&', '*', '!':
			return "", "", false
		default:
			plain := listItem
			if open[len(open)-1] == '}' {
				plain = mapItem
			}
			if n = len(plain.FindString(s[i:])); n > 0 {
				b.WriteString(strconv.QuoteToASCII(foldBlanks(s[i : i+n])))
			} else { // the colon after a key
				n = 1
				b.WriteString(": ")
			}
		}
		if i += n; len(open) > maxDepth {
			return "", "", false
		}
	}
	return "", "", false
}

// decodeBlock decodes the lines of an indented list or map. Their plain scalars and keys are
// quoted; the structure is left to YAML.
func decodeBlock(lines []string) (v any, ok bool) {
	var b strings.Builder
	for i := 0; i < len(lines); {
		rest := strings.TrimLeft(lines[i], " \t")
		for depth := 0; ; depth++ {
			item, isItem := itemText(rest)
			if depth > maxDepth {
				return nil, false
			}
			if !isItem {
				break
			}
			rest = item
		}
		f, isKey := splitKey(rest)
		isKey = isKey && !strings.ContainsAny(rest[:1], "[{")
		// The value's column is kept, so that the keys of a list's map line up with those below it
		// in the same item.
		b.WriteString("\n" + strings.ReplaceAll(strings.TrimSuffix(strings.TrimRight(lines[i], " \t"), rest), "\t", " "))
		if isKey {
			b.WriteString(strconv.QuoteToASCII(f.key) + ": ")
			rest = f.value
		}
		// The lines up to the next item or key are folded.
		block := []string{rest}
		for i++; i < len(lines) && !beginsItem(lines[i]); i++ {
			block = append(block, lines[i])
		}
		if isComment(rest) || rest == "" {
			block = block[1:]
		}
		if len(block) == 0 {
			b.WriteString(" #") // without a comment, a line of hyphens would end the header
			continue
		}
		plain, yaml, ok := scalar(block, false)
		if !ok || blockScalar(strings.TrimSpace(block[0])) {
			return nil, false
		}
		if yaml == "" {
			yaml = strconv.QuoteToASCII(plain)
		}
		b.WriteString(yaml)
	}
	return decodeYAML(b.String())
}

// beginsItem reports a line that begins an item of a list or a key of a map.
func beginsItem(line string) bool {
	line = strings.TrimSpace(line)
	_, isItem := itemText(line)
	_, isKey := splitKey(line)
	return isItem || isKey
}

// itemText is the text of a line that begins a list item.
func itemText(line string) (string, bool) {
	text, ok := strings.CutPrefix(line, "-")
	if !ok || text != "" && text[0] != ' ' && text[0] != '\t' {
		return "", false
	}
	return strings.TrimSpace(text), true
}
