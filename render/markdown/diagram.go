package markdown

import "github.com/mipwatch/mipwatch/internal/diagram"

// diagramMaxBytes bounds the SVG of one document, so that the drawings do not make a document too
// large whose text is not; beyond it diagrams are shown as their source.
const diagramMaxBytes = 256 << 10

// beginDiagram writes a drawing in a box that scrolls by keyboard, and the beginning of an element
// for its source, which [document.endDiagram] ends. It reports false, and writes nothing, if the
// source stays alone.
func (d *document) beginDiagram(source string) bool {
	if d.diagramBytes >= diagramMaxBytes {
		return false
	}
	drawn, err := diagram.Draw(source)
	d.diagramBytes += len(drawn.SVG)
	if err != nil || d.diagramBytes > diagramMaxBytes {
		return false
	}
	d.diagrams++
	const box = `<figure class="diagram"><div class="scroll" tabindex="0" role="group" ` +
		`aria-label="Diagram %d">%s</div>` + "\n<details><summary>Source</summary>\n"
	d.printf(box, d.diagrams, d.inset(drawn.SVG))
	return true
}

// endDiagram ends what beginDiagram began.
func (d *document) endDiagram() { d.print("</details></figure>\n") }
