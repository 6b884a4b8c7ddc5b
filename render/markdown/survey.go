package markdown

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"golang.org/x/net/html"
)

// survey learns, before anything is written, which ids the document will have: a link may come before
// the heading that it leads to.
func (d *document) survey(root ast.Node) {
	d.ids, d.rawIDs, d.looseIDs = map[string]bool{}, map[string]bool{}, map[string]string{}
	d.titleHeading = d.findTitle(root)
	var rawIDs []string
	var links []*east.FootnoteLink
	var notes []*east.Footnote
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if id := headingID(n); id != "" {
				d.addID(id)
			}
		case *ast.Image: // its children are only its alternative text
			return ast.WalkSkipChildren, nil
		case *ast.HTMLBlock, *ast.RawHTML:
			d.rawSeen = true
			if d.rawKept {
				rawIDs = append(rawIDs, surveyRaw(rawSource(n, d.source))...)
			}
		case *east.FootnoteLink:
			links = append(links, n)
		case *east.Footnote:
			notes = append(notes, n)
		}
		return ast.WalkContinue, nil
	})
	for _, id := range rawIDs {
		if id = "s-" + id; !d.ids[id] {
			d.addID(id)
			d.rawIDs[id] = true
		}
	}
	d.notePrefix = "s-fn"
	for d.prefixTaken() {
		d.notePrefix += "-"
	}
	for _, n := range links {
		d.addID(d.referenceID(n.Index, n.RefIndex))
	}
	for _, n := range notes {
		d.addID(d.noteID(n.Index))
	}
}

func (d *document) addID(id string) {
	d.ids[id] = true
	loose := looseID(id)
	if _, ok := d.looseIDs[loose]; !ok && loose != "" {
		d.looseIDs[loose] = id
	}
}

// prefixTaken reports whether an author's id starts as the footnotes' would.
func (d *document) prefixTaken() bool {
	for id := range d.ids {
		if strings.HasPrefix(id, d.notePrefix+"-") || strings.HasPrefix(id, d.notePrefix+"ref-") {
			return true
		}
	}
	return false
}

func (d *document) noteID(index int) string {
	return d.notePrefix + "-" + strconv.Itoa(index)
}

func (d *document) referenceID(index, use int) string {
	id := d.notePrefix + "ref-" + strconv.Itoa(index)
	if use > 0 {
		id += "-" + strconv.Itoa(use+1)
	}
	return id
}

func headingID(n *ast.Heading) string {
	switch v, _ := n.AttributeString("id"); v := v.(type) {
	case []byte:
		return string(v)
	case string:
		return v
	}
	return ""
}

// findTitle returns the first heading of the document if it only repeats the title.
func (d *document) findTitle(root ast.Node) *ast.Heading {
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		text, plain := plainText(h, d.source)
		if h.Level == 1 && plain && sameTitle(text, d.title) {
			return h
		}
		return nil
	}
	return nil
}

func sameTitle(a, b string) bool {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if a == b {
		return a != ""
	}
	bareA, bareB := withoutID(a), withoutID(b)
	for _, pair := range [][2]string{{a, b}, {bareA, b}, {a, bareB}, {bareA, bareB}} {
		if s := looseID(pair[0]); s != "" && s == looseID(pair[1]) {
			return true
		}
	}
	return false
}

// withoutID cuts a leading id such as "EIP-20:" or "MIP 7 - ".
func withoutID(title string) string {
	rest := strings.TrimLeftFunc(title, unicode.IsLetter)
	if len(title)-len(rest) < 2 {
		return title
	}
	digits := strings.TrimLeft(rest, " -")
	rest = strings.TrimLeft(digits, "0123456789")
	name := strings.TrimLeft(rest, " :.-\u2013\u2014")
	if len(rest) == len(digits) || strings.TrimSpace(rest[:len(rest)-len(name)]) == "" {
		return title
	}
	return name
}

// plainText returns the text of an inline tree; plain is false when there is more than text in it.
func plainText(n ast.Node, source []byte) (text string, plain bool) {
	var b strings.Builder
	plain = true
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading, *ast.Emphasis, *ast.CodeSpan, *east.Strikethrough:
		case *ast.Text:
			if n.IsRaw() {
				b.Write(n.Value(source))
			} else {
				b.WriteString(resolveMarkdown(n.Value(source)))
			}
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(source))
			plain = false
		default:
			plain = false
		}
		return ast.WalkContinue, nil
	})
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, b.String()), plain
}

// surveyRaw returns the ids that the kept tags of a piece of raw HTML define.
func surveyRaw(src []byte) []string {
	var ids []string
	rawTokens(src, func(t html.Token, _ []byte) {
		if t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken {
			if id := rawID(t); id != "" {
				ids = append(ids, id)
			}
		}
	})
	return ids
}
