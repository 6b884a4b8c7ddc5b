package summary

import (
	"cmp"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// caveat opens what is said of a proposal that is abandoned.
func caveat(s Subject) string {
	switch {
	case !abandoned(s):
		return ""
	case s.Proposal.Status == mip.Withdrawn:
		return "The proposal is withdrawn; it would have meant:"
	}
	return "The proposal is stagnant; if it were taken up:"
}

// notMentionedIn has the sentence for a group that the text says nothing about, by language. It is not changed.
var notMentionedIn = map[string]string{
	"de": "Der Text sagt nicht, was das für diese Gruppe bedeutet.",
	"en": "The text does not say what this means for this group.",
	"es": "El texto no dice qué significa esto para este grupo.",
	"fr": "Le texte ne dit pas ce que cela signifie pour ce groupe.",
	"it": "Il testo non dice che cosa significa per questo gruppo.",
	"ja": "本文には、このグループへの影響は書かれていません。",
	"ko": "본문에는 이 그룹에 미치는 영향이 쓰여 있지 않습니다.",
	"pt": "O texto não diz o que isto significa para este grupo.",
	"ru": "В тексте не сказано, что это значит для этой группы.",
	"tr": "Metin, bunun bu grup için ne anlama geldiğini söylemiyor.",
	"vi": "Văn bản không nói điều này có ý nghĩa gì đối với nhóm này.",
	"zh": "正文没有说明这对该群体意味着什么。",
}

// notMentioned is that sentence in a language, the English one where there is none: an honest sentence in the wrong
// language is better than none.
func notMentioned(locale string) string {
	language, _, _ := strings.Cut(strings.ToLower(locale), "-")
	return cmp.Or(notMentionedIn[language], notMentionedIn["en"])
}

// notMentionedBy is the impact on a group that the text says nothing about. In English it adds what follows from
// header and fork.
func notMentionedBy(s Subject, a axis, locale string) string {
	out := notMentioned(locale)
	if out == notMentioned("en") {
		out += " " + cmp.Or(expectation(s, a), byKind(s, a))
	}
	return fit(out, maxImpact)
}

// notMentionedForms are the impacts that need no quote: the sentence that the text says nothing, with each addition
// of the rules, whatever the status of the fork. A summary that was made before the fork was active stays sound.
func notMentionedForms(s Subject, a axis, locale string) []string {
	forks := []*mip.HardFork{nil, s.Fork}
	if s.Fork != nil {
		for _, status := range []string{"planned", "scheduled", "active"} {
			fork := *s.Fork
			fork.Status = status
			forks = append(forks, &fork)
		}
	}
	out := []string{notMentioned(locale), notMentioned("en")}
	for _, s.Fork = range forks {
		out = append(out, notMentionedBy(s, a, "en"))
	}
	return out
}

// expectation is what a group has to expect of a fork that is to come, whatever the text says of it.
func expectation(s Subject, a axis) string {
	if !toCome(s.Fork) {
		return ""
	}
	name, when := s.Fork.Name, activation(s.Fork)
	switch a {
	case validators:
		return "Nodes have to run a release that knows the hard fork " + name + " before it activates (" + when + ")."
	case foundation:
		return "The hard fork " + name + " is still to come (" + when + ")."
	}
	return ""
}

// kindFor is a kind of proposal as a group sees it.
type kindFor struct {
	kind kind
	axis axis
}

// kindMeans says what a kind of proposal means for a group. It is not changed.
var kindMeans = map[kindFor]string{
	{hardfork, developers}:   "It switches on other proposals; what they change for developers stands in their texts.",
	{hardfork, validators}:   "It is about a hard fork: nodes have to run a release that knows it before it activates.",
	{hardfork, foundation}:   "It is about a hard fork, whose date and releases have to be prepared.",
	{core, developers}:       "It is a Core proposal, which can change how contracts are executed or what they cost.",
	{core, validators}:       "It is a Core proposal: once it is active, every node has to follow its rules.",
	{networking, validators}: "It is a Networking proposal: it concerns what nodes send each other.",
	{interfaces, developers}: "It is an Interface proposal: it concerns what tools and wallets rely on.",
	{convention, developers}: "It is a convention between contracts: it concerns those who write contracts that follow it.",
	{convention, validators}: "It is a convention between contracts: no client has to change.",
	{process, foundation}:    "It is about how proposals are worked on.",
}

// byKind is what a group has to expect of a proposal by its kind where the text is silent.
func byKind(s Subject, a axis) string {
	k := kindOf(s)
	switch {
	case abandoned(s):
		return "The proposal is " + strings.ToLower(string(s.Proposal.Status)) + "."
	case s.Fork != nil && a == validators:
		return "It came with the hard fork " + s.Fork.Name + ", so nodes that follow the chain run it."
	case s.Fork != nil && a == foundation:
		return "It came with the hard fork " + s.Fork.Name + "."
	case k == informational:
		return "It is informational and binds nobody."
	}
	return kindMeans[kindFor{k, a}]
}
