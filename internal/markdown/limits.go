package markdown

import (
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Beyond these limits goldmark 1.8 takes more than about half a second or far more memory than the
// text; each limit is tens of times the maximum in the largest real proposals.
const (
	// maxNesting is the deepest nesting of quotes, lists and inline marks that is published.
	maxNesting = 64
	// Lines beyond maxMarkers or maxIndent (columns before a list item or a quote) are refused
	// before parsing, which is quadratic in them.
	maxMarkers, maxIndent = 128, 256
	// hopelessLines and hopelessHeadings are refused even within code: finding the code would
	// itself cost a node for each.
	hopelessLines, hopelessHeadings = 250_000, 60_000
)

// Excess is a limit that a text exceeds.
type Excess struct {
	// Line is the line in the text, from 1.
	Line int
	// Code is the code of the problem: too-deep, too-complex, too-many-cells or too-many-headings.
	Code    string
	Message string
}

// Trial names the limits that a text may exceed, judged by its lines.
type Trial struct {
	Depth bool // parse it and ask [Document.TooDeep]
	Size  bool // render it: its HTML may be disproportionately large
}

// Check refuses texts that would cost too much, before goldmark parses them. The trial is the zero
// value for a refused text.
func Check(body string) (t Trial, refused *Excess) {
	s := scan(body)
	if s.deepest > 0 {
		return t, &Excess{s.deepest, "too-deep", "quotes or lists are nested more than 64 levels"}
	}
	if strings.Contains(body, "<") {
		s.attributes = separators(body) // as if all were one tag
	}
	refused = s.excess()
	if refused != nil && s.lines <= hopelessLines && s.headings <= hopelessHeadings {
		// All of it may be code, which costs nothing.
		without, inBlocks := withoutCode(body)
		s = scan(without)
		s.attributes = inBlocks + inTags(without)
		refused = s.excess()
	}
	if refused == nil {
		t = Trial{Depth: s.mayBeDeep(), Size: s.mayGrow(len(body))}
	}
	return t, refused
}

// excess returns the first limit that the counts exceed outside code, nil if there is none.
func (s *shape) excess() *Excess {
	// a blank and a sign
	const intoCode, maxWork, mostAttributes = "; put data into a code block", 1 << 27, 2 * 30_000
	for _, limit := range []struct {
		count, most   int
		code, message string
	}{
		// goldmark expands tables: each row gets a cell for each column.
		{s.cells, 10_000, "too-many-cells",
			"tables have more than 10,000 cells in all, counted as columns times rows; " +
				"publish the data beside the proposal"},
		{s.headings, 10_000, "too-many-headings", "there are more than 10,000 headings"},
		// Each footnote searches all others.
		{s.footnotes, 5_000, "too-complex",
			"there are more than 5,000 footnotes and references to footnotes"},
		{s.brackets, 100_000, "too-complex",
			"there are more than 100,000 opening square brackets outside code" + intoCode},
		// Each closing bracket searches the thousand bytes before it.
		{s.closers, 50_000, "too-complex",
			"there are more than 50,000 closing square brackets outside code" + intoCode},
		// Escaped pipes are compared with each other.
		{s.escapedPipes, 5_000, "too-complex",
			`there are more than 5,000 escaped pipes (\|) outside code`},
		// Each nonblank line is a node of some hundred bytes.
		{s.lines, 100_000, "too-complex", "there are more than 100,000 lines of text outside code"},
		{s.angles, 20_000, "too-complex",
			"there are more than 20,000 signs < outside code" + intoCode},
		{s.work, maxWork, "too-complex",
			"too many links, brackets, emphasis marks, backticks or reference definitions " +
				"in one paragraph: divide it, or put data into a code block"},
		// Each may be an HTML block, which is expensive to sanitize.
		{s.tags, 30_000, "too-complex", "there are more than 30,000 lines that begin with HTML"},
		// Each is parsed and sanitized, even in one tag.
		{s.attributes, mostAttributes, "too-complex",
			"HTML has more than 30,000 attributes outside code" + intoCode},
	} {
		if limit.count > limit.most {
			return &Excess{max(s.worst, 1), limit.code, limit.message}
		}
	}
	return nil
}

// mayGrow reports whether a text of that size may grow disproportionately when rendered: tables,
// footnotes and short links to long addresses expand, emphasis and images nest.
func (s *shape) mayGrow(size int) bool {
	const largeBody, largeExpansion = 64 << 10, 1 << 20 // bytes
	return size > largeBody || s.depth > maxNesting || s.cells > 2_000 || s.headings > 1_000 ||
		s.footnotes > 200 || s.marks > 1_000 || s.brackets > 5_000 || s.images > maxNesting ||
		s.definition*s.brackets > largeExpansion
}

// shape counts the elements of a body without distinguishing code from text: never fewer than
// goldmark finds.
type shape struct {
	cells, headings, brackets, images, footnotes, escapedPipes int
	angles, closers, tags, lines, attributes                   int
	// work estimates the steps in which goldmark is quadratic, summed over paragraphs.
	work int
	// marks is the greatest number of emphasis characters in a paragraph; definition is the length
	// of the longest reference definition in bytes.
	marks, definition int
	// depth is the greatest possible nesting of blocks in a line. deepest is a line that is
	// certainly nested deeper than maxNesting, from 1; 0 if there is none.
	depth, deepest int
	// worst is the line of the paragraph that adds most to a sum, heaviest the amount.
	worst, heaviest int
}

// paragraph is the lines since the last blank one. Its first line has the number line in the body.
type paragraph struct {
	line, lines int
	// columns is the number of columns of the tables above the next line, cells the number of cells
	// of all rows.
	columns, cells int
	// definitions counts reference definitions, and definition the bytes of the last one.
	definitions, definition int
}

// scan counts in one pass over the lines.
func scan(body string) *shape {
	s := &shape{}
	p := paragraph{line: 1}
	number, from, at := 0, 0, 0
	for line := range strings.Lines(body) {
		number++
		if text := s.prefix(strings.TrimSuffix(line, "\n"), number); text != "" {
			s.line(text, &p)
		} else { // a blank line ends a paragraph
			s.end(body[from:at], &p)
			p, from = paragraph{line: number + 1}, at+len(line)
		}
		at += len(line)
	}
	s.end(body[from:], &p)
	return s
}

// end adds a paragraph to the sums.
func (s *shape) end(text string, p *paragraph) {
	marks := strings.Count(text, "*") + strings.Count(text, "_") + strings.Count(text, "~")
	closers := strings.Count(text, "]")
	ticks := 0 // the longest run of backticks
	for run := range strings.FieldsFuncSeq(text, func(c rune) bool { return c != '`' }) {
		ticks = max(ticks, len(run))
	}
	// Emphasis characters and definitions are quadratic (11,585 in one paragraph, or 1,158 in each
	// of 100). Each link end "](" may search to the paragraph's end. The text of each label is
	// searched line by line from the end. An unclosed run of backticks searches to the end, and
	// each line that it passes takes a node.
	const labelSteps, nodeBytes = 4, 64
	work := marks*marks + p.definitions*p.definitions + strings.Count(text, "](")*len(text) +
		labelSteps*closers*p.lines + ticks*(len(text)+nodeBytes*p.lines)
	s.work += work
	s.closers += closers
	s.cells += p.cells
	s.lines += p.lines
	s.brackets += strings.Count(text, "[")
	s.images += strings.Count(text, "![")
	s.footnotes += strings.Count(text, "[^")
	s.escapedPipes += strings.Count(text, `\|`)
	s.angles += strings.Count(text, "<")
	s.marks = max(s.marks, marks)
	if weight := max(work, p.cells); weight > s.heaviest {
		s.heaviest, s.worst = weight, p.line
	}
}

// line adds the counts of one line of a paragraph.
func (s *shape) line(text string, p *paragraph) {
	p.cells += p.columns
	switch text[0] {
	case '#':
		s.headings++
	case '<':
		s.tags++
	case '-', '=', '|', ':':
		// The line may be a table's delimiter row, or the underline of a heading.
		if strings.Trim(text, "-=|: \t") != "" || !strings.ContainsAny(text, "-=") {
			break
		}
		if strings.ContainsAny(text, "|:") {
			// a bar at either end is part of the frame
			columns := 1 + strings.Count(text[1:max(len(text)-1, 1)], "|")
			p.columns += columns
			p.cells += columns
		} else if p.lines > 0 {
			s.headings++
		}
	case '[':
		if strings.Index(text, "]:") > 0 {
			p.definitions++
			p.definition = 0
		}
	}
	p.lines++
	if p.definitions > 0 {
		p.definition += len(text)
		s.definition = max(s.definition, p.definition)
	}
}

// openTag matches an inline tag as defined by CommonMark.
var openTag = regexp.MustCompile(`^<[A-Za-z][A-Za-z0-9-]*(?:[ \t\n]+[A-Za-z_:][A-Za-z0-9_.:-]*` +
	`(?:[ \t\n]*=[ \t\n]*(?:[^ \t\n"'=<>` + "`" + `]+|'[^']*'|"[^"]*"))?)*[ \t\n]*/?>`)

// inTags counts the separators of attributes in inline tags: never fewer than there are, wherever a
// tag seems to begin.
func inTags(text string) (n int) {
	for at := strings.IndexByte(text, '<'); at >= 0; at = strings.IndexByte(text, '<') {
		text = text[at:]
		n += separators(openTag.FindString(text))
		text = text[1:]
	}
	return n
}

// inBlock counts them in an HTML block, which need not be well-formed. It adds up both ways to read
// a quoted >: as text, and as the end of the tag.
func inBlock(html string) (n int) {
	for _, quotes := range []string{"", `'"`} {
		for rest := html; ; {
			at := strings.IndexByte(rest, '<')
			if at < 0 {
				break
			}
			rest = rest[at+1:]
			if name := strings.TrimPrefix(rest, "/"); name == "" || name[0]|0x20 < 'a' ||
				name[0]|0x20 > 'z' {
				continue
			}
			end := tagEnd(rest, quotes)
			n += separators(rest[:end])
			rest = rest[end:]
		}
	}
	return n
}

// tagEnd returns the offset of the > that ends a tag, ignoring any in a quoted value.
func tagEnd(tag, quotes string) int {
	value := false // a value may begin here
	for i := 0; i < len(tag); i++ {
		switch c := tag[i]; {
		case c == '>':
			return i
		case c == '=':
			value = true
		case value && strings.IndexByte(quotes, c) >= 0:
			i += 1 + max(-1, strings.IndexByte(tag[i+1:], c))
			value = false
		default:
			value = value && (c == ' ' || c == '\t' || c == '\n')
		}
	}
	return len(tag)
}

// separators counts possible separators of attributes: runs of white space, equals signs, slashes.
func separators(text string) (n int) {
	blank := false // the last byte was white space
	for i := range len(text) {
		wasBlank := blank
		blank = text[i] == ' ' || text[i] == '\t' || text[i] == '\n'
		if text[i] == '=' || text[i] == '/' || blank && !wasBlank {
			n++
		}
	}
	return n
}

// blocks is a parser of blocks only, which is cheap whatever the inline text is.
var blocks = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(append(parser.DefaultBlockParsers(),
		util.Prioritized(extension.NewFootnoteBlockParser(), 999))...))
})

// withoutCode returns body with code and HTML blanked out, line for line; the beginning of an HTML
// block stays, so that blocks can be counted. inBlocks counts possible separators of attributes in
// such blocks.
func withoutCode(body string) (without string, inBlocks int) {
	source, out := []byte(body), []byte(body)
	root := blocks().Parse(text.NewReader(source))
	_ = ast.Walk(root, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindCodeBlock, ast.KindFencedCodeBlock, ast.KindHTMLBlock:
		default:
			return ast.WalkContinue, nil
		}
		if n.Kind() == ast.KindHTMLBlock {
			inBlocks += inBlock(string(n.Lines().Value(source)))
		}
		for i, line := range n.Lines().Sliced(0, n.Lines().Len()) {
			blanked := out[line.Start:min(line.Stop, len(out))]
			for j, c := range blanked {
				if c != '\n' && !(c == '<' && i == 0 && n.Kind() == ast.KindHTMLBlock) {
					blanked[j] = ' '
				}
			}
		}
		return ast.WalkSkipChildren, nil
	})
	return string(out), inBlocks
}
