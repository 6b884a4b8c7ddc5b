package markdown

import (
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"github.com/mipwatch/mipwatch/internal/markdown"
)

// RegisterFuncs implements [renderer.NodeRenderer]: goldmark's own functions for paragraphs, emphasis, lists
// and text, others for all that differs from its HTML.
func (d *document) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	r := registry{d, reg}
	goldmarkhtml.NewRenderer().RegisterFuncs(r)
	extension.NewStrikethroughHTMLRenderer().RegisterFuncs(r)

	register(r, ast.KindHeading, d.heading)
	register(r, ast.KindListItem, d.listItem)
	register(r, ast.KindFencedCodeBlock, d.fencedCode)
	register(r, ast.KindCodeBlock, d.indentedCode)
	register(r, ast.KindHTMLBlock, d.rawHTMLBlock)
	register(r, ast.KindRawHTML, d.rawHTMLInline)
	register(r, ast.KindLink, d.link)
	register(r, ast.KindAutoLink, d.autoLink)
	register(r, ast.KindImage, d.image)
	register(r, east.KindTaskCheckBox, d.checkBox)
	register(r, east.KindTable, d.table)
	register(r, east.KindTableHeader, d.tableHeader)
	register(r, east.KindTableRow, d.tableRow)
	register(r, east.KindTableCell, d.tableCell)
	register(r, east.KindFootnoteLink, d.footnoteLink)
	register(r, east.KindFootnoteBacklink, d.footnoteBacklink)
	register(r, east.KindFootnoteList, d.footnoteList)
	register(r, east.KindFootnote, d.footnote)
	register(r, markdown.KindFormula, d.formula)
	register(r, markdown.KindFormulaBlock, d.formulaBlock)
}

// registry registers functions that also do the work for nodes of all kinds.
type registry struct {
	d *document
	renderer.NodeRendererFuncRegisterer
}

// Register implements [renderer.NodeRendererFuncRegisterer].
func (r registry) Register(kind ast.NodeKind, f renderer.NodeRendererFunc) {
	r.NodeRendererFuncRegisterer.Register(kind, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if _, err := w.Write(nil); err != nil {
			return ast.WalkStop, err // the document is too large
		}
		// A node's raw elements are closed before its own end tag is written.
		r.d.visit(n, entering)
		return f(w, source, n, entering)
	})
}

// register adds a function for nodes of type N, which are of one kind.
func register[N ast.Node](r registry, kind ast.NodeKind, f func(n N, entering bool) ast.WalkStatus) {
	r.Register(kind, func(_ util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		return f(n.(N), entering), nil
	})
}

// visit notes where the document's blocks begin, and closes raw elements: none outlives the node that its tag
// is a child of.
func (d *document) visit(n ast.Node, entering bool) {
	if entering && n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
		d.block = n.Lines().At(0).Start
	}
	switch {
	case n.Kind() == ast.KindRawHTML || n.Kind() == ast.KindHTMLBlock:
	case entering:
		d.rawMark = append(d.rawMark, len(d.rawOpen))
	default:
		last := len(d.rawMark) - 1
		d.closeRaw(d.rawMark[last])
		d.rawMark = d.rawMark[:last]
	}
}

// wrap writes a start tag when the walk enters a node, and an end tag when it leaves it.
func (d *document) wrap(entering bool, start, end string) ast.WalkStatus {
	if entering {
		d.print(start)
	} else {
		d.print(end)
	}
	return ast.WalkContinue
}

// heading writes a heading whose text is a link to itself; one that holds links already gets a
// separate link, as links do not nest.
func (d *document) heading(n *ast.Heading, entering bool) ast.WalkStatus {
	id := escape(headingID(n))
	if n == d.titleHeading {
		if entering && id != "" {
			d.printf("<span id=\"%s\"></span>\n", id)
		}
		return ast.WalkSkipChildren
	}
	if entering {
		d.enterSection(n.Level)
	}
	level := d.headingLevel()
	linked := id != "" && n.HasChildren() && !holdsLink(n)
	switch {
	case entering && id == "":
		d.printf("<h%d>", level)
	case entering && linked:
		d.printf(`<h%d id="%s"><a class="h" href="#%s">`, level, id, id)
		d.inAnchor++
	case entering:
		d.printf(`<h%d id="%s">`, level, id)
	case linked:
		d.inAnchor--
		d.printf("</a></h%d>\n", level)
	case id != "":
		d.printf(" <a class=\"h\" href=\"#%s\" aria-label=\"Link to this section\">#</a></h%d>\n", id, level)
	default:
		d.printf("</h%d>\n", level)
	}
	return ast.WalkContinue
}

// enterSection adds a heading of a level, as written, to the outline.
func (d *document) enterSection(level int) {
	for len(d.outline) > 0 && d.outline[len(d.outline)-1] >= level {
		d.outline = d.outline[:len(d.outline)-1]
	}
	d.outline = append(d.outline, level)
}

// headingLevel is that of the newest heading, 2 to 6.
func (d *document) headingLevel() int { return min(1+len(d.outline), 6) }

