package card

import (
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Where things stand. Rows of letters are given by the line that they stand on.
const (
	margin   = 80
	right    = Width - margin
	barEnd   = 14
	logoTop  = 62
	siteLine = 96
	siteLeft = margin + logoSide + 16
	idLine   = 214
	topLine  = 288 // of the title
	leading  = 70
	mostRows = 3
	pillTop  = 506
	pillLine = pillTop + 44
	markTop  = pillTop + (pillSide-markSide)/2
	gap      = 14
)

// drawHead puts the site's sign on a board.
func (p *Painter) drawHead(b *board, c Card) {
	b.fill(0, 0, Width, barEnd, statusColour)
	b.put(p.marks.logo, margin, logoTop, accent)
	if run, ok := p.label.fit(c.Site, right-siteLeft); ok {
		b.putAll(run, siteLeft, siteLine, text)
	}
}

// drawTitle puts the proposal's number and title on a board.
func (p *Painter) drawTitle(b *board, c Card) {
	rows, ok := p.title.wrap(c.Title, right-margin, mostRows)
	if ok && len(rows) > 0 {
		if run, ok := p.label.fit(c.ID, right-margin); ok {
			b.putAll(run, margin, idLine, accent)
		}
		for i, row := range rows {
			b.putAll(row, margin, topLine+i*leading, text)
		}
	} else if run, ok := p.title.fit(c.ID, right-margin); ok {
		b.putAll(run, margin, topLine, accent)
	}
}

// drawFoot puts status and kind on a board.
func (p *Painter) drawFoot(b *board, c Card) {
	x := margin
	if c.Status != nil {
		x = p.pill(b, x, *c.Status)
	}
	if run, ok := p.small.fit(c.Kind, right-x); ok {
		b.putAll(run, x, pillLine, muted)
	}
}

// pill draws a status with its sign and returns the column after it. One that cannot be written keeps
// its sign.
func (p *Painter) pill(b *board, x int, s mip.Status) int {
	const end, inset = pillSide / 2, pillSide/2 - gap/2 - 1 // inset is even
	content := markSide
	word, ok := p.label.fit(s.String(), (right-margin)/2)
	if ok {
		content += gap + widthOf(word)
	}
	width := inset + content + inset
	b.put(p.marks.pill, x, pillTop, ground)
	b.put(p.marks.pill, x+width-2*end, pillTop, ground)
	b.fill(x+end, pillTop, x+width-end, pillTop+pillSide, groundColour)
	b.put(p.marks.of(s), x+inset, markTop, status)
	b.putAll(word, x+inset+markSide+gap, pillLine, status)
	return x + width + 2*gap
}

// ellipsis ends what is shortened.
const ellipsis = "…"

// fit is the glyphs of a text on one line, shortened to a width in pixels. It is false for a text that
// cannot be written, and for none.
func (f *face) fit(s string, width int) ([]*mask, bool) {
	rows, ok := f.wrap(s, width, 1)
	if !ok || len(rows) == 0 {
		return nil, false
	}
	return rows[0], true
}

// wrap is a text as lines of a width in pixels, most at the most, the last of them shortened. A word
// that is longer than a line is broken where the line ends. It is false for a text that cannot be written.
func (f *face) wrap(s string, width, most int) ([][]*mask, bool) {
	run, ok := f.run(strings.Join(strings.Fields(s), " "))
	dots, dotted := f.run(ellipsis)
	blank, blanked := f.run(" ")
	if !ok || !dotted || !blanked {
		return nil, false
	}
	var rows [][]*mask
	for len(run) > 0 {
		n := reach(run, width)
		if n < len(run) && len(rows) == most-1 {
			n = reach(run, width-widthOf(dots))
			for n > 0 && run[n-1] == blank[0] {
				n--
			}
			return append(rows, slices.Concat(run[:n], dots)), true
		}
		next := n
		if n < len(run) {
			for k := n; k > 0; k-- {
				if run[k] == blank[0] {
					n, next = k, k+1
					break
				}
			}
		}
		rows, run = append(rows, run[:n]), run[next:]
	}
	return rows, true
}

// reach is how many glyphs of a run a width holds.
func reach(run []*mask, width int) int {
	for i, m := range run {
		if width -= m.advance; width < 0 {
			return i
		}
	}
	return len(run)
}
