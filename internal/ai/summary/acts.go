package summary

import (
	"slices"
	"strings"
)

// acts reports whether a picked sentence says that the group has to do something: the group is the
// subject of a verb that obliges. What a node must do by itself asks nothing of its operator, and a
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
		case len(before) == 0, strings.HasPrefix(after, " not "):
		case slices.Contains(before, "not"), slices.Contains(before, "longer"):
		case !isSubject(before, list(a.String()+" people")):
		case a != validators, hasAny(after, list("operator verbs")...):
			return true
		}
	}
	return false
}

// isSubject reports whether one of the people is the subject of the verb behind these words: the last
// word, or one of the first two with a clause behind it.
func isSubject(before, people []string) bool {
	if slices.Contains(people, before[len(before)-1]) {
		return true
	}
	for i, word := range before[:min(2, len(before)-1)] {
		if slices.Contains(people, word) && slices.Contains(list("clause openers"), before[i+1]) {
			return true
		}
	}
	return false
}
