package ai

import (
	"strings"
)

// cursor steps through the beginning of a line. Columns count from 0, tabs stop at every fourth.
type cursor struct {
	text    string
	at, col int
	pad     int // columns that are left of a tab which was stepped over in part
}

// rest is what follows the blanks at the cursor.
func (c *cursor) rest() string { return strings.TrimLeft(c.text[c.at:], " \t") }

// indent is the number of columns of blanks at the cursor.
func (c *cursor) indent() int {
	to := *c
	for to.at < len(to.text) && (to.text[to.at] == ' ' || to.text[to.at] == '\t') {
		to.step()
	}
	return to.col - c.col + c.pad
}

func (c *cursor) step() {
	if c.text[c.at] == '\t' {
		c.col += tabStop - c.col%tabStop
	} else {
		c.col++
	}
	c.at++
}

const tabStop = 4

// skip steps over so many columns of blanks.
func (c *cursor) skip(columns int) {
	used := min(columns, c.pad)
	c.pad -= used
	for end := c.col + columns - used; c.col < end; {
		c.step()
		c.pad = max(0, c.col-end)
	}
}

// quote steps over the marker of a block quote and the blank behind it.
func (c *cursor) quote() {
	c.skip(c.indent())
	c.step()
	if c.indent() > 0 {
		c.skip(1)
	}
}

var (
	listMarker     = lazily(`^(?:[-+*]|(\d{1,9})[.)])(?:[ \t]|$)`)
	footnoteMarker = lazily(`^\[\^[^\[\]]*[^\[\] \t][^\[\]]*\]:`)
	taskBox        = lazily(`^\[[ xX]\][ \t]+`)
)

// container steps over the marker of the quote, list item or footnote that begins at the cursor.
// interrupts says that it would end a paragraph beside it, which an empty item cannot, nor one that
// counts from another number than one.
func (c *cursor) container(rest string, interrupts bool) (container, bool) {
	const footnoteIndent = 4
	indent := c.indent()
	if rest[0] == '>' {
		c.quote()
		return container{quote: true}, true
	}
	if m := footnoteMarker().FindString(rest); m != "" {
		c.skip(indent)
		c.mark(len(m))
		return container{indent: footnoteIndent}, true
	}
	m := listMarker().FindStringSubmatch(rest)
	if m == nil {
		return container{}, false
	}
	width := len(strings.TrimRight(m[0], " \t"))
	empty := strings.TrimSpace(rest[width:]) == ""
	if interrupts && (empty || m[1] != "" && m[1] != "1") {
		return container{}, false
	}
	c.skip(indent)
	c.mark(width)
	blanks := c.indent()
	if empty || blanks > codeIndent {
		blanks = min(blanks, 1)
	}
	c.skip(blanks)
	return container{indent: indent + width + max(blanks, 1)}, true
}

// mark steps over a marker, which holds no tabs.
func (c *cursor) mark(width int) {
	c.at += width
	c.col += width
}
