package header

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
	"github.com/yuin/goldmark"
	meta "github.com/yuin/goldmark-meta"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// headerParser decodes headers with goldmark-meta. It is safe for concurrent use.
var headerParser = goldmark.New(goldmark.WithExtensions(meta.Meta)).Parser()

// decode decodes the header's fields, only those with the given names if there are any. Plain text
// is kept as written; all quoted text, blocks, lists and maps are decoded together. A value that is
// not acceptable YAML is kept as text, with a warning.
func decode(b *block, r *problem.Report, names ...string) *fields {
	d := &fields{byName: make(map[string]*field, len(b.fields)), keys: usual, r: r}
	var all, structured []*field
	for i := range b.fields {
		f := &b.fields[i]
		if len(names) > 0 && !slices.Contains(names, f.name) {
			continue
		}
		all = append(all, f)
		if plain, ok := f.plain(); ok {
			f.read = orNil(plain)
		} else {
			structured = append(structured, f)
		}
	}
	for _, f := range decodeYAML(structured) {
		r.Add(f.line, "yaml-fallback", mip.Quote(f.key))
		f.read = orNil(f.asText())
	}
	for _, f := range all {
		f.v = f.read
		first := d.byName[f.name]
		if first == nil {
			d.byName[f.name] = f
			d.order = append(d.order, f)
			continue
		}
		r.Add(f.line, "duplicate-key", mip.Quote(f.key), first.line)
		// first is already in the order: the later field takes its place.
		if first.v == nil && f.v != nil {
			*first = *f
		}
	}
	return d
}

// plain returns plain text, unfolded, independent of its meaning in YAML 1.1: 0161 is 113 there, no
// is false, and ": " an error. ok is false for quoted text, a block, a list or a map, and for text
// that begins with an anchor, an alias or a tag.
func (f *field) plain() (text string, ok bool) {
	free := f.isFree()
	lines := append([]string{f.value}, f.more...)
	if f.value == "" || isComment(f.value) {
		if lines = withoutComments(f.more); len(lines) == 0 {
			return "", true
		}
		// The first line determines the kind of the block.
		first := strings.TrimSpace(lines[0])
		_, isItem := itemText(first)
		key, isKey := splitKey(first)
		if isItem || isKey && (!free || oneWord.MatchString(key.key)) &&
			!strings.ContainsAny(first[:1], "[{") {
			return "", false
		}
	} else if blockScalar(f.value) {
		return "", false
	}
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
	whole := strings.TrimSpace(strings.Join(all, "\n"))
	switch whole[0] {
	case '&', '*', '!':
		return "", false
	case '"', '\'', '[', '{':
		if free && (whole[0] == '[' || whole[0] == '{') {
			break
		}
		// [Ada](https://a.example) is no list: text follows the bracket.
		end := closing(whole)
		if end < 0 {
			return "", false
		}
		if rest := strings.TrimSpace(whole[end:]); rest == "" || rest[0] == '#' {
			return "", false
		}
	}
	text = strings.Join(folded, " ")
	if !free && slices.Contains([]string{"~", "null", "Null", "NULL"}, text) {
		text = ""
	}
	return text, true
}

// decodeYAML decodes fields in one document and returns those whose values are not acceptable.
func decodeYAML(fields []*field) (refused []*field) {
	var sound []*field
	var b strings.Builder
	b.WriteString("---\n")
	for _, f := range fields {
		yaml, ok := f.yaml()
		if !ok {
			refused = append(refused, f)
			continue
		}
		// Keys may be duplicated, so the position of each field is its key here.
		fmt.Fprintf(&b, "\"%d\": %s\n", len(sound), yaml)
		sound = append(sound, f)
	}
	if len(sound) == 0 {
		return refused
	}
	b.WriteString("---\n")
	pc := parser.NewContext()
	headerParser.Parse(text.NewReader([]byte(b.String())), parser.WithContext(pc))
	values, err := meta.TryGet(pc)
	for i, f := range sound {
		switch v, shallow := fromYAML(values[strconv.Itoa(i)], 0); {
		// A quote that only a later value closes swallows the keys in between.
		case err == nil && len(values) == len(sound) && shallow:
			f.read = v
		case len(sound) == 1:
			refused = append(refused, f)
		default: // a broken value must not cost other fields their structure
			refused = append(refused, decodeYAML(sound[i:i+1])...)
		}
	}
	return refused
}

// yaml returns the value as YAML in which each scalar is a text as written, or null. Anchors,
// aliases and tags within it are text, too, so that none expands. ok is false for a value that
// begins with one of these, is never closed or too deep, or contains a line of hyphens.
func (f *field) yaml() (yaml string, ok bool) {
	yaml = f.raw()
	anchored := strings.ContainsRune("&*!", rune(yaml[0]))
	unclosed := strings.ContainsRune("\"'[{", rune(yaml[0])) && closing(yaml) < 0
	if anchored || unclosed || strings.Contains(yaml, mark) {
		return "", false
	}
	if f.value == "" {
		yaml = "\n" + strings.Join(f.more, "\n")
	}
	untab := func(s string) string { return strings.ReplaceAll(s, "\t", " ") }
	yaml = tabs.ReplaceAllStringFunc(yaml, untab)
	yaml = special.ReplaceAllString(yaml, "${1}${3}"+mark+"${2}${4}")
	yaml = emptyItem.ReplaceAllString(yaml, "$1 #"+mark)
	return yaml, !hyphens.MatchString(yaml)
}

// fromYAML converts a decoded value into string, nil, []any and map[string]any, with blanks trimmed
// and empty texts as nil. ok is false for a value that is too deep.
func fromYAML(v any, depth int) (out any, ok bool) {
	if ok = true; depth > maxDepth {
		return nil, false
	}
	switch v := v.(type) {
	case nil:
		return nil, true
	case []any:
		list := make([]any, len(v))
		for i := range v {
			var fits bool
			list[i], fits = fromYAML(v[i], depth+1)
			ok = ok && fits
		}
		return list, ok
	case map[any]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			item, fits := fromYAML(item, depth+1)
			out[unmark.Replace(fmt.Sprint(key))] = item
			ok = ok && fits
		}
		return out, ok
	}
	return orNil(unmark.Replace(fmt.Sprint(v))), true
}

// asText reads a field that is not YAML as people do: the text after the colon, on one line, with
// the items of a list separated by commas.
func (f *field) asText() string {
	s := f.value
	for _, line := range f.more {
		line = strings.TrimSpace(line)
		if item, ok := itemText(line); ok && s != "" {
			line = ", " + item
		} else if ok {
			line = item
		}
		// The lines below a text shown on pages may be another key's.
		_, isKey := splitKey(line)
		if !f.isShown() || f.value == "" && !isKey {
			s += "\n" + line
		}
	}
	s = strings.ReplaceAll(mip.Collapse(s), " , ", ", ")
	// An unclosed quote is not part of the text.
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		s = strings.Trim(s, s[:1])
	}
	return s
}
