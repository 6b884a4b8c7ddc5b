package summary

import (
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
)

// things are lists in the form of words.txt: what belongs to each group. A plus is a blank.
const things = `
things of developers: contract contracts application applications dapp dapps wallet wallets
things of developers: tool tools tooling library libraries program programs code use+case use+cases
things of developers: rollup rollups L2 L2s indexer indexers explorer explorers bot bots
things of developers: verifier verifiers compiler compilers developer developers people
things of developers: deployment deployments
things of users: user users holder holders sender senders transactions
things of validators: validator validators operator operators staker stakers miner miners
things of validators: builder builders block_producer block_producers
`

// Words of a duty, of what developers maintain, and of nodes and those who run them.
const (
	subjects = `wallets?|dapps?|applications?|tool(?:s|ing)?|librar(?:y|ies)|indexers?|explorers?|` +
		`estimators?|rollups?|programs?|contracts?`
	nodes = `(?:nodes?|clients?|validators?|operators?|miners?|stakers?)\b`
	duty  = `must|needs?|may require|ha(?:s|ve) to|required to|requires?|would benefit from`
)

// Patterns of a duty. They match a sentence without its code and its brackets.
var (
	// userFirst matches a sentence about users, and userNext a duty of users.
	userNext  = pattern(`(?i)^(?: \w+){0,2} (?:users?|holders?|senders?)(?:[^\w’']|$)`)
	userFirst = pattern(`(?i)^(?:\S+ ){0,5}(?:users?|holders?|senders?|transactions)(?:[^\w’']|$)`)
	// stops matches what no longer works, breaks what will not work, and spared denies both.
	stops = pattern(`(?i)\b(?:no longer|not)(?: \w+){0,2} (?:work|function|deployable|safe)\b|` +
		`\bno longer(?: \w+){0,2} (?:valid|supported)\b`)
	breaks = pattern(`(?i)\b(?:will|would|may|might|could|can)(?: \w+){0,3} ` +
		`(?:break|fail|revert|stop|cease|lose|invalid|invalidated|rejected)\b|` +
		`\b(?:be|become|are|is) (?:\w+ ){0,2}(?:affected|impacted|broken)\b|` +
		`\bbreaks?\b|\bto (?:fail|break|revert)\b|\bout of gas\b|\baffects (?:\w+ ){0,2}contracts\b`)
	spared = pattern(`(?i)(?:\b(?:no|not|nor|never|neither|none|nothing|without|unlikely|rather than|` +
		`positively|reducing)|n[’']t)\b(?:,? \w+){0,10} ` +
		`(?:break|fail|revert|stop|cease|lose|affected|impacted|broken|invalid|rejected|running out|` +
		`no longer)(?:s|ing)?\b`)
	// refused matches transactions that were valid and will not be.
	refused = pattern(`(?i)^(?:(?:some|any|all|many|most|the|such|these|those|pre-?signed|existing|` +
		`pending|legacy|current|sending) )*transactions? ` +
		`(?:(?:that|which|with|using|whose|of|from|above|larger|exceeding|stored|signed|sent|in)\b` +
		`[^;]{0,80}? )?` +
		`(?:will|would|may|might|could|can)(?: \w+){0,3} ` +
		`(?:fail|invalid|invalidated|rejected|unprocessable|excluded)\b`)
	// owes matches a new duty of what developers maintain.
	owes = pattern(`(?i)^(?:\S+ ){0,5}(?:` + subjects + `)\b.{0,60}?` +
		`\b(?:must|needs? to|ha(?:s|ve) to)\b`)
	// must matches a demand. In a convention it binds those who will follow it.
	must = pattern(`(?i)\bmust\b`)
	// argues matches a sentence of a rationale about the change itself, not about an alternative.
	argues = pattern(`^This(?: \w+){0,3} will\b`)
	// advises matches the advice that a section on security gives everybody at all times.
	advises = pattern(`(?i)\b(?:ensur\w*|take care)\b`)
	// wishes matches a duty of those who want the change.
	wishes = pattern(`(?i)\b(?:wish|want|choose|to (?:adopt|integrate))`)
	// denied matches a duty that nobody has.
	denied = pattern(`(?i)\b(?:no|not|nor|never|without|neither|nobody)\b(?: \w+){0,4} ` +
		`(?:must|needs?|ha(?:s|ve) to|required?|requires)\b|` +
		`n[’']t (?:need|have to|require)`)
	// limited has the words that restrict a reassurance, see [limits].
	limited = pattern(`(?i)^(?:if|these|those)\b|\b(?:unless|except|most|some|only|should|may|` +
		`might|must|but|however|until|before|prior|immediately|yet)\b`)
	// contrast is the beginning of a reassurance that follows bad news.
	contrast = prose.Lazily(`(?i)^(?:\w+ )?(?:but|however),? `)
	// some restricts a statement to a part of a group, or to the future.
	some   = pattern(`(?i)\b(?:that|which|who|whose|those|if|when|where|would)\b`)
	aside  = prose.Lazily(`\([^()]*\)`)
	duties = prose.Lazily(`(?i)\b(?:` + duty + `)\b`)
	// late matches software of nodes that does not know the change, and falls what becomes of it.
	late = prose.Lazily(`(?i)\b(?:` +
		`(?:(?:non|un|not)[- ]?(?:updated|upgraded|patched)|outdated|old(?:er)?|legacy) ` + nodes +
		`|` + nodes + `[^.;:]{0,40}?\b(?:(?:not|never|fails? to)(?: \w+){0,2} ` +
		`(?:updat|upgrad|migrat)\w*|(?:older|earlier) than|without (?:the|this) (?:update|upgrade)))`)
	falls = pattern(`(?i)\b(?:stops?|halts?|cut off|(?:left|falls?|fallen) (?:behind|out|off)|` +
		`disconnected|partitioned|unable|fork(?:s|ed)? (?:away|off)|splits? (?:away|off|from)|` +
		`fails?|rejects?|rejected|diverges?|incompatible|malformed|invalid|` +
		`(?:can|will) ?(?:not|no longer)(?: be able to)? (?:follow|validate|verify|sync|process|` +
		`construct|produce|participate|join|connect|work))\b`)
	// acts are words of change. releases matches an act that is a new version.
	acts = prose.Lazily(`(?i)\b(?:updat|adapt|adjust|adopt|ensur|migrat|rewrit|` +
		`re-?architect|redeploy|upgrad)\w*|\b(?:split|take care)\b`)
	releases = pattern(`(?i)^(?:upgrad|updat(?:ed|es|ing)|` +
		`update\w*(?: \w+){0,4} (?:nodes?|clients?|software|versions?|releases?|implementations?)\b)`)
)

