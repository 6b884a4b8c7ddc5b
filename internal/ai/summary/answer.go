package summary

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/api"
)

// answer is what a text says to a group that asks whether it has to do something. Of several the highest counts.
type answer int

// The answers, weakest first.
const (
	unsaid answer = iota
	none          // that there is nothing to do
	look          // something that may concern what is theirs: not enough for a yes, too much for a no
	asked         // that they must do something, which is an order or a part of what is specified, by where it stands
	needed        // that they have to change something, or that what they have made or run stops working
)

// answers compares a sentence with the patterns of rules.txt for one group.
type answers struct {
	people, things, definite []string
	patterns                 map[string]*regexp.Regexp // by the name of their list
}

// answersOf are the answers of every group. Patterns are compiled at the first summary: see [lists].
var answersOf = sync.OnceValue(func() (out [4]answers) {
	for i := range out {
		name := axis(i).String()
		out[i].people, out[i].things = list(name+" people"), list(name+" things")
		out[i].definite = list("definite of " + name)
		out[i].patterns = map[string]*regexp.Regexp{}
		for _, says := range []string{"doubt", "none", "excuse", "needed", "asked", "look"} {
			lines := slices.Concat(list(says), list(says+" of "+name))
			out[i].patterns[says] = regexp.MustCompile(expand(strings.Join(lines, "|"), name))
		}
	}
	return out
})

// expand replaces the names of lists in braces by the alternatives in them. A list of the group comes before the one of
// all.
func expand(pattern, group string) string {
	return regexp.MustCompile(`\{[a-z ]+\}`).ReplaceAllStringFunc(pattern, func(name string) string {
		name = strings.Trim(name, "{}")
		entries := list(name + " of " + group)
		if entries == nil {
			entries = list(name)
		}
		return "(?:" + expand(strings.Join(entries, "|"), group) + ")"
	})
}

// answerOf says what a text of one or more sentences answers a group.
func answerOf(text string, a axis) (said answer) {
	for _, sentence := range prose.Split(text) {
		said = max(said, answersOf()[a].to(spoken(sentence)))
	}
	return said
}

// to judges a sentence as a whole, and by each place where it names the group: the words are compared with that place
// marked, by WHO for what acts, by WHAT for what is only spoken of and by ONE for a single one, which the text describes.
func (g answers) to(words []string) answer {
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = singular(w)
	}
	said := g.match(strings.Join(stems, " ")+" ", "none")
	for i, stem := range stems {
		thing := slices.Contains(g.things, stem)
		if !thing && !slices.Contains(g.people, stem) {
			continue
		}
		phrase := words[boundary(words, i):i]
		has := func(terms []string) bool {
			return slices.ContainsFunc(phrase, func(w string) bool { return slices.Contains(terms, w) })
		}
		stems[i] = "WHO"
		if words[i] == stem && has(g.definite) {
			stems[i] = "ONE"
		} else if thing || has(list("prepositions")) {
			stems[i] = "WHAT"
		}
		said = max(said, g.match(strings.Join(stems, " ")+" ", "none", "needed", "asked", "look"))
		stems[i] = stem
	}
	return said
}

// match is the first of the named answers that a sentence with one place marked gives. What is in doubt is no no, and
// what is excused is no answer.
func (g answers) match(sentence string, names ...string) answer {
	says := func(name string) bool {
		cues := list("cues of " + name)
		return (cues == nil || hasAny(sentence, cues...)) && g.patterns[name].MatchString(sentence)
	}
	i := slices.IndexFunc(names, says)
	switch {
	case i < 0, i > 0 && says("excuse"):
		return unsaid
	case i == 0 && says("doubt"):
		return look
	}
	return map[string]answer{"none": none, "needed": needed, "asked": asked, "look": look}[names[i]]
}

// boundary is where the phrase begins that ends with the i-th word.
func boundary(words []string, i int) int {
	const longest = 7 // words
	at := i
	for at > 0 && i-at < longest && !slices.Contains(list("boundaries"), words[at-1]) {
		at--
	}
	return at
}

// aside finds what stands in brackets.
var aside = prose.Lazily(`\([^()]*\)`)

