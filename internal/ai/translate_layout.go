package ai

import (
	"strings"
)

// part is a stretch of Markdown: text that stays as it is, or a passage to translate.
type part struct {
	kind   partKind
	text   string   // of a passage its lines, each without what it begins with
	starts []string // what a passage's second and further lines begin with: blanks, > of quotes
}

// partKind says what a part is.
type partKind int

const (
	fixedPart     partKind = iota // markers, code, HTML, definitions, delimiters, blank lines
	paragraphPart                 // a paragraph, also a list item's, a quote's or an underlined heading
	headingPart                   // the text of a heading with number signs
	cellPart                      // the text of a table's cell
	linePart                      // a title or description
)

// layout splits Markdown into parts that concatenate to it; see [join]. It finds the blocks of
// CommonMark 0.31 with GitHub's tables, task lists and footnotes, so that a model is given sentences
// only and cannot change what stands around them.
func layout(markdown string) []part {
	var l layouter
	for line := range strings.Lines(markdown) {
		l.line(line)
	}
	l.flush()
	l.settle()
	return l.out
}

// join is the reverse of layout. Passages may have fewer lines than they had, never more.
func join(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		i := 0
		for line := range strings.Lines(p.text) {
			if i > 0 && p.kind != fixedPart {
				b.WriteString(p.starts[i-1])
			}
			b.WriteString(line)
			i++
		}
	}
	return b.String()
}

// layouter is where in a text layout is.
type layouter struct {
	out   []part
	fixed strings.Builder // what follows the last of out and stays as it is
	open  []container
	lines []textLine                         // of the paragraph at hand
	ends  func(line string, indent int) bool // whether it is the last of the code or HTML at hand; nil: there is none
}

// container is a block quote, or a list item or footnote, whose lines begin with indent columns of
// blanks.
type container struct {
	quote  bool
	indent int
}

// textLine is a line of a paragraph: start, text and end concatenate to it.
type textLine struct{ start, text, end string }

func (l *layouter) line(raw string) {
	c := cursor{text: strings.TrimSuffix(raw, "\n")}
	kept := l.match(&c)
	rest := c.rest()
	if l.ends != nil {
		if kept == len(l.open) {
			l.fix(raw)
			if l.ends(rest, c.indent()) {
				l.ends = nil
			}
			return
		}
		l.ends = nil
	}
	for {
		if rest == "" {
			l.close(kept)
			l.fix(raw)
			return
		}
		within := len(l.lines) > 0 // the line goes on with a paragraph unless it begins a block
		if c.indent() >= codeIndent {
			if within {
				break
			}
			l.close(kept)
			l.fix(raw)
			return
		}
		if l.block(raw, rest, within, kept) {
			return
		}
		next, ok := c.container(rest, within && kept == len(l.open))
		if !ok {
			break
		}
		l.close(kept)
		l.open = append(l.open, next)
		kept++
		rest = c.rest()
	}
	if len(l.lines) == 0 {
		l.close(kept)
	}
	l.lines = append(l.lines, cutText(raw, rest))
}

// codeIndent is the number of columns by which code is indented.
const codeIndent = 4

// match steps over the open containers that the line belongs to and returns how many they are.
func (l *layouter) match(c *cursor) int {
	for i, o := range l.open {
		switch indent := c.indent(); {
		case o.quote:
			if indent >= codeIndent || !strings.HasPrefix(c.rest(), ">") {
				return i
			}
			c.quote()
		case c.rest() == "":
		case indent >= o.indent:
			c.skip(o.indent)
		default:
			return i
		}
	}
	return len(l.open)
}

// block handles a line that is a block of its own or begins one that holds no containers.
func (l *layouter) block(raw, rest string, within bool, kept int) bool {
	underlines := within && kept == len(l.open) && strings.Trim(rest, rest[:1]) == ""
	switch {
	case fenceOf(rest) != "":
		fence := fenceOf(rest)
		l.close(kept)
		l.fix(raw)
		l.ends = func(line string, indent int) bool {
			return indent < codeIndent && strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == ""
		}
	case atxHeading().MatchString(rest):
		l.close(kept)
		l.heading(raw, rest)
	case rest[0] == '<':
		ends := htmlBlock(rest, within)
		if ends == nil {
			return false
		}
		l.close(kept)
		l.fix(raw)
		if !ends(rest, 0) {
			l.ends = ends
		}
	case underlines && (rest[0] == '=' || rest[0] == '-'), thematicBreak(rest):
		if rest[0] == '=' && definitions(l.lines) == len(l.lines) {
			return false // nothing is left to underline
		}
		l.close(kept)
		l.fix(raw)
	default:
		return false
	}
	return true
}

// close ends the paragraph at hand and every container after the first kept.
func (l *layouter) close(kept int) {
	l.flush()
	l.open = l.open[:kept]
}

// fix adds text that stays as it is.
func (l *layouter) fix(text string) { l.fixed.WriteString(text) }

// pass adds a passage.
func (l *layouter) pass(p part) {
	l.settle()
	l.out = append(l.out, p)
}

// settle makes a part of the text that stays as it is, however many lines it came from.
func (l *layouter) settle() {
	if l.fixed.Len() > 0 {
		l.out = append(l.out, part{text: l.fixed.String()})
		l.fixed.Reset()
	}
}

var (
	atxHeading = lazily(`^#{1,6}(?:[ \t]+|$)`)
	atxClosing = lazily(`(?:^|[ \t]+)#+$`)
)

// heading adds a heading with number signs.
func (l *layouter) heading(raw, rest string) {
	line := cutText(raw, rest)
	marker := len(atxHeading().FindString(line.text))
	text := line.text[marker:]
	if i := atxClosing().FindStringIndex(text); i != nil {
		text = text[:i[0]]
	}
	l.fix(line.start + line.text[:marker])
	l.oneLine(headingPart, text)
	l.fix(line.text[marker+len(text):] + line.end)
}

// oneLine adds a passage of one line unless it is empty.
func (l *layouter) oneLine(kind partKind, text string) {
	if text != "" {
		l.pass(part{kind: kind, text: text})
	}
}

// cutText splits a line at where its text, which is rest, begins and ends.
func cutText(raw, rest string) textLine {
	line := strings.TrimSuffix(raw, "\n")
	text := strings.TrimRight(rest, " \t")
	at := len(line) - len(rest)
	return textLine{line[:at], text, raw[at+len(text):]}
}
