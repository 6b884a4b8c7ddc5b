package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
)

// fenceInfo returns the first word after a fence. The node's own Language keeps its result in the
// tree, which several renderings may share.
func fenceInfo(n *ast.FencedCodeBlock, source []byte) []byte {
	if n.Info == nil {
		return nil
	}
	word, _, _ := bytes.Cut(n.Info.Segment.Value(source), []byte(" "))
	return word
}

// codeBlock writes a block that scrolls by keyboard, with the language's name for a caption.
func (d *document) codeBlock(n ast.Node, word string) {
	text := string(n.Lines().Value(d.source))
	lang := d.languages.find(word)
	d.out.strings(`<figure class="code">`)
	if lang.name == "" {
		d.out.strings(`<pre tabindex="0" aria-label="Code"><code>`)
	} else {
		d.out.strings("<figcaption><span>")
		d.out.escaped(lang.name)
		d.out.strings(`</span></figcaption><pre tabindex="0" aria-label="`)
		d.out.escaped(lang.name)
		d.out.strings(` code"><code>`)
	}
	if d.out.room(len(text)) {
		if lang.lexer != nil {
			d.codeBytes += len(text)
		}
		if d.highlight && d.codeBytes <= highlightMaxDocument {
			d.out.b = d.languages.append(d.out.b, lang, text)
		} else {
			d.out.b = appendEscaped(d.out.b, text)
		}
	}
	d.out.strings("</code></pre></figure>\n")
}
