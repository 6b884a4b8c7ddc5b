// Package diagram draws Mermaid diagrams as SVG. Its reader accepts less than Mermaid: a diagram
// with a line that the package does not know is not drawn at all, since a reader could not see what
// a drawing lacks. Colors and themes of the source are ignored; the page colors by class.
//
// Time and output are bounded by properties of the source, and the same source gives the same
// bytes.
package diagram

import (
	"cmp"
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Bounds of a diagram. They are several times the size of the largest diagrams in proposals.
const (
	// maxSource bounds the source, in bytes.
	maxSource = 16 << 10
	// maxParticipants and maxSteps bound a sequence diagram.
	maxParticipants, maxSteps = 40, 500
	// maxNodes and maxEdges bound a flowchart.
	maxNodes, maxEdges = 150, 300
	// maxDepth bounds frames within each other, and activations.
	maxDepth = 12
	// maxWidth bounds a drawing, in pixels: nobody finds anything in a wider one.
	maxWidth = 6000
	// maxOutput bounds the SVG, in bytes.
	maxOutput = 128 << 10
)

// Diagram is a drawing.
type Diagram struct {
	// Kind is the kind in words, such as "state diagram", or the first word of a kind that is not
	// drawn. It is empty for a source that states none.
	Kind string
	// Name is the kind of the diagram with its title or its first words, as plain text.
	Name string
	// SVG is an svg element with text elements. It has classes, and no style, id or address.
	SVG []byte
}

// Draw draws the source of a Mermaid diagram. The error is an [Error]; Kind is set even then, if
// the source states it.
func Draw(source string) (Diagram, error) {
	if len(source) > maxSource {
		return Diagram{}, tooLarge(0, "a source of at most %d bytes, got %d", maxSource,
			len(source))
	}
	if !utf8.ValidString(source) {
		return Diagram{}, &Error{0, "want UTF-8, got other bytes"}
	}
	p, err := prepare(source)
	d := Diagram{Kind: p.name()}
	if err != nil {
		return d, err
	}
	var c *canvas
	var about string
	switch d.Kind {
	case kinds["sequenceDiagram"]:
		s, err := parseSequence(p)
		if err != nil {
			return d, err
		}
		about, c = s.about(), s.draw()
	case kinds["flowchart"], kinds["stateDiagram"]:
		parse := parseFlow
		if d.Kind == kinds["stateDiagram"] {
			parse = parseState
		}
		f, err := parse(p)
		if err != nil {
			return d, err
		}
		about = f.about()
		if c, err = f.draw(); err != nil {
			return d, err
		}
	default:
		return d, &Error{p.line, fmt.Sprintf("want a flowchart, a sequence diagram or a state "+
			"diagram, got %.40q", p.kind)}
	}
	if spoken := cmp.Or(p.spoken, p.title); spoken != "" {
		about = strings.Join(label(spoken, maxWidth), " ")
	}
	d.Name = shorten(strings.ToUpper(d.Kind[:1]) + d.Kind[1:] + ": " + about)
	svg := c.svg(d.Name, p.title)
	switch {
	case c.right-c.left > maxWidth:
		return d, tooLarge(0, "a drawing of at most %d pixels in width, got %d", maxWidth,
			c.right-c.left)
	case len(svg) > maxOutput:
		return d, tooLarge(0, "a drawing of at most %d bytes, got %d", maxOutput, len(svg))
	}
	d.SVG = svg
	return d, nil
}

// kinds are the kinds that are drawn, by the first word of their source.
var kinds = map[string]string{
	"sequenceDiagram": "sequence diagram", "graph": "flowchart", "flowchart": "flowchart",
	"stateDiagram": "state diagram", "stateDiagram-v2": "state diagram",
}

// plainWord matches a word that can be shown as the name of a kind.
var plainWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,29}$`)

// name returns the kind in words, or the first word of a kind that is not drawn. It is empty if
// that word is not plain.
func (p prepared) name() string {
	if name, ok := kinds[p.kind]; ok || !plainWord.MatchString(p.kind) {
		return name
	}
	return p.kind
}

// Error is the reason for which a diagram is not drawn.
type Error struct {
	// Line is the line of the source that prevents the drawing, from 1; 0 is the whole source.
	Line   int
	Reason string
}

// Error implements error.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
}

// tooLarge returns the error for a diagram that exceeds a bound.
func tooLarge(line int, format string, args ...any) error {
	return &Error{line, "want " + fmt.Sprintf(format, args...)}
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
	// spoken is the title for screen readers, or empty.
	spoken string
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
	return &Error{s.line, fmt.Sprintf("%.80q is not understood", s.text)}
}

// described matches a title or a description for screen readers, and titleInside the title of a
// sequence diagram.
var (
	described   = regexp.MustCompile(`^(accTitle|accDescr)\s*(?::\s*(.*)|(\{)([^}]*))$`)
	titleInside = regexp.MustCompile(`^title\s*:\s*(.*)$`)
)

// prepare reads the head, drops comments and divides the rest into statements.
func prepare(source string) (prepared, error) {
	var p prepared
	head := ""           // the open block: "---" or a key of it, "%%{" or "accDescr"
	var quoted statement // the lines since quotes that have no end yet
	for i, line := range strings.Split(source, "\n") {
		text := strings.TrimSpace(line)
		s := statement{i + 1, text}
		if head == "%%{" || head == "accDescr" {
			ends := map[string]string{"%%{": "}%%", "accDescr": "}"}
			if strings.HasSuffix(text, ends[head]) {
				head = ""
			}
			continue
		}
		odd := kinds[p.kind] == "flowchart" && strings.Count(text, `"`)%2 == 1
		switch m := described.FindStringSubmatch(text); {
		case quoted.text != "":
			quoted.text += "<br>" + text
			if odd {
				p.add(quoted)
				quoted.text = ""
			}
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
			head = "%%{"
		case strings.HasPrefix(text, "%%"):
		case p.kind != "" && m != nil && m[1] == "accTitle" && m[3] == "":
			p.spoken = m[2]
		case p.kind != "" && m != nil && m[1] == "accDescr":
			if m[3] != "" {
				head = "accDescr"
			}
		case p.kind == "sequenceDiagram" && titleInside.MatchString(text):
			p.title = cmp.Or(p.title, titleInside.FindStringSubmatch(text)[1])
		case odd:
			quoted = s
		default:
			p.add(s)
		}
	}
	switch {
	case quoted.text != "":
		return p, quoted.unknown()
	case p.kind == "":
		return p, &Error{0, "the diagram is empty"}
	}
	return p, nil
}

// add adds the statements of a line. The first one states the kind.
func (p *prepared) add(s statement) {
	for part := range splitStatements(s.text) {
		switch {
		case strings.HasPrefix(part, "%%"):
			return // a comment up to the end of the line
		case p.kind == "":
			p.kind, p.rest = firstWord(part)
			p.line = s.line
		default:
			p.statements = append(p.statements, statement{s.line, part})
		}
	}
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
// or is within quotes or brackets, separates nothing.
func splitStatements(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, depth, quoted := 0, 0, false
		for i := 0; i <= len(text); i++ {
			if i < len(text) {
				switch c := text[i]; {
				case c == '"':
					quoted = !quoted
				case quoted:
				case strings.IndexByte("([{", c) >= 0:
					depth++
				case strings.IndexByte(")]}", c) >= 0:
					depth = max(0, depth-1)
				}
				if text[i] != ';' || quoted || depth > 0 || endsEntity(text[start:i]) {
					continue
				}
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

// label returns the lines of a label: the author's lines, each wrapped at most pixels. Blank lines
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