// spoken are the words of a sentence in lower case with its punctuation as words, one before the first and one behind
// the last. Code and what stands in brackets
// are left out and contractions are resolved.
func spoken(sentence string) []string {
	text := strings.NewReplacer("can't", "can not", "won't", "will not", "n't", " not", "n’t", " not", "cannot", "can not", "—", " , ", "–", " , ",
		", however,", "", ", therefore,", "", ", ", " , ", ";", " ; ", ": ", " : ").
		Replace(aside().ReplaceAllString(strings.ToLower(uncoded(sentence)), ""))
	words := []string{"."}
	for w := range strings.FieldsSeq(text) {
		w = strings.TrimFunc(w, func(c rune) bool {
			return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != ',' && c != ';' && c != ':'
		})
		adverb := slices.Contains(list("adverbs"), w) && slices.Contains(list("verbs of duty"), words[len(words)-1])
		if w != "" && !adverb {
			words = append(words, w)
		}
	}
	return append(words, ".")
}

// answer is what a passage says to a group, by where it stands. A motivation and a rationale speak of what is or might
// have been. What must be is an order where the text says what a change does to what exists. In a specification it is
// one of a change that comes to all, and in what is said of security it is advice.
func (p passage) answer(a axis) answer {
	if p.before || p.role == motivation || p.role == rationale {
		return unsaid
	}
	existing := p.role == compatibility || p.role == impact
	said := answerOf(p.text, a)
	if said == look && p.role == specification {
		return unsaid
	}
	if said == asked {
		said = needed
		advice := p.role == security || p.role == specification && p.kind == interfaces
		if advice || p.kind == convention {
			said = look
		}
	}
	// Nobody has to follow an advice or a convention.
	if p.kind == informational || p.kind == convention && !existing {
		said = min(said, look)
	}
	return said
}

// saidTo is what a whole text says to a group. Of several proposals none can say for all that there is nothing to do.
func saidTo(s Subject, a axis, all []passage) (said answer) {
	for _, p := range all {
		if !setAside(s, p) {
			said = max(said, p.answers[a])
		}
	}
	if abandoned(s) || said == none && s.bundles() {
		return unsaid
	}
	return said
}

// Settle says of each group of a summary that others have made whether the text speaks of it and which quote says
// whether it has to act. A claim that it has to stands as long as a quote does not say the contrary. That it has to do
// nothing is said only where the rules find that in a quote and nothing against it in the whole text, and a quote that
// says that it has to act overrides the claim that it has not.
//
// It also names the fork, and leaves out what others say of times and successors: see [Subject.withoutPassing].
func Settle(sum *api.Summary, s Subject) {
	sum.Hardfork = s.hardfork()
	s.withoutPassing(sum)
	sections, all := map[string]passage{}, passages(s)
	for from, p := range s.proposals() {
		for i, r := range roles(p.Sections) {
			sections[sectionID(from, p.Sections[i].ID)] = passage{kind: s.kindIn(from, p), role: r}
		}
	}
	for i, x := range axes(sum) {
		a, said := axis(i), saidTo(s, axis(i), all)
		var given []answer
		for _, e := range x.Evidence {
			p := sections[e.Section]
			p.text = prose.Plain(e.Quote, nil)
			given = append(given, p.answer(a))
		}
		// Of what a model takes for a duty the rules need not know the words.
		if x.ActionRequired && !slices.Contains(given, needed) {
			if i := slices.IndexFunc(given, func(said answer) bool { return said != none }); i >= 0 {
				given[i] = needed
			}
		}
		if slices.Contains(given, needed) && !abandoned(s) {
			said = needed
		}
		settle(x, said, given)
	}
}

// settle says of an axis with evidence whether the group has to act, and which quote says so. said is the answer of the
// whole text, and given are those of the quotes.
func settle(x *api.Axis, said answer, given []answer) {
	x.Stated, x.ActionEvidence = len(x.Evidence) > 0, nil
	for i := range x.Evidence {
		if x.ActionEvidence == nil && given[i] == said && (said == none || said == needed) {
			x.ActionEvidence = new(x.Evidence[i])
		}
	}
	x.ActionRequired = said == needed && x.ActionEvidence != nil
}
