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
	stateBlock = regexp.MustCompile(`^` + stateName + `\s*(\{|<<choice>>)?$`)
)

// parseState reads the statements of a state diagram as those of a flowchart.
func parseState(p prepared) (*flow, error) {
	f := &flow{index: map[string]int{}, direction: directions[""]}
	if p.rest != "" {
		return nil, statement{p.line, p.rest}.unknown()
	}
	for _, st := range p.statements {
		if !f.state(st.text) {
			return nil, st.unknown()
		}
		if err := f.tooLarge(st.line); err != nil {
			return nil, err
		}
	}
	return f, f.finish()
}

// state reads a statement of a state diagram and reports whether it understands it.
func (f *flow) state(text string) bool {
	word, rest := firstWord(text)
	switch {
	case ignored.MatchString(text):
		return true
	case word == "direction":
		direction, ok := directions[rest]
		if len(f.open) == 0 {
			f.direction = direction
		}
		return ok
	case text == "}":
		return f.endGroup()
	case word == "state":
		return f.declareState(rest)
	}
	if m := transition.FindStringSubmatch(text); m != nil {
		from, to := f.stateNode(m[1], "start"), f.stateNode(m[2], "end")
		f.edges = append(f.edges, flowEdge{from: from, to: to, end: '>', class: "line",
			lines: flowLabel(m[3], wrapEdge)})
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
	if kind != "" {
		n.shape, n.lines = "diamond", nil
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
