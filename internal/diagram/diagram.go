// Package diagram draws Mermaid diagrams as SVG. Its reader accepts less than Mermaid: a diagram
// with a line that the package does not know is not drawn at all, since a reader could not see what
// a drawing lacks. Colors and themes of the source are ignored; the page colors by class.
//
// Time and output are bounded by properties of the source, and the same source gives the same
// bytes.
package diagram

import (
	"errors"
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Bounds of a diagram. They are several times those of the largest diagrams in proposals.
const (
	// maxSource bounds the source, in bytes.
	maxSource = 16 << 10
	// maxParticipants and maxSteps bound a sequence diagram.
	maxParticipants, maxSteps = 40, 500
	// maxNodes, maxEdges and maxBends bound a flowchart. Bends are those of edges over many nodes.
	maxNodes, maxEdges, maxBends = 150, 300, 1500
	// maxDepth bounds frames within each other, and activations.
	maxDepth = 12
	// maxWidth bounds a drawing, in pixels: nobody finds anything in a wider one.
	maxWidth = 6000
	// maxOutput bounds the SVG, in bytes.
	maxOutput = 128 << 10
)

// Diagram is a drawing.
type Diagram struct {
	// Name is the kind of the diagram with its title or its first words, as plain text.
	Name string
	// SVG is an svg element with text elements. It has classes, and no style, id or address.
	SVG []byte
}

// Draw draws the source of a Mermaid diagram. The error names the line that prevents a drawing, or
// the bound that the source exceeds.
func Draw(source string) (Diagram, error) {
	if len(source) > maxSource {
		return Diagram{}, fmt.Errorf("the source has more than %d bytes", maxSource)
	}
	if !utf8.ValidString(source) {
		return Diagram{}, errors.New("the source is not UTF-8")
	}
	p, err := prepare(source)
	if err != nil {
		return Diagram{}, err
	}
	var c *canvas
	var kind, about string
	switch p.kind {
	case "sequenceDiagram":
		s, err := parseSequence(p)
		if err != nil {
			return Diagram{}, err
		}
		kind, about, c = "Sequence diagram", s.about(), s.draw()
	case "graph", "flowchart", "stateDiagram", "stateDiagram-v2":
		kind = "Flowchart"
		parse := parseFlow
		if strings.HasPrefix(p.kind, "s") {
			kind, parse = "State diagram", parseState
		}
		f, err := parse(p)
		if err != nil {
			return Diagram{}, err
		}
		about = f.about()
		if c, err = f.draw(); err != nil {
			return Diagram{}, err
		}
	default:
		return Diagram{}, fmt.Errorf("line %d: %.40q is not a kind that is drawn", p.line, p.kind)
	}
	if p.title != "" {
		about = strings.Join(label(p.title, maxWidth), " ")
	}
	name := shorten(kind + ": " + about)
	svg := c.svg(name, p.title)
	switch {
	case c.right-c.left > maxWidth:
		return Diagram{}, fmt.Errorf("the drawing is wider than %d pixels", maxWidth)
	case len(svg) > maxOutput:
		return Diagram{}, fmt.Errorf("the drawing has more than %d bytes", maxOutput)
	}
	return Diagram{Name: name, SVG: svg}, nil
}

// firstFew joins the first names of a diagram.
func firstFew(names []string) string {
	const most = 4
	if len(names) > most {
		names = append(names[:most:most], "…")
	}
	return strings.Join(names, ", ")
}

// shorten cuts a name that is too long to be listened to.
func shorten(name string) string {
	const most = 120
	if letters := []rune(name); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return name
}

// firstWord divides a statement after its first word.
func firstWord(text string) (word, rest string) {
	if i := strings.IndexAny(text, " \t"); i > 0 {
		return text[:i], strings.TrimSpace(text[i:])
	}
	return text, ""
}

// prepared is a source without its head and its comments.
type prepared struct {
	title string
	// kind is the first word, such as "sequenceDiagram", and rest is what follows it on its line.
	kind, rest string
	// line is the line of kind, counted from 1.
	line int
	// statements are the statements after that line.
	statements []statement
}

// statement is a line, or the part of a line before a semicolon.
type statement struct {
	line int
	text string
}

// unknown returns the error of a statement that the package does not know.
func (s statement) unknown() error {
	return fmt.Errorf("line %d: %.80q is not understood", s.line, s.text)
}

// prepare reads the head, drops comments and divides the rest into statements.
func prepare(source string) (prepared, error) {
	var p prepared
	head := "" // what the head is within: nothing, "---" or a key of it
	for i, line := range strings.Split(source, "\n") {
		text := strings.TrimSpace(line)
		s := statement{i + 1, text}
		switch {
		case text == "":
		case head != "" && text == "---":
			head = ""
		case head != "":
			var err error
			if head, err = p.headLine(head, line, s); err != nil {
				return p, err
			}
		case text == "---" && p.kind == "" && p.title == "":
			head = "---"
		case strings.HasPrefix(text, "%%{") && !strings.HasSuffix(text, "}%%"):
			return p, s.unknown() // a directive of several lines
		case strings.HasPrefix(text, "%%"):
		case p.kind == "":
			p.kind, p.rest = firstWord(strings.TrimRight(text, "; \t"))
			p.line = s.line
		default:
			for part := range splitStatements(text) {
				p.statements = append(p.statements, statement{s.line, part})
			}
		}
	}
	if p.kind == "" {
		return p, errors.New("the diagram is empty")
	}
	return p, nil
}

// headLine reads a line of the head. It accepts a title and the configuration, and returns the key
// to which indented lines that follow belong.
func (p *prepared) headLine(head, line string, s statement) (string, error) {
	if line[0] == ' ' || line[0] == '\t' {
		if head == "config" {
			return head, nil
		}
		return head, s.unknown()
	}
	key, value, _ := strings.Cut(s.text, ":")
	value = strings.TrimSpace(value)
	switch {
	case key == "title" && value != "":
		if n := len(value); n > 1 && strings.ContainsRune(`"'`, rune(value[0])) &&
			value[0] == value[n-1] {
			value = value[1 : n-1]
		}
		p.title = value
		return key, nil
	case key == "config" && value == "":
		return key, nil
	}
	return head, s.unknown()
}

// splitStatements yields the parts of a line between semicolons. A semicolon that ends an entity,
// or is within quotes, does not divide.
func splitStatements(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := 0
		for i := 0; i <= len(text); i++ {
			if i < len(text) && (text[i] != ';' || endsEntity(text[start:i]) ||
				strings.Count(text[start:i], `"`)%2 == 1) {
				continue
			}
			if part := strings.TrimSpace(text[start:i]); part != "" && !yield(part) {
				return
			}
			start = i + 1
		}
	}
}

// entity matches an entity without its semicolon: HTML's, or Mermaid's with a number sign alone.
var entity = regexp.MustCompile(`(?:&#?|#)\w+$`)

// endsEntity reports whether a semicolon after text would end an entity.
func endsEntity(text string) bool {
	const longest = 12
	return entity.MatchString(text[max(0, len(text)-longest):])
}

// Elements and entities within labels.
var (
	lineBreak     = regexp.MustCompile(`(?i)<br\s*/?>`)
	mermaidEntity = regexp.MustCompile(`(^|[^&])#(\w+);`)
	onlyDigits    = regexp.MustCompile(`^\d+$`)
)

// label returns the lines of a label: those of the author, each wrapped at most pixels. Blank lines
// are dropped.
func label(text string, most int) (lines []string) {
	for _, line := range lineBreak.Split(text, -1) {
		line = mermaidEntity.ReplaceAllStringFunc(line, func(found string) string {
			m := mermaidEntity.FindStringSubmatch(found)
			if onlyDigits.MatchString(m[2]) {
				return m[1] + "&#" + m[2] + ";"
			}
			return m[1] + "&" + m[2] + ";"
		})
		lines = append(lines, wrap(html.UnescapeString(line), most)...)
	}
	return lines
}
