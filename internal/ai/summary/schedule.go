package summary

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// hardfork is the name of the subject's fork, nil without one.
func (s Subject) hardfork() *string {
	if s.Fork == nil {
		return nil
	}
	return &s.Fork.Name
}

// schedules finds a sentence about the time of a fork or of a last call: in the words of earlier rules, or in others
// beside one of what has a time.
var schedules = sync.OnceValue(func() func(sentence string) bool {
	one := func(name string) *regexp.Regexp { return regexp.MustCompile("(?i)" + strings.Join(list(name), "|")) }
	rules, words, what := one("schedule"), one("schedule in other words"), one("has a schedule")
	return func(sentence string) bool {
		return rules.MatchString(sentence) || words.MatchString(sentence) && what.MatchString(sentence)
	}
})

// outdates finds a sentence that says that a proposal of the subject was superseded while it is not. In any language it
// names the one that only asks to take the place; in English it may name none.
func (s Subject) outdates() func(sentence string) bool {
	var askers, current []string
	for _, p := range s.proposals() {
		id := p.ID.String()
		for _, n := range p.ReplacedBy {
			if !slices.Contains(p.SupersededBy, n) {
				askers = append(askers, fmt.Sprintf(`%s[-\x{2010}-\x{2014}_ #]*0*%d\b`, regexp.QuoteMeta(p.ID.Kind), n))
			}
		}
		if !p.Superseded() {
			current = append(current, regexp.QuoteMeta(id))
		}
	}
	var found []func(string) bool
	if len(askers) > 0 {
		found = append(found, regexp.MustCompile(`(?i)`+strings.Join(askers, "|")).MatchString)
	}
	if !s.Proposal.Superseded() {
		current = append(current, `\b(?:the|this) `+regexp.QuoteMeta(s.Proposal.ID.Kind))
		current = append(current, list("is the proposal")...)
	}
	if len(current) > 0 {
		is := regexp.MustCompile(`(?i)(?:` + strings.Join(current, "|") + `) (?:` + strings.Join(list("is superseded"), "|") + `)`)
		found = append(found, is.MatchString)
	}
	return func(sentence string) bool {
		return slices.ContainsFunc(found, func(f func(string) bool) bool { return f(sentence) })
	}
}

// withoutPassing leaves out of a summary the sentences of which a page says by itself what is so now, but for the
// proposal's own: about the time of a fork or of a last call, and that something took the proposal's place. The
// configuration and the headers of other proposals change after a summary was made, and the time comes. Where too little
// is left, facts of the header fill up.
func (s Subject) withoutPassing(sum *api.Summary) {
	own := sync.OnceValue(func() string {
		var all []string
		for _, p := range s.proposals() {
			all = append(all, mip.Collapse(mip.Deref(p.Description)), mip.Collapse(mip.Deref(p.WithdrawalReason)))
			for _, section := range p.Sections {
				all = append(all, mip.Collapse(prose.Plain(prose.Body(section), nil)))
			}
		}
		return strings.Join(all, " ")
	})
	outdated := s.outdates()
	without := func(text string) string {
		sentences := prose.Split(text)
		kept := slices.DeleteFunc(slices.Clone(sentences), func(sentence string) bool {
			passing := schedules()(sentence) || outdated(sentence)
			return passing && !strings.Contains(own(), strings.TrimPrefix(strings.TrimRight(sentence, ".…"), reasonGiven))
		})
		if len(kept) == len(sentences) {
			return text
		}
		return strings.Join(kept, " ")
	}
	if sum.TLDR = without(sum.TLDR); sum.TLDR == "" {
		sum.TLDR = tldr(s, sentences(s))
	}
	var points []string
	for _, point := range sum.WhatsChanging {
		if point = without(point); point != "" {
			points = append(points, point)
		}
	}
	if len(points) < len(sum.WhatsChanging) {
		points = filled(points, s.Proposal, sum.TLDR)
	}
	sum.WhatsChanging = points
	for a, x := range axes(sum) {
		if x.Impact = without(x.Impact); x.Impact == "" {
			x.Impact, x.Evidence = notMentionedBy(s, axis(a), sum.Locale), []api.Evidence{}
		}
	}
}
