package summary

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
)

// marks are what is seen in a sentence.
type marks struct {
	words    []string // as [tokens] makes them
	hits     hits     // entries of words.txt
	number   bool     // a figure, a size or a share
	becomes  bool     // what a value becomes
	verb     bool     // begins with a verb of change
	calm     bool     // says that nothing comes of the change
	other    bool     // speaks of another proposal, or of what was not chosen
	excluded bool     // is an item of what is not changed
	fork     bool     // says that it needs a hard fork
	supposed bool     // is an example, a supposition or a question
	today    bool     // explains how things are
}

// Beginnings of sentences.
var (
	changeVerbs  = []string{"set", "modif", "activat", "updat"} // of words, in lower case
	notChosen    = []string{"A criticism of", "An alternative", "A previous"}
	suppositions = []string{"For example", "For instance", "Suppose", "Consider", "If we", "Alternatively", "Another option", "Note"}
	digits       = strings.Split("0123456789", "")
)

// Forms of sentences.
var (
	firstID   = prose.Lazily(`^\p{Lu}{2,}-\d+\b`)
	exclusion = prose.Lazily(`(?i)\b(?:not|already|out of scope)\b|\bexclud`)

	// These are compared with sentences in lower case.
	figure = formed(`\d{3}|\d ?%|\bby \d|`+
		`\d ?(?:[kmgt]i?b|bytes?|bits?|ms|s|seconds?|minutes?|hours?|days?|blocks?|slots?|epochs?|gas|gwei|wei)\b`, digits...)
	multiple      = formed(`×|\bfrom\b.+\bto\b|\bdoubl|\bhalv|\bfactor\b`, "×", "from", "doubl", "halv", "factor")
	toValue       = formed(`\b(?:to|by) \d`, digits...)
	notCompatible = formed(`\bnot (?:[\w-]+ ){0,3}compatible with\b`, "compatible with")
	needsFork     = formed(`\b(?:requires?|accompanied by|activated as part of) (?:an? |the )?(?:\w+ )?(?:hard[- ]?fork|network upgrade)`, "fork", "upgrade")
)

// form is a pattern that matches only texts with one of some parts. Most texts have none, and to look for these first
// takes a tenth of the time.
type form struct {
	parts   []string
	pattern func() *regexp.Regexp
}

// formed is a form, whose pattern is compiled at its first use.
func formed(expression string, parts ...string) form { return form{parts, prose.Lazily(expression)} }

// in reports whether a text has the form.
func (f form) in(text string) bool {
	return slices.ContainsFunc(f.parts, func(part string) bool { return strings.Contains(text, part) }) && f.pattern().MatchString(text)
}

// begins reports whether a text begins with the words of one of the beginnings.
func begins(text string, all []string) bool {
	return slices.ContainsFunc(all, func(words string) bool {
		rest, ok := strings.CutPrefix(text, words)
		next, _ := utf8.DecodeRuneInString(rest)
		return ok && !unicode.IsLetter(next) && !unicode.IsDigit(next) && next != '_'
	})
}

// mark sees the marks of a sentence and gives it its points.
func (x *sentence) mark() {
	words := tokens(x.own, x.id.Kind)
	found, plain := lexicon().find(words), uncoded(x.own)
	if x.kind == convention {
		// An operator of tokens is whom their owner trusts, and a node is one of a tree.
		found.drop("validators named", "between contracts")
	}
	if found.has("validators named") {
		// Fees are what users pay, and here what validators get.
		found.drop("users named", "paid to validators")
	}
	lower := strings.ToLower(plain)
	opens := func(list string) bool {
		return slices.ContainsFunc(found[list], func(h hit) bool { return h.at == 0 })
	}
	beginsWord := func(start string) bool { return strings.HasPrefix(lower, start) }
	about := ""
	if strings.Contains(x.own, "-") {
		about = firstID().FindString(x.own)
	}
	x.marks = marks{
		words:    words,
		hits:     found,
		number:   figure.in(lower) || multiple.in(lower),
		becomes:  toValue.in(lower),
		verb:     slices.ContainsFunc([]string{"move", "new", "gone"}, opens) || slices.ContainsFunc(changeVerbs, beginsWord),
		calm:     found.has("calm") && !notCompatible.in(lower),
		other:    about != "" && about != x.id.String() && x.lead == "" || begins(x.own, notChosen),
		excluded: x.item && exclusion().MatchString(x.lead+" "+x.title),
		fork:     needsFork.in(strings.ToLower(x.own)),
		supposed: begins(x.own, suppositions) || strings.HasSuffix(strings.TrimRight(x.own, `"”)`), "?"),
	}
	// What is said of today where the proposal is explained is not what it brings, unless it is to become something else.
	x.marks.today = (x.role == abstract || x.role == motivation) && !found.has("self") && !x.marks.verb && !x.marks.becomes &&
		slices.ContainsFunc(found["now"], func(h hit) bool { return h.at < firstWords })
	for a := range x.group {
		x.group[a] = x.towards(axis(a))
	}
	x.change = x.asChange()
}

