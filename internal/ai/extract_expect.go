package ai

import (
	"cmp"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// abandoned reports whether nothing will come of a proposal: nobody pursues it and no fork bundles it.
func abandoned(s Subject) bool {
	return s.Fork == nil && (s.Proposal.Status == mip.Withdrawn || s.Proposal.Status == mip.Stagnant)
}

// caveat opens what is said of a proposal that is abandoned.
func caveat(s Subject) string {
	switch {
	case !abandoned(s):
		return ""
	case s.Proposal.Status == mip.Withdrawn:
		return "The proposal is withdrawn; it would have meant:"
	}
	return "The proposal is stagnant; if it were taken up:"
}

// notMentionedBy is the impact on a group that the text says nothing about. In English it adds what header
// and fork say.
func notMentionedBy(s Subject, a axis, locale string) string {
	out := notMentioned(locale)
	if out == notMentioned("en") {
		out += " " + cmp.Or(expectation(s, a), byKind(s, a))
	}
	return fit(out, maxImpact)
}

// notMentionedForms are what can be said of a group without a quote: that the text says nothing, with what the rules add
// to it wherever the fork stands. A summary that was made before the fork was active stays sound.
func notMentionedForms(s Subject, a axis, locale string) []string {
	forks := []*mip.HardFork{nil, s.Fork}
	if s.Fork != nil {
		for _, status := range []string{"planned", "scheduled", "active"} {
			fork := *s.Fork
			fork.Status = status
			forks = append(forks, &fork)
		}
	}
	out := []string{notMentioned(locale), notMentioned("en")}
	for _, s.Fork = range forks {
		out = append(out, notMentionedBy(s, a, "en"))
	}
	return out
}

// expectation is what a fork that is to come lets a group expect, whatever the text says of it.
func expectation(s Subject, a axis) string {
	if !toCome(s.Fork) {
		return ""
	}
	switch a {
	case validators:
		return "Nodes have to run a release that knows the hard fork " + s.Fork.Name + " before it activates (" + activation(s.Fork) + ")."
	case foundation:
		return "The hard fork " + s.Fork.Name + " is still to come (" + activation(s.Fork) + ")."
	}
	return ""
}

// byKind is what the kind of a proposal lets a group expect where the text is silent.
func byKind(s Subject, a axis) string {
	if abandoned(s) {
		return "The proposal is " + strings.ToLower(string(s.Proposal.Status)) + "."
	}
	if s.Fork != nil && a == validators {
		return "It came with the hard fork " + s.Fork.Name + ", so nodes that follow the chain run it."
	}
	if s.Fork != nil && a == foundation {
		return "It came with the hard fork " + s.Fork.Name + "."
	}
	switch k := kindOf(s); {
	case k == informational:
		return "It is informational and binds nobody."
	case k == hardfork && a == developers:
		return "It switches on other proposals; what they change for developers stands in their texts."
	case k == hardfork && a == validators:
		return "It is about a hard fork: nodes have to run a release that knows it before it activates."
	case k == hardfork && a == foundation:
		return "It is about a hard fork, whose date and releases have to be prepared."
	case k == core && a == developers:
		return "It is a Core proposal, which can change how contracts are executed or what they cost."
	case k == core && a == validators:
		return "It is a Core proposal: once it is active, every node has to follow its rules."
	case k == networking && a == validators:
		return "It is a Networking proposal: it concerns what nodes send each other."
	case k == interfaces && a == developers:
		return "It is an Interface proposal: it concerns what tools and wallets rely on."
	case k == convention && a == developers:
		return "It is a convention between contracts: it concerns those who write contracts that follow it."
	case k == convention && a == validators:
		return "It is a convention between contracts: no client has to change."
	case k == process && a == foundation:
		return "It is about how proposals are worked on."
	}
	return ""
}
