package corpus

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	meta "github.com/yuin/goldmark-meta"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxDepth bounds nested lists and maps of a header; deeper ones are kept as text.
const maxDepth = 32

// headerParser decodes guarded headers by goldmark-meta. It is safe for concurrent use.
var headerParser = goldmark.New(goldmark.WithExtensions(meta.Meta)).Parser()

// values are a decoded header.
type values struct {
	// byName has the values by fieldName; of duplicates the first that is not empty.
	byName map[string]*value
	// The same values in the header's order.
	order []*value
}

// value is one field with its decoded value: nil, string, []any or map[string]any.
type value struct {
	*field
	v any
	// A character that XML forbids by U+FFFD.
	replaced bool
}

// decode returns the header's values. A value that is no acceptable YAML is kept as text, with
// a warning.
func decode(h *header, r *report) *values {
	// All values are decoded at once, which is faster, and one by one only when that fails.
	yaml := make([]string, len(h.fields)) // empty: not acceptable
	for i := range h.fields {
		if text, ok := rewrite(&h.fields[i], freeText[h.fields[i].name], 0); ok && !endsHeader(text) {
			yaml[i] = text
		}
	}
	all := decodeYAML(yaml, 0)
	d := &values{byName: make(map[string]*value, len(h.fields))}
	for i := range h.fields {
		v := &value{field: &h.fields[i]}
		// A header of sound values takes one run of the parser.
		found := all
		if found == nil { // some value is broken: decoded alone, it costs no other its structure
			found = decodeYAML(yaml[i:i+1], i)
		}
		t := tidier{keepControls: v.name == "title" || v.name == "status"} // these are judged as they were read
		decoded, ok := found[yamlKey(i)]
		if ok {
			v.v = t.tidy(decoded, 0)
		}
		if !ok || t.deepest > maxDepth {
			r.warnf(v.line, "yaml-fallback",
				"the value of %s is not plain YAML (an anchor, alias, tag, broken quote or too deep nesting): it is kept as text; quote it", quoted(v.key))
			v.v = t.tidy(asText(v.field), 0)
		}
		v.replaced = t.replaced
		d.add(v, r)
	}
	return d
}

// add adds the next value. Of two with the same name the first that is not empty counts.
func (d *values) add(v *value, r *report) {
	first := d.byName[v.name]
	if first == nil {
		d.byName[v.name] = v
		d.order = append(d.order, v)
		return
	}
	r.warnf(v.line, "duplicate-key", "%s is stated a second time (first on line %d): the first value that is not empty counts", quoted(v.key), first.line)
	// first is in the order already: the later value takes its place.
	if first.v == nil && v.v != nil {
		*first = *v
	}
}

// yamlKey is a key that is no word of YAML, which the real key may be.
func yamlKey(i int) string { return "k" + strconv.Itoa(i) }

// decodeYAML decodes values, each under the [yamlKey] of its position and first. It returns nil
// when goldmark-meta finds an error. Values that are empty texts are left out.
func decodeYAML(yaml []string, first int) map[string]any {
	var header strings.Builder
	header.WriteString("---\n")
	for i, value := range yaml {
		if value != "" {
			fmt.Fprintf(&header, "%s: %s\n", yamlKey(first+i), value)
		}
	}
	header.WriteString("---\n")
	// goldmark-meta reads a header in front of a document, so it is given one without a text.
	pc := parser.NewContext()
	headerParser.Parse(text.NewReader([]byte(header.String())), parser.WithContext(pc))
	found, err := meta.TryGet(pc)
	if err != nil {
		return nil
	}
	return found
}

// endsHeader reports a line of hyphens, which goldmark-meta takes for the closing fence
// wherever it stands.
func endsHeader(yaml string) bool {
	for line := range strings.SplitSeq(yaml, "\n") {
		if line = strings.TrimSpace(line); line != "" && strings.Trim(line, "-") == "" {
			return true
		}
	}
	return false
}

// asText reads a field that is no YAML as people do: the text after the colon, on one line.
func asText(f *field) string {
	s := f.raw()
	if f.value != "" && shownText[f.name] {
		s = f.value // the lines below may be another key's
	}
	s = foldBlanks(s)
	// A quote that nothing closes is no part of the text.
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		s = strings.Trim(s, s[:1])
	}
	return s
}

// tidier turns the values of YAML into string, nil, []any and map[string]any.
type tidier struct {
	keepControls bool
	replaced     bool
	// How deep lists and maps are nested.
	deepest int
}

// tidy returns the value v, which stands depth levels deep, with blanks trimmed and empty texts
// as nil.
func (t *tidier) tidy(v any, depth int) any {
	t.deepest = max(t.deepest, depth)
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		s := strings.TrimSpace(v)
		if clean, at := mip.Printable(s); at >= 0 && !t.keepControls {
			s, t.replaced = clean, true
		}
		if s == "" {
			return nil
		}
		return s
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = t.tidy(item, depth+1)
		}
		return out
	case map[any]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[fmt.Sprint(key)] = t.tidy(item, depth+1)
		}
		return out
	}
	// A number or a truth value, as rewrite lets none through.
	return t.tidy(fmt.Sprint(v), depth)
}

// get returns the first of the named fields that has a value, or one that is empty, or nil.
func (d *values) get(names ...string) *value {
	var empty *value
	for _, name := range names {
		if v := d.byName[name]; v != nil {
			if v.v != nil {
				return v
			}
			empty = v
		}
	}
	return empty
}

// text returns the field as one line of text; lists are joined by commas.
func (v *value) text() string {
	if v == nil {
		return ""
	}
	return textOf(v.v)
}

// lineOf is the line of a field, 0 when there is none.
func lineOf(v *value) int {
	if v == nil {
		return 0
	}
	return v.line
}

// textOf is the text of a value; that of a map is empty.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = textOf(v[i])
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

// quoted shortens s for a message and makes its invisible characters visible.
func quoted(s string) string {
	const most = 61 // characters
	return strconv.Quote(mip.ShortenRunes(s, most))
}
