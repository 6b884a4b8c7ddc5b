package summary

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
)

// points are what each mark of a sentence counts towards a group and towards a change. A mark is a
// list of words.txt of which the sentence has an entry, its section's role, or one that
// [sentence.mark] names.
var points = map[string]struct{ group, change int }{
	// What a group is named by.
	"named": {3, 0}, "early": {1, 0}, "several": {1, 0}, "near": {1, 0}, "bound": {2, 0},
	// What becomes of something.
	"break": {2, 1}, "gone": {2, 2}, "good": {2, 0}, "bad": {2, 0}, "move": {1, 1}, "new": {1, 1}, "duty": {1, 0}, "number": {1, 1},
	"to a value": {0, 3}, "verb": {0, 3}, "self": {1, 2},
	// Where it stands.
	string(abstract): {3, 4}, "first of the abstract": {1, 1}, string(impact): {3, 1}, string(compatibility): {2, 1}, string(motivation): {0, -3},
	string(security): {-1, -4}, string(specification): {-1, 2}, string(other): {-1, 2}, string(rationale): {-3, -4},
	// What speaks against it.
	"calm": {-4, -3}, "another": {-4, -4}, "excluded": {-6, -9}, "fork": {-5, -6}, "supposed": {-3, -4},
	"today": {-4, 0}, "now": {0, -4}, "maybe": {0, -2}, "lost": {0, -2}, "long": {0, -2},
}

// effects are the marks that say what a change does. Together they count at most mostEffect points
// towards a group.
var effects = []string{"break", "gone", "good", "bad", "move", "new", "duty", "number"}

const mostEffect = 3

// Forms of sentences, but for the first in lower case.
var (
	firstID = prose.Lazily(`^\p{Lu}{2,}-\d+\b`)
	figure  = prose.Lazily(`\d{3}|\d ?%|\bby \d|` +
		`\d ?(?:[kmgt]i?b|bytes?|bits?|ms|s|seconds?|minutes?|hours?|days?|blocks?|slots?|epochs?|gas|gwei|wei)\b`)
	toValue       = prose.Lazily(`\b(?:to|by) \d`)
	notCompatible = prose.Lazily(`\bnot (?:[\w-]+ ){0,3}compatible with\b`)
	needsFork     = prose.Lazily(`\b(?:requires?|accompanied by|activated as part of) (?:an? |the )?(?:\w+ )?(?:hard[- ]?fork|network upgrade)`)
)

// mark sees the marks of a sentence and gives it its points.
func (x *sentence) mark() {
	const long = 280 // runes
	lower, words := strings.ToLower(uncoded(x.own)), tokens(x.own, x.id.Kind)
	found := find(words)
	switch x.kind {
	case interfaces:
		// A client is what asks, and elsewhere the software of a node.
		found.without("validators named", "of an interface")
	case convention:
		// An operator of tokens is whom their owner trusts, and a node is one of a tree.
		found.without("validators named", "between contracts")
	}
	if found.has("validators named") {
		// Fees are what users pay, and here what validators get.
		found.without("users named", "paid to validators")
	}
	about, figures := firstID().FindString(x.own), strings.ContainsAny(lower, "0123456789")
	_, source, from := strings.Cut(words, " from ")
	becomes, verb := figures && toValue().MatchString(lower), found.opens("move", "new", "gone", "set")
	x.hits, x.marks = found, map[string]bool{string(x.role): true}
	for list, in := range found {
		x.marks[list] = len(in) > 0
	}
	maps.Copy(x.marks, map[string]bool{
		"first of the abstract": x.first && x.role == abstract,
		"number": figures && figure().MatchString(lower) || found.has("factor") || strings.Contains(lower, "×") ||
			from && strings.Contains(source, " to "),
		"to a value": becomes,
		"verb":       verb,
		"calm":       found.has("calm") && !notCompatible().MatchString(lower),
		"another":    about != "" && about != x.id.String() && x.lead == "" || found.opens("another"),
		"excluded":   x.item && find(tokens(x.lead+" "+x.title, "")).has("excluded"),
		"fork":       (strings.Contains(lower, "fork") || strings.Contains(lower, "upgrade")) && needsFork().MatchString(lower),
		"supposed":   found.opens("supposed") || strings.HasSuffix(strings.TrimRight(x.own, `"”)`), "?"),
		// What is said of today where the proposal is explained is not what it brings, unless it is
		// to become something else.
		"today": (x.role == abstract || x.role == motivation) && !found.has("self") && !verb && !becomes && found.before("now", begin(words)),
		"now":   found.has("now") && !found.has("self"),
		"maybe": found.has("maybe") && !found.has("break"),
		"lost":  x.lost,
		"long":  utf8.RuneCountInString(x.own) > long,
	})
	effect, group := 0, 0
	for m, there := range x.marks {
		switch {
		case !there:
			continue
		case slices.Contains(effects, m):
			effect += points[m].group
		default:
			group += points[m].group
		}
		x.change += points[m].change
	}
	for a := range x.group {
		if own := x.speaksOf(axis(a), begin(words)); own > 0 {
			x.group[a] = group + min(effect, mostEffect) + own
		}
	}
}

// states reports whether a sentence says what becomes of something.
func (x *sentence) states() bool {
	return slices.ContainsFunc(effects, func(m string) bool { return x.marks[m] })
}

// names reports whether a sentence names a group, or where it does not, two things that are near to
// it.
func (x *sentence) names(a axis) (named, near bool) {
	named = x.hits.has(a.String() + " named")
	spoken := slices.Contains([]role{abstract, impact, compatibility, motivation}, x.role)
	return named, !named && spoken && x.hits.different(a.String()+" near") > 1
}

// speaksOf are the points of how a sentence that begins within so many bytes names a group: none
// where it does not, or states nothing.
func (x *sentence) speaksOf(a axis, begin int) (out int) {
	named, near := x.names(a)
	bound := x.binds(a)
	if !x.states() && !((named || bound) && x.role == abstract) {
		return 0
	}
	list := a.String() + " named"
	early := slices.ContainsFunc(x.hits[list], func(h hit) bool {
		return h.from < begin || slices.ContainsFunc(x.hits["right behind"], func(before hit) bool { return before.to == h.from })
	})
	for m, there := range map[string]bool{
		"named": named, "early": early, "several": x.hits.different(list) > 1, "near": near, "bound": bound,
	} {
		if there {
			out += points[m].group
		}
	}
	return out
}

// binds reports whether a sentence says what those build or obey who follow the proposal: its
// abstract, where it is for them alone, and what its specification demands.
func (x *sentence) binds(a axis) bool {
	switch x.role {
	case abstract:
		return a == developers && (x.kind == convention || x.kind == interfaces) || a == validators && x.kind == networking
	case specification:
		return (a == developers) == (x.kind == convention) && (a == developers || a == validators) && demands(x.own) &&
			(x.lead != "" || !x.hits.opens("duty"))
	}
	return false
}
