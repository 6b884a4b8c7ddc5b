package ai

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/mipwatch/mipwatch/internal/markdown"
)

// passageKind says where a passage stands.
type passageKind int

const (
	paragraphPassage passageKind = iota + 1 // a paragraph, also a list item's, a quote's or an underlined heading
	headingPassage                          // the text of a heading with number signs
	cellPassage                             // the text of a table's cell
	linePassage                             // a title or description
)

// blockPassage is a passage of a section: its lines without what they begin with, which is blanks and the
// marks of the blocks around it.
type blockPassage struct {
	kind  passageKind
	lines []span
}

// in is the passage's text.
func (p blockPassage) in(markdown string) string {
	lines := make([]string, len(p.lines))
	for i, l := range p.lines {
		lines[i] = markdown[l.from:l.to]
	}
	return strings.Join(lines, "\n")
}

// blockTree is what a translation must leave as it is, and where its passages are.
type blockTree struct {
	passages []blockPassage // in the order of the text
	outline  string         // kinds and nesting of the blocks, with the text of those that are no prose, and link definitions
	links    []parser.Reference
}

// blockParser finds blocks alone: what stands in a passage is read when it is translated.
var blockParser = sync.OnceValue(func() parser.Parser {
	p := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...), parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))
	goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.Table, markdown.Formulas{}))
	// Without the transformer, which drops footnotes that nothing in the section refers to.
	p.AddOptions(parser.WithBlockParsers(util.Prioritized(extension.NewFootnoteBlockParser(), 999)))
	return p
})

// readBlocks reads Markdown that the limits of proposals allow, or a passage of it.
func readBlocks(markdown string) blockTree {
	source, pc := []byte(markdown), parser.NewContext()
	root := blockParser().Parse(text.NewReader(source), parser.WithContext(pc))
	var tree blockTree
	var outline strings.Builder
	ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case n.Type() == ast.TypeInline:
			return ast.WalkSkipChildren, nil
		case !entering:
			outline.WriteByte(')')
			return ast.WalkContinue, nil
		}
		outline.WriteString("(" + blockName(n, source))
		if kind := passageKindOf(n, source); kind != 0 {
			if p := (blockPassage{kind, passageLines(n, markdown)}); len(p.lines) > 0 {
				fmt.Fprint(&outline, " ", kind)
				tree.passages = append(tree.passages, p)
			}
		}
		return ast.WalkContinue, nil
	})
	// Footnotes stand in a list of their own, where the first is.
	slices.SortStableFunc(tree.passages, func(a, b blockPassage) int { return a.lines[0].from - b.lines[0].from })
	tree.links = pc.References()
	slices.SortFunc(tree.links, func(a, b parser.Reference) int { return strings.Compare(string(a.Label()), string(b.Label())) })
	for _, l := range tree.links {
		fmt.Fprintf(&outline, " %q %q %q", l.Label(), l.Destination(), l.Title())
	}
	tree.outline = outline.String()
	return tree
}

// blockName is a block in an outline.
func blockName(n ast.Node, source []byte) string {
	name := n.Kind().String()
	switch n := n.(type) {
	case *ast.Heading:
		return fmt.Sprint(name, n.Level)
	case *ast.List:
		return fmt.Sprint(name, n.Start, n.Marker, n.IsTight)
	case *extast.Table:
		return fmt.Sprint(name, n.Alignments)
	case *extast.Footnote:
		return fmt.Sprintf("%s %q", name, n.Ref)
	case *ast.FencedCodeBlock:
		if n.Info != nil {
			name += fmt.Sprintf(" %q", n.Info.Segment.Value(source))
		}
	}
	if n.IsRaw() {
		name += fmt.Sprintf(" %q", n.Lines().Value(source))
	}
	return name
}

// passageKindOf is 0 for a block that has no text of its own.
func passageKindOf(n ast.Node, source []byte) passageKind {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return paragraphPassage
	case *extast.TableCell:
		return cellPassage
	case *ast.Heading:
		if n.Lines().Len() > 0 {
			at := n.Lines().At(0).Start
			line := source[strings.LastIndexByte(string(source[:at]), '\n')+1 : at]
			if strings.HasSuffix(strings.TrimRight(string(line), " \t"), "#") {
				return headingPassage
			}
		}
		return paragraphPassage
	}
	return 0
}

var taskBox = lazily(`^\[[ xX]\][ \t]+`)

