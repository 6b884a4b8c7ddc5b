package assist

import (
	"unicode/utf8"
)

// changes picks three to six points: what the abstract and the specification say will be different.
// Where the text says too little, facts from the header fill up.
func changes(s Subject, all []passage, tldr string) []string {
	points := list0(outcome(s))
	if kindOf(s) == hardfork && len(s.Bundled) > 0 {
		points = append(points, bundledChanges(s, all, maxChanges-1-len(points))...)
	} else {
		points = append(points, ownChanges(all, tldr, maxChanges-1-len(points))...)
	}
	if line := schedule(s); line != "" {
		points = append(points, line)
	}
	fill := append(relations(s.Proposal), header(s.Proposal), "The text names no other change in a full sentence.", quoted(s.Proposal))
	for _, line := range fill {
		if len(points) >= minChanges {
			break
		}
		points = append(points, line)
	}
	out := make([]string, 0, len(points))
	for _, line := range points[:min(len(points), maxChanges)] {
		out = append(out, fit(line, maxChange))
	}
	return out
}

// ownChanges picks at most n sentences of the proposal itself.
func ownChanges(all []passage, tldr string, n int) []string {
	var ranked []scored
	for _, p := range all {
		if score := changeScore(p); score > 0 && p.from == "" {
			ranked = append(ranked, scored{p, score})
		}
	}
	var picked []scored
	perSection := map[string]int{}
	for _, x := range best(ranked) {
		if len(picked) == n || x.score < enoughForChange && len(picked) >= minChanges {
			break
		}
		if perSection[x.section] == 3 || alike(x.text, tldr) || overlaps(x.text, picked) {
			continue
		}
		perSection[x.section]++
		picked = append(picked, x)
	}
	var out []string
	for _, x := range inOrder(picked) {
		out = append(out, x.text)
	}
	return out
}

// bundledChanges gives every bundled proposal a point while there is room: what it says of itself in
// one sentence.
func bundledChanges(s Subject, all []passage, n int) []string {
	var out []string
	for i, b := range s.Bundled {
		if len(out) == n-1 && i < len(s.Bundled)-1 {
			var rest []int
			for _, b := range s.Bundled[i:] {
				rest = append(rest, b.Number)
			}
			return append(out, s.Proposal.ID+" also bundles "+ids(s.Proposal.ID, rest)+".")
		}
		line := ""
		if b.Description != nil {
			line = sentence(*b.Description)
		}
		for _, p := range all {
			if line != "" {
				break
			}
			if p.from == b.ID && p.role == abstract {
				line = p.text
			}
		}
		if line == "" {
			line = header(b)
		}
		out = append(out, b.ID+" ("+b.Title+"): "+line)
	}
	var picked []scored
	for _, p := range all {
		if p.from != "" && (p.role == abstract || p.role == specification) && !overlapsAny(p.text, out) {
			picked = append(picked, scored{p, changeScore(p)})
		}
	}
	for _, x := range best(picked) {
		if len(out) == n || x.score < enoughForChange {
			break
		}
		if !overlapsAny(x.text, out) {
			out = append(out, x.from+": "+x.text)
		}
	}
	return out
}

// enoughForChange is the score from which on a sentence is worth more than brevity.
const enoughForChange = 5

// changeScore says how well a sentence tells a change: by where it stands and by its wording.
func changeScore(p passage) int {
	score := 0
	switch p.role {
	case abstract:
		score = 7
	case specification:
		score = 3
	case compatibility, impact:
		score = 3
	case motivation, other:
		score = 1
	case security:
		score = 1
	case rationale:
		score = 0
	}
	w := words(p.text)
	if hasAny(w, "add", "new", "introduce", "replace", "remove", "change", "increase", "decrease", "reduce", "no longer", "instead", "redefine", "activate", "define", "extend", "deprecate", "disable", "enable", "allow", "limit", "cap", "capped", "set", "gain", "carry", "now") {
		score += 2
	}
	if hasAny(w, "must", "shall", "required", "invalid", "valid") {
		score++
	}
	if p.first {
		score += 2
	}
	if hasAny(w, "we", "i", "our", "currently", "today", "problem", "would", "could", "might", "for example", "consider", "alternative") {
		score -= 2
	}
	if p.item {
		score--
	}
	if n := utf8.RuneCountInString(p.text); n > 240 || n < 45 {
		score--
	}
	return score
}

func overlaps(text string, picked []scored) bool {
	for _, x := range picked {
		if alike(text, x.text) {
			return true
		}
	}
	return false
}

func overlapsAny(text string, lines []string) bool {
	for _, line := range lines {
		if alike(text, line) {
			return true
		}
	}
	return false
}

func list0(in []string) []string { return append([]string(nil), in...) }
