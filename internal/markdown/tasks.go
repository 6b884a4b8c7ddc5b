package markdown

import (
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Tasks returns the items of the document's task lists, in the order of the text.
func (d *Document) Tasks() (out []mip.Task) {
	section := ""
	if len(d.Sections) > 0 && d.Sections[0].Level == 0 {
		section = d.Sections[0].ID
	}
	for n := d.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if id, ok := n.AttributeString("id"); ok && n.Kind() == ast.KindHeading {
			section = string(id.([]byte))
		}
		// The function never returns an error.
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if box, ok := n.(*east.TaskCheckBox); ok && entering {
				if text := PlainText(box.Parent(), d.Body); text != "" {
					out = append(out, mip.Task{Text: text, Done: box.IsChecked, Section: section})
				}
			}
			return ast.WalkContinue, nil
		})
	}
	return out
}