// passageLines are the lines of a block's text, none when it is empty.
func passageLines(n ast.Node, markdown string) []span {
	var out []span
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		line := strings.TrimSuffix(markdown[segment.Start:segment.Stop], "\n")
		trimmed := strings.TrimLeft(line, " \t")
		if i == 0 && n.PreviousSibling() == nil && n.Parent().Kind() == ast.KindListItem {
			trimmed = trimmed[len(taskBox().FindString(trimmed)):]
		}
		to := segment.Start + len(line)
		out = append(out, span{to - len(trimmed), to})
	}
	for len(out) > 0 {
		last := &out[len(out)-1]
		last.to = last.from + len(strings.TrimRight(markdown[last.from:last.to], " \t"))
		if last.to > last.from {
			return out
		}
		out = out[:len(out)-1]
	}
	return nil
}

// replace puts other texts in the place of the passages. They may have fewer lines, never more.
func (t blockTree) replace(markdown string, texts []string) string {
	var b strings.Builder
	at := 0
	for i, p := range t.passages {
		b.WriteString(markdown[at:p.lines[0].from])
		for j, line := range strings.Split(texts[i], "\n") {
			if j > 0 {
				b.WriteString(markdown[p.lines[j-1].to:p.lines[j].from])
			}
			b.WriteString(line)
		}
		at = p.lines[len(p.lines)-1].to
	}
	b.WriteString(markdown[at:])
	return b.String()
}

// keeps reports whether a text is the same tree of blocks with the given texts as its passages.
func (t blockTree) keeps(markdown string, texts []string) bool {
	other := readBlocks(markdown)
	if t.outline != other.outline || len(t.passages) != len(other.passages) {
		return false
	}
	for i, p := range other.passages {
		if p.kind != t.passages[i].kind || p.in(markdown) != texts[i] {
			return false
		}
	}
	return true
}

// inlineParser finds links, code and the like in one passage, whatever block that would be by itself.
var inlineParser = sync.OnceValue(func() parser.Parser {
	record := func(p parser.InlineParser, priority int) util.PrioritizedValue {
		return util.Prioritized(notingParser{p}, priority)
	}
	return parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(
			record(parser.NewCodeSpanParser(), 100), record(markdown.NewFormulaParser(), 150), record(parser.NewLinkParser(), 200),
			record(parser.NewAutoLinkParser(), 300), record(parser.NewRawHTMLParser(), 400)))
})

// notingParser notes where in a passage an inline parser finds something.
type notingParser struct{ parser.InlineParser }

// passageContext is the context of one passage: the links that the proposal defines, and what its parsers note.
type passageContext struct {
	parser.Context
	links  map[string]parser.Reference
	source string
	found  []token
}

// Reference implements [parser.Context].
func (c *passageContext) Reference(label string) (parser.Reference, bool) {
	r, ok := c.links[label]
	return r, ok
}

// Parse implements [parser.InlineParser].
func (r notingParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	_, from := block.Position()
	n := r.InlineParser.Parse(parent, block, pc)
	if n == nil {
		return nil
	}
	_, to := block.Position()
	pc.(*passageContext).note(n, span{from.Start, to.Start})
	return n
}

// CloseBlock implements [parser.CloseBlocker].
func (r notingParser) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if c, ok := r.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

// note adds what a parser has found. Of a link that is its end: what follows the text.
func (c *passageContext) note(n ast.Node, at span) {
	switch n := n.(type) {
	case *ast.CodeSpan:
		c.code(at)
	case *markdown.Formula:
		c.add(formulaToken, at, at)
	case *ast.AutoLink:
		c.add(addressToken, at, at)
	case *ast.RawHTML:
		c.add(htmlToken, at, at)
	case *ast.Link:
		c.link(targetToken, n.Reference, n.Pos(), at)
	case *ast.Image:
		c.link(imageToken, n.Reference, n.Pos(), at)
	}
}

func (c *passageContext) add(class tokenClass, at, hide span) {
	c.found = append(c.found, token{class: class, from: at.from, to: at.to, text: c.source[at.from:at.to], hide: hide})
}

// code adds a code span. The short ones a model sees, since sentences hang on them; what is long or would have
// to be escaped in JSON it would only get wrong.
func (c *passageContext) code(at span) {
	const mostShown = 40 // bytes
	hide := span{}
	if at.to-at.from > mostShown || strings.ContainsAny(c.source[at.from:at.to], "\n\\\"{}") {
		hide = at
	}
	c.add(codeToken, at, hide)
}

// link adds the end of a link's text with its target. A text that is the label, too, stays as it is.
func (c *passageContext) link(class tokenClass, r *ast.ReferenceLink, opening int, at span) {
	inner := span{at.from + len("]("), at.to - len(")")}
	switch {
	case r == nil && inner.to == inner.from:
		c.add(class, at, span{})
	case r == nil:
		c.add(class, at, inner)
	case r.Type == ast.ReferenceLinkFull:
		c.add(referenceToken, at, inner)
	default:
		c.found = slices.DeleteFunc(c.found, func(t token) bool { return t.from >= opening })
		whole := span{opening, at.to}
		c.add(referenceToken, whole, whole)
	}
}
