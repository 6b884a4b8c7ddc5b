package markdown

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Alert is a quote that GitHub shows as a note, since its first line is [!NOTE] or one of the other
// markers. The marker is not among its children. Quotes within other blocks are none.
type Alert struct {
	ast.BaseBlock
	// Name is note, tip, important, warning or caution.
	Name string
}

// KindAlert is the kind of [Alert].
var KindAlert = ast.NewNodeKind("Alert")

// Kind implements [ast.Node].
func (n *Alert) Kind() ast.NodeKind { return KindAlert }

// Dump implements [ast.Node].
func (n *Alert) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"Name": n.Name}, nil)
}

// markers are the first lines of alerts, in lower case, with their names.
var markers = map[string]string{"[!note]": "note", "[!tip]": "tip", "[!important]": "important",
	"[!warning]": "warning", "[!caution]": "caution"}

// alerts is the extension that finds alerts.
type alerts struct{}

// Extend implements [goldmark.Extender].
func (a alerts) Extend(m goldmark.Markdown) {
	const priority = 999 // footnotes have it too; the order does not matter
	m.Parser().AddOptions(parser.WithASTTransformers(util.Prioritized(a, priority)))
}

// Transform implements [parser.ASTTransformer].
func (alerts) Transform(doc *ast.Document, r text.Reader, _ parser.Context) {
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		quote, ok := n.(*ast.Blockquote)
		if !ok {
			continue
		}
		if name := takeMarker(quote, r.Source()); name != "" {
			a := &Alert{Name: name}
			for c := quote.FirstChild(); c != nil; c = quote.FirstChild() {
				a.AppendChild(a, c)
			}
			doc.ReplaceChild(doc, quote, a)
			n = a
		}
	}
}

// takeMarker removes the marker from a quote that is an alert, and returns the name. A quote with
// nothing else is none.
func takeMarker(quote *ast.Blockquote, source []byte) string {
	p, ok := quote.FirstChild().(*ast.Paragraph)
	if !ok || p.Lines().Len() == 0 || p.Lines().Len() == 1 && p.NextSibling() == nil {
		return ""
	}
	line := p.Lines().At(0)
	name := markers[strings.ToLower(strings.TrimSpace(string(line.Value(source))))]
	if name == "" {
		return ""
	}
	// The marker may be several nodes, and is none if a link of the same name is defined.
	var marker []ast.Node
	for c := p.FirstChild(); c != nil; c = c.NextSibling() {
		t, ok := c.(*ast.Text)
		if !ok {
			return ""
		}
		marker = append(marker, t)
		if t.SoftLineBreak() || t.HardLineBreak() {
			break
		}
	}
	for _, t := range marker {
		p.RemoveChild(p, t)
	}
	p.Lines().SetSliced(1, p.Lines().Len())
	if !p.HasChildren() {
		quote.RemoveChild(quote, p)
	}
	return name
}
