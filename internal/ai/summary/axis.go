package summary

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
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

// kind is what a proposal is, read from type and category.
type kind string

// The kinds that the rules treat each in its own way. rules.txt has them all, with their floors, sentences and words.
// An unknown one is empty.
const (
	core          kind = "core"
	interfaces    kind = "interface"
	convention    kind = "convention"
	hardfork      kind = "hard fork"
	informational kind = "informational"
)

// kindOf reads the category first, and the type where no kind has the category's name: some repositories swap the two.
// The meta proposal of a fork is about it whatever its header says.
func kindOf(s Subject) kind {
	p := s.Proposal
	if IsMeta(p.Summary, s.Fork) || strings.HasPrefix(strings.ToLower(p.Title), "hardfork meta") {
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

// isFor reports whether a kind of proposal is made for a group. What opens such a proposal is said to this group even
// when it does not name it.
func (k kind) isFor(a axis) bool { return slices.Contains(list("made for "+a.String()), string(k)) }

// abandoned reports whether nothing will come of a proposal: nobody pursues it and no fork bundles it.
func abandoned(s Subject) bool {
	return s.Fork == nil && (s.Proposal.Status == mip.Withdrawn || s.Proposal.Status == mip.Stagnant)
}

// extractAxis picks the sentences that speak of one group, and adds what the header says. Each picked sentence is
// evidence, so the impact holds nothing that the text or the header does not.
func extractAxis(s Subject, a axis, all []passage) api.Axis {
	impact := ""
	if abandoned(s) {
		impact = line("caveat of " + string(s.Proposal.Status))
	}
	said := saidTo(s, a, all)
	picked := forAxis(s, a, all, said, maxImpact-utf8.RuneCountInString(impact)-1)
	if len(picked) == 0 {
		return api.Axis{Impact: notMentionedBy(s, a, "en"), Severity: api.Low, Evidence: []api.Evidence{}}
	}
	var out api.Axis
	// A bundled proposal is named before the first of its sentences.
	from, given := "", []answer(nil)
	for _, x := range picked {
		if x.from != from && x.from != "" {
			impact += " " + x.from + ":"
		}
		from = x.from
		impact += " " + x.text
		given = append(given, x.answers[a])
		out.Evidence = append(out.Evidence, api.Evidence{Section: x.section, Quote: x.quote})
	}
	out.Impact = fit(impact, maxImpact)
	// The floors come later: see raise.
	settle(&out, said, given)
	out.Severity = severity(s, said, picked)
	return out
}

// setAside reports whether a passage is for no group: the list of what a fork bundles, the caveat that a proposal is
// abandoned, and an exclusion, which says what is not changed.
func setAside(s Subject, p passage) bool {
	bundleList := len(s.Bundled) > 0 && p.from == "" && p.item
	return bundleList || abandoned(s) && hasAny(p.words, "withdrawn", "stagnant") || hasAny(p.words, list("exclusions")...)
}

// forAxis returns at most three passages of at most room runes together, in the order of the text. Those come first
// that give the answer of the whole text to the group. A passage that speaks of another group first counts less,
// unless there is none other. Where no sentence speaks of the group, what opens the proposal does for the group that it
// is made for.
func forAxis(s Subject, a axis, all []passage, said answer, room int) []passage {
	answers := func(p passage) bool { return p.answers[a] == said && (said == none || said == needed) }
	// own are the passages that speak of no group more than of this one.
	var own, shared []passage
	for _, p := range all {
		if setAside(s, p) || len(s.Bundled) > 0 && p.from == "" && p.role == specification && !answers(p) {
			continue
		}
		// An abstract is written for the group that the kind is made for, and speaks to it without naming it.
		p.score = p.speaks[a]
		if p.role == abstract && p.kind.isFor(a) && (p.from != "" || len(s.Bundled) == 0) {
			p.score = max(p.score+3, changeScore(p)-1)
		}
		if p.score < enoughForAxis && !answers(p) {
			continue
		}
		shared = append(shared, p)
		if slices.Max(p.speaks[:]) > p.score {
			p.score -= 3
		}
		if p.score >= enoughForAxis || answers(p) {
			own = append(own, p)
		}
	}
	if len(own) == 0 {
		own = shared
	}
	if len(own) == 0 && kindOf(s).isFor(a) && len(s.Bundled) == 0 {
		own = opening(all, true)
		for i := range own {
			own[i].score = enoughForAxis
		}
	}
	var picked []passage
	var told []string
	top := 0
	own = best(own, func(p passage) int { return p.score })
	first := slices.DeleteFunc(slices.Clone(own), func(p passage) bool { return !answers(p) })
	for _, x := range slices.Concat(first, own) {
		// A passage that speaks of the group half as much as the best one adds nothing.
		top = max(top, x.score)
		if len(picked) == maxEvidence || len(picked) > 0 && x.score*2 < top {
			continue
		}
		n := utf8.RuneCountInString(x.from) + utf8.RuneCountInString(x.text) + 3
		if n <= room && !overlaps(x.text, told...) {
			room -= n
			told, picked = append(told, x.text), append(picked, x)
		}
	}
	return inOrder(picked)
}

// severity reads how grave the picked sentences are. Floors come later. Words of breakage count only outside of
// arguments and background, and not in a sentence that says that nothing breaks.
func severity(s Subject, said answer, picked []passage) api.Severity {
	breaks, calm, top := false, false, 0
	for _, x := range picked {
		top = max(top, x.score)
		soothes := hasAny(x.words, list("reassurances")...)
		calm = calm || soothes
		binding := x.role == compatibility || x.role == impact || x.role == specification
		breaks = breaks || !soothes && binding && hasAny(x.words, list("breakage")...)
	}
	// A score of nine or more is of a sentence that says outright what changes for the group.
	switch {
	case abandoned(s):
		return api.Low
	case said == needed && breaks:
		return api.High
	case said >= look || breaks || top >= 9 && !calm && said != none:
		return api.Medium
	}
	return api.Low
}
