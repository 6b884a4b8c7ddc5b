package summary

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
)

// axis is one of the four groups that a summary speaks to.
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

// enoughFor are the points from which on a sentence is taken for a group.
var enoughFor = [4]int{developers: 5, users: 6, validators: 6, foundation: 8}

// extractAxis picks the sentences that speak of one group. Each of them is evidence, so the impact holds nothing that
// the text does not.
func extractAxis(s Subject, a axis, all []sentence) api.Axis {
	caveat := ""
	if abandoned(s) {
		caveat = of("caveat", s.Proposal)
	}
	act := mustAct(s, a, all)
	picked := forAxis(a, all, act, maxImpact-utf8.RuneCountInString(caveat))
	var calm *sentence
	if act == nil {
		if calm = reassurance(s, a, all, len(picked) > 0); calm != nil {
			picked = with(*calm, picked, a)
		}
	}
	if len(picked) == 0 {
		return api.Axis{Impact: notMentionedBy(s, a, "en"), Severity: api.Low, Evidence: []api.Evidence{}}
	}
	out := api.Axis{Stated: true, Severity: api.Low, Impact: told(caveat, picked)}
	top := 0
	for _, x := range picked {
		evidence := api.Evidence{Section: x.section, Quote: x.quote}
		out.Evidence, top = append(out.Evidence, evidence), max(top, x.group[a])
		if says := cmp.Or(act, calm); says != nil && x.order == says.order {
			out.ActionEvidence, out.ActionRequired = &evidence, act != nil
		}
	}
	const outright = 2 // points above what is enough
	switch {
	case abandoned(s):
		out.Severity = api.Low
		out.ActionEvidence = nil
	case out.ActionRequired && act.marks.hits.has("break"):
		out.Severity = api.High
	case out.ActionRequired || top >= enoughFor[a]+outright:
		out.Severity = api.Medium
	}
	return out
}

// told is what sentences tell, joined. A bundled proposal is named before the first of its sentences.
func told(caveat string, picked []sentence) string {
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

// mustAct is the sentence that says best that a group has to act, with the one behind it that says so together with it,
// nil when there is none. Nobody has to act for an abandoned proposal.
func mustAct(s Subject, a axis, all []sentence) *sentence {
	if abandoned(s) {
		return nil
	}
	var act *sentence
	for i := range all {
		if x := &all[i]; (act == nil || x.group[a] > act.group[a]) && x.obliges(a) {
			act = x
		}
	}
	if act == nil {
		return nil
	}
	behind := false
	for _, x := range best(all, func(x *sentence) int { return x.group[a] }, math.MinInt) {
		alone := x
		alone.text = x.own
		switch {
		case x.order == act.order:
			behind = true
		case behind && strings.Contains(x.text, act.text) && alone.obliges(a):
			act = &x
		}
	}
	return act
}

// forAxis returns at most three sentences of at most room runes together, in the order of the text: the one that says
// that the group has to act, and the best of those that have enough points.
func forAxis(a axis, all []sentence, act *sentence, room int) []sentence {
	ranked := best(all, func(x *sentence) int { return x.group[a] }, enoughFor[a])
	if act != nil {
		ranked = slices.Concat([]sentence{*act}, ranked)
	}
	var picked []sentence
	var said []string
	for i, x := range ranked {
		acts := act != nil && i == 0
		if len(picked) == maxEvidence || !acts && x.marks.calm {
			continue
		}
		n := utf8.RuneCountInString(x.from) + utf8.RuneCountInString(x.text) + len(" : ")
		known := slices.ContainsFunc(picked, func(y sentence) bool { return strings.Contains(y.text, x.text) })
		held := x.holdsOneOf(picked)
		// The sentence that obliges stays.
		if known || act != nil && held == 0 {
			continue
		}
		if held >= 0 {
			room += utf8.RuneCountInString(picked[held].text)
			picked = slices.Delete(picked, held, held+1)
		}
		if n <= room && !repeats(x.own, said...) {
			room -= n
			said, picked = append(said, x.own), append(picked, x)
		}
	}
	return inOrder(picked)
}

// holdsOneOf is the place of a sentence that is told as the one before this one too, -1 without any.
func (x *sentence) holdsOneOf(all []sentence) int {
	return slices.IndexFunc(all, func(y sentence) bool { return y.order != x.order && strings.Contains(x.text, y.text) })
}

// reassurance is the first sentence that says that nothing comes of the change for a group, nil without any. Beside others
// that say what does, it counts only where a text speaks of what exists, and for all of the group.
func reassurance(s Subject, a axis, all []sentence, beside bool) *sentence {
	if !s.isOne() || abandoned(s) {
		return nil
	}
	for i := range all {
		x := &all[i]
		if x.reassures(a) && (!beside || (x.role == compatibility || x.role == impact) && !some(x.own)) {
			return x
		}
	}
	return nil
}

// with adds the sentence that reassures to what was taken for a group, in place of the weakest where there is no room.
func with(calm sentence, picked []sentence, a axis) []sentence {
	picked = slices.DeleteFunc(picked, func(x sentence) bool { return strings.Contains(x.text, calm.text) })
	room := maxImpact - utf8.RuneCountInString(calm.text)
	for _, x := range picked {
		room -= utf8.RuneCountInString(x.text) + len(" ")
	}
	for len(picked) > 0 && (len(picked) == maxEvidence || room < 0) {
		at := 0
		for i := range picked {
			if picked[i].group[a] < picked[at].group[a] {
				at = i
			}
		}
		room += utf8.RuneCountInString(picked[at].text)
		picked = slices.Delete(picked, at, at+1)
	}
	return inOrder(append(picked, calm))
}

// best returns the sentences that have at least so many points, by points and then by place in the text, so that equal
// ones have one order. The argument is not changed.
func best(in []sentence, points func(*sentence) int, least int) []sentence {
	var out []sentence
	for i := range in {
		if points(&in[i]) >= least {
			out = append(out, in[i])
		}
	}
	slices.SortFunc(out, func(a, b sentence) int { return cmp.Or(points(&b)-points(&a), a.order-b.order) })
	return out
}

// inOrder sorts by place in the text.
func inOrder(in []sentence) []sentence {
	slices.SortFunc(in, func(a, b sentence) int { return a.order - b.order })
	return in
}
