package corpus

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	meta "github.com/yuin/goldmark-meta"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// decoder turns guarded headers into values by goldmark-meta. It is safe for concurrent use.
type decoder struct{ parser parser.Parser }

func newDecoder() *decoder {
	return &decoder{goldmark.New(goldmark.WithExtensions(meta.Meta)).Parser()}
}

// decoded is a header as values.
type decoded struct {
	byName map[string]*value // by fieldName; of duplicates the first that is not empty
	order  []*value          // the same values in the header's order
}

// value is one field with its decoded value: nil, string, []any or map[string]any.
type value struct {
	*field
	v any
}

// freeText are the fields in which " #" and a colon are text: no comment is cut from them.
func freeText(name string) bool {
	return name == "title" || name == "description" || name == "withdrawal-reason" || name == "abstract"
}

// decode returns the header's values. What is no acceptable YAML is kept as text, with a warning.
func (d *decoder) decode(h *header, r *report) *decoded {
	values := make([]value, len(h.fields))
	for i := range h.fields {
		f := &h.fields[i]
		values[i] = value{f, d.value(f, r)}
	}
	return index(values, r)
}

// value decodes one field by itself, so that a broken one costs no other its structure.
func (d *decoder) value(f *field, r *report) any {
	// Most values need no YAML, and it is a third of the work of loading.
	if text, ok := plainValue(f, freeText(f.name)); ok {
		v, _ := tidy(text)
		return v
	}
	if yaml, ok := rewrite(f, freeText(f.name), 0); ok && !endsHeader(yaml) {
		if v, ok := d.yaml(yaml); ok {
			if v, depth := tidy(v); depth <= maxDepth {
				return v
			}
		}
	}
	r.warnf(f.line, "yaml-fallback", "the value of %s is not plain YAML (an anchor, alias, tag, broken quote or too deep nesting): it is kept as text; quote it", quoted(f.key))
	v, _ := tidy(asText(f))
	return v
}

// endsHeader reports a line of hyphens, which goldmark-meta takes for the closing fence wherever it
// stands.
func endsHeader(yaml string) bool {
	for line := range strings.SplitSeq(yaml, "\n") {
		if line = strings.TrimSpace(line); line != "" && strings.Trim(line, "-") == "" {
			return true
		}
	}
	return false
}

// yaml decodes one value. Its key is one that is no word of YAML, which the real key may be.
func (d *decoder) yaml(value string) (any, bool) {
	pc := parser.NewContext()
	d.parser.Parse(text.NewReader([]byte("---\nk: "+value+"\n---\n")), parser.WithContext(pc))
	found, err := meta.TryGet(pc)
	v, ok := found["k"]
	return v, ok && err == nil
}

// asText reads a field that is no YAML as people do: what follows the colon, on one line.
func asText(f *field) string {
	s := f.raw()
	if f.value != "" && shown(f.name) {
		s = f.value // the lines below may be another key's
	}
	s = foldBlanks(s)
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		s = strings.Trim(s, s[:1])
	}
	return s
}

// tidy turns what YAML gives into string, nil, []any and map[string]any, and returns how deep lists and maps
// are nested.
func tidy(v any) (clean any, depth int) {
	switch v := v.(type) {
	case nil:
		return nil, 0
	case string:
		if s := strings.TrimSpace(v); s != "" {
			return s, 0
		}
		return nil, 0
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			c, d := tidy(item)
			out[i], depth = c, max(depth, d+1)
		}
		return out, depth
	case map[any]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			c, d := tidy(item)
			out[fmt.Sprint(key)], depth = c, max(depth, d+1)
		}
		return out, depth
	}
	return tidy(fmt.Sprint(v))
}

// index resolves duplicate keys.
func index(values []value, r *report) *decoded {
	d := &decoded{byName: make(map[string]*value, len(values))}
	for i := range values {
		v := &values[i]
		first, dup := d.byName[v.name]
		if !dup {
			d.byName[v.name] = v
			continue
		}
		r.warnf(v.line, "duplicate-key", "%s is stated a second time (first on line %d): the first value that is not empty counts", quoted(v.key), first.line)
		if first.v == nil && v.v != nil {
			d.byName[v.name] = v
		}
	}
	for i := range values {
		v := &values[i]
		if d.byName[v.name] == v {
			d.order = append(d.order, v)
		}
	}
	return d
}

// get returns the first of the named fields that has a value, or one that is empty, or nil.
func (d *decoded) get(names ...string) *value {
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

// quoted shortens s for a message and makes what cannot be seen visible.
func quoted(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return strconv.Quote(s)
}
