package markdown

import (
	"strconv"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"

	"github.com/mipwatch/mipwatch/internal/markdown"
)

// document is one rendering of one document.
type document struct {
	*Renderer
	source []byte
	title  string
	links  Links
	out    boundedBuffer

	ids          map[string]bool   // every id that the document will have
	looseIDs     map[string]string // looseID of an id to the id
	notePrefix   string            // of the footnotes' ids
	titleHeading *ast.Heading      // left out; nil if there is none

	outline   []int  // levels, as written, of the headings that enclose this place
	tables    int    // so far
	formulas  int    // that scroll, so far
	mathBytes int    // of MathML so far
	inBody    bool   // the table's tbody is open
	codeBytes int    // in blocks that name a language, so far
	anchors   []bool // for each open Markdown link: whether an <a> was written
	inAnchor  int    // how many <a> are open

	rawKept bool            // raw HTML on the allow-list passes
	rawSeen bool            // there is raw HTML
	rawSent bool            // raw HTML was written that must be cleaned
	rawIDs  map[string]bool // ids of raw HTML that are still to be written
	rawOpen []string        // names of the raw elements that are open
	rawMark []int           // for each open node: how long rawOpen was at its start
	math    [][]byte        // what replaces the numbers that stand for formulas, after cleaning
}

// visit writes one node. It works around goldmark's own HTML renderer for everything but text, as
// nearly every element differs.
func (d *document) visit(node ast.Node, entering bool) (ast.WalkStatus, error) {
	if d.out.over {
		return ast.WalkStop, ErrTooLarge
	}
	if d.rawSeen && node.Kind() != ast.KindRawHTML && node.Kind() != ast.KindHTMLBlock {
		// No raw element outlives the node that its tag is a child of.
		if entering {
			d.rawMark = append(d.rawMark, len(d.rawOpen))
		} else {
			last := len(d.rawMark) - 1
			d.closeRaw(d.rawMark[last])
			d.rawMark = d.rawMark[:last]
		}
	}
	switch n := node.(type) {
	case *ast.Text:
		if entering {
			d.text(n)
		}
	case *ast.String:
		if entering {
			d.string(n)
		}
	case *ast.Paragraph:
		d.wrap(entering, "<p>", "</p>\n")
	case *ast.TextBlock:
		if !entering && n.NextSibling() != nil && n.HasChildren() {
			_ = d.out.WriteByte('\n')
		}
	case *markdown.Formula:
		if entering {
			d.formula(n.Source(d.source), n.Display, "span")
		}
		return ast.WalkSkipChildren, nil
	case *markdown.FormulaBlock:
		if entering {
			d.formula(n.Source(d.source), true, "div")
			_ = d.out.WriteByte('\n')
		}
	case *ast.CodeSpan:
		d.codeSpan(n, entering)
		return ast.WalkSkipChildren, nil
	case *ast.Emphasis:
		if n.Level == 2 {
			d.wrap(entering, "<strong>", "</strong>")
		} else {
			d.wrap(entering, "<em>", "</em>")
		}
	case *east.Strikethrough:
		d.wrap(entering, "<del>", "</del>")
	case *ast.Link:
		d.link(n, entering)
	case *ast.AutoLink:
		if entering {
			d.autoLink(n)
		}
	case *ast.Image:
		if entering {
			d.image(n)
		}
		return ast.WalkSkipChildren, nil
	case *ast.Heading:
		return d.heading(n, entering), nil
	case *ast.List:
		d.list(n, entering)
	case *ast.ListItem:
		d.listItem(n, entering)
	case *ast.Blockquote:
		d.wrap(entering, "<blockquote>\n", "</blockquote>\n")
	case *ast.ThematicBreak:
		d.wrap(entering, "<hr>\n", "")
	case *ast.FencedCodeBlock:
		if entering {
			d.codeBlock(n, fenceWord(fenceInfo(n, d.source)))
		}
	case *ast.CodeBlock:
		if entering {
			d.codeBlock(n, "")
		}
	case *ast.HTMLBlock:
		if entering {
			d.rawBlock(rawSource(n, d.source))
		}
	case *ast.RawHTML:
		if entering {
			d.rawHTML(rawSource(n, d.source))
		}
		return ast.WalkSkipChildren, nil
	case *ast.LinkReferenceDefinition:
		return ast.WalkSkipChildren, nil
	case *east.TaskCheckBox:
		if entering {
			d.checkBox(n)
		}
	case *east.Table:
		d.table(entering)
	case *east.TableHeader:
		d.wrap(entering, "<thead><tr>", "</tr></thead>\n")
	case *east.TableRow:
		d.tableRow(entering)
	case *east.TableCell:
		d.tableCell(n, entering)
	case *east.FootnoteLink:
		if entering {
			d.footnoteLink(n)
		}
	case *east.FootnoteBacklink:
		if entering {
			d.footnoteBacklink(n)
		}
	case *east.FootnoteList:
		d.footnoteList(entering)
	case *east.Footnote:
		d.wrap(entering, `<li id="`+d.noteID(n.Index)+"\">\n", "</li>\n")
	}
	return ast.WalkContinue, nil
}

