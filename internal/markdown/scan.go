package markdown

import "bytes"

// shape is what a body holds, counted without knowing what is code: never less than goldmark finds.
type shape struct {
	cells, headings, brackets, images, footnotes, escapedPipes int
	angles, closers, tags, lines                               int
	work                                                       int  // see maxWork
	marks                                                      int  // emphasis characters of the paragraph that has most
	definition                                                 int  // bytes of the longest reference definition
	deep                                                       bool // some line may be nested deeper than maxNesting
	deepest                                                    int  // line that certainly is, from 1; 0 when there is none
	worst                                                      int  // line of the paragraph that adds most to a sum
}

// paragraph is what has been counted since the last blank line.
type paragraph struct {
	line, size, marks, ends, definitions int
	lines, closers, ticks                int // ticks: the longest run of backticks
	columns                              int // of the tables above this line
	definition                           int // bytes of the definition above this line
	cells                                int
}

// work estimates what the paragraph adds to what maxWork bounds.
func (p *paragraph) work() int {
	const labelSteps, nodeBytes = 4, 64 // a line that backticks search through takes a node
	return p.marks*p.marks + p.definitions*p.definitions + p.ends*p.size + labelSteps*p.closers*p.lines +
		p.ticks*(p.size+nodeBytes*p.lines)
}

// scan counts in one pass over the bytes.
func scan(body []byte) shape {
	var s shape
	var p paragraph
	heaviest := 0
	end := func() {
		work := p.work()
		s.work += work
		s.closers += p.closers
		s.cells += p.cells
		s.marks = max(s.marks, p.marks)
		if weight := max(work, p.cells); weight > heaviest {
			heaviest, s.worst = weight, p.line
		}
		p = paragraph{}
	}
	number := 0
	for line := range bytes.Lines(body) {
		number++
		line = bytes.TrimSuffix(line, []byte("\n"))
		text := s.prefix(line, number)
		if len(text) == 0 {
			end()
			continue
		}
		if p.size == 0 {
			p.line = number
		}
		s.line(text, &p)
		p.size += len(line) + 1
	}
	end()
	return s
}

// prefix skips the quotes and list markers that a line begins with, and judges how deep they are.
func (s *shape) prefix(line []byte, number int) []byte {
	markers, indent, i := 0, 0, 0
	for i < len(line) {
		c := line[i]
		blankNext := i+1 >= len(line) || line[i+1] == ' ' || line[i+1] == '\t'
		switch {
		case c == ' ':
			indent++
		case c == '\t':
			indent += 4
		case c == '>', blankNext && (c == '-' || c == '+' || c == '*'):
			markers++
		case c == '[' && i+1 < len(line) && line[i+1] == '^' && markers < 2*maxMarkers: // a footnote holds blocks, too
			j := bytes.Index(line[i:], []byte("]:"))
			if j < 0 || bytes.IndexByte(line[i+1:i+j], '[') >= 0 {
				return s.depth(line, i, markers, indent, number)
			}
			markers++
			s.footnotes++
			i += j + 1
		case c >= '0' && c <= '9':
			j := i
			for j < len(line) && j-i < 10 && line[j] >= '0' && line[j] <= '9' {
				j++
			}
			if j == len(line) || line[j] != '.' && line[j] != ')' || j+1 < len(line) && line[j+1] != ' ' && line[j+1] != '\t' {
				return s.depth(line, i, markers, indent, number)
			}
			markers++
			i = j
		default:
			return s.depth(line, i, markers, indent, number)
		}
		i++
	}
	return s.depth(line, i, markers, indent, number)
}

func (s *shape) depth(line []byte, i, markers, indent, number int) []byte {
	rest := line[i:]
	if markers == 0 || markers+indent/2 <= maxNesting {
		if markers > 0 && len(rest) == 0 && len(bytes.Trim(line, "> \t")) > 0 {
			return line[len(line)-1:] // an empty list item is no blank line
		}
		return rest
	}
	if t := bytes.TrimLeft(line, " \t"); len(bytes.Trim(t, "- \t")) == 0 || len(bytes.Trim(t, "* \t")) == 0 {
		return rest // a thematic break
	}
	s.deep = true
	if s.deepest == 0 && (markers > maxMarkers || indent > maxIndent) {
		s.deepest = number
	}
	return rest
}

// counted are the bytes that line looks at: most are none of them.
var counted = [256]bool{'`': true, '*': true, '_': true, '~': true, '<': true, ']': true, '[': true, '(': true, '|': true}

// line counts what one line of a paragraph holds.
func (s *shape) line(text []byte, p *paragraph) {
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
		case !bytes.ContainsAny(text, "|:"): // an underline, never a delimiter row
			if p.size > 0 {
				s.headings++
			}
		default:
			p.columns += c
			p.cells += c
		}
	case '[':
		if i := bytes.Index(text, []byte("]:")); i > 0 {
			p.definitions++
			p.definition = 0
		}
	}
	if p.definitions > 0 {
		p.definition += len(text)
		s.definition = max(s.definition, p.definition)
	}
	ticks := 0
	for i, c := range text {
		if !counted[c] {
			ticks = 0
			continue
		}
		if c == '`' {
			ticks++
			p.ticks = max(p.ticks, ticks)
			continue
		}
		ticks = 0
		switch c {
		case '*', '_', '~':
			p.marks++
		case '<':
			s.angles++
		case ']':
			p.closers++
		case '[':
			s.brackets++
			if i > 0 && text[i-1] == '!' {
				s.images++
			}
			if i+1 < len(text) && text[i+1] == '^' {
				s.footnotes++
			}
		case '(':
			if i > 0 && text[i-1] == ']' {
				p.ends++
			}
		case '|':
			if i > 0 && text[i-1] == '\\' {
				s.escapedPipes++
			}
		}
	}
}

// columns returns how many columns a line has that could be a table's delimiter row or a heading's
// underline, and 0 for any other line.
func columns(text []byte) int {
	n, dashes := 1, 0
	for i, c := range text {
		switch c {
		case '-', '=':
			dashes++
		case '|':
			if i > 0 && i+1 < len(text) {
				n++
			}
		case ':', ' ', '\t':
		default:
			return 0
		}
	}
	if dashes == 0 {
		return 0
	}
	return n
}
