package diagram

import (
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
	// named are the ids of edges. Statements about them only concern colors.
	named map[string]bool
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
// and 0 for none. An edge without a class is not drawn: it only places its nodes.
type flowEdge struct {
	from, to   int
	start, end byte
	class      string
	lines      []string
	// fromFrame and toFrame are the groups at whose frames the edge ends, instead of at its nodes
	// in them, or -1.
	fromFrame, toFrame int
}

// directions are the directions of flowcharts by their abbreviation.
var directions = map[string]string{
	"": "down", "TD": "down", "TB": "down", "BT": "up", "LR": "right", "RL": "left",
}

// shapes are the brackets around a label, by shape. A bracket that begins with another one precedes
// it.
var shapes = []struct{ open, end, shape string }{
	{"([", "])", "stadium"}, {"[[", "]]", "routine"}, {"[(", ")]", "cylinder"},
	{"(((", ")))", "double"}, {"((", "))", "circle"},
	{"[/", "/]", "right"}, {`[\`, `\]`, "left"}, {"[/", `\]`, "wide"}, {`[\`, "/]", "narrow"},
	{"{{", "}}", "hexagon"}, {"[", "]", "box"}, {"(", ")", "round"}, {"{", "}", "diamond"},
	{">", "]", "flag"},
}

var (
	flowID = regexp.MustCompile(`^[\pL\pN_.$/*#]+(?:-[\pL\pN_$/*#]+)*`)
	class  = regexp.MustCompile(`^:::[\w-]+`)
	// A link is whole, or its label is between its halves.
	wholeLink = regexp.MustCompile(`^([<xo]?)(-{2,}[->xo]|={2,}[=>xo]|-\.+-[>xo]?|~~~+)`)
	edgeID    = regexp.MustCompile(`^([\w-]+)@[<xo]?[-=~]`)
	halfLink  = regexp.MustCompile(`^([<xo]?)(--|==|-\.)`)
	otherHalf = map[string]*regexp.Regexp{
		"--": regexp.MustCompile(`-{2,}[->xo]`), "==": regexp.MustCompile(`={2,}[=>xo]`),
		"-.": regexp.MustCompile(`\.+-[>xo]?`),
	}
	linkLabel = regexp.MustCompile(`^\s*\|([^|]*)\|`)
	// ignored matches what only concerns colors and clicks.
	ignored = regexp.MustCompile(`^(?:classDef|class|style|linkStyle|click)\s`)
	// propertyOf matches a statement about an edge.
	propertyOf = regexp.MustCompile(`^([\w-]+)@\{[^{}]*\}$`)
	groupHead  = regexp.MustCompile(`^([^\[\]"]*?)\s*(?:\[(.*)\])?$`)
)

// parseFlow reads the statements of a flowchart.
func parseFlow(p prepared) (*flow, error) {
	f := &flow{index: map[string]int{}, named: map[string]bool{}}
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
		return tooLarge(line, "at most %d nodes, %d edges and %d frames within each other, got "+
			"more", maxNodes, maxEdges, maxDepth)
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
	case propertyOf.MatchString(text) && f.named[propertyOf.FindStringSubmatch(text)[1]]:
		return true
	case word == "direction": // the whole chart has one
		_, ok := directions[rest]
		return ok && len(f.open) > 0
	}
	return f.chain(text)
}

// unquote returns the text within double quotes.
func unquote(text string) (string, bool) {
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		return text[1 : n-1], true
	}
	return text, false
}

// Icons and the marks of Markdown's emphasis are not drawn.
var (
	icon     = regexp.MustCompile(`\bfa[bklrs]?:fa-[\w-]+`)
	emphasis = regexp.MustCompile(`\*\*([^*]+)\*\*|\*([^*]+)\*|\b_([^_]+)_\b`)
)

// flowLabel returns the lines of a label. In flowcharts \n breaks a line, too. A label between
// backticks is Markdown.
func flowLabel(text string, most int) []string {
	if n := len(text); n > 2 && text[0] == '`' && text[n-1] == '`' {
		text = emphasis.ReplaceAllString(text[1:n-1], "$1$2$3")
	}
	text = icon.ReplaceAllString(text, "")
	return label(strings.ReplaceAll(text, `\n`, "<br>"), most)
}

// node returns the node of an id, and adds it to a group if there is none.
func (f *flow) node(id string, group int) int {
	i, ok := f.index[id]
	if ok && f.nodes[i].group < 0 {
		f.nodes[i].group = group
	}
	if !ok {
		i = len(f.nodes)
		f.index[id] = i
		lines := flowLabel(id, wrapName)
		f.nodes = append(f.nodes, flowNode{shape: "box", lines: lines, group: group})
	}
	return i
}

// chain reads nodes with links between them.
func (f *flow) chain(text string) bool {
	from, text, ok := f.nodesOf(text)
	for ok && text != "" {
		var e flowEdge
		var to []int
		if m := edgeID.FindStringSubmatch(text); m != nil {
			f.named[m[1]], text = true, text[len(m[1])+1:]
		}
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
	n := &f.nodes[node]
	if inner, found := strings.CutPrefix(text, "@{"); found {
		inner, rest, found = strings.Cut(inner, "}")
		return rest, found && n.properties(inner)
	}
	opened := false
	for _, s := range shapes {
		inner, found := strings.CutPrefix(text, s.open)
		if !found {
			continue
		}
		opened = true
		title := ""
		if strings.HasPrefix(inner, `"`) {
			title, inner, found = strings.Cut(inner[1:], `"`)
			found = found && strings.HasPrefix(inner, s.end)
			rest = strings.TrimPrefix(inner, s.end)
		} else {
			title, rest, found = strings.Cut(inner, s.end)
			// Mermaid wants quotes around brackets. A slash at an end makes another shape.
			found = found && !strings.ContainsAny(title, `[](){}"`) &&
				strings.Trim(title, `/\`) == title
		}
		if found {
			n.shape = s.shape
			n.lines = flowLabel(title, n.wrap())
			return rest, true
		}
	}
	return text, !opened
}

// wrap returns the width at which the label of a node wraps.
func (n *flowNode) wrap() int {
	if n.shape == "diamond" || n.shape == "circle" || n.shape == "double" {
		return wrapName
	}
	return wrapNote
}

// property matches a key of a node with its value.
var property = regexp.MustCompile(`^\s*(shape|label)\s*:\s*(?:"([^"]*)"|([^",]*[^\s",]))\s*(?:,|$)`)

// properties reads the shape and the label of a node in Mermaid's newer syntax.
func (n *flowNode) properties(text string) bool {
	for strings.TrimSpace(text) != "" {
		m := property.FindStringSubmatch(text)
		if m == nil {
			return false
		}
		text = text[len(m[0]):]
		if m[1] == "label" {
			n.lines = flowLabel(m[2]+m[3], n.wrap())
		} else if n.shape = "box"; shapeNames[m[2]+m[3]] != "" {
			n.shape = shapeNames[m[2]+m[3]]
		}
	}
	return true
}

// shapeNames has the shapes by their names in the newer syntax. Other names, most of which stand
// for a document or a device, are boxes.
var shapeNames = map[string]string{
	"rounded": "round", "event": "round", "stadium": "stadium", "pill": "stadium",
	"terminal": "stadium", "subproc": "routine", "subprocess": "routine", "subroutine": "routine",
	"fr-rect": "routine", "cyl": "cylinder", "db": "cylinder", "database": "cylinder",
	"cylinder": "cylinder", "circle": "circle", "circ": "circle", "dbl-circ": "double",
	"double-circle": "double", "diam": "diamond", "diamond": "diamond", "decision": "diamond",
	"question": "diamond", "hex": "hexagon", "hexagon": "hexagon", "prepare": "hexagon",
	"lean-r": "right", "lean-right": "right", "in-out": "right", "lean-l": "left",
	"lean-left": "left", "out-in": "left", "trap-b": "wide", "trapezoid": "wide",
	"trap-t": "narrow", "odd": "flag",
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
	e.lines, e.class, e.fromFrame, e.toFrame = flowLabel(title, wrapEdge), "line", -1, -1
	switch {
	case body[0] == '~':
		e.class = ""
		return e, rest, title == ""
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
