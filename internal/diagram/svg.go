package diagram

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

// Sizes of text, in pixels. The style sheet sets the same font size.
const (
	fontSize   = 14
	lineHeight = 18
	ascent     = 14 // from the top of a line to its baseline
	margin     = 8  // around the whole drawing
)

// Widths at which labels wrap, in pixels.
const (
	wrapName, wrapEdge, wrapNote, wrapMessage, wrapFrame = 160, 170, 260, 300, 420
)

// width returns the width of text in pixels. It is an upper bound for the fonts in use, since
// nothing measures text at build time: letters are as wide as in DejaVu Sans and Verdana, which
// are the widest fonts that a browser falls back to.
func width(text string) int {
	sum := 0 // in hundredths of the font size
	for _, r := range text {
		sum += advance(r)
	}
	return (sum*fontSize + 99) / 100
}

// advance returns the width of a letter in hundredths of the font size.
func advance(r rune) int {
	switch {
	case strings.ContainsRune(" ijlfrtIJ!'(),-./:;[\\]|", r):
		return 42
	case strings.ContainsRune("mwMW@%", r):
		return 100
	case strings.ContainsRune("#&+<=>^~", r):
		return 85
	case r >= 'A' && r <= 'Z':
		return 80
	case r < 0x80:
		return 64
	case r >= 0x2600 && r < 0x2800 || r >= 0x1f000: // emoji
		return 140
	}
	return 100
}

// widest returns the width of the longest of some lines.
func widest(lines []string) (most int) {
	for _, line := range lines {
		most = max(most, width(line))
	}
	return most
}

// wrap breaks text between words, so that lines are at most that many pixels wide. A longer word is
// on a line of its own.
func wrap(text string, most int) (lines []string) {
	line, used := "", 0
	for word := range strings.FieldsSeq(text) {
		w := width(word)
		if line != "" && used+width(" ")+w > most {
			lines, line, used = append(lines, line), "", 0
		}
		if line != "" {
			line, used = line+" ", used+width(" ")
		}
		line, used = line+word, used+w
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// canvas collects the elements of a drawing in layers, and the space that they take.
type canvas struct {
	back, front bytes.Buffer
	// These are the edges of the drawing.
	left, right, top, bottom int
}

// box draws a rectangle on a layer.
func box(layer *bytes.Buffer, class string, x, y, w, h int) {
	const format = `<rect class="%s" x="%d" y="%d" width="%d" height="%d"/>`
	fmt.Fprintf(layer, format, class, x, y, w, h)
}

// path draws a line or a shape on a layer.
func path(layer *bytes.Buffer, class, format string, args ...any) {
	fmt.Fprintf(layer, `<path class="%s" d="%s"/>`, class, fmt.Sprintf(format, args...))
}

// text draws lines from the height y downwards. They are centered at x. Lines of the classes start
// and word begin there. The style sheet gives the classes label and start a halo.
func (c *canvas) text(class string, x, y int, lines []string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	for i, line := range lines {
		fmt.Fprintf(&c.front, `<text%s x="%d" y="%d">`, class, x, y+i*lineHeight+ascent)
		_ = xml.EscapeText(&c.front, []byte(line)) // a buffer has no error
		c.front.WriteString("</text>")
	}
}

// svg returns the drawing, with the title above it.
func (c *canvas) svg(name, title string) []byte {
	c.left, c.right, c.bottom = c.left-margin, c.right+margin, c.bottom+margin
	top := c.top - margin
	if lines := label(title, max(300, c.right-c.left)); len(lines) > 0 {
		top -= len(lines)*lineHeight + margin
		if w := widest(lines)*11/10 - (c.right - c.left); w > 0 { // the title is bold
			c.left, c.right = c.left-w/2-margin, c.right+w/2+margin
		}
		c.text("title", (c.left+c.right)/2, top+margin/2, lines)
	}
	w, h := c.right-c.left, c.bottom-top
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg role="img" width="%d" height="%d" viewBox="%d %d %[1]d %[2]d" `+
		`aria-label="`, w, h, c.left, top)
	_ = xml.EscapeText(&out, []byte(name))
	out.WriteString(`">`)
	out.Write(c.back.Bytes())
	out.Write(c.front.Bytes())
	out.WriteString("</svg>")
	return out.Bytes()
}
