package summary

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
)

// extractAxis picks the sentences that speak of one group, and adds what header and fork say. Each picked sentence is
// evidence, so the impact holds nothing that the text or the header does not.
func extractAxis(s Subject, a axis, all []passage) api.Axis {
	lead, expect := caveat(s), expectation(s, a)
	picked := forAxis(s, a, all, maxImpact-utf8.RuneCountInString(lead)-utf8.RuneCountInString(expect)-2)
	if len(picked) == 0 {
		return api.Axis{Impact: notMentionedBy(s, a, "en"), Severity: api.Low, Evidence: []api.Evidence{}}
	}
	var out api.Axis
	parts := []string{lead}
	from := ""
	for _, x := range picked {
		text := x.text
		if x.from != from && x.from != "" {
			text = x.from + ": " + text
		}
		from = x.from
		parts = append(parts, text)
		out.Evidence = append(out.Evidence, api.Evidence{Section: x.section, Quote: x.quote})
	}
	out.Impact = fit(strings.Join(append(parts, expect), " "), maxImpact)
	out.ActionRequired = acts(s, a, picked)
	out.Severity = severity(s, out.ActionRequired, picked)
	return out
}

// forAxis returns at most three passages of at most room runes together, in the order of the text.
// A passage that speaks of another group first counts less, unless there is none other. Where no
// sentence speaks of the group, what opens the proposal does for the group that it is made for.
func forAxis(s Subject, a axis, all []passage, room int) []scored {
	k := kindOf(s)
	var own, shared []scored
	for _, p := range all {
		if len(s.Bundled) > 0 && p.from == "" && (p.item || p.role == specification) {
			continue // the list of what is bundled
		}
		if abandoned(s) && hasAny(p.words, "withdrawn", "stagnant") || excludes(p.words) {
			continue // the caveat says so; or it says what is not changed
		}
		score := p.speaks[a]
		if p.role == abstract && a == madeFor(p.kind) && (p.from != "" || len(s.Bundled) == 0) {
			score = max(score+3, changeScore(p)-1)
		}
		if score < enoughForAxis {
			continue
		}
		shared = append(shared, scored{p, score})
		if slices.Max(p.speaks[:]) > score {
			score -= 3
		}
		if score >= enoughForAxis {
			own = append(own, scored{p, score})
		}
	}
	ranked := own
	if len(ranked) == 0 {
		ranked = shared
	}
	if len(ranked) == 0 && a == madeFor(k) && len(s.Bundled) == 0 {
		for _, p := range opening(all, true) {
			ranked = append(ranked, scored{p, enoughForAxis})
		}
	}
	var picked []scored
	for _, x := range best(ranked) {
		if len(picked) == maxEvidence || len(picked) > 0 && x.score*2 < picked[0].score {
			break
		}
		n := utf8.RuneCountInString(x.from) + utf8.RuneCountInString(x.text) + 3
		if n <= room && !overlaps(x.text, picked) {
			room -= n
			picked = append(picked, x)
		}
	}
	return inOrder(picked)
}

// severity reads how grave the picked sentences are. Floors come later. Words of breakage count only outside of
// arguments and background, and not in a sentence that says that nothing breaks.
func severity(s Subject, action bool, picked []scored) api.Severity {
	if abandoned(s) {
		return api.Low
	}
	breaks, calm, top := false, false, 0
	for _, x := range picked {
		top = max(top, x.score)
		soothes := hasAny(x.words, list("reassurances")...)
		calm = calm || soothes
		breaks = breaks || !soothes && (x.role == compatibility || x.role == impact || x.role == specification) &&
			hasAny(x.words, list("breakage")...)
	}
	switch {
	case action && breaks:
		return api.High
	case action || breaks || top >= 9 && !calm:
		return api.Medium
	}
	return api.Low
}
