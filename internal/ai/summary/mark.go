package summary

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
)

// mark is a reason for or against a sentence: an entry of a list of words.txt, or a property that
// [sentence.mark] finds.
type mark uint8

const (
	// Lists that name a group, in the order of the axes.
	markDevelopers mark = iota
	markUsers
	markValidators
	markFoundation
	// Lists of the things of a group, in the order of the axes.
	markThingsOfDevelopers
	markThingsOfUsers
	markThingsOfValidators
	// Lists that qualify a name.
	markUsersNear
	markBetweenContracts
	markOfInterface
	markPaidToValidators
	markRightBehind
	// Lists of changes and their effects.
	markMove
	markNew
	markGone
	markSet
	markBreak
	markGood
	markBad
	markDuty
	markFactor
	// Lists against a sentence, and markSelf.
	markCalm
	markSelf
	markNow
	markMaybe
	markAnother
	markSupposed
	markExcluded
	markUnfit
	// Properties of a sentence.
	markNumber
	markToValue
	markVerb
	markOpening // first of the abstract
	markFork
	markToday
	markLost
	markLong
)

// markTable has the list of words.txt of each mark, empty for a property, and the points of the
// mark towards a group and towards a change.
var markTable = [...]struct {
	list          string
	group, change int
}{
	markDevelopers: {list: "developers named"}, markUsers: {list: "users named"},
	markValidators: {list: "validators named"}, markFoundation: {list: "foundation named"},
	markThingsOfDevelopers: {list: "things of developers"},
	markThingsOfUsers:      {list: "things of users"},
	markThingsOfValidators: {list: "things of validators"}, markUsersNear: {list: "users near"},
	markBetweenContracts: {list: "between contracts"}, markOfInterface: {list: "of an interface"},
	markPaidToValidators: {list: "paid to validators"}, markRightBehind: {list: "right behind"},
	markMove: {"move", 1, 1}, markNew: {"new", 1, 1}, markGone: {"gone", 2, 2},
	markSet:   {list: "set"},
	markBreak: {"break", 2, 1}, markGood: {"good", 2, 0}, markBad: {"bad", 2, 0},
	markDuty: {"duty", 1, 0}, markFactor: {list: "factor"}, markNumber: {"", 1, 1},
	markToValue: {"", 0, 3}, markVerb: {"", 0, 3},
	markSelf: {"self", 1, 2}, markOpening: {"", 1, 1},
	markCalm: {"calm", -4, -3}, markAnother: {"another", -4, -4},
	markExcluded: {"excluded", -6, -9},
	markFork:     {"", -5, -6}, markSupposed: {"supposed", -3, -4}, markToday: {"", -4, 0},
	markNow: {"now", 0, -4}, markMaybe: {"maybe", 0, -2}, markLost: {"", 0, -2},
	markLong: {"", 0, -2}, markUnfit: {list: "unfit"},
}

// rolePoints has the points of a sentence by the role of its section.
var rolePoints = [...]struct{ group, change int }{
	abstract: {3, 4}, impact: {3, 1}, compatibility: {2, 1}, motivation: {0, -3},
	security: {-1, -4}, specification: {-1, 2}, other: {-1, 2}, rationale: {-3, -4}, skipped: {},
}

// namesOf returns the list with the names of a group.
func namesOf(a axis) mark { return markDevelopers + mark(a) }

// thingsOf returns the list with the things of a group. The foundation has none.
func thingsOf(a axis) mark { return markThingsOfDevelopers + mark(a) }

// marks is a set of marks.
type marks uint64

func (m marks) has(one mark) bool { return m&(1<<one) != 0 }

func (m *marks) add(one mark) { *m |= 1 << one }

// put adds a mark or removes it.
func (m *marks) put(one mark, there bool) {
	*m &^= 1 << one
	if there {
		m.add(one)
	}
}

// points returns the points of all marks of the set.
func (m marks) points() (group, change int) {
	for one, row := range markTable {
		if m.has(mark(one)) {
			group, change = group+row.group, change+row.change
		}
	}
	return group, change
}

// effects are the marks of what a change does. Together they count at most mostEffect points
// towards a group.
const effects marks = 1<<markBreak | 1<<markGone | 1<<markGood | 1<<markBad |
	1<<markMove | 1<<markNew | 1<<markDuty | 1<<markNumber

const mostEffect = 3

// begin is the number of first words that show the topic of a sentence.
const begin = 5

// Patterns of sentences. All but firstID match lower case.
var (
	firstID = prose.Lazily(`^\p{Lu}{2,}-\d+\b`)
	figure  = prose.Lazily(`\d{3}|\d ?%|\bby \d|` +
		`\d ?(?:[kmgt]i?b|bytes?|bits?|ms|s|seconds?|minutes?|hours?|days?|blocks?|slots?|` +
		`epochs?|gas|gwei|wei)\b`)
	toValue       = prose.Lazily(`\b(?:to|by) \d`)
	notCompatible = prose.Lazily(`\bnot (?:[\w-]+ ){0,3}compatible with\b`)
	needsFork     = prose.Lazily(`\b(?:requires?|accompanied by|activated as part of) ` +
		`(?:an? |the )?(?:\w+ )?(?:hard[- ]?fork|network upgrade)`)
)

