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
