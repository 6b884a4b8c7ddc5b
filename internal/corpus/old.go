package corpus

import (
	"strings"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// oldHeader is the header of an earlier version of a text, read as one of today is. Nobody is told of its problems.
type oldHeader struct {
	*fields
	id mip.ID
	// read says that there is a header, fromName that the file's name has the number, heading is that above a header of another
	// form, and body the offset of the text below.
	read, fromName bool
	heading        string
	body           int
	// ok is false where the text is no proposal or, if unread is set, what it is cannot be known.
	ok, unread bool
}

// readOld reads the header of a normalised text.
func (c *Corpus) readOld(file folder.File, text string) (x oldHeader) {
	var r report
	_, named := numberInName(ownName(file.Name))
	var h *header
	if named {
		h = c.options.otherForm(text, &r)
	}
	if h == nil {
		var ok bool
		if h, ok = readHeader(text, &r); !ok {
			x.unread = true
			return x
		}
	}
	if x.read = h != nil && h.rule == 0; !x.read {
		h = &header{}
	}
	x.heading, x.body = h.heading, h.body
	x.fields, x.id, x.fromName, x.ok = c.options.fieldsOf(file, h, &r)
	if !x.ok && r.failed && named && x.id.Kind != "" { // a remark in the place of the number
		x.id.Number, x.ok = numberInName(ownName(file.Name))
		x.fromName = true
	}
	x.unread = r.failed
	if x.ok && x.fromName {
		x.findAlias(x.id.Number)
	}
	return x
}

// title is that of the header, else the heading above it.
func (x *oldHeader) title() string {
	if title := x.shorten(x.of("title")); title != "" {
		return title
	}
	return mip.Shorten(mip.Collapse(mip.OneLine(x.heading)), maxText)
}

// ties are the ids of the proposals that the header names in a field. They have the prefix under
// which the header states the proposal's own number.
func (x *oldHeader) ties(of mip.Field) (names []string) {
	numbers, elsewhere := x.references(x.id.Kind, mip.RelationType(of.Name), x.keys[of.Key()]...)
	kind := x.id.Kind
	if x.alias != "" {
		kind = strings.ToUpper(x.alias)
	}
	for _, n := range numbers {
		names = append(names, mip.ID{Kind: kind, Number: n}.String())
	}
	for _, e := range elsewhere {
		names = append(names, strings.Clone(e.Text))
	}
	return names
}

// StatusOf is the status in the header of an earlier text, read as that of a proposal is; empty
// when there is none. Problems of the text are not reported.
func (c *Corpus) StatusOf(text []byte) mip.Status {
	var r report
	h, ok := readHeader(string(text), &r)
	if !ok || h == nil {
		return ""
	}
	h.mean(c.keys)
	f := decode(h, &r)
	f.keys, f.process = keysOf(c.keys), c.process
	standing, _ := f.status()
	return standing.Status
}
