package diagram

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// flow is a parsed flowchart: nodes, the edges between them, and the frames around them.
type flow struct {
	direction string // where edges lead: down, right, up or left
	nodes     []flowNode
	index     map[string]int // of nodes by id
	edges     []flowEdge
	groups    []group

	open []int // the open groups
}

// flowNode is a node. Its group is -1 outside of all groups.
type flowNode struct {
	shape string
	lines []string
	group int
	// described reports that the lines of a state are not its id.
	described bool
}

// flowEdge is an edge. Its ends are 'x' and 'o' for a cross and a circle, '<' and '>' for an arrow,
// and 0 for none.
type flowEdge struct {
	from, to   int
	start, end byte
	class      string
	lines      []string
}

// group is a frame around nodes, within its parent or -1.
type group struct {
	id     string
	lines  []string
	parent int
	filled bool // it holds a node or a group
}

// directions are the directions of flowcharts by their abbreviation.
var directions = map[string]string{
	"": "down", "TD": "down", "TB": "down", "BT": "up", "LR": "right", "RL": "left",
}

// shapes are the brackets around a label, by shape. One that begins like another precedes it.
var shapes = []struct{ open, end, shape string }{
	{"([", "])", "stadium"}, {"[[", "]]", "routine"}, {"[(", ")]", "cylinder"},
	{"((", "))", "circle"},
	{"{{", "}}", "hexagon"}, {"[", "]", "box"}, {"(", ")", "round"}, {"{", "}", "diamond"},
	{">", "]", "flag"},
}

var (
	flowID = regexp.MustCompile(`^[\pL\pN_.$/*#]+(?:-[\pL\pN_$/*#]+)*`)
	class  = regexp.MustCompile(`^:::[\w-]+`)
	// A link is whole, or its label is between its halves.
	wholeLink = regexp.MustCompile(`^([<xo]?)(-{2,}[->xo]|={2,}[=>xo]|-\.+-[>xo]?)`)
	halfLink  = regexp.MustCompile(`^([<xo]?)(--|==|-\.)`)
	otherHalf = map[string]*regexp.Regexp{
		"--": regexp.MustCompile(`-{2,}[->xo]`), "==": regexp.MustCompile(`={2,}[=>xo]`),
		"-.": regexp.MustCompile(`\.+-[>xo]?`),
	}
	linkLabel = regexp.MustCompile(`^\s*\|([^|]*)\|`)
	// ignored matches what only concerns colors and clicks.
	ignored   = regexp.MustCompile(`^(?:classDef|class|style|linkStyle|click)\s`)
	groupHead = regexp.MustCompile(`^([^\[\]"]*?)\s*(?:\[(.*)\])?$`)
)

// parseFlow reads the statements of a flowchart.
func parseFlow(p prepared) (*flow, error) {
	f := &flow{index: map[string]int{}}
	direction, ok := directions[p.rest]
	if !ok {
		return nil, statement{p.line, p.rest}.unknown()
	}
	f.direction = direction
	for _, st := range p.statements {
		if !f.statement(st.text) {
			return nil, st.unknown()
		}
		if err := f.tooLarge(st.line); err != nil {
			return nil, err
		}
	}
	return f, f.finish()
}

// tooLarge returns an error if the flowchart exceeds a bound.
func (f *flow) tooLarge(line int) error {
	if len(f.nodes) > maxNodes || len(f.edges) > maxEdges || len(f.open) > maxDepth ||
		len(f.groups) > maxNodes {
		return fmt.Errorf("line %d: more than %d nodes, %d edges or %d frames within each other",
			line, maxNodes, maxEdges, maxDepth)
	}
	return nil
}

// finish makes nodes of empty groups, as Mermaid does.
func (f *flow) finish() error {
	if len(f.open) > 0 {
		return errors.New("a frame has no end")
	}
	for _, g := range f.groups {
		i, named := f.index[g.id]
		switch {
		case g.filled && named:
			return fmt.Errorf("an edge leads to the frame %q", g.id)
		case g.filled:
		case named:
			f.nodes[i].lines, f.nodes[i].group = g.lines, g.parent
		default:
			f.node(g.id, g.parent)
			f.nodes[len(f.nodes)-1].lines = g.lines
		}
	}
	if len(f.nodes) == 0 {
		return errors.New("the diagram is empty")
	}
	return nil
}

// statement reads a statement and reports whether it understands it.
func (f *flow) statement(text string) bool {
	word, rest := firstWord(text)
	switch {
	case ignored.MatchString(text):
		return true
	case word == "subgraph":
		return f.subgraph(rest)
	case text == "end":
		return f.endGroup()
	case word == "direction": // the whole chart has one
		_, ok := directions[rest]
		return ok && len(f.open) > 0
	}
	return f.chain(text)
}

// group returns the innermost open group, or -1.
func (f *flow) group() int {
	if n := len(f.open); n > 0 {
		return f.open[n-1]
	}
	return -1
}

// subgraph opens a group.
func (f *flow) subgraph(text string) bool {
	id, title := text, text
	if unquoted, ok := unquote(text); ok {
		id, title = unquoted, unquoted
	} else if m := groupHead.FindStringSubmatch(text); m == nil || m[1] == "" {
		return false
	} else if id = m[1]; m[2] != "" {
		if title, ok = unquote(m[2]); !ok {
			title = m[2]
		}
	}
	return f.startGroup(id, title)
}

