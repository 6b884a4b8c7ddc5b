package markdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"github.com/mipwatch/mipwatch/internal/markdown"
)

// ownKinds are the nodes whose HTML differs from goldmark's.
var ownKinds = []ast.NodeKind{
	ast.KindHeading, ast.KindParagraph, ast.KindListItem, ast.KindFencedCodeBlock,
	ast.KindCodeBlock, ast.KindHTMLBlock, ast.KindRawHTML, ast.KindLink, ast.KindAutoLink,
	ast.KindImage,
	east.KindTaskCheckBox, east.KindTable, east.KindTableHeader, east.KindTableRow,
	east.KindTableCell, east.KindFootnoteLink, east.KindFootnoteBacklink, east.KindFootnoteList,
	east.KindFootnote, markdown.KindFormula, markdown.KindFormulaBlock, markdown.KindAlert,
}

// functions write nodes into the document that is their writer.
type functions struct{}

// RegisterFuncs implements [renderer.NodeRenderer]: it registers goldmark's own functions for
// paragraphs, emphasis, lists and text, and this package's for all nodes whose HTML differs.
func (functions) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	r := registry{reg}
	goldmarkhtml.NewRenderer().RegisterFuncs(r)
	extension.NewStrikethroughHTMLRenderer().RegisterFuncs(r)
	for _, kind := range ownKinds {
		r.Register(kind, func(
			w util.BufWriter, _ []byte, n ast.Node, entering bool,
		) (ast.WalkStatus, error) {
			return w.(*document).node(n, entering), nil
		})
	}
}

// registry registers functions and adds the work that is common to nodes of all kinds.
type registry struct {
	renderer.NodeRendererFuncRegisterer
}

// Register implements [renderer.NodeRendererFuncRegisterer].
func (r registry) Register(kind ast.NodeKind, f renderer.NodeRendererFunc) {
	visit := func(
		w util.BufWriter, source []byte, n ast.Node, entering bool,
	) (ast.WalkStatus, error) {
		if _, err := w.Write(nil); err != nil {
			return ast.WalkStop, err // the document is too large
		}
		// A node's raw elements are closed before its own end tag is written.
		w.(*document).visit(n, entering)
		return f(w, source, n, entering)
	}
	r.NodeRendererFuncRegisterer.Register(kind, visit)
}

// visit records where the document's blocks begin, and closes raw elements: each ends with the
// parent node of its tag.
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

// node writes a node of one of [ownKinds].
func (d *document) node(n ast.Node, entering bool) ast.WalkStatus {
	switch n := n.(type) {
	case *ast.Heading:
		return d.heading(n, entering)
	case *ast.Link:
		d.link(n, entering)
		return ast.WalkContinue
	}
	switch start, end := d.tags(n, entering); {
	case start != "" && entering:
		d.print(start)
		return ast.WalkContinue
	case !entering:
		d.print(end)
		return ast.WalkContinue
	}
	// The others have no children that are written separately.
	switch n := n.(type) {
	case *ast.FencedCodeBlock:
		info := ""
		if n.Info != nil {
			info = string(n.Info.Segment.Value(d.source))
		}
		d.codeBlock(n, info)
	case *ast.CodeBlock:
		d.codeBlock(n, "")
	case *ast.HTMLBlock:
		d.rawHTMLBlock(n)
	case *ast.RawHTML:
		d.rawHTML(rawTokens(n, d.source), n.Segments.At(0).Start)
	case *ast.AutoLink:
		d.autoLink(n)
	case *ast.Image:
		d.image(n)
	case *east.FootnoteLink:
		d.footnoteLink(n)
	case *east.FootnoteBacklink:
		d.footnoteBacklink(n)
	case *markdown.Formula:
		d.formula(n.Source(d.source), n.Display, "span")
	case *markdown.FormulaBlock:
		d.formula(n.Source(d.source), true, "div")
		d.print("\n")
	}
	return ast.WalkSkipChildren
}

