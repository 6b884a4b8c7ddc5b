package summary

import (
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// kind is what a proposal is, read from type and category: repositories spell the two differently, and
// some swap them.
type kind string

// The kinds. Each has its floors in floorTable, its sentences in kindMeans and may change the vocabularies.
const (
	core          kind = "core"          // consensus, execution, fees, state
	networking    kind = "networking"    // what nodes send each other
	interfaces    kind = "interface"     // what wallets and tools rely on
	convention    kind = "convention"    // between contracts: MRC, ERC
	hardfork      kind = "hard fork"     // which proposals switch on together
	process       kind = "process"       // how the network is worked on
	informational kind = "informational" // binds nobody
	unknown       kind = "unknown"
)

// kindNames are the spellings of type and category. It is not changed.
var kindNames = map[string]kind{
	"core": core, "networking": networking, "interface": interfaces,
	"mrc": convention, "erc": convention, "application": convention, "contract": convention,
	"hardfork": hardfork, "hard fork": hardfork, "hard-fork": hardfork,
	"meta": process, "process": process, "informational": informational,
}

// kindOf reads the category first. The meta proposal of a fork is about it whatever its header says.
func kindOf(s Subject) kind {
	p := s.Proposal
	if IsMeta(p.Summary, s.Fork) || strings.HasPrefix(strings.ToLower(p.Title), "hardfork meta") {
		return hardfork
	}
	for _, word := range []*string{p.Category, p.Type} {
		if word == nil {
			continue
		}
		if k, ok := kindNames[strings.ToLower(strings.TrimSpace(*word))]; ok {
			return k
		}
	}
	return unknown
}

// madeFor is the group that a kind of proposal is made for, -1 when it is for no one group. What opens such a proposal
// is said to this group even when it does not name it.
func madeFor(k kind) axis {
	switch k {
	case core, interfaces, convention:
		return developers
	case networking, hardfork:
		return validators
	case process:
		return foundation
	}
	return -1
}

// abandoned reports whether nothing will come of a proposal: nobody pursues it and no fork bundles it.
func abandoned(s Subject) bool {
	return s.Fork == nil && (s.Proposal.Status == mip.Withdrawn || s.Proposal.Status == mip.Stagnant)
}
