package summary

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/mip"
)

//go:embed kinds.txt
var kindsFile string

// lists returns the lists of kinds.txt by name, read at the first use. They are not changed.
var lists = sync.OnceValue(func() map[string][]string {
	out, name := map[string][]string{}, ""
	for line := range strings.Lines(kindsFile) {
		switch line = strings.TrimSuffix(line, "\n"); {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			name = strings.Trim(line, "[]")
		default:
			out[name] = append(out[name], line)
		}
	}
	return out
})

// list returns a list of kinds.txt, nil for an unknown name.
func list(name string) []string { return lists()[name] }

// line returns the entry of a list that has one, else empty.
func line(name string) string { return strings.Join(list(name), " ") }

// of returns the line of kinds.txt for a status, else for its stage.
func of(what string, p *mip.Proposal) string {
	return cmp.Or(line(what+" of "+string(p.Status)), line(what+" of stage "+string(p.Stage)))
}

// kind is the kind of a proposal, from its type and category.
type kind string

// The kinds that the rules treat specially. kinds.txt has all kinds, with their floors, sentences
// and words. An unknown kind is empty.
const (
	core          kind = "core"
	networking    kind = "networking"
	interfaces    kind = "interface"
	convention    kind = "convention"
	hardfork      kind = "hard fork"
	informational kind = "informational"
)

// kindOf reads the category, and the type if the category names no kind: some repositories swap the
// two. The meta proposal of a fork is of kind hardfork, whatever its header has.
func kindOf(s Subject) kind {
	p := s.Proposal
	if IsMeta(p.Metadata, s.Fork) || strings.HasPrefix(strings.ToLower(p.Title), "hardfork meta") {
		return hardfork
	}
	for _, word := range []*string{p.Category, p.Type} {
		for _, k := range list("kinds") {
			spelling := strings.ToLower(strings.TrimSpace(mip.Deref(word)))
			if slices.Contains(list("types of "+k), spelling) {
				return kind(k)
			}
		}
	}
	return ""
}

// kindIn returns the kind of a proposal of the subject.
func (s Subject) kindIn(from string, p *mip.Proposal) kind {
	if from != "" {
		s = Subject{Proposal: p}
	}
	return kindOf(s)
}

// abandoned reports whether a proposal will not be adopted: nobody pursues it and no fork bundles
// it.
func abandoned(s Subject) bool {
	return s.Fork == nil && s.Proposal.Stage == mip.StageStopped
}
