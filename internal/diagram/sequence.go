package diagram

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sequence is a parsed sequence diagram.
type sequence struct {
	participants []participant
	index        map[string]int // of participants by name
	steps        []step

	boxes  []columnBox
	open   []string // words of the open frames
	active []int    // number of open activations by participant
	number int      // of the next message, 0 for none
	by     int      // how the number increases
}

// participant is a column.
type participant struct {
	lines []string
	actor bool
	// share is the column's share of the width of its box's title, in pixels.
	share int
}

// columnBox is a box around the columns from one up to another, without the latter.
type columnBox struct {
	from, to int
	lines    []string
}

// action is what a step does.
type action int

const (
	message action = iota
	note
	activate
	deactivate
	begin  // of a frame
	divide // a frame
	end    // of a frame
)

// step is one statement. Its fields depend on its action.
type step struct {
	action   action
	from, to int    // participants, equal for a message to itself
	arrow    string // of a message
	opens    bool   // the message opens an activation of its target
	side     string // of a note: "left of", "right of" or "over"
	word     string // of a frame
	lines    []string
}

// dividers holds the words that divide a frame, by the frame's word. Words without a divider are
// frames, too.
var dividers = map[string]string{
	"alt": "else", "par": "and", "critical": "option",
	"loop": "", "opt": "", "break": "", "rect": "",
}

// arrows are Mermaid's arrows. An arrow that begins with another one precedes it.
var arrows = []string{"<<-->>", "<<->>", "-->>", "->>", "-->", "->", "--x", "-x", "--)", "-)"}

var (
	noteText = regexp.MustCompile(`(?i)^note\s+(left of|right of|over)\s+([^:]+):(.*)$`)
	as       = regexp.MustCompile(`(?i)\s+as\s+`)
	// name matches a participant's name. Mermaid has a newer syntax with @{ for other shapes.
	name      = regexp.MustCompile(`^[^+<>:,@]+$`)
	numbering = regexp.MustCompile(`(?i)^autonumber(?:\s+(off|\d{1,4})(?:\s+(\d{1,4}))?)?$`)
)

// parseSequence reads the statements of a sequence diagram.
func parseSequence(p prepared) (*sequence, error) {
	s := &sequence{index: map[string]int{}}
	if p.rest != "" {
		return nil, statement{p.line, p.rest}.unknown()
	}
	for _, st := range p.statements {
		if !s.statement(st.text) {
			return nil, st.unknown()
		}
		if len(s.participants) > maxParticipants || len(s.steps) > maxSteps ||
			len(s.open) > maxDepth || slices.ContainsFunc(s.active, tooDeep) {
			return nil, tooLarge(st.line, "at most %d participants, %d steps, and %d frames or "+
				"activations within each other, got more", maxParticipants, maxSteps, maxDepth)
		}
	}
	switch {
	case len(s.open) > 0:
		return nil, &Error{0, fmt.Sprintf("the frame %q has no end", s.open[len(s.open)-1])}
	case len(s.participants) == 0:
		return nil, &Error{p.line, "the diagram is empty"}
	}
	return s, nil
}

// tooDeep reports whether more activations are open than are drawn.
func tooDeep(active int) bool { return active > maxDepth }

// statement reads a statement and reports whether it understands it.
func (s *sequence) statement(text string) bool {
	word, rest := firstWord(text)
	word = strings.TrimSuffix(strings.ToLower(word), "_over")
	_, frame := dividers[word]
	top := ""
	if len(s.open) > 0 {
		top = s.open[len(s.open)-1]
	}
	switch {
	case word == "participant" || word == "actor":
		return s.declare(rest, word == "actor")
	case top == "box" && text != "end":
		return false
	case word == "box":
		s.open = append(s.open, word)
		s.boxes = append(s.boxes, columnBox{from: len(s.participants), lines: boxTitle(rest)})
		return top == ""
	case top == "box":
		s.open = s.open[:len(s.open)-1]
		return s.endBox()
	case word == "link" || word == "links":
		return linkOf.MatchString(rest)
	case word == "activate" || word == "deactivate":
		i, ok := s.participant(rest)
		if !ok || word == "deactivate" {
			return ok && s.deactivate(i)
		}
		s.active[i]++
		s.steps = append(s.steps, step{action: activate, from: i})
	case word == "autonumber":
		return s.autonumber(text)
	case word == "note":
		return s.note(text)
	case word == "end" && rest == "" && top != "":
		s.open = s.open[:len(s.open)-1]
		s.steps = append(s.steps, step{action: end})
	case top != "" && dividers[top] == word:
		s.steps = append(s.steps, step{action: divide, lines: label(rest, wrapFrame)})
	case frame:
		if word == "rect" {
			if !color.MatchString(rest) {
				return false
			}
			rest = "" // the style sheet has the color
		}
		s.open = append(s.open, word)
		s.steps = append(s.steps, step{action: begin, word: word, lines: label(rest, wrapFrame)})
	default:
		return s.message(text)
	}
	return true
}

// linkOf matches the links of a participant, which are not drawn.
var linkOf = regexp.MustCompile(`^[^:]+:\s*(?:\{.*\}|[^@]+@\s*\S+)$`)

