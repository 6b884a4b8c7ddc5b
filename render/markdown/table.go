package markdown

import (
	"strconv"

	east "github.com/yuin/goldmark/extension/ast"
)

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
