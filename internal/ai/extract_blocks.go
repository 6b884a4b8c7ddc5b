package ai

import (
	"strings"
	"unicode"
)

// block is a run of prose in a section: a paragraph, or the first paragraph of a list's item. Its text
// is the source with every run of white space collapsed to one blank and the item's marker left out,
// so a part of it is a part of the section after the same collapsing.
type block struct {
	text string
	item bool
	next bool // nothing but blank lines lies between this block and the next one
}

// blocks returns the prose of a section's Markdown in order. Headings, code, tables, quotes, HTML,
// definitions of links and footnotes, formulas and rules are left out: their lines are no sentences.
// It reads lines and knows no more of Markdown than that takes.
func blocks(markdown string) []block {
	s := scanner{}
	for line := range strings.Lines(markdown) {
		s.line(line)
	}
	s.flush()
	return s.out
}

// scanner holds where in a section it is.
type scanner struct {
	out   []block
	lines []string // of the block at hand
	item  bool     // it is a list's
	blank bool     // the line before was blank
	list  bool     // inside a list: indented text belongs to an item
	fence string   // what closes the code, formula or HTML at hand; empty: none
	skip  bool     // until the next blank line

	underlined bool // the line made a heading of the lines before it
}

func (s *scanner) line(line string) {
	line = strings.TrimRight(line, " \t\r\n")
	text := strings.TrimSpace(line)
	indent := indentation(line)
	wasBlank := s.blank
	s.blank, s.underlined = text == "", false
	switch {
	case s.fence != "":
		if closes(text, s.fence) {
			s.fence = ""
		}
	case text == "":
		s.flush()
		s.skip = false
	case s.skip:
	case opensFence(text) != "":
		s.cut()
		s.fence = opensFence(text)
		if s.fence != "```" && closes(strings.TrimPrefix(text, opensFence(text)), s.fence) {
			s.fence = "" // $$x$$ and <!-- x --> on one line
		}
	case indent >= 4 && wasBlank && !s.list:
		s.cut() // indented code
		s.skip = true
	case marker(text) > 0 && (indent < 4 || s.list):
		s.flush()
		s.lines, s.item, s.list = append(s.lines, untick(text[marker(text):])), true, true
	case len(s.lines) > 0 && !s.item && indent < 4 && isUnderline(text):
		s.lines, s.underlined = nil, true
		s.cut()
	case isHeading(text) || isRule(text) || isTable(text) || isDefinition(text) || isMarkup(text) || text[0] == '>':
		s.cut()
		s.skip = text[0] == '>' || text[0] == '|' || text[0] == '<' || strings.HasPrefix(text, "[^")
	default:
		if wasBlank && indent == 0 {
			s.list = false
		}
		if len(s.lines) == 0 {
			s.item = false
		}
		s.lines = append(s.lines, text)
	}
}

// flush ends the block at hand.
func (s *scanner) flush() {
	if text := collapse(strings.Join(s.lines, " ")); text != "" {
		s.out = append(s.out, block{text: text, item: s.item, next: true})
	}
	s.lines, s.item = nil, false
}

// cut ends the block at hand, with something between it and the next one.
func (s *scanner) cut() {
	s.flush()
	if len(s.out) > 0 {
		s.out[len(s.out)-1].next = false
	}
}

// collapse replaces every run of white space by one blank and trims the ends.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

// indentation is the width of the blanks that a line starts with; a tab counts four.
func indentation(line string) int {
	n := 0
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// opensFence returns the mark that closes what a line opens: code, a formula or an HTML comment.
func opensFence(text string) string {
	switch {
	case strings.HasPrefix(text, "```"):
		if strings.Contains(text[3:], "`") {
			return "" // a code span of three backticks
		}
		return "```"
	case strings.HasPrefix(text, "~~~"):
		return "~~~"
	case strings.HasPrefix(text, "$$"):
		return "$$"
	case strings.HasPrefix(text, "<!--"):
		return "-->"
	}
	return ""
}

func closes(text, fence string) bool {
	switch fence {
	case "```", "~~~":
		return strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]) == ""
	}
	return strings.HasSuffix(text, fence)
}

// marker returns the length of a list item's marker with the blanks behind it, 0 when there is none.
func marker(text string) int {
	n := 0
	for n < len(text) && n < 9 && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	switch {
	case n == 0 && strings.IndexByte("-*+", text[0]) >= 0:
	case n > 0 && n < len(text) && (text[n] == '.' || text[n] == ')'):
	default:
		return 0
	}
	n++
	if n >= len(text) || text[n] != ' ' && text[n] != '\t' || isRule(text) {
		return 0
	}
	return len(text) - len(strings.TrimLeft(text[n:], " \t"))
}

// untick removes the box of a task.
func untick(text string) string {
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		if rest, ok := strings.CutPrefix(text, box); ok {
			return rest
		}
	}
	return text
}

func isHeading(text string) bool {
	rest := strings.TrimLeft(text, "#")
	return len(rest) < len(text) && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// isRule reports a thematic break, the underline of a heading or the dashes of a table.
func isRule(text string) bool {
	bare := strings.ReplaceAll(text, " ", "")
	return len(bare) >= 3 && strings.IndexByte("-=*_", bare[0]) >= 0 && strings.Trim(bare, bare[:1]) == ""
}

// isUnderline reports what makes a heading of the paragraph above it.
func isUnderline(text string) bool {
	return strings.IndexByte("=-", text[0]) >= 0 && strings.Trim(text, text[:1]) == ""
}

// isTable reports a row with a bar at an end, or dashes and bars alone.
func isTable(text string) bool {
	return text[0] == '|' || text[len(text)-1] == '|' || strings.Contains(text, "|") && strings.Trim(text, "|-: ") == "" || strings.Contains(text, " | ")
}

// isDefinition reports the target of a reference link or a footnote.
func isDefinition(text string) bool {
	if text[0] != '[' {
		return false
	}
	i := strings.Index(text, "]:")
	return i > 1 && !strings.Contains(text[:i], "](")
}

// isMarkup reports a line that starts with a tag of a block.
func isMarkup(text string) bool {
	if text[0] != '<' || len(text) < 2 {
		return false
	}
	name := strings.TrimPrefix(text[1:], "/")
	end := strings.IndexFunc(name, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	if end > 0 {
		name = name[:end]
	}
	switch strings.ToLower(name) {
	case "a", "abbr", "b", "bdi", "br", "code", "em", "i", "kbd", "s", "strong", "sub", "sup", "u", "http", "https", "mailto":
		return false
	}
	return end > 0
}
