package assist

import (
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/api"
)

// enoughForAxis is the score from which on a sentence is taken to speak of a group.
const enoughForAxis = 6

// extractAxis picks the sentences that speak of one group.
func extractAxis(s Subject, a axis, all []passage) api.Axis {
	picked := forAxis(s, a, all)
	out := api.Axis{Severity: api.Low, Evidence: []api.Evidence{}}
	if len(picked) == 0 {
		out.Impact = fit(silence("en")+" "+byHeader(s, a), maxImpact)
		return out
	}
	var b strings.Builder
	b.WriteString(caveat(s.Proposal))
	from := ""
	for _, x := range picked {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if x.from != from {
			b.WriteString(x.from + ": ")
			from = x.from
		}
		b.WriteString(x.text)
		out.Evidence = append(out.Evidence, api.Evidence{Section: x.section, Quote: x.quote})
	}
	out.Impact = fit(b.String(), maxImpact)
	out.ActionRequired = !dead(s.Proposal) && kindOf(s) != informational && acts(a, picked)
	out.Severity = severity(s, out.ActionRequired, picked)
	return out
}

// caveat opens what is said of a proposal that nobody pursues.
func caveat(p *mip.Proposal) string {
	switch p.Status {
	case mip.Withdrawn:
		return "The proposal is withdrawn; it would have meant:"
	case mip.Stagnant:
		return "The proposal is stagnant; if it were taken up:"
	}
	return ""
}

// forAxis returns at most three passages in the order of the text.
func forAxis(s Subject, a axis, all []passage) []scored {
	v := vocabularies()
	bundles := kindOf(s) == hardfork && len(s.Bundled) > 0
	var ranked []scored
	for _, p := range all {
		if bundles && p.from == "" && (p.role == abstract || p.role == specification) {
			continue // the list of what is bundled
		}
		w := words(p.text)
		score := axisScore(v[a], p, w)
		if score < enoughForAxis {
			continue
		}
		for i := range v {
			if axis(i) != a && axisScore(v[i], p, w) > score {
				score -= 3 // it speaks of others first
				break
			}
		}
		ranked = append(ranked, scored{p, score})
	}
	var picked []scored
	room := maxImpact - utf8.RuneCountInString(caveat(s.Proposal))
	for _, x := range best(ranked) {
		if len(picked) == maxEvidence || x.score < enoughForAxis || x.score*2 < picked0(picked) {
			break
		}
		n := utf8.RuneCountInString(x.from) + utf8.RuneCountInString(x.text) + 3
		if n > room || overlaps(x.text, picked) {
			continue
		}
		room -= n
		picked = append(picked, x)
	}
	return inOrder(picked)
}

func picked0(in []scored) int {
	if len(in) == 0 {
		return 0
	}
	return in[0].score
}

// axisScore says how much a sentence speaks of a group: by the field's terms in it, by where it stands
// and by its wording.
func axisScore(v vocabulary, p passage, w string) int {
	group, field, subject := v.mentions(w)
	if group == 0 && field < 2 {
		return 0
	}
	score := 3*min(group, 2) + min(field, 3)
	if subject {
		score += 2
	}
	switch p.role {
	case abstract:
		score++
	case compatibility:
		score += 3
	case impact:
		score += 3
	case security:
		score++
	case motivation:
		score -= 3
	case rationale:
		score -= 2
	}
	if hasAny(w, "must", "should", "need", "need to", "required", "has to", "have to", "update", "upgrade", "adapt") {
		score += 2
	}
	if hasAny(w, "no longer", "now", "will", "cannot", "unaffected", "unchanged", "no change", "affected", "benefit", "break", "still") {
		score++
	}
	if utf8.RuneCountInString(p.text) > 250 {
		score--
	}
	return score
}

// acts reports whether a picked sentence says that the group has to do something.
func acts(a axis, picked []scored) bool {
	v := vocabularies()[a]
	for _, x := range picked {
		w := words(x.text)
		group, _, subject := v.mentions(w)
		if group == 0 || hasAny(w, "no change", "need no", "not need", "not required", "without change", "unaffected", "not require") {
			continue
		}
		if subject && hasAny(w, "must", "have to", "has to", "need to", "required to") {
			return true
		}
		if hasAny(w, "upgrade", "update", "migrate", "adapt") && hasAny(w, "must", "have to", "has to", "need to", "required", "before activation") {
			return true
		}
	}
	return false
}

// severity reads how grave the picked sentences are. Floors come later.
func severity(s Subject, action bool, picked []scored) api.Severity {
	if dead(s.Proposal) && s.Fork == nil {
		return api.Low
	}
	breaks, calm := false, 0
	for _, x := range picked {
		w := words(x.text)
		breaks = breaks || (x.role == compatibility || x.role == impact || x.role == specification) &&
			hasAny(w, "revert", "break", "breaking", "incompatible", "invalid", "stop", "halt", "fail", "no longer work", "lose", "loss", "hard fork", "backward incompatible", "not backward compatible", "rejected", "cannot")
		if hasAny(w, "unaffected", "not affected", "no change", "unchanged", "no impact", "fully compatible", "not change", "backward compatible", "need no") {
			calm++
		}
	}
	switch {
	case action && breaks:
		return api.High
	case action || breaks || picked[0].score >= 9 && calm == 0:
		return api.Medium
	}
	return api.Low
}

// byHeader says what header and fork let one expect where the text is silent.
func byHeader(s Subject, a axis) string {
	if dead(s.Proposal) {
		return caveatSilent(s.Proposal)
	}
	k := kindOf(s)
	switch {
	case a == validators && s.Fork != nil:
		return "Nodes have to run a release that knows the hard fork " + s.Fork.Name + " before it activates (" + activation(s.Fork) + ")."
	case a == validators && k == core:
		return "It is a Core proposal: once it activates, every node has to follow its rules."
	case a == validators && k == networking:
		return "It is a Networking proposal: it concerns what nodes send each other."
	case a == developers && k == interfaces:
		return "It is an Interface proposal: it concerns what tools and wallets rely on."
	case a == developers && k == convention:
		return "It is a convention between contracts: it concerns those who write contracts that follow it."
	case a == foundation && k == process:
		return "It is about how proposals are worked on."
	case k == informational:
		return "It is informational and binds nobody."
	case k == convention && a == validators:
		return "It is a convention between contracts: no client has to change."
	}
	return ""
}

func caveatSilent(p *mip.Proposal) string {
	if p.Status == mip.Withdrawn {
		return "The proposal is withdrawn."
	}
	return "The proposal is stagnant."
}