// pattern returns a function that reports whether a text matches an expression. The expression is
// compiled at its first use.
func pattern(expression string) func(text string) bool {
	compiled := prose.Lazily(expression)
	return func(text string) bool { return compiled().MatchString(text) }
}

// obliges returns the groups that have to act: what is theirs stops working, or they have to change
// it.
func (x *sentence) obliges() (out [4]bool) {
	switch {
	case !x.role.existing() && x.role != security && (x.role != rationale || !argues(x.own)),
		x.marks&(1<<markCalm|1<<markSupposed|1<<markFork|1<<markExcluded) != 0,
		x.kind == informational, x.kind == convention && !x.role.existing():
		return out
	}
	text, theirs := aside().ReplaceAllString(uncoded(x.text), ""), x.words.found
	if text != x.own {
		theirs = wordsOf(text, "").found
	}
	for a := range foundation { // no list has the things of the foundation
		out[a] = theirs.has(thingsOf(a)) && (x.ends(a, text) && !spared(text) || x.demands(a, text))
	}
	out[validators] = out[validators] || theirs.has(markValidators) && x.outlives(text)
	return out
}

// outlives reports whether nodes without the change drop out of the network: those who run them
// have to update. Between contracts and in interfaces a node or client is something else.
func (x *sentence) outlives(text string) bool {
	if x.kind == convention || x.kind == interfaces {
		return false
	}
	old := late().FindStringIndex(text)
	return old != nil && falls(text[old[1]:]) && !spared(text[old[1]:])
}

// ends reports whether what belongs to a group stops working. The sender of a refused transaction
// has to send it again.
func (x *sentence) ends(a axis, text string) bool {
	return a == developers && (stops(text) || breaks(text)) ||
		a == users && x.role.existing() && refused(text)
}

// demands reports whether a group has to change something.
func (x *sentence) demands(a axis, text string) bool {
	duty := duties().FindStringIndex(text)
	if duty == nil || denied(text) || wishes(text) ||
		x.kind == convention && must(text) || x.role == security && advises(text) {
		return false
	}
	return a == developers && x.role.existing() && owes(text) || changesBy(a, text, duty)
}

// changesBy reports whether a word of change follows the duty at text[duty[0]:duty[1]], with the
// things of a group before it or close behind it. A release is no act of validators. A sentence
// that names users beside others does not oblige them.
func changesBy(a axis, text string, duty []int) bool {
	const near = 60 // bytes behind the word of change
	before, behind := text[:duty[0]], text[duty[1]:]
	if a == users && !userFirst(before) && !userNext(behind) {
		return false
	}
	clause, _, _ := strings.Cut(behind, ". ")
	for _, act := range acts().FindAllStringIndex(clause, -1) {
		if a != validators || !releases(behind[act[0]:]) {
			to := min(len(text), duty[1]+act[1]+near)
			return wordsOf(strings.ToValidUTF8(text[:to], ""), "").found.has(thingsOf(a))
		}
	}
	return false
}

// reassures reports whether a sentence denies consequences of the change for a group. The abstract
// of a convention is not asked: it describes what the convention itself does not need.
func (x *sentence) reassures(a axis) bool {
	placed := x.role.existing() || x.role == abstract && x.kind != convention
	return placed && x.marks.has(markCalm) && x.names(a) && !limits(x.own) && !limited(x.title)
}

// quotes reports whether the quote of a sentence has an entry of a list.
func (x *sentence) quotes(list mark) bool {
	return wordsOf(x.quote, x.id.Kind).found.has(list)
}

// limits reports whether a reassurance is not for all, or not certain.
func limits(text string) bool { return limited(contrast().ReplaceAllString(text, "")) }
