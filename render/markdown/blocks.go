package markdown

import (
	"strconv"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// heading writes a heading whose text is a link to itself; one that holds links already gets a
// separate link, as links do not nest.
func (d *document) heading(n *ast.Heading, entering bool) ast.WalkStatus {
	id := headingID(n)
	if n == d.titleHeading {
		if entering && id != "" {
			d.out.strings(`<span id="`)
			d.out.escaped(id)
			d.out.strings("\"></span>\n")
		}
		return ast.WalkSkipChildren
	}
	if entering {
		d.outlineLevel(n.Level)
	}
	tag := "h" + strconv.Itoa(min(1+len(d.outline), 6))
	linked := id != "" && n.HasChildren() && !holdsLink(n)
	switch {
	case entering && id == "":
		d.out.strings("<", tag, ">")
	case entering:
		d.out.strings("<", tag, ` id="`)
		d.out.escaped(id)
		d.out.strings(`">`)
		if linked {
			d.out.strings(`<a class="h" href="#`)
			d.out.escaped(id)
			d.out.strings(`">`)
			d.inAnchor++
		}
	case linked:
		d.inAnchor--
		d.out.strings("</a></", tag, ">\n")
	case id != "":
		d.out.strings(` <a class="h" href="#`)
		d.out.escaped(id)
		d.out.strings(`" aria-label="Link to this section">#</a></`, tag, ">\n")
	default:
		d.out.strings("</", tag, ">\n")
	}
	return ast.WalkContinue
}

// outlineLevel enters a heading of a level into the outline; its depth there is len(d.outline).
func (d *document) outlineLevel(level int) {
	for len(d.outline) > 0 && d.outline[len(d.outline)-1] >= level {
		d.outline = d.outline[:len(d.outline)-1]
	}
	d.outline = append(d.outline, level)
}

// holdsLink reports whether something below n may become a link.
func holdsLink(n ast.Node) bool {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c.(type) {
		case *ast.Link, *ast.AutoLink, *ast.Image, *ast.RawHTML, *east.FootnoteLink:
			return true
		}
		if holdsLink(c) {
			return true
		}
	}
	return false
}

// table wraps a table in a region that scrolls by keyboard; regions need names that differ.
func (d *document) table(entering bool) {
	if entering {
		d.tables++
		d.out.strings(`<div class="scroll" tabindex="0" role="region" aria-label="Table `, strconv.Itoa(d.tables), "\"><table>\n")
		return
	}
	if d.inBody {
		d.inBody = false
		d.out.strings("</tbody>")
	}
	d.out.strings("</table></div>\n")
}

func (d *document) tableRow(entering bool) {
	if entering && !d.inBody {
		d.inBody = true
		d.out.strings("<tbody>\n")
	}
	d.wrap(entering, "<tr>", "</tr>\n")
}

func (d *document) tableCell(n *east.TableCell, entering bool) {
	tag := "td"
	// A header without text names nothing.
	if _, ok := n.Parent().(*east.TableHeader); ok && n.HasChildren() {
		tag = "th"
	}
	if !entering {
		d.out.strings("</", tag, ">")
		return
	}
	d.out.strings("<", tag)
	if tag == "th" {
		d.out.strings(` scope="col"`)
	}
	switch n.Alignment {
	case east.AlignRight:
		d.out.strings(` class="r"`)
	case east.AlignCenter:
		d.out.strings(` class="c"`)
	}
	d.out.strings(">")
}

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