func (d *document) wrap(entering bool, before, after string) {
	if entering {
		_, _ = d.out.WriteString(before)
	} else {
		_, _ = d.out.WriteString(after)
	}
}

func (d *document) text(n *ast.Text) {
	if n.IsRaw() {
		goldmarkhtml.DefaultWriter.RawWrite(&d.out, n.Value(d.source))
		return
	}
	goldmarkhtml.DefaultWriter.Write(&d.out, n.Value(d.source))
	switch {
	case n.HardLineBreak():
		_, _ = d.out.WriteString("<br>\n")
	case n.SoftLineBreak():
		_ = d.out.WriteByte('\n')
	}
}

func (d *document) string(n *ast.String) {
	// A string that is marked as code would be written as HTML by goldmark; no parser of ours makes one.
	if n.IsRaw() || n.IsCode() {
		goldmarkhtml.DefaultWriter.RawWrite(&d.out, n.Value)
	} else {
		goldmarkhtml.DefaultWriter.Write(&d.out, n.Value)
	}
}

func (d *document) codeSpan(n *ast.CodeSpan, entering bool) {
	if !entering {
		_, _ = d.out.WriteString("</code>")
		return
	}
	_, _ = d.out.WriteString("<code>")
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		t, ok := c.(*ast.Text)
		if !ok {
			continue
		}
		value := t.Value(d.source)
		if last := len(value) - 1; last >= 0 && value[last] == '\n' {
			d.out.escaped(string(value[:last]))
			_ = d.out.WriteByte(' ')
		} else {
			d.out.escaped(string(value))
		}
	}
}

func (d *document) list(n *ast.List, entering bool) {
	switch {
	case !n.IsOrdered():
		d.wrap(entering, "<ul>\n", "</ul>\n")
	case n.Start != 1:
		d.wrap(entering, `<ol start="`+strconv.Itoa(n.Start)+"\">\n", "</ol>\n")
	default:
		d.wrap(entering, "<ol>\n", "</ol>\n")
	}
}

func (d *document) listItem(n *ast.ListItem, entering bool) {
	if !entering {
		_, _ = d.out.WriteString("</li>\n")
		return
	}
	first := n.FirstChild()
	if first != nil {
		if _, ok := first.FirstChild().(*east.TaskCheckBox); ok {
			_, _ = d.out.WriteString(`<li class="task">`)
			return
		}
	}
	_, _ = d.out.WriteString("<li>")
}

func (d *document) checkBox(n *east.TaskCheckBox) {
	if n.IsChecked {
		_, _ = d.out.WriteString(`<input type="checkbox" checked disabled aria-label="Done"> `)
	} else {
		_, _ = d.out.WriteString(`<input type="checkbox" disabled aria-label="To do"> `)
	}
}
