package diagram

import (
	"fmt"
	"regexp"
	"strings"
)

const stateName = `([^:\s\-{}<>\[\]"]+|\[\*\])(?::::[\w-]+)?`

var (
	transition = regexp.MustCompile(`^` + stateName + `\s*-->\s*` + stateName + `\s*(?::(.*))?$`)
	stateLine  = regexp.MustCompile(`^` + stateName + `\s*(?::(.*))?$`)
	stateAs    = regexp.MustCompile(`^"([^"]*)"\s+as\s+` + stateName + `\s*(\{)?$`)
	stateBlock = regexp.MustCompile(`^` + stateName +
		`\s*(\{|(?:<<|\[\[)(?:choice|fork|join)(?:>>|\]\]))?$`)
	stateNote = regexp.MustCompile(`(?i)^note\s+(?:left|right)\s+of\s+` + stateName +
		`\s*(?::\s*(.*))?$`)
)

// parseState reads the statements of a state diagram into a flowchart.
func parseState(p prepared) (*flow, error) {
	f := &flow{index: map[string]int{}, direction: directions[""]}
	noted := "" // the state whose note is being read
	var lines []string
	if p.rest != "" {
		return nil, statement{p.line, p.rest}.unknown()
	}
	for _, st := range p.statements {
		st.text, _, _ = strings.Cut(st.text, " %%") // a comment
		m := stateNote.FindStringSubmatch(st.text)
		switch {
		case noted != "" && strings.EqualFold(st.text, "end note"):
			f.note(noted, strings.Join(lines, "<br>"))
			noted, lines = "", nil
		case noted != "":
			lines = append(lines, st.text)
		case m != nil && m[2] != "":
			f.note(m[1], m[2])
		case m != nil:
			noted = m[1]
		case !f.state(st.text):
			return nil, st.unknown()
		}
		if err := f.tooLarge(st.line); err != nil {
			return nil, err
		}
	}
	if noted != "" {
		return nil, &Error{0, "a note has no end"}
	}
	return f, f.finish()
}

// note adds a note beside a state.
func (f *flow) note(state, text string) {
	from := f.stateNode(state, "")
	to := len(f.nodes)
	f.nodes = append(f.nodes, flowNode{shape: "note", lines: flowLabel(text, wrapNote),
		group: f.nodes[from].group})
	f.edges = append(f.edges, flowEdge{from: from, to: to, class: "life dash", fromFrame: -1,
		toFrame: -1})
}

// region divides a composite state: the states above the line go into a group of their own, and the
// following ones into another. It returns false if a composite state is above the line.
func (f *flow) region() bool {
	g := f.group()
	if g < 0 {
		return false
	}
	parent, first := g, !strings.HasPrefix(f.groups[g].id, "--")
	if !first {
		parent = f.groups[g].parent
		f.endGroup()
	}
	start := func() int {
		f.startGroup(fmt.Sprint("--", len(f.groups)), "")
		return len(f.groups) - 1
	}
	if first {
		for _, other := range f.groups {
			if other.parent == parent {
				return false
			}
		}
		top := start()
		for i := range f.nodes {
			if f.nodes[i].group == parent {
				f.nodes[i].group = top
			}
		}
		f.endGroup()
	}
	start()
	return true
}

// state reads a statement of a state diagram and reports whether it understands it.
func (f *flow) state(text string) bool {
	word, rest := firstWord(text)
	switch {
	case ignored.MatchString(text) || text == "hide empty description":
		return true
	case text == "--":
		return f.region()
	case word == "direction":
		direction, ok := directions[rest]
		if len(f.open) == 0 {
			f.direction = direction
		}
		return ok
	case text == "}":
		if g := f.group(); g >= 0 && strings.HasPrefix(f.groups[g].id, "--") {
			f.endGroup() // the last region
		}
		return f.endGroup()
	case word == "state":
		return f.declareState(rest)
	}
	if m := transition.FindStringSubmatch(text); m != nil {
		from, to := f.stateNode(m[1], "start"), f.stateNode(m[2], "end")
		f.edges = append(f.edges, flowEdge{from: from, to: to, end: '>', class: "line",
			lines: flowLabel(m[3], wrapEdge), fromFrame: -1, toFrame: -1})
		return true
	}
	m := stateLine.FindStringSubmatch(text)
	if m == nil || m[1] == "[*]" {
		return false
	}
	n := &f.nodes[f.stateNode(m[1], "")]
	if m[2] != "" { // a description replaces the id, and others follow it
		if n.described {
			n.lines = append(n.lines, flowLabel(m[2], wrapNote)...)
		} else {
			n.lines, n.described = flowLabel(m[2], wrapNote), true
		}
	}
	return true
}

// declareState reads what follows the word state.
func (f *flow) declareState(text string) bool {
	title, id, kind := "", "", ""
	if m := stateAs.FindStringSubmatch(text); m != nil {
		title, id, kind = m[1], m[2], m[3]
	} else if m := stateBlock.FindStringSubmatch(text); m != nil {
		title, id, kind = m[1], m[1], m[2]
	}
	switch {
	case id == "" || id == "[*]":
		return false
	case kind == "{":
		return f.startGroup(id, title)
	}
	n := &f.nodes[f.stateNode(id, "")]
	if strings.Contains(kind, "choice") {
		n.shape, n.lines = "diamond", nil
	} else if kind != "" {
		n.shape, n.lines = "bar", nil
	} else if title != id {
		n.lines, n.described = flowLabel(title, wrapNote), true
	}
	return true
}

// stateNode returns the node of a state. The sign of a start or an end makes one node in each
// group.
func (f *flow) stateNode(id, terminal string) int {
	shape := "round"
	if id == "[*]" {
		id, shape = fmt.Sprint("[*]", terminal, f.group()), terminal
	}
	_, known := f.index[id]
	i := f.node(id, f.group())
	if !known {
		f.nodes[i].shape = shape
		if strings.HasPrefix(id, "[*]") {
			f.nodes[i].lines = nil
		}
	}
	return i
}
