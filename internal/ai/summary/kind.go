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

// lists are the lists of kinds.txt by name. A list is not changed. The file is read at the first
// use, so that a process that makes no summary does not wait for it.
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

// list is a list of kinds.txt, nil when there is none.
func list(name string) []string { return lists()[name] }

// line is a list of one entry, empty when there is none.
func line(name string) string { return strings.Join(list(name), " ") }

// of is what is said of a proposal with its status: that of the word or, where it has stopped in
// another way, of the stage.
func of(what string, p *mip.Proposal) string {
	return cmp.Or(line(what+" of "+string(p.Status)), line(what+" of stage "+string(p.Stage)))
}

// kind is what a proposal is, read from type and category.
type kind string

// The kinds that the rules treat each in its own way. kinds.txt has them all, with their floors,
// sentences and words. An unknown one is empty.
const (
	core          kind = "core"
	networking    kind = "networking"
	interfaces    kind = "interface"
	convention    kind = "convention"
	hardfork      kind = "hard fork"
	informational kind = "informational"
)

// kindOf reads the category first, and the type where no kind has the category's name: some
// repositories swap the two. The meta proposal of a fork is about it whatever its header says.
func kindOf(s Subject) kind {
	p := s.Proposal
	if IsMeta(p.Metadata, s.Fork) || strings.HasPrefix(strings.ToLower(p.Title), "hardfork meta") {
		return hardfork
	}
	for _, word := range []*string{p.Category, p.Type} {
		for _, k := range list("kinds") {
			if word != nil && slices.Contains(list("types of "+k), strings.ToLower(strings.TrimSpace(*word))) {
				return kind(k)
			}
		}
	}
	return ""
}

// kindIn is the kind of one of the proposals of a subject.
func (s Subject) kindIn(from string, p *mip.Proposal) kind {
	if from != "" {
		s = Subject{Proposal: p}
	}
	return kindOf(s)
}

// abandoned reports whether nothing will come of a proposal: nobody pursues it and no fork bundles
// it.
func abandoned(s Subject) bool {
	return s.Fork == nil && s.Proposal.Stage == mip.StageStopped
}