// startGroup opens a group, which no other may be named like.
func (f *flow) startGroup(id, title string) bool {
	for _, g := range f.groups {
		if g.id == id {
			return false
		}
	}
	parent := f.group()
	if parent >= 0 {
		f.groups[parent].filled = true
	}
	f.groups = append(f.groups, group{id: id, lines: flowLabel(title, wrapMessage), parent: parent})
	f.open = append(f.open, len(f.groups)-1)
	return true
}

// endGroup closes the innermost group, if there is one.
func (f *flow) endGroup() bool {
	n := len(f.open)
	f.open = f.open[:max(0, n-1)]
	return n > 0
}

// unquote returns the text within double quotes.
func unquote(text string) (string, bool) {
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		return text[1 : n-1], true
	}
	return text, false
}

// flowLabel returns the lines of a label. In flowcharts \n breaks a line, too.
func flowLabel(text string, most int) []string {
	return label(strings.ReplaceAll(text, `\n`, "<br>"), most)
}

// node returns the node of an id, and adds it to a group if there is none.
func (f *flow) node(id string, group int) int {
	i, ok := f.index[id]
	if ok && f.nodes[i].group < 0 && group >= 0 {
		f.nodes[i].group, f.groups[group].filled = group, true
	}
	if !ok {
		i = len(f.nodes)
		f.index[id] = i
		lines := flowLabel(id, wrapName)
		f.nodes = append(f.nodes, flowNode{shape: "box", lines: lines, group: group})
		if group >= 0 {
			f.groups[group].filled = true
		}
	}
	return i
}

// chain reads nodes with links between them.
func (f *flow) chain(text string) bool {
	from, text, ok := f.nodesOf(text)
	for ok && text != "" {
		var e flowEdge
		var to []int
		if e, text, ok = link(text); !ok {
			return false
		}
		if to, text, ok = f.nodesOf(text); !ok {
			return false
		}
		for _, e.from = range from {
			for _, e.to = range to {
				if f.edges = append(f.edges, e); len(f.edges) > maxEdges {
					return true // the caller reports that
				}
			}
		}
		from = to
	}
	return ok
}

// nodesOf reads nodes with ampersands between them, and returns the text that follows.
func (f *flow) nodesOf(text string) (nodes []int, rest string, ok bool) {
	for {
		text = strings.TrimSpace(text)
		id := flowID.FindString(text)
		if id == "" {
			return nil, text, false
		}
		i := f.node(id, f.group())
		nodes = append(nodes, i)
		if text, ok = f.label(i, text[len(id):]); !ok {
			return nil, text, false
		}
		text = strings.TrimSpace(text[len(class.FindString(text)):])
		if text == "" || text[0] != '&' {
			return nodes, text, true
		}
		text = text[1:]
	}
}

// label reads the shape and the label of a node, if it has one.
func (f *flow) label(node int, text string) (rest string, ok bool) {
	for _, s := range shapes {
		inner, found := strings.CutPrefix(text, s.open)
		if !found {
			continue
		}
		title := ""
		if strings.HasPrefix(inner, `"`) {
			title, inner, found = strings.Cut(inner[1:], `"`)
			found = found && strings.HasPrefix(inner, s.end) && !strings.HasPrefix(title, "`")
			rest = strings.TrimPrefix(inner, s.end)
		} else {
			title, rest, found = strings.Cut(inner, s.end)
			// Mermaid wants quotes around brackets. A slash at an end makes another shape.
			found = found && !strings.ContainsAny(title, `[](){}"`) &&
				strings.Trim(title, `/\`) == title
		}
		most := wrapNote
		if s.shape == "diamond" || s.shape == "circle" {
			most = wrapName
		}
		f.nodes[node].shape, f.nodes[node].lines = s.shape, flowLabel(title, most)
		return rest, found
	}
	return text, true
}

// link reads a link with its label, and returns the text that follows.
func link(text string) (e flowEdge, rest string, ok bool) {
	title, head, body := "", "", ""
	if m := wholeLink.FindStringSubmatch(text); m != nil {
		head, body, rest = m[1], m[2], text[len(m[0]):]
		if m := linkLabel.FindStringSubmatch(rest); m != nil {
			title, rest = m[1], rest[len(m[0]):]
		}
	} else if m := halfLink.FindStringSubmatch(text); m != nil {
		head, text = m[1], text[len(m[0]):]
		at := otherHalf[m[2]].FindStringIndex(text)
		if at == nil {
			return e, text, false
		}
		title, body, rest = text[:at[0]], m[2]+text[at[0]:at[1]], text[at[1]:]
	} else {
		return e, text, false
	}
	title = strings.TrimSpace(title)
	title, _ = unquote(title)
	e.lines, e.class = flowLabel(title, wrapEdge), "line"
	switch {
	case strings.Contains(body, "."):
		e.class += " dash"
	case strings.Contains(body, "="):
		e.class += " thick"
	}
	if last := body[len(body)-1]; last == '>' || last == 'x' || last == 'o' {
		e.end = last
	}
	if head != "" {
		e.start = head[0]
	}
	return e, rest, true
}

// about returns the labels of the first nodes.
func (f *flow) about() string {
	var names []string
	for _, n := range f.nodes {
		if name := strings.Join(n.lines, " "); name != "" {
			names = append(names, name)
		}
	}
	return firstFew(names)
}
