package summary

import (
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
)

// Words of a sentence that says that somebody has to act. What is named has to be what is theirs.
const (
	developerThings = `contracts?|applications?|dapps?|wallets?|tool(?:s|ing)?|librar(?:y|ies)|programs?|code|use cases?|rollups?|L2s?|indexers?|` +
		`explorers?|verifiers?|compilers?|bots?|developers?|people|deployments?`
	subjects = `wallets?|dapps?|applications?|tool(?:s|ing)?|librar(?:y|ies)|indexers?|explorers?|estimators?|rollups?|programs?|contracts?`
	duty     = `must|needs?|may require|ha(?:s|ve) to|required to|requires?|would benefit from`
)

// Patterns of what a group has to do. All are compared with a sentence without its code and its
// brackets.
var (
	things = [4]func(string) bool{
		developers: pattern(`(?i)\b(?:` + developerThings + `)\b`),
		users:      pattern(`(?i)\b(?:users?|holders?|senders?|transactions)\b`),
		validators: pattern(`(?i)\b(?:validators?|operators?|stakers?|miners?|builders?|block[ -]producers?)\b`),
		foundation: pattern(`^$`),
	}
	// userFirst is a sentence about users, and userNext a duty of theirs.
	userNext  = pattern(`(?i)^(?: \w+){0,2} (?:users?|holders?|senders?)(?:[^\w’']|$)`)
	userFirst = pattern(`(?i)^(?:\S+ ){0,5}(?:users?|holders?|senders?|transactions)(?:[^\w’']|$)`)
	// stops says that what is there works no longer, and breaks that it will not, unless it is
	// spared.
	stops  = pattern(`(?i)\b(?:no longer|not)(?: \w+){0,2} (?:work|function|deployable|safe)\b|\bno longer(?: \w+){0,2} (?:valid|supported)\b`)
	breaks = pattern(`(?i)\b(?:will|would|may|might|could|can)(?: \w+){0,3} (?:break|fail|revert|stop|cease|lose|invalid|invalidated|rejected)\b|` +
		`\b(?:be|become|are|is) (?:\w+ ){0,2}(?:affected|impacted|broken)\b|` +
		`\bbreaks?\b|\bto (?:fail|break|revert)\b|\bout of gas\b|\baffects (?:\w+ ){0,2}contracts\b`)
	spared = pattern(`(?i)(?:\b(?:no|not|nor|never|neither|none|nothing|without|unlikely|rather than|positively|reducing)|n[’']t)\b(?:,? \w+){0,10} ` +
		`(?:break|fail|revert|stop|cease|lose|affected|impacted|broken|invalid|rejected|running out|no longer)(?:s|ing)?\b`)
	// refused begins with transactions that were good and are not any more.
	refused = pattern(`(?i)^(?:(?:some|any|all|many|most|the|such|these|those|pre-?signed|existing|pending|legacy|current|sending) )*transactions? ` +
		`(?:(?:that|which|with|using|whose|of|from|above|larger|exceeding|stored|signed|sent|in)\b[^;]{0,80}? )?` +
		`(?:will|would|may|might|could|can)(?: \w+){0,3} (?:fail|invalid|invalidated|rejected|unprocessable|excluded)\b`)
	// owes says that what is theirs must do something that it did not before.
	owes = pattern(`(?i)^(?:\S+ ){0,5}(?:` + subjects + `)\b.{0,60}?\b(?:must|needs? to|ha(?:s|ve) to)\b`)
	// demands is a must, which in a convention is for those who are to follow it.
	demands = pattern(`(?i)\bmust\b`)
	// argues says in a rationale what will be, and not what would be if another way were chosen.
	argues = pattern(`^This(?: \w+){0,3} will\b`)
	// advises is what a section on security asks of everybody at all times.
	advises = pattern(`(?i)\b(?:ensur\w*|take care)\b`)
	// wishes says that it is for those who want it.
	wishes = pattern(`(?i)\b(?:wish|want|choose|to (?:adopt|integrate))`)
	// denied is a duty that nobody has.
	denied = pattern(`(?i)\b(?:no|not|nor|never|without|neither|nobody)\b(?: \w+){0,4} (?:must|needs?|ha(?:s|ve) to|required?|requires)\b|` +
		`n[’']t (?:need|have to|require)`)
	// limited has the words that say so of a reassurance, see [limits].
	limited = pattern(`(?i)^if\b|\b(?:unless|except|most|some|only|should|may|might|must|but|however|until|before|prior|immediately|yet)\b`)
	// contrast begins a reassurance behind what is not one.
	contrast = prose.Lazily(`(?i)^(?:\w+ )?(?:but|however),? `)
	// some is said of a part of a group, or of what is not so yet.
	some   = pattern(`(?i)\b(?:that|which|who|whose|those|if|when|where|would)\b`)
	aside  = prose.Lazily(`\([^()]*\)`)
	duties = prose.Lazily(`(?i)\b(?:` + duty + `)\b`)
	// acts are words of change, and releases begins with one that is of a new version.
	acts     = prose.Lazily(`(?i)\b(?:updat|adapt|adjust|adopt|ensur|migrat|rewrit|re-?architect|redeploy|upgrad)\w*|\b(?:split|take care)\b`)
	releases = pattern(`(?i)^(?:upgrad|updat(?:ed|es|ing)|update\w*(?: \w+){0,4} (?:nodes?|clients?|software|versions?|releases?|implementations?)\b)`)
)

