package header

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/day"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// fields holds a decoded header.
type fields struct {
	byName  map[string]*field // by fieldName; of duplicates the first that is not empty
	order   []*field          // the same fields in the header's order
	r       *problem.Report   // gets the problems of values
	keys    keys              // by their meaning
	options Options           // of the site
	Dates   Dates             // read by the method date
	// Alias is another prefix, in lower case, under which the header has the proposal's own number.
	Alias string
}

// Dates collects a header's evidence for the order of a date's parts, and its ambiguous dates.
type Dates struct {
	Orders []string
	Open   []OpenDate
}

// OpenDate is a date in a header that is ambiguous between two days.
type OpenDate struct {
	days day.Reading
	// Meaning is the field's name in site.yaml.
	Meaning string
	field   *field
}

// In returns the date in an order of its parts, or the zero date with a warning if ambiguous.
func (d OpenDate) In(order string, r *problem.Report) mip.Date {
	out := d.days.In(order)
	if out.IsZero() {
		r.Add(d.field.line, "bad-date/open", mip.Quote(d.field.text()), mip.Quote(d.field.key))
	}
	return out
}

// get returns the first of the named fields that has a value, or an empty one. Without any it
// returns the zero field. The names may be in any spelling with the same [fieldName]. Invisible
// characters are removed from the field's texts, with a warning.
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

// of returns the first field of a meaning that has a value; see [fields.get].
func (f *fields) of(meaning string) *field { return f.get(f.keys[meaning]...) }

// clean removes invisible characters from a field's texts. In a title or a status, deceptive ones
// are an error: people judge a proposal by them.
func (d *fields) clean(f *field) {
	f.used = true
	if f.read == nil {
		return
	}
	strict := f.fieldMeaning() == "title" || f.fieldMeaning() == "status"
	list := !f.isFree() && !f.isShown()
	text := fmt.Sprint(f.read)
	if list { // a line may be an item
		text = strings.ReplaceAll(text, "\n", ";")
	}
	if !strict { // a tab looks like a blank
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
		d.r.Add(f.line, "hidden-character/left-out", mip.Quote(f.key), worst, hidden,
			mip.Quote(f.text()))
	}
}

// seen returns a value with the visible part of its texts or, in a list, of each of their lines.
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
