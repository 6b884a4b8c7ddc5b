package summary

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
)

// Patterns of sentences that need another one.
var (
	// toDocument matches a sentence that refers to the document.
	toDocument = prose.Lazily(`^["“(]?(?i:this|that|these|those)` +
		`(?:(?: \p{Lu}\w+){0,3}| \w+),? (?:\p{Lu}{2,}|` +
		`(?i:proposal|change|document|standard|specification|feature))\b`)
	// turn matches a connective that refers to the text before.
	turn = prose.Lazily(`^(?:However|But|Moreover|Furthermore|Additionally|In addition|Therefore|` +
		`Thus|Hence|Consequently|As a result|As a consequence|Nevertheless|Nonetheless|Similarly|` +
		`Likewise|Conversely|In contrast|Finally|Also),? `)
	one  = prose.Lazily(`(?i)\b(?:an?|the|each|every|any|another|its|their) \w`)
	many = prose.Lazily(`(?i)\b(?:[a-z-]+[a-rt-z](?:s|es|ies)|data|people)\b`)
)

// notPlural are words that end like a plural noun and are none.
const notPlural = " is was has does this its as lies "

// pointsBack reports whether a sentence needs the one before it: it begins with a reference, or
// ends with one to nothing in the sentence.
func pointsBack(text string) bool {
	open := strings.TrimLeft(text, `"“(`)
	first := open[:len(open)-len(strings.TrimLeftFunc(open, prose.IsWord))]
	switch strings.ToLower(first) {
	case "this", "it", "its", "they", "their", "these", "that", "such", "those":
		if !toDocument().MatchString(text) {
			return true
		}
	}
	closed := strings.TrimRight(text, `.!;)"”`)
	before := strings.TrimRightFunc(closed, prose.IsWord)
	switch last := closed[len(before):]; strings.ToLower(last) {
	case "it", "this":
		return !one().MatchString(before)
	case "them", "these", "those":
		return !slices.ContainsFunc(many().FindAllString(before, -1), func(word string) bool {
			return !strings.Contains(notPlural, " "+strings.ToLower(word)+" ")
		})
	}
	return false
}

// verbs matches a verb, or a word that is often one: a list of names states nothing.
var verbs = prose.Lazily(`(?i)\b(?:is|are|was|were|be|been|has|have|had|do|does|did|will|would|` +
	`can|cannot|could|may|might|must|shall|should|needs?|\pL{2,}(?:ed|ing|i[sz]es?|if(?:y|ies))|` +
	`(?:` + stems + `)(?:s|es)?)\b|['’](?:s|re|ll|t)\b`)

// stems are verbs that occur in the texts of proposals, in the form of the present.
const stems = `accept|act|add|affect|agree|aim|allow|appear|append|apply|applies|ask|assume|` +
	`avoid|become|begin|behave|belong|benefit|block|break|bring|build|burn|call|cap|carry|` +
	`carries|cast|cause|cease|change|charge|check|choose|claim|collect|come|compare|compute|` +
	`connect|contain|continue|control|cost|count|cover|create|cut|decide|decode|decrease|` +
	`define|delay|delegate|delete|deliver|depend|deploy|describe|deny|denies|detect|differ|` +
	`disable|discard|double|drop|earn|enable|encode|encourage|end|enforce|ensure|enter|` +
	`execute|exist|expect|expire|expose|extend|face|fail|fall|find|fit|fix|follow|force|` +
	`forget|fork|gain|generate|get|give|go|grow|guarantee|halve|handle|happen|help|hold|` +
	`ignore|implement|implies|improve|include|increase|inherit|initiate|interact|introduce|` +
	`invoke|issue|join|keep|know|lack|lead|leak|learn|leave|let|lie|limit|list|listen|lock|` +
	`lose|lower|make|manage|mark|mean|merge|migrate|mint|miss|move|obtain|offer|open|operate|` +
	`own|parse|pass|pay|perform|permit|place|point|post|present|prevent|produce|propose|` +
	`protect|prove|provide|publish|push|put|raise|reach|read|receive|reduce|refer|reject|` +
	`relay|release|rely|relies|remain|remove|rename|replace|report|represent|request|require|` +
	`reset|resolve|restrict|return|reveal|revert|revoke|run|save|see|seem|sell|send|separate|` +
	`serve|set|show|sign|simplify|slow|spend|split|start|stay|stop|store|submit|` +
	`subtract|suffer|suffice|support|swap|switch|take|tell|tend|track|transfer|treat|trigger|` +
	`trust|turn|unlock|update|upgrade|use|validate|verify|verifies|vote|wait|want|withdraw|` +
	`work|write|yield`

// standsAlone reports whether the quote of a sentence states something without the text around it.
// "This" at the beginning of a section on what exists is the proposal.
func (x *sentence) standsAlone() bool {
	const long = 12 // words; a list of names is shorter
	opens := x.first && x.lost && x.role.existing() && strings.HasPrefix(x.own, "This ")
	return (!x.hangs || opens) &&
		(!x.item && len(x.words.all) >= long ||
			verbs().MatchString(aside().ReplaceAllString(uncoded(x.quote), "")))
}

// unturned returns a sentence without the connective at its beginning.
func unturned(text string) string { return text[len(turn().FindString(text)):] }

// capital returns a text with a capital at its beginning, unless its first word has a capital or a
// digit elsewhere, as a name.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	word, _, _ := strings.Cut(text, " ")
	name := func(c rune) bool { return !unicode.IsLower(c) && c != ',' }
	if strings.ContainsFunc(word[size:], name) {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}
