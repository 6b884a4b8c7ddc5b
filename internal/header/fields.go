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
	// byName maps each [fieldName] to its field, for duplicates the first that is not empty.
	byName map[string]*field
	// order holds the same fields in the header's order.
	order []*field
	// r collects the problems of values.
	r *problem.Report
	// keys maps each meaning to its keys.
	keys keys
	// options has the kinds, the process and the addresses of the site.
	options Options
	// Dates collects the dates that [fields.date] has read.
	Dates Dates
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

// In returns the day that the date means in an order of its parts, or the zero date with a warning
// if it remains ambiguous.
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
	strict, list := f.means() == "title" || f.means() == "status", !f.isFree() && !f.isShown()
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
