package ai

import (
	"slices"
	"strings"
)

// acts reports whether a picked sentence says that the group has to do something: the group is the
// subject of a verb that obliges. What a node must do by itself asks nothing of whoever runs it, and a
// convention or advice obliges only those who choose it.
func acts(s Subject, a axis, picked []scored) bool {
	k := kindOf(s)
	if abandoned(s) || k == informational || k == convention {
		return false
	}
	return slices.ContainsFunc(picked, func(x scored) bool { return obliges(x.words, a) })
}

// obliges reports whether a sentence, as made by [words], obliges a group.
func obliges(sentence string, a axis) bool {
	for _, verb := range []string{" must ", " have to ", " has to ", " need to ", " required to ", " shall "} {
		i := strings.Index(sentence, verb)
		if i < 0 {
			continue
		}
		before, after := strings.Fields(sentence[:i]), sentence[i+len(verb)-1:]
		switch {
		case len(before) == 0, strings.HasPrefix(after, " not "), slices.Contains(before, "not"), slices.Contains(before, "longer"):
		case !isSubject(before, people(a)):
		case a != validators, hasAny(after, "upgrade", "update", "updated", "upgraded", "install", "configure", "adjust", "migrate", "restart", "run", "switch", "prepare", "resync", "re-sync"):
			return true
		}
	}
	return false
}

// people returns who of an axis can be told to do something.
func people(a axis) []string {
	switch a {
	case developers:
		return list("developer, contract, dapp, compiler, library, tool, tooling, application, app, integrator, indexer, explorer, program, oracle, bridge, interface, wallet")
	case users:
		return list("user, holder, owner, sender, customer, delegator")
	case validators:
		return list("validator, operator, miner, proposer, staker, node, client, leader")
	}
	return list("foundation, editor, committee, steward, author, maintainer, council, organisation, organization")
}

// isSubject reports whether one of the people is who does what the words before a verb lead to: the
// last word, or one of the first two with a clause behind it.
func isSubject(before, people []string) bool {
	if slices.Contains(people, before[len(before)-1]) {
		return true
	}
	for i, word := range before[:min(2, len(before)-1)] {
		if slices.Contains(people, word) && slices.Contains(list("that, which, who, whose, and, or, with, in, of, on, using, running, without"), before[i+1]) {
			return true
		}
	}
	return false
}
