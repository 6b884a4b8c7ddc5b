// Package header parses the header of a proposal's file: it turns bytes into the proposal's number
// and values, and reports problems. It knows no file system, no git and no other file.
package header

import (
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// Place is the location of a text.
type Place struct {
	Kind string // the prefix of a text that has none of its own; empty means Options.Prefix
	Name string // the path in the folder
}

// Header is the header of a text, with the proposal's identity.
type Header struct {
	*fields
	ID mip.ID
	// FromName reports that the number comes from the file name, and NotNumber that the header has
	// something else in its place, which is an error.
	FromName, NotNumber bool
	Written             bool // false for a text without a header
	// Text is the whole text, and Body the offset of its part below the header.
	Text    string
	Body    int
	heading string // above a header in Markdown form
}

// Parse parses the header of a text. It returns nil if the text is no proposal: r then has an error
// if the header cannot be read, else at most a notice.
func (o Options) Parse(at Place, raw string, r *problem.Report) *Header {
	name := filename.Own(at.Name)
	inName, named := filename.Number(name)
	text, sound := Normalize(raw, r)
	var b *block
	if sound && named {
		b = o.otherForm(text, r)
	}
	if sound && b == nil {
		b, sound = readHeader(text, r)
	}
	// A text such as README.md is no proposal: drop its problems.
	if (b == nil || b.rule > 0) && !named && !mayHaveNumber(raw, o.Kinds()) {
		*r = problem.Report{File: r.File}
		r.Add(0, "no-header/skipped")
		return nil
	}
	if !sound {
		return nil
	}
	h := &Header{Written: b != nil && b.rule == 0, Text: text}
	switch {
	case b == nil && strings.TrimSpace(text) == "":
		r.Add(1, "no-header/empty")
	case b == nil:
		r.Add(1, "no-header")
	case b.rule > 0:
		r.Add(mip.LineAt(text, b.body), "header-not-mapping/prose")
		// Indent the rule: below text it would turn that into a heading.
		h.Text = text[:b.rule] + "   " + text[b.rule+len("---"):]
	}
	if b == nil {
		b = &block{}
	}
	b.setMeanings(o.Keys)
	h.Body, h.heading = b.body, b.heading
	h.fields = decode(b, r)
	h.fields.options, h.fields.keys = o, keysOf(o.Keys)
	var ok bool
	if h.ID.Kind, ok = h.kind(at); !ok {
		return nil
	}
	if h.ID.Number, h.FromName, ok = h.number(h.ID.Kind, name); !ok && r.Failed && named {
		h.ID.Number, h.FromName, h.NotNumber, ok = inName, true, true, true
	}
	if !ok {
		return nil
	}
	if h.FromName {
		h.findAlias(h.ID.Number)
	}
	return h
}

// Title returns the header's title, else the heading above it, else an empty text.
func (h *Header) Title() string {
	if title := h.shorten(h.of("title")); title != "" {
		return title
	}
	return mip.Shorten(mip.Collapse(mip.OneLine(h.heading)), maxText)
}

// Day returns the day in a field by [mip.Field.Key], the zero date for none. known is false for a
// date that is ambiguous even in the order of the site: see [day.Reading.In].
func (h *Header) Day(field string) (d mip.Date, known bool) {
	before := len(h.Dates.Open)
	d = h.date(field)
	for _, open := range h.Dates.Open[before:] {
		if d = open.days.In(h.options.Dates); d.IsZero() {
			return d, false
		}
	}
	return d, true
}

// Relations returns the proposals that the header names, each behind the name of the field, such as
// "requires MIP-3". They are sorted, without duplicates.
func (h *Header) Relations() (out []string) {
	for _, f := range mip.Fields {
		if f.Kind == mip.FieldNumbers {
			for _, name := range h.relations(f) {
				out = append(out, f.Name+" "+name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// relations returns the ids of the proposals that the header names in a field. They have the prefix
// under which the header has the proposal's own number.
func (h *Header) relations(of mip.Field) (names []string) {
	numbers, external := h.references(h.ID.Kind, mip.RelationType(of.Name), h.keys[of.Key()]...)
	kind := h.ID.Kind
	if h.Alias != "" {
		kind = strings.ToUpper(h.Alias)
	}
	for _, n := range numbers {
		names = append(names, mip.ID{Kind: kind, Number: n}.String())
	}
	for _, e := range external {
		names = append(names, strings.Clone(e.Text))
	}
	return names
}

// Status returns the header's status in the site's words, empty for none.
func (h *Header) Status() mip.Status {
	standing, _ := h.status()
	return standing.Status
}

// HasTitle reports whether there is a title in the header, or a heading above it.
func (h *Header) HasTitle() bool { return h.heading != "" || h.of("title").text() != "" }

// LineOf returns the line of a field by [mip.Field.Key], 0 if the header does not have it.
func (h *Header) LineOf(key string) int { return h.of(key).line }

// NumberLine returns the line of the number, 0 if the header does not have it.
func (h *Header) NumberLine() int { return h.get(fieldName(h.ID.Kind)).line }

// Stated holds all values of a header.
type Stated struct {
	// Metadata lacks the values that depend on other texts and on the site.
	mip.Metadata
	// Shown holds the text after the status, the feature gate and the values of [Options.Show].
	Shown []mip.Shown
	// Moved lists other paths that the page has or had, without duplicates.
	Moved []Moved
	// LastUpdate is the last change of the text, the zero date for none.
	LastUpdate mip.Date
}

// Stated returns the values of all fields, with a warning for each unknown field. title is used if
// neither the header nor a heading above it has one.
func (h *Header) Stated(title string) (s Stated) {
	s.Shown, s.LastUpdate, s.Moved = h.shown(), h.date("updated"), h.moved()
	var note string
	if s.Metadata, note = h.metadata(title); note != "" {
		s.Shown = append([]mip.Shown{{Key: "Note on the status", Text: note}}, s.Shown...)
	}
	return s
}
