package summary

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Scores from which on a sentence is taken. They were set, as all points in this file, by reading the choices from
// real proposals. A change of one of them changes the goldens in testdata and needs to be read again.
const (
	enoughForAxis   = 6 // it speaks of a group
	enoughForChange = 5 // it is worth more than brevity
	weakestChange   = 3 // it is worth more than a fact of the header
)

// Points of a sentence by the role of its section, towards a group and towards a change. They are not changed.
var (
	axisRoles   = map[role]int{compatibility: 3, impact: 3, abstract: 1, security: 1, motivation: -5, rationale: -3}
	changeRoles = map[role]int{
		abstract: 7, specification: 3, compatibility: 3, impact: 3, motivation: 1, security: 1, other: 1,
	}
)

// axisScore says how much a sentence speaks of a group: by the field's terms in it, by where it stands
// and by its wording. The weights were set by reading what they choose from real proposals.
func axisScore(v vocabulary, a axis, p passage) int {
	group, field, subject := v.mentions(p.words)
	if a == developers && strings.Contains(p.text, "`") {
		field++
	}
	if group == 0 && (field < 2 || a == foundation && field < 3) {
		return 0
	}
	if p.role == motivation && !hasAny(p.words, list("effects")...) {
		return 0 // how things are
	}
	score := 3*min(group, 2) + min(field, 3)
	if subject {
		score += 2
	}
	score += axisRoles[p.role]
	if hasAny(p.words, "must", "should", "need", "need to", "required", "has to", "have to", "update", "upgrade", "adapt") {
		score += 2
	}
	if hasAny(p.words, "no longer", "now", "will", "cannot", "unaffected", "unchanged", "no change", "affected", "benefit", "break", "still") {
		score++
	}
	if a == users && hasAny(p.words, "fee", "gas price") && hasAny(p.words, list("moves of a price")...) {
		score += 3 // what everybody pays moves
	}
	if p.before {
		score -= 4
	}
	if hasAny(p.words, "today", "currently", "consider", "would", "was", "were", "had", "you", "we", "previously", "previous", "historically", "recall") {
		score -= 2
	}
	if utf8.RuneCountInString(p.text) > 250 {
		score--
	}
	return score
}

// changeScore says how well a sentence tells a change: by where it stands and by its wording.
func changeScore(p passage) int {
	score := changeRoles[p.role]
	if hasAny(p.words, list("changes")...) {
		score += 2
	}
	if hasAny(p.words, "must", "shall", "required", "invalid", "valid") {
		score++
	}
	if p.first {
		score += 2
	}
	if hasAny(p.words, "we", "i", "our", "problem", "would", "could", "might", "for example", "an example", "consider", "alternative") {
		score -= 2
	}
	if excludes(p.words) {
		score -= 4
	}
	if p.before || hasAny(p.words, "currently", "today", "present", "historically") {
		score -= 8 // how things are
	}
	if p.item {
		score--
	}
	if n := utf8.RuneCountInString(p.text); n > 240 || n < 45 {
		score--
	}
	return score
}

// excludes reports whether a sentence says what is not part of the change.
func excludes(words string) bool {
	return hasAny(words, "not relevant", "not included", "out of scope", "excluded", "not part of")
}

// scored is a passage with what speaks for it.
type scored struct {
	passage
	score int
}

// best sorts by score, then by place in the text.
func best(in []scored) []scored {
	slices.SortFunc(in, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.order, b.order)) })
	return in
}

// inOrder sorts by place in the text.
func inOrder(in []scored) []scored {
	slices.SortFunc(in, func(a, b scored) int { return cmp.Compare(a.order, b.order) })
	return in
}

// alike reports whether two texts say the same in mostly the same words: two thirds of the shorter one,
// or of the longer one where the shorter has too few to tell.
func alike(a, b string) bool {
	left, right := terms(a), terms(b)
	same := 0
	for w := range left {
		if right[w] {
			same++
		}
	}
	of := min(len(left), len(right))
	if of < 6 {
		of = max(len(left), len(right))
	}
	return of > 0 && same*100 >= of*65
}

// terms are the words of a text that carry meaning.
func terms(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words(s)) {
		if len(w) > 3 || strings.ContainsAny(w, "0123456789") {
			out[w] = true
		}
	}
	return out
}

// overlaps reports whether one of the picked passages says the same.
func overlaps(text string, picked []scored) bool {
	return slices.ContainsFunc(picked, func(x scored) bool { return alike(text, x.text) })
}

// overlapsAny reports whether one of the lines says the same.
func overlapsAny(text string, lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return alike(text, line) })
}
