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

// fields are a decoded header.
type fields struct {
	// byName has the fields by [fieldName]; of duplicates the first that is not empty.
	byName map[string]*field
	// order has the same fields in the header's order.
	order []*field
	// r takes the problems of values.
	r *problem.Report
	// keys are the names of what has a meaning.
	keys keys
	// options has the kinds, the process and the addresses of the site.
	options Options
	// Dates are what [fields.date] has seen.
	Dates Dates
	// Alias is another prefix, in lower case, under which the header states the proposal's own
	// number.
	Alias string
}

// Dates collects a header's evidence for the order of a date's parts, and its ambiguous dates.
type Dates struct {
	Orders []string
	Open   []OpenDate
}

// OpenDate is a date of a header that means one of two days.
type OpenDate struct {
	days day.Reading
	// Meaning is the key that site.yaml has for the field.
	Meaning string
	field   *field
}

// In is the day that the date means in an order of its parts, the zero date with a warning if that
// leaves it open.
func (d OpenDate) In(order string, r *problem.Report) mip.Date {
	out := d.days.In(order)
	if out.IsZero() {
		r.Add(d.field.line, "bad-date/open", mip.Quote(d.field.text()), mip.Quote(d.field.key))
	}
	return out
}

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

// of is the first field of a meaning that has a value; see [fields.get].
func (f *fields) of(meaning string) *field { return f.get(f.keys[meaning]...) }

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
