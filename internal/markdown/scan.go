package markdown

import "strings"

// shape is the number of things that a body holds, counted without telling code from text:
// never less than goldmark finds.
type shape struct {
	cells, headings, brackets, images, footnotes, escapedPipes int
	angles, closers, tags, lines                               int
	work                                                       int // see maxWork
	// Emphasis characters of the paragraph that has most.
	marks int
	// Bytes of the longest reference definition.
	definition int
	// Some line may be nested deeper than maxNesting.
	deep bool
	// Line that certainly is, from 1; 0 when there is none.
	deepest int
	// Line of the paragraph that adds most to a sum.
	worst int
}

// paragraph counts since the last blank line.
type paragraph struct {
	// Its first line in the text, its bytes and its lines.
	line, size, lines int
	// Emphasis characters.
	marks         int
	ends, closers int // "](" and "]"
	// The longest run of backticks.
	ticks int
	// Of the tables above this line, and their cells.
	columns, cells int
	// Reference definitions.
	definitions int
	// Bytes of the one above this line.
	definition int
	// Weight of the heaviest paragraph so far.
	heaviest int
}

// work estimates the steps that goldmark is quadratic in: the squares of the number of emphasis
// characters and of the number of reference definitions (11,585 in one paragraph, or 1,158 in
// each of 100); the number of link ends "](" times the bytes, since each may search to the
// paragraph's end; the number of "]" times the number of lines, four times, since the text of
// each label is looked for line by line from the end; the longest run of backticks times the
// bytes, since one that nothing closes searches to the end, and each line that it passes takes
// a node.
func (p *paragraph) work() int {
	const labelSteps, nodeBytes = 4, 64
	return p.marks*p.marks + p.definitions*p.definitions + p.ends*p.size + labelSteps*p.closers*p.lines +
		p.ticks*(p.size+nodeBytes*p.lines)
}

// scan counts in one pass over the lines.
func scan(body string) *shape {
	s, p := &shape{}, paragraph{}
	number := 0
	for line := range strings.Lines(body) {
		number++
		line = strings.TrimSuffix(line, "\n")
		text := s.prefix(line, number)
		// A blank line ends a paragraph.
		if text == "" {
			s.end(&p)
			continue
		}
		if p.size == 0 {
			p.line = number
		}
		s.line(text, &p)
		p.size += len(line) + 1
	}
	s.end(&p)
	return s
}

// end adds a paragraph to the sums and begins the next one.
func (s *shape) end(p *paragraph) {
	work := p.work()
	s.work += work
	s.closers += p.closers
	s.cells += p.cells
	s.marks = max(s.marks, p.marks)
	if weight := max(work, p.cells); weight > p.heaviest {
		p.heaviest, s.worst = weight, p.line
	}
	*p = paragraph{heaviest: p.heaviest}
}

// prefix skips the quotes and list markers that a line begins with, and judges how deep they
// are.
func (s *shape) prefix(line string, number int) (rest string) {
	markers, indent := 0, 0
	for rest = line; rest != ""; {
		if rest[0] == ' ' || rest[0] == '\t' {
			indent++
			if rest[0] == '\t' {
				indent += 3
			}
			rest = rest[1:]
			continue
		}
		n := marker(rest)
		if n == 0 || rest[0] == '[' && markers >= 2*maxMarkers {
			break
		}
		if rest[0] == '[' {
			s.footnotes++
		}
		markers++
		rest = rest[n:]
	}
	if markers == 0 || markers+indent/2 <= maxNesting {
		if markers > 0 && rest == "" && strings.Trim(line, "> \t") != "" {
			return line[len(line)-1:] // an empty list item is no blank line
		}
		return rest
	}
	if strings.Trim(line, "- \t") == "" || strings.Trim(line, "* \t") == "" {
		return rest // a thematic break
	}
	s.deep = true
	if s.deepest == 0 && (markers > maxMarkers || indent > maxIndent) {
		s.deepest = number
	}
	return rest
}

// marker is the length of the mark of a quote, list item or footnote that s begins with, 0 when
// it begins with none.
func marker(s string) int {
	n := 1
	switch c := s[0]; {
	case c == '>':
		return n
	case c == '[': // a footnote holds blocks as a list item does
		label, _, ok := strings.Cut(s, "]:")
		if ok && strings.HasPrefix(label, "[^") && !strings.Contains(label[1:], "[") {
			return len(label) + len("]:")
		}
		return 0
	case c >= '0' && c <= '9':
		const mostDigits = 10
		n = len(s) - len(strings.TrimLeft(s, "0123456789"))
		if n == len(s) || n > mostDigits || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	case c != '-' && c != '+' && c != '*':
		return 0
	}
	if n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// line adds the counts of one line of a paragraph.
func (s *shape) line(text string, p *paragraph) {
	s.lines++
	p.lines++
	p.cells += p.columns
	switch text[0] {
	case '#':
		s.headings++
	case '<':
		s.tags++
	case '-', '=', '|', ':':
		switch c := columns(text); {
		case c == 0:
		case strings.ContainsAny(text, "|:"):
			p.columns += c
			p.cells += c
		case p.size > 0: // an underline, never a delimiter row
			s.headings++
		}
	case '[':
		if strings.Index(text, "]:") > 0 {
			p.definitions++
			p.definition = 0
		}
	}
	if p.definitions > 0 {
		p.definition += len(text)
		s.definition = max(s.definition, p.definition)
	}
	ticks := 0
	before := byte(0)
	for i := range len(text) {
		c := text[i]
		switch c {
		case '`':
			ticks++
			p.ticks = max(p.ticks, ticks)
		case '*', '_', '~':
			p.marks++
		case '<':
			s.angles++
		case ']':
			p.closers++
		case '[':
			s.brackets++
			if before == '!' {
				s.images++
			}
			if i+1 < len(text) && text[i+1] == '^' {
				s.footnotes++
			}
		case '(':
			if before == ']' {
				p.ends++
			}
		case '|':
			if before == '\\' {
				s.escapedPipes++
			}
		}
		if c != '`' {
			ticks = 0
		}
		before = c
	}
}

// columns returns how many columns a line has that could be a table's delimiter row or a
// heading's underline, and 0 for any other line.
func columns(text string) int {
	if strings.Trim(text, "-=|: \t") != "" || !strings.ContainsAny(text, "-=") {
		return 0
	}
	inner := text[1:max(len(text)-1, 1)] // a bar at either end is part of the row's frame
	return 1 + strings.Count(inner, "|")
}