// point is what a mark counts where it is there.
type point struct {
	there  bool
	points int
}

// sum adds up what counts.
func sum(points []point) (total int) {
	for _, p := range points {
		if p.there {
			total += p.points
		}
	}
	return total
}

// effects are the lists of words.txt that say what a change does.
var effects = []string{"move", "new", "gone", "break", "good", "bad", "duty"}

// states reports whether a sentence says what becomes of something.
func (x *sentence) states() bool { return x.marks.hits.has(effects...) || x.marks.number }

// names reports whether a sentence names a group, or where it does not, two things that are near to it.
func (x *sentence) names(a axis) (named, near bool) {
	named = x.marks.hits.has(a.String() + " named")
	spoken := slices.Contains([]role{abstract, impact, compatibility, motivation}, x.role)
	return named, !named && spoken && x.marks.hits.different(a.String()+" near") > 1
}

// towards is how much a sentence says to a group: nothing where it does not speak of it or states nothing.
func (x *sentence) towards(a axis) int {
	named, near := x.names(a)
	if !named && !near || !x.states() && !(named && x.role == abstract) {
		return 0
	}
	m, has := x.marks, x.marks.hits.has
	effect := sum([]point{
		{has("break"), 2}, {has("gone"), 2}, {has("good"), 2}, {has("bad"), 2},
		{has("move"), 1}, {has("new"), 1}, {has("duty"), 1}, {m.number, 1},
	})
	const mostEffect = 3
	return min(effect, mostEffect) + sum([]point{
		{named, 3},
		{x.early(a), 1},
		{m.hits.different(a.String()+" named") > 1, 1},
		{near, 1},
		{has("self"), 1},
		{x.role == abstract, 3}, {x.role == abstract && x.first, 1}, {x.role == impact, 3}, {x.role == compatibility, 2},
		{x.role == security, -1}, {x.role == specification || x.role == other, -1}, {x.role == rationale, -3},
		{m.calm, -4}, {m.other, -4}, {m.excluded, -6}, {m.fork, -5}, {m.supposed, -3}, {m.today, -4},
	})
}

// asChange is how well a sentence tells what changes.
func (x *sentence) asChange() int {
	const long = 280 // runes
	m, has := x.marks, x.marks.hits.has
	return sum([]point{
		{has("break"), 1}, {has("gone"), 2}, {has("move"), 1}, {has("new"), 1}, {m.number, 1},
		{m.becomes, 3}, {m.verb, 3},
		{has("self"), 2},
		{x.role == abstract, 4}, {x.role == abstract && x.first, 1}, {x.role == impact, 1}, {x.role == compatibility, 1},
		{x.role == security, -4}, {x.role == specification || x.role == other, 2}, {x.role == rationale, -4}, {x.role == motivation, -3},
		{m.calm, -3}, {m.other, -4}, {m.excluded, -9}, {m.fork, -6}, {m.supposed, -4},
		{has("now") && !has("self"), -4}, {has("maybe") && !has("break"), -2}, {x.lost, -2},
		{utf8.RuneCountInString(x.own) > long, -2},
	})
}

// firstWords are how many words of a sentence say what it is about.
const firstWords = 5

// before are the words behind which a group is what a sentence is about.
var before = strings.Fields("for to by on allow enable let permit impact affect protect benefit require help most regular some all")

// early reports whether a sentence names a group among its first five words, or behind a word of before.
func (x *sentence) early(a axis) bool {
	return slices.ContainsFunc(x.marks.hits[a.String()+" named"], func(h hit) bool {
		return h.at < firstWords || slices.Contains(before, strings.TrimSuffix(x.marks.words[h.at-1], "s"))
	})
}
