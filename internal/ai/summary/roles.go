package summary

import (
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// role is what a section is for, read from its title.
type role int

// The roles. A section without a telling title is other, or has the role of the section above it.
const (
	other         role = iota
	abstract           // says what is proposed
	motivation         // says how things are today
	specification      // says what will be
	rationale          // says why, and what was not chosen
	compatibility      // says what it does to what exists, and when it starts
	security           // says what can go wrong
	impact             // says whom it touches
	skipped            // holds nothing about the change: tests, code, references, licence
)

// titleLists maps lists of words.txt to roles. The first list with a word in the title decides.
var titleLists = []struct {
	list string
	role role
}{
	{"titles of skipped", skipped},
	{"titles of compatibility", compatibility},
	{"titles of security", security},
	{"titles of impact", impact},
	{"titles of abstract", abstract},
	{"titles of motivation", motivation},
	{"titles of rationale", rationale},
	{"titles of specification", specification},
	{"titles of skipped at last", skipped},
}

// titleRole returns the role that a title names, other when it names none.
func titleRole(title string) role {
	title = strings.ToLower(title)
	for _, t := range titleLists {
		if slices.ContainsFunc(list(t.list), func(w string) bool { return strings.Contains(title, w) }) {
			return t.role
		}
	}
	return other
}

// roles returns the role of every section. A section below another one shares its role, unless its own
// title says that it speaks of compatibility, security or impact, or that it is to be skipped.
func roles(sections []mip.Section) []role {
	out := make([]role, len(sections))
	var above [7]role // by level
	for i, s := range sections {
		level := min(max(s.Level, 0), len(above)-1)
		own, inherited := titleRole(s.Title), other
		if level > 1 {
			inherited = above[level-1]
		}
		switch {
		case level == 0:
			own = abstract // text before any heading opens the proposal
		case level == 1 && own == skipped && i == 0:
			own = other // the title of the whole
		case inherited == skipped, inherited != other && own != skipped && own != compatibility && own != security && own != impact:
			own = inherited
		}
		for l := level; l < len(above); l++ {
			above[l] = own
		}
		out[i] = own
	}
	return out
}