// mark sets the marks and the points of a sentence.
func (x *sentence) mark() {
	const long = 280 // runes
	w := &x.words
	switch x.kind {
	case interfaces:
		// The client of an interface is not the software of a node.
		w.drop(markValidators, markOfInterface)
	case convention:
		// The operator of a token is someone its owner trusts, and a node may be part of a tree.
		w.drop(markValidators, markBetweenContracts)
	}
	if w.found.has(markValidators) {
		// Where a sentence is about validators, fees are their income.
		w.drop(markUsers, markPaidToValidators)
	}
	about, figures := firstID().FindString(x.own), ""
	if i := strings.IndexAny(w.lower, "0123456789"); i >= 0 {
		figures = w.lower[max(0, i-len(" to ")):]
	}
	from := slices.Index(w.all, "from")
	becomes := figures != "" && toValue().MatchString(figures)
	verb := w.open(markMove, markNew, markGone, markSet)
	fork := strings.Contains(w.lower, "fork") || strings.Contains(w.lower, "upgrade")
	m := &x.marks
	*m |= w.found
	m.put(markOpening, x.first && x.role == abstract)
	m.put(markNumber, w.found.has(markFactor) || strings.Contains(w.lower, "×") ||
		from >= 0 && slices.Contains(w.all[from+1:], "to") ||
		figures != "" && figure().MatchString(figures))
	m.put(markToValue, becomes)
	m.put(markVerb, verb)
	m.put(markCalm, w.found.has(markCalm) && !notCompatible().MatchString(w.lower))
	m.put(markAnother, about != "" && about != x.id.String() && x.lead == "" || w.open(markAnother))
	m.put(markExcluded, x.excluded)
	m.put(markFork, fork && needsFork().MatchString(w.lower))
	m.put(markSupposed, w.open(markSupposed) ||
		strings.HasSuffix(strings.TrimRight(x.own, `"”)`), "?"))
	// A statement about today in an abstract or a motivation is no change, unless it announces one.
	m.put(markToday, (x.role == abstract || x.role == motivation) && !w.found.has(markSelf) &&
		!verb && !becomes && w.before(markNow, begin))
	m.put(markNow, w.found.has(markNow) && !w.found.has(markSelf))
	m.put(markMaybe, w.found.has(markMaybe) && !w.found.has(markBreak))
	m.put(markLost, x.lost)
	m.put(markLong, utf8.RuneCountInString(x.own) > long)

	ofRole := rolePoints[x.role]
	group, change := (*m &^ effects).points()
	effect, changed := (*m & effects).points()
	x.change = ofRole.change + change + changed
	for a := range x.group {
		if own := x.speaksOf(axis(a)); own > 0 {
			x.group[a] = ofRole.group + group + min(effect, mostEffect) + own
		}
	}
}

// names reports whether a sentence names a group.
func (x *sentence) names(a axis) bool { return x.marks.has(namesOf(a)) }

// speaksOf returns the points for how a sentence mentions a group. It returns none if the sentence
// does not mention the group, or states nothing.
func (x *sentence) speaksOf(a axis) int {
	w := &x.words
	states := x.marks&effects != 0
	if !states && x.role != abstract {
		return 0
	}
	named, bound, list := x.names(a), x.binds(a), namesOf(a)
	if !states && !named && !bound {
		return 0
	}
	spoken := x.role == abstract || x.role == motivation || x.role.existing()
	early := named && slices.ContainsFunc(w.hits, func(h hit) bool {
		behind := func(before hit) bool {
			return before.list == markRightBehind && before.to == h.from
		}
		return h.list == list && (h.from < begin || slices.ContainsFunc(w.hits, behind))
	})
	near := a == users && !named && spoken && w.several(markUsersNear)
	points := 0
	for _, how := range [...]struct {
		true   bool
		points int
	}{{named, 3}, {early, 1}, {w.several(list), 1}, {near, 1}, {bound, 2}} {
		if how.true {
			points += how.points
		}
	}
	return points
}

// binds reports whether a sentence binds those who follow the proposal: the abstract of a proposal
// for them alone, and the demands of a specification.
func (x *sentence) binds(a axis) bool {
	switch x.role {
	case abstract:
		return a == developers && (x.kind == convention || x.kind == interfaces) ||
			a == validators && x.kind == networking
	case specification:
		return (a == developers) == (x.kind == convention) &&
			(a == developers || a == validators) &&
			(x.lead != "" || !x.words.open(markDuty)) && slices.Contains(x.words.all, "must")
	}
	return false
}
