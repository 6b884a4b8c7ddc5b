package markdown

import (
	"errors"
	"fmt"

	"github.com/yuin/goldmark/ast"

	"github.com/mipwatch/mipwatch/internal/diagram"
)

// diagramMaxBytes bounds the SVG of one document, so that the drawings do not make a document too
// large whose text is not; beyond it diagrams are shown as their source.
const diagramMaxBytes = 256 << 10

// beginDiagram writes a drawing in a box that scrolls by keyboard, and begins an element for its
// source, which [document.endDiagram] ends. If the diagram is not drawn, beginDiagram writes
// nothing, and returns a caption for the source.
func (d *document) beginDiagram(n ast.Node, source string) (caption string, ok bool) {
	if d.diagramBytes >= diagramMaxBytes {
		return d.undrawn(n, diagram.Diagram{}, errManyDiagrams), false
	}
	drawn, err := diagram.Draw(source)
	if d.diagramBytes += len(drawn.SVG); d.diagramBytes > diagramMaxBytes {
		err = errManyDiagrams
	}
	if err != nil {
		return d.undrawn(n, drawn, err), false
	}
	d.diagrams++
	const box = `<figure class="diagram"><div class="scroll" tabindex="0" role="group" ` +
		`aria-label="Diagram %d">%s</div>` + "\n<details><summary>Source</summary>\n"
	d.printf(box, d.diagrams, d.inset(drawn.SVG))
	return diagramName, true
}

// errManyDiagrams reports diagrams beyond the bound of a document.
var errManyDiagrams = fmt.Errorf("want diagrams of at most %d bytes together, as SVG, in a text",
	diagramMaxBytes)

// undrawn reports a diagram that is not drawn, and returns the caption of its source.
func (d *document) undrawn(n ast.Node, of diagram.Diagram, why error) (caption string) {
	reason, line := why.Error(), 0
	if found, ok := errors.AsType[*diagram.Error](why); ok {
		reason, line = found.Reason, max(0, found.Line-1)
	}
	offset := d.block
	if lines := n.Lines(); line < lines.Len() {
		offset = lines.At(line).Start
	}
	d.dropped = append(d.dropped, Dropped{Undrawn: reason, Offset: offset})
	if of.Kind == "" {
		return diagramName + ", as text"
	}
	return fmt.Sprintf("%s (%s), as text", diagramName, of.Kind)
}

// endDiagram ends what beginDiagram began.
func (d *document) endDiagram() { d.print("</details></figure>\n") }