// holdsLink reports whether something below n may become a link.
func holdsLink(n ast.Node) bool {
	return holds(n, ast.KindLink, ast.KindAutoLink, ast.KindImage, ast.KindRawHTML, east.KindFootnoteLink)
}

// holds reports whether a node of one of these kinds is below n.
func holds(n ast.Node, kinds ...ast.NodeKind) bool {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if slices.Contains(kinds, c.Kind()) || holds(c, kinds...) {
			return true
		}
	}
	return false
}

// listItem marks an item with a check box, which has no bullet. Unlike goldmark's, an item's block begins in its
// line.
func (d *document) listItem(n *ast.ListItem, entering bool) ast.WalkStatus {
	if first := n.FirstChild(); first != nil {
		if _, ok := first.FirstChild().(*east.TaskCheckBox); ok {
			return d.wrap(entering, `<li class="task">`, "</li>\n")
		}
	}
	return d.wrap(entering, "<li>", "</li>\n")
}

// checkBox writes the box of a task with a name for screen readers.
func (d *document) checkBox(n *east.TaskCheckBox, entering bool) ast.WalkStatus {
	if n.IsChecked {
		return d.wrap(entering, `<input type="checkbox" checked disabled aria-label="Done"> `, "")
	}
	return d.wrap(entering, `<input type="checkbox" disabled aria-label="To do"> `, "")
}

// table wraps a table in a region that scrolls by keyboard; regions need names that differ.
func (d *document) table(_ *east.Table, entering bool) ast.WalkStatus {
	if entering {
		d.tables++
		d.printf("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table %d\"><table>\n", d.tables)
	} else {
		d.print("</table></div>\n")
	}
	return ast.WalkContinue
}

// tableHeader writes the first row. Tables always have one.
func (d *document) tableHeader(_ *east.TableHeader, entering bool) ast.WalkStatus {
	return d.wrap(entering, "<thead><tr>", "</tr></thead>\n")
}

// tableRow opens the table's body before the first row, and closes it behind the last.
func (d *document) tableRow(n *east.TableRow, entering bool) ast.WalkStatus {
	start, end := "<tr>", "</tr>\n"
	if _, ok := n.PreviousSibling().(*east.TableHeader); ok {
		start = "<tbody>\n<tr>"
	}
	if n.NextSibling() == nil {
		end = "</tr>\n</tbody>"
	}
	return d.wrap(entering, start, end)
}

// tableCell states the alignment by a class: the site's policy forbids style attributes.
func (d *document) tableCell(n *east.TableCell, entering bool) ast.WalkStatus {
	class := ""
	switch n.Alignment {
	case east.AlignRight:
		class = ` class="r"`
	case east.AlignCenter:
		class = ` class="c"`
	}
	// A header without text names nothing.
	if _, ok := n.Parent().(*east.TableHeader); ok && n.HasChildren() {
		return d.wrap(entering, `<th scope="col"`+class+">", "</th>")
	}
	return d.wrap(entering, "<td"+class+">", "</td>")
}

// footnoteLink writes a reference: within another link the number alone.
func (d *document) footnoteLink(n *east.FootnoteLink, entering bool) ast.WalkStatus {
	if !entering {
		return ast.WalkContinue
	}
	d.printf(`<sup id="%s">`, d.referenceID(n.Index, n.RefIndex))
	if d.inAnchor > 0 {
		d.printf("%d", n.Index)
	} else {
		d.printf(`<a href="#%s" role="doc-noteref" aria-label="Footnote %d">%d</a>`, d.noteID(n.Index), n.Index, n.Index)
	}
	d.print("</sup>")
	return ast.WalkContinue
}

// footnoteBacklink writes the way back from a footnote to one of its references.
func (d *document) footnoteBacklink(n *east.FootnoteBacklink, entering bool) ast.WalkStatus {
	id := d.referenceID(n.Index, n.RefIndex)
	if !entering || !d.ids[id] { // the reference is in an image's alternative text
		return ast.WalkContinue
	}
	d.printf(` <a href="#%s" role="doc-backlink" aria-label="Back to reference %d`, id, n.Index)
	if n.RefIndex > 0 {
		d.printf(", use %d", n.RefIndex+1)
	}
	d.print("\">\u21a9\ufe0e</a>")
	return ast.WalkContinue
}

// footnoteList writes the section of the notes, which no raw element encloses.
func (d *document) footnoteList(_ *east.FootnoteList, entering bool) ast.WalkStatus {
	if entering {
		d.closeRaw(0)
	}
	return d.wrap(entering,
		"<section class=\"notes\" role=\"doc-endnotes\" aria-label=\"Footnotes\">\n<ol>\n",
		"</ol>\n</section>\n")
}

// footnote writes one note.
func (d *document) footnote(n *east.Footnote, entering bool) ast.WalkStatus {
	return d.wrap(entering, `<li id="`+d.noteID(n.Index)+"\">\n", "</li>\n")
}