// boxColor matches the color with which the title of a box may begin.
var boxColor = regexp.MustCompile(`(?i)^(?:(?:rgb|hsl)a?\([^)]*\)|#[0-9a-f]{3,8}|transparent|` +
	`(?:light|dark|medium|pale|deep|hot|sky|royal|navajo|floral|ghost|antique|alice|powder|steel)*` +
	`(?:aqua|azure|beige|black|blue|brown|coral|cyan|gold|gray|green|grey|indigo|ivory|khaki|` +
	`lavender|lime|linen|magenta|maroon|navy|olive|orange|orchid|pink|plum|purple|red|salmon|` +
	`sienna|silver|snow|tan|teal|tomato|turquoise|violet|wheat|white|yellow)+)(?:\s+|$)`)

// boxTitle returns the lines of the title of a box.
func boxTitle(text string) []string {
	return label(text[len(boxColor.FindString(text)):], wrapName)
}

// endBox closes the newest box, whose columns share the width of the title. It returns false if the
// box has no columns.
func (s *sequence) endBox() bool {
	b := &s.boxes[len(s.boxes)-1]
	b.to = len(s.participants)
	for i := b.from; i < b.to; i++ {
		s.participants[i].share = widest(b.lines)/(b.to-b.from) + 1
	}
	return b.to > b.from
}

// color matches a color of a rect.
var color = regexp.MustCompile(`(?i)^(?:#?\w+|(?:rgb|hsl)a?\([\d.,%\s]+\))?$`)

// participant returns the column of a name, and adds the column if there is none.
func (s *sequence) participant(text string) (int, bool) {
	text = strings.TrimSpace(text)
	if !name.MatchString(text) {
		return 0, false
	}
	i, ok := s.index[text]
	if !ok {
		i = len(s.participants)
		s.index[text] = i
		s.participants = append(s.participants, participant{lines: label(text, wrapName)})
		s.active = append(s.active, 0)
	}
	return i, true
}

// declare reads a participant's name, and its label if it has one.
func (s *sequence) declare(text string, actor bool) bool {
	title := ""
	if at := as.FindStringIndex(text); at != nil {
		text, title = text[:at[0]], text[at[1]:]
	}
	i, ok := s.participant(text)
	if !ok {
		return false
	}
	s.participants[i].actor = actor
	if title != "" {
		s.participants[i].lines = label(title, wrapName)
	}
	return true
}

// deactivate closes the innermost activation of a participant, and reports whether there is one.
func (s *sequence) deactivate(i int) bool {
	s.active[i]--
	s.steps = append(s.steps, step{action: deactivate, from: i})
	return s.active[i] >= 0
}

// autonumber numbers the messages from now on.
func (s *sequence) autonumber(text string) bool {
	m := numbering.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	s.number, s.by = 1, 1
	if n, err := strconv.Atoi(m[1]); err == nil {
		s.number = n
	} else if m[1] != "" {
		s.number = 0 // off
	}
	if n, err := strconv.Atoi(m[2]); err == nil {
		s.by = n
	}
	return true
}

// note reads a note.
func (s *sequence) note(text string) bool {
	m := noteText.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	first, second, two := strings.Cut(m[2], ",")
	from, ok := s.participant(first)
	if !ok {
		return false
	}
	to, side := from, strings.ToLower(m[1])
	if two {
		if to, ok = s.participant(second); !ok || side != "over" {
			return false
		}
	}
	s.steps = append(s.steps, step{action: note, from: min(from, to), to: max(from, to),
		side: side, lines: label(m[3], wrapNote)})
	return true
}

// message reads a message with its arrow.
func (s *sequence) message(text string) bool {
	head, body, ok := strings.Cut(text, ":")
	if !ok {
		return false
	}
	at, arrow := findArrow(head)
	if arrow == "" {
		return false
	}
	target := strings.TrimSpace(head[at+len(arrow):])
	sign := ""
	if target != "" && (target[0] == '+' || target[0] == '-') {
		sign, target = target[:1], target[1:]
	}
	from, ok := s.participant(head[:at])
	to, ok2 := s.participant(target)
	if !ok || !ok2 {
		return false
	}
	if s.number > 0 {
		body = fmt.Sprintf("%d. %s", s.number, body)
		s.number += s.by
	}
	s.steps = append(s.steps, step{action: message, from: from, to: to, arrow: arrow,
		opens: sign == "+", lines: label(body, wrapMessage)})
	if sign == "+" {
		s.active[to]++
	}
	return sign != "-" || s.deactivate(from)
}

// findArrow returns the first arrow of a message and its place, or no arrow.
func findArrow(text string) (at int, arrow string) {
	for at = range text {
		for _, arrow := range arrows {
			if strings.HasPrefix(text[at:], arrow) {
				return at, arrow
			}
		}
	}
	return 0, ""
}

// about returns the names of the first participants.
func (s *sequence) about() string {
	var names []string
	for _, p := range s.participants {
		names = append(names, strings.Join(p.lines, " "))
	}
	return firstFew(names)
}
