package corpus

import (
	"bytes"
	"fmt"
	"slices"
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
	rewritten := make([]string, len(h.fields))
	for i := range h.fields {
		f := &h.fields[i]
		values[i].field = f
		// Most values need no YAML, and it is a third of the work of loading: what would be quoted for
		// goldmark-meta only to come back as it was stays as it is.
		if text, ok := plainValue(f, freeText(f.name)); ok {
			values[i].v, _ = tidy(text, r, f.line)
			continue
		}
		yaml, ok := rewrite(f, freeText(f.name))
		if !ok || endsHeader(yaml) {
			fallBack(&values[i], r)
			continue
		}
		rewritten[i] = yaml
	}
	d.values(values, rewritten, r)
	return index(values, r)
}

// values decodes all rewritten fields at once, and one by one when that fails, so that one broken
// field costs no other its structure.
func (d *decoder) values(values []value, rewritten []string, r *report) {
	if !slices.ContainsFunc(rewritten, func(y string) bool { return y != "" }) {
		return
	}
	found, err := d.yaml(rewritten)
	for i, y := range rewritten {
		if y == "" {
			continue
		}
		v, ok := found["k"+strconv.Itoa(i)]
		if err != nil {
			single, failed := d.yaml([]string{y})
			v, ok = single["k0"], failed == nil
		}
		if !ok {
			fallBack(&values[i], r)
			continue
		}
		clean, depth := tidy(v, r, values[i].line)
		if depth > maxDepth {
			fallBack(&values[i], r)
			continue
		}
		values[i].v = clean
	}
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

// yaml decodes a header whose keys are k0, k1 and so on: the real keys might be words of YAML.
func (d *decoder) yaml(rewritten []string) (map[string]any, error) {
	var b bytes.Buffer
	b.WriteString("---\n")
	for i, y := range rewritten {
		if y != "" {
			fmt.Fprintf(&b, "k%d: %s\n", i, y)
		}
	}
	b.WriteString("---\n")
	pc := parser.NewContext()
	d.parser.Parse(text.NewReader(b.Bytes()), parser.WithContext(pc))
	return meta.TryGet(pc)
}

// fallBack reads a field as people do: what follows the colon, on one line.
func fallBack(v *value, r *report) {
	r.warnf(v.line, "yaml-fallback", "the value of %s is not plain YAML (an anchor, alias, tag, broken quote or too deep nesting): it is kept as text; quote it", quoted(v.key))
	s := v.raw()
	if v.value != "" && shown(v.name) {
		s = v.value // the lines below may be another key's
	}
	s = foldBlanks(s)
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		s = strings.Trim(s, s[:1])
	}
	v.v, _ = tidy(s, r, v.line)
}

// tidy turns what YAML gives into string, nil, []any and map[string]any, and reports the depth.
func tidy(v any, r *report, line int) (any, int) {
	switch v := v.(type) {
	case nil:
		return nil, 0
	case string:
		s := strings.TrimSpace(v)
		if s == "" {
			return nil, 0
		}
		return s, 0
	case []any:
		out := make([]any, len(v))
		deepest := 0
		for i, item := range v {
			var depth int
			out[i], depth = tidy(item, r, line)
			deepest = max(deepest, depth+1)
		}
		return out, deepest
	case map[any]any:
		out := make(map[string]any, len(v))
		deepest := 0
		for key, item := range v {
			clean, depth := tidy(item, r, line)
			out[fmt.Sprint(key)] = clean
			deepest = max(deepest, depth+1)
		}
		return out, deepest
	}
	return tidy(fmt.Sprint(v), r, line)
}
