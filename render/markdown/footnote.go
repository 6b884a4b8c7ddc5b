package markdown

import (
	"strconv"

	east "github.com/yuin/goldmark/extension/ast"
)

func (d *document) footnoteLink(n *east.FootnoteLink) {
	number := strconv.Itoa(n.Index)
	d.out.strings(`<sup id="`, d.referenceID(n.Index, n.RefIndex), `">`)
	if d.inAnchor > 0 {
		d.out.strings(number)
	} else {
		d.out.strings(`<a href="#`, d.noteID(n.Index), `" role="doc-noteref" aria-label="Footnote `, number, `">`, number, "</a>")
	}
	d.out.strings("</sup>")
}

func (d *document) footnoteBacklink(n *east.FootnoteBacklink) {
	id := d.referenceID(n.Index, n.RefIndex)
	if !d.ids[id] {
		return // the reference is in an image's alternative text
	}
	label := "Back to reference " + strconv.Itoa(n.Index)
	if n.RefIndex > 0 {
		label += ", use " + strconv.Itoa(n.RefIndex+1)
	}
	d.out.strings(` <a href="#`, id, `" role="doc-backlink" aria-label="`, label, "\">\u21a9\ufe0e</a>")
}

func (d *document) footnoteList(entering bool) {
	if entering {
		d.closeRaw(0)
	}
	d.wrap(entering,
		"<section class=\"notes\" role=\"doc-endnotes\" aria-label=\"Footnotes\">\n<ol>\n",
		"</ol>\n</section>\n")
}