// pattern reports whether a text matches an expression, which is compiled at its first use.
func pattern(expression string) func(text string) bool {
	compiled := prose.Lazily(expression)
	return func(text string) bool { return compiled().MatchString(text) }
}

// obliges reports whether a sentence says that what is a group's stops working, or that they have
// to change it.
func (x *sentence) obliges(a axis) bool {
	m, existing := x.marks, x.role == compatibility || x.role == impact
	argued := x.role == rationale && argues(x.own)
	switch {
	case !existing && x.role != security && !argued, m["calm"], m["supposed"], m["fork"], m["excluded"]:
		return false
	case x.kind == informational, x.kind == convention && !existing:
		return false
	}
	text := aside().ReplaceAllString(uncoded(x.text), "")
	if !things[a](text) {
		return false
	}
	if a == developers && (stops(text) || breaks(text)) && !spared(text) {
		return true
	}
	// Who has sent a transaction, or signed one, has to do it again.
	if a == users && existing && refused(text) && !spared(text) {
		return true
	}
	if denied(text) {
		return false
	}
	if x.kind == convention && demands(text) || x.role == security && advises(text) {
		return false
	}
	return !wishes(text) && (a == developers && existing && owes(text) || changesBy(text, a))
}

// changesBy reports whether a sentence names a duty, behind it a word of change, and what is the
// group's no farther than right behind that. A release is no act of validators, and a sentence that
// names users beside others obliges them not.
func changesBy(text string, a axis) bool {
	const near = 60 // bytes behind the word of change
	at := duties().FindStringIndex(text)
	if at == nil || a == users && !userFirst(text[:at[0]]) && !userNext(text[at[1]:]) {
		return false
	}
	rest, _, _ := strings.Cut(text[at[1]:], ". ")
	for _, act := range acts().FindAllStringIndex(rest, -1) {
		if from, to := at[1]+act[0], at[1]+act[1]; a != validators || !releases(text[from:]) {
			return things[a](strings.ToValidUTF8(text[:min(len(text), to+near)], ""))
		}
	}
	return false
}

// reassures reports whether a sentence says that nothing comes of the change for a group. In a
// convention, elsewhere than where it speaks of what exists, it says what the convention itself
// does not need.
func (x *sentence) reassures(a axis) bool {
	named, _ := x.names(a)
	places := []role{compatibility, impact, abstract}
	if x.kind == convention {
		places = places[:2]
	}
	return named && x.marks["calm"] && !limits(x.own) && !limited(x.title) && slices.Contains(places, x.role)
}

// limits reports whether a reassurance is not for all, or not for sure.
func limits(text string) bool { return limited(contrast().ReplaceAllString(text, "")) }
