package summary

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed rules.txt
var rulesFile string

// lists are the lists of rules.txt by name. A list is not changed. The file is read at the first use, so that a process
// that makes no summary does not wait for it.
var lists = sync.OnceValue(func() map[string][]string {
	out, names := map[string][]string{}, []string(nil)
	for line := range strings.Lines(rulesFile) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			names = strings.Split(strings.Trim(line, "[]"), ", ")
			continue
		}
		// Entries without quotes are no Go strings, and stand as they are.
		if quoted, err := strconv.Unquote(line); err == nil {
			line = quoted
		}
		for _, name := range names {
			out[name] = append(out[name], line)
		}
	}
	return out
})

// list is a list of rules.txt, nil when there is none.
func list(name string) []string { return lists()[name] }

// line is a list of one entry, empty when there is none.
func line(name string) string { return strings.Join(list(name), " ") }

// vocabulary is the words by which a sentence is seen to speak of a group. A phrase is found as a whole.
type vocabulary struct {
	group []string // the people themselves, or what they alone work with
	field []string // what they care about, and others too
}

// vocabulariesOf fits the words of the axes to a kind of proposal.
func vocabulariesOf(k kind) [4]vocabulary {
	var v [4]vocabulary
	for a := range v {
		name := axis(a).String()
		v[a].field = list(name + " field")
		v[a].group = slices.Concat(list(name+" group"), list(name+" in "+string(k)))
		removed := list(name + " not in " + string(k))
		v[a].group = slices.DeleteFunc(v[a].group, func(term string) bool { return slices.Contains(removed, term) })
	}
	// Upgrades, releases and adoption are those of any software here, and no concern of a foundation.
	if k == interfaces || k == convention {
		v[foundation].field = nil
	}
	return v
}

// places are where a text made by [words] has terms, of each the first place.
func places(text string, terms []string) (out []int) {
	for _, t := range terms {
		if i := strings.Index(text, " "+t+" "); i >= 0 {
			out = append(out, i)
		}
	}
	return out
}

// Scores from which on a sentence is taken. They were set, as all points in this file and in rules.txt, by reading the
// choices from real proposals. A change of one of them changes the goldens in testdata and needs to be read again.
const (
	enoughForAxis   = 6 // it speaks of a group
	enoughForChange = 5 // it is worth more than brevity
	weakestChange   = 3 // it is worth more than a fact of the header
)

// weights are the points of a sentence by the role of its section, towards a group and towards a change. They are not
// changed.
var weights = map[role]struct{ group, change int }{
	abstract:      {1, 7},
	compatibility: {3, 3},
	impact:        {3, 3},
	security:      {1, 1},
	specification: {0, 3},
	motivation:    {-5, 1},
	other:         {0, 1},
	rationale:     {-3, 0},
}

// wording is the points for the words of a sentence: of each list of rules.txt from which it has one. The points are at
// the end of the list's name.
func wording(words string, lists ...string) (sum int) {
	for _, name := range lists {
		if hasAny(words, list(name)...) {
			_, points, _ := strings.Cut(name, " ")
			n, _ := strconv.Atoi(points) // names are constant
			sum += n
		}
	}
	return sum
}

// axisScore says how much a sentence speaks of a group: by the field's terms in it, by where it stands
// and by its wording.
func axisScore(v vocabulary, a axis, p passage) int {
	named, field := places(p.words, v.group), len(places(p.words, v.field))
	group := len(named)
	if a == developers && strings.Contains(p.text, "`") {
		field++
	}
	// A sentence that names nobody of the group has to name two things of its field, and three of the foundation's,
	// which are common words.
	if group == 0 && (field < 2 || a == foundation && field < 3) {
		return 0
	}
	// A motivation says how things are, unless it names the proposal and what it does.
	if p.role == motivation && !hasAny(p.words, list("effects")...) {
		return 0
	}
	score := 3*min(group, 2) + min(field, 3) + weights[p.role].group + wording(p.words, "group +2", "group +1", "group -2")
	// A sentence has its subject in its first half.
	if slices.ContainsFunc(named, func(i int) bool { return strings.Count(p.words[:i], " ") <= 4 }) {
		score += 2
	}
	// What everybody pays moves.
	if a == users && hasAny(p.words, "fee", "gas price") && hasAny(p.words, list("moves of a price")...) {
		score += 3
	}
	if p.before {
		score -= 4
	}
	if utf8.RuneCountInString(p.text) > 250 {
		score--
	}
	return score
}

// changeScore says how well a sentence tells a change: by where it stands and by its wording.
func changeScore(p passage) int {
	// A sentence about today tells no change, and an item, a long and a short sentence tell less of one.
	score := weights[p.role].change + wording(p.words, "change +2", "change +1", "change -2", "change -4")
	if p.first {
		score += 2
	}
	if p.before || hasAny(p.words, list("change -8")...) {
		score -= 8
	}
	if p.item {
		score--
	}
	switch n := utf8.RuneCountInString(p.text); {
	case n < 30:
		score -= 4
	case n < 45, n > 240:
		score--
	}
	return score
}

// best returns passages by score, then by place in the text, so that equal scores have one order. The argument is not
// changed.
func best(in []passage, score func(passage) int) []passage {
	out := slices.Clone(in)
	for i := range out {
		out[i].score = score(out[i])
	}
	slices.SortFunc(out, func(a, b passage) int { return cmp.Or(b.score-a.score, a.order-b.order) })
	return out
}

// inOrder sorts by place in the text.
func inOrder(in []passage) []passage {
	slices.SortFunc(in, func(a, b passage) int { return a.order - b.order })
	return in
}

// overlaps reports whether one of the others says the same as a text in mostly the same words: two thirds of the
// shorter one, or of the longer one where the shorter has too few to tell.
func overlaps(text string, others ...string) bool {
	left := terms(text)
	return slices.ContainsFunc(others, func(other string) bool {
		right, same := terms(other), 0
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
	})
}

// terms are the words of a text that carry meaning: those of four letters or more, and with digits.
func terms(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words(s)) {
		if len(w) > 3 || strings.ContainsAny(w, "0123456789") {
			out[w] = true
		}
	}
	return out
}

// words is a text as the vocabularies have it: lower case, words in the singular, one blank around each.
func words(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for w := range strings.FieldsFuncSeq(strings.ToLower(uncoded(text)), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_' && c != '/'
	}) {
		b.WriteString(singular(w) + " ")
	}
	return b.String()
}

// uncoded is a text with its code left out: a parameter named owner speaks of nobody.
func uncoded(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}

// singular takes the s from a word's end where that makes a singular or a verb's stem.
func singular(w string) string {
	if len(w) <= 3 {
		return w
	}
	// The first end that fits decides, so the longer ones come first.
	for _, end := range [][2]string{
		{"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"ies", "y"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"s", ""},
	} {
		if stem, ok := strings.CutSuffix(w, end[0]); ok {
			return stem + end[1]
		}
	}
	return w
}

// hasAny reports whether a text made by [words] holds one of the terms.
func hasAny(text string, terms ...string) bool {
	return slices.ContainsFunc(terms, func(t string) bool { return strings.Contains(text, " "+t+" ") })
}
