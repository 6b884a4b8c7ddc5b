package summary

import (
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

// unscheduled leaves out of a summary the sentences about the time of a fork or of a last call, but for the proposal's
// own. Rules of earlier versions wrote them, and told models the times, which are the configuration's: it changes after
// a summary was made, and the time comes. Where too few points are left, facts of the header fill up.
func (s Subject) unscheduled(sum *api.Summary) {
	own := sync.OnceValue(func() string {
		var all []string
		for _, p := range s.proposals() {
			if p.Description != nil {
				all = append(all, mip.Collapse(*p.Description))
			}
			for _, section := range p.Sections {
				all = append(all, mip.Collapse(prose.Plain(prose.Body(section), nil)))
			}
		}
		return strings.Join(all, " ")
	})
	without := func(text string) string {
		sentences := prose.Split(text)
		kept := slices.DeleteFunc(slices.Clone(sentences), func(sentence string) bool {
			return schedules()(sentence) && !strings.Contains(own(), strings.TrimRight(sentence, ".…"))
		})
		if len(kept) == len(sentences) {
			return text
		}
		return strings.Join(kept, " ")
	}
	sum.TLDR = without(sum.TLDR)
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
	for _, x := range axes(sum) {
		x.Impact = without(x.Impact)
	}
}
