package ai

import (
	"strings"
)

// kind is what a proposal is, read from type and category: repositories spell the two differently, and
// some swap them.
type kind string

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

func kindOf(s Subject) kind {
	p := s.Proposal
	if IsMeta(p.Summary, s.Fork) {
		return hardfork
	}
	if strings.HasPrefix(strings.ToLower(p.Title), "hardfork meta") {
		return hardfork
	}
	for _, word := range []*string{p.Category, p.Type} {
		if word == nil {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(*word)) {
		case "core":
			return core
		case "networking":
			return networking
		case "interface":
			return interfaces
		case "mrc", "erc", "application", "contract":
			return convention
		case "hardfork", "hard fork", "hard-fork":
			return hardfork
		case "meta", "process":
			return process
		case "informational":
			return informational
		}
	}
	return unknown
}
