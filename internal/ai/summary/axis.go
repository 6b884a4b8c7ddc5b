package summary

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
)

// axis is one of the four groups of readers that a summary addresses.
type axis int

// The axes, in the order of the members of a summary.
const (
	developers axis = iota
	users
	validators
	foundation
)

// String is the axis as the summary's JSON names it.
func (a axis) String() string {
	return [...]string{"developers", "users", "validators", "foundation"}[a]
}

// axes returns the axes of a summary in the order of their constants.
func axes(sum *api.Summary) [4]*api.Axis {
	return [...]*api.Axis{&sum.Developers, &sum.Users, &sum.Validators, &sum.Foundation}
}

// enoughFor has the points that a sentence needs to be quoted for a group.
var enoughFor = [4]int{developers: 5, users: 6, validators: 6, foundation: 8}

// extractAxis picks the sentences about one group. Each is evidence, so the impact holds only what
// the text holds. The group has to act if one of them obliges it, and has nothing to do if none
// obliges and one reassures it. Nobody has to act for an abandoned proposal.
func extractAxis(s Subject, a axis, all []*sentence) api.Axis {
	const outright = 2 // points above what is enough
	points, caveat := func(x *sentence) int { return x.group[a] }, ""
	if abandoned(s) {
		caveat = of("caveat", s.Proposal)
	}
	ranked := slices.DeleteFunc(best(all, points, enoughFor[a]), func(x *sentence) bool {
		return x.marks.has(markCalm) || !x.standsAlone()
	})
	room := maxImpact - utf8.RuneCountInString(caveat)
	picked := pick(slices.Concat(s.answer(a, all, len(ranked) > 0), ranked), maxEvidence, room)
	out := api.Axis{Severity: api.Low, Impact: combine(caveat, picked), Evidence: []api.Evidence{}}
	out.Stated = len(picked) > 0
	for _, x := range picked {
		out.Evidence = append(out.Evidence, api.Evidence{Section: x.name, Quote: x.quote})
		if x.group[a] >= enoughFor[a]+outright && !abandoned(s) {
			out.Severity = api.Medium
		}
	}
	if !out.Stated {
		out.Impact = notMentionedBy(s, a, "en")
	}
	if abandoned(s) {
		return out
	}
	acts := slices.IndexFunc(picked, func(x *sentence) bool { return x.acts[a] })
	calm := slices.IndexFunc(picked, func(x *sentence) bool {
		// A quote may be a part of its sentence, or begin with the sentence before.
		return x.reassures(a) && s.isOne() && x.quotes(markCalm) && !limits(x.quote)
	})
	switch {
	case acts >= 0 && picked[acts].quotes(markBreak):
		out.ActionRequired, out.ActionEvidence, out.Severity = true, &out.Evidence[acts], api.High
	case acts >= 0:
		out.ActionRequired, out.ActionEvidence, out.Severity = true, &out.Evidence[acts], api.Medium
	case calm >= 0:
		out.ActionEvidence = &out.Evidence[calm]
	}
	return out
}

// combine joins the texts of sentences. The id of a bundled proposal precedes the first of its
// sentences.
func combine(caveat string, picked []*sentence) string {
	out, from := caveat, ""
	for _, x := range picked {
		if x.from != from && x.from != "" {
			out += " " + x.from + ":"
		}
		from = x.from
		out += " " + x.text
	}
	return fit(out, maxImpact)
}

// answer returns the sentence that answers best whether a group has to act: the one with most
// points that obliges it, else the first one that reassures it. Beside other sentences about the
// group, only a reassurance about what exists and about the whole group counts.
func (s Subject) answer(a axis, all []*sentence, beside bool) []*sentence {
	if abandoned(s) {
		return nil
	}
	var acts *sentence
	for _, x := range all {
		if x.acts[a] && x.standsAlone() && (acts == nil || x.group[a] > acts.group[a]) {
			acts = x
		}
	}
	if acts != nil {
		return []*sentence{acts}
	}
	i := slices.IndexFunc(all, func(x *sentence) bool {
		return x.reassures(a) && x.standsAlone() && (!beside || x.role.existing() && !some(x.own))
	})
	if i < 0 || !s.isOne() {
		return nil
	}
	return all[i : i+1]
}

// best returns the sentences that have at least so many points, by points and then by place in the
// text. The argument is not changed.
func best(in []*sentence, points func(*sentence) int, least int) []*sentence {
	var out []*sentence
	for _, x := range in {
		if points(x) >= least {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b *sentence) int {
		return cmp.Or(points(b)-points(a), a.order-b.order)
	})
	return out
}

// pick takes sentences in turn, unless they repeat an earlier sentence: at most so many sentences
// of at most room runes together. It returns them in the order of the text. A sentence whose text
// includes a picked one replaces it.
func pick(ranked []*sentence, most, room int, said ...string) []*sentence {
	var picked []*sentence
	heard := longerOf(said)
	for _, x := range ranked {
		n := utf8.RuneCountInString(x.from+x.text) + len(" : ")
		held := slices.IndexFunc(picked, func(y *sentence) bool {
			return strings.Contains(x.text, y.text)
		})
		known := slices.ContainsFunc(picked, func(y *sentence) bool {
			return strings.Contains(y.text, x.text)
		})
		if held >= 0 {
			n -= utf8.RuneCountInString(picked[held].text)
		}
		if known || n > room || held < 0 && len(picked) == most {
			continue
		}
		own := longer(x.own)
		if repeats(own, heard...) {
			continue
		}
		if held >= 0 {
			picked = slices.Delete(picked, held, held+1)
		}
		room -= n
		heard, picked = append(heard, own), append(picked, x)
	}
	slices.SortFunc(picked, func(a, b *sentence) int { return a.order - b.order })
	return picked
}
