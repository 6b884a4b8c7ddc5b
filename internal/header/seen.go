package header

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// get returns the first of the named fields that has a value, or one that is empty. Without any
// it returns the zero field. The names may be in any spelling that [fieldName] takes. The
// field's texts keep only what a reader sees, with a warning.
func (d *fields) get(names ...string) *field {
	found := &field{}
	for _, name := range names {
		if f := d.byName[fieldName(name)]; f != nil {
			if !f.used {
				d.clean(f)
			}
			if found = f; f.v != nil {
				break
			}
		}
	}
	found.used = true
	return found
}

// clean leaves of a field's texts what a reader sees. A title or a status that does worse than
// hide a character is an error: people judge a proposal by them.
func (d *fields) clean(f *field) {
	f.used = true
	if f.read == nil {
		return
	}
	strict, list := f.means() == "title" || f.means() == "status", !f.isFree() && !f.isShown()
	text := fmt.Sprint(f.read)
	if list { // a line may be an item
		text = strings.ReplaceAll(text, "\n", ";")
	}
	if !strict { // a tab is a blank to everybody
		text = strings.ReplaceAll(text, "\t", " ")
	}
	hidden, worst := mip.Hidden(text)
	for i, class := range mip.Classes(text) {
		if worst == mip.Invisible && class != mip.Visible && class != worst {
			hidden, _ = utf8.DecodeRuneInString(text[i:])
			worst = class
		}
	}
	f.v = seen(f.read, list)
	switch {
	case worst == mip.Visible:
	case strict && worst != mip.Invisible:
		d.r.Add(f.line, "hidden-character", f.name, mip.Quote(textOf(f.read)), worst)
	default:
		d.r.Add(f.line, "hidden-character/left-out", mip.Quote(f.key), worst, hidden, mip.Quote(f.text()))
	}
}

// seen is a value with what a reader sees of its texts, or, in a list, of each of their lines.
func seen(v any, list bool) any {
	switch v := v.(type) {
	case string:
		lines := []string{v}
		if list {
			lines = strings.Split(v, "\n")
		}
		for i, line := range lines {
			lines[i] = mip.OneLine(line)
		}
		return orNil(strings.Join(lines, "\n"))
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = seen(item, list)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out[mip.OneLine(key)] = seen(v[key], list)
		}
		return out
	}
	return nil
}

// text returns the field as one line of text; lists are joined by commas.
func (f *field) text() string { return textOf(f.v) }

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