// tags returns the start and the end tag of a node that is written around its children, and empty
// strings for others.
func (d *document) tags(n ast.Node, entering bool) (start, end string) {
	switch n := n.(type) {
	case *ast.Paragraph:
		if caption := d.caption(n); caption != "" {
			return "<figure>", "<figcaption>" + escape(caption) + "</figcaption></figure>\n"
		}
		return "<p>", "</p>\n"
	case *ast.ListItem:
		// An item with a check box has no bullet. Unlike goldmark's, an item's block begins on its
		// line.
		if first := n.FirstChild(); first != nil {
			if _, ok := first.FirstChild().(*east.TaskCheckBox); ok {
				return `<li class="task">`, "</li>\n"
			}
		}
		return "<li>", "</li>\n"
	case *east.TaskCheckBox: // with a name for screen readers
		if n.IsChecked {
			return `<input type="checkbox" checked disabled aria-label="Done"> `, ""
		}
		return `<input type="checkbox" disabled aria-label="To do"> `, ""
	case *east.Table: // in a region that scrolls by keyboard; regions need distinct names
		if entering {
			d.tables++
		}
		const box = `<div class="scroll" tabindex="0" role="region" aria-label="Table %d"><table>` +
			"\n"
		return fmt.Sprintf(box, d.tables), "</table></div>\n"
	case *east.TableHeader: // tables always have one
		return "<thead><tr>", "</tr></thead>\n"
	case *east.TableRow: // the first one opens the table's body, the last one closes it
		start, end = "<tr>", "</tr>\n"
		if n.PreviousSibling().Kind() == east.KindTableHeader {
			start = "<tbody>\n<tr>"
		}
		if n.NextSibling() == nil {
			end = "</tr>\n</tbody>"
		}
		return start, end
	case *east.TableCell: // the alignment is a class: the site's policy forbids style attributes
		classes := map[east.Alignment]string{
			east.AlignRight: ` class="r"`, east.AlignCenter: ` class="c"`,
		}
		class := classes[n.Alignment]
		// A header without text names nothing.
		if n.Parent().Kind() == east.KindTableHeader && hasText(n) {
			return `<th scope="col"` + class + ">", "</th>"
		}
		return "<td" + class + ">", "</td>"
	case *east.FootnoteList: // no raw element encloses it
		if entering {
			d.closeRaw(0)
		}
		return "<section class=\"notes\" role=\"doc-endnotes\" aria-label=\"Footnotes\">\n<ol>\n",
			"</ol>\n</section>\n"
	case *markdown.Alert: // the name is text, since not all readers see colors
		const box = `<div class="alert a-%s" role="note">` + "\n" + `<p class="ic name">%s</p>` + "\n"
		name := strings.ToUpper(n.Name[:1]) + n.Name[1:]
		return fmt.Sprintf(box, n.Name, name), "</div>\n"
	case *east.Footnote:
		return `<li id="` + d.footnoteID(n) + "\">\n", "</li>\n"
	}
	return "", ""
}

// heading writes a heading whose text is a link to itself; one that contains links gets a separate
// link, as links do not nest.
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
	// A heading without text, such as #, gets a separate link, too.
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
		d.printf(" <a class=\"h\" href=\"#%s\" aria-label=\"Link to this section\">#</a></h%d>\n",
			id, level)
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

// headingLevel returns the level of the newest heading, 2 to 6.
func (d *document) headingLevel() int { return min(1+len(d.outline), 6) }

// holdsLink reports whether a node below n may become a link.
func holdsLink(n ast.Node) bool {
	return holds(n, ast.KindLink, ast.KindAutoLink, ast.KindImage, ast.KindRawHTML,
		east.KindFootnoteLink)
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

// footnoteLink writes a reference, within another link only its number.
func (d *document) footnoteLink(n *east.FootnoteLink) {
	d.printf(`<sup id="%s">`, d.footnoteID(n))
	// Links do not nest.
	if d.inAnchor > 0 {
		d.printf("%d", n.Index)
	} else {
		d.printf(`<a href="#%s-%d" role="doc-noteref" aria-label="Footnote %d">%[2]d</a>`,
			d.notePrefix, n.Index, n.Index)
	}
	d.print("</sup>")
}

// footnoteBacklink writes the link from a footnote back to one of its references, unless that is in
// an image's alternative text.
func (d *document) footnoteBacklink(n *east.FootnoteBacklink) {
	id, use := d.referenceID(n.Index, n.RefIndex), ""
	// Number all references except the first.
	if n.RefIndex > 0 {
		use = fmt.Sprintf(", use %d", n.RefIndex+1)
	}
	if d.ids[id] {
		const back = ` <a href="#%s" role="doc-backlink" aria-label="Back to reference %d%s">` +
			"\u21a9\ufe0e</a>"
		d.printf(back, id, n.Index, use)
	}
}

// hasText reports whether a cell contains more than raw elements, such as a line break.
func hasText(cell ast.Node) bool {
	for c := cell.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() != ast.KindRawHTML {
			return true
		}
	}
	return false
}
