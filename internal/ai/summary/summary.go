// Package summary makes the summary of a proposal by rules, from the proposal's own sentences, and checks any summary
// against the proposal.
//
// [Extract] goes through these steps:
//
//  1. Each section has a role by its title (roles.go). Tests, code, references and the licence are skipped.
//  2. A section is cut into passages: sentences that can stand by themselves (passages.go, units.go, prose.go).
//  3. A passage has a score for each group of readers and one as a change (score.go, words.go, words.txt).
//  4. The best passages are the points (changes.go) and, with their quotes, the impacts (impact.go).
//  5. The header and the fork add what the text does not say (facts.go, expect.go).
//  6. Severities are raised to the floors of the proposal's kind and status (floors.go).
//
// Nothing in it depends on the time but generatedAt, on an order of a map, or on the machine.
//
// It asks no model, and it does not know who wrote a summary or where one is kept.
package summary

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Extractive is the source of a summary that no model has written.
const Extractive = "extractive"

// Subject is the proposal that a summary speaks of, with what is known around it.
type Subject struct {
	Proposal *mip.Proposal   // required; not changed
	Bundled  []*mip.Proposal // for the meta proposal of a hard fork: what the fork bundles, ascending; not changed
	Fork     *mip.HardFork   // the fork that bundles the proposal or whose meta proposal it is; nil: none
	Now      time.Time       // becomes generatedAt
}

// ForkOf is the hard fork of a [Subject]: the one that bundles a proposal or whose meta proposal it is,
// nil when there is none. Of several it is the one that the proposal's own hardfork names, else the first.
func ForkOf(p mip.Summary, forks []mip.HardFork) *mip.HardFork {
	var found *mip.HardFork
	for i := range forks {
		f := &forks[i]
		if !IsMeta(p, f) && !slices.Contains(f.BundledMIPs, p.Number) {
			continue
		}
		if p.Hardfork != nil && *p.Hardfork == f.Name {
			return f
		}
		if found == nil {
			found = f
		}
	}
	return found
}

// Context is what the summary of a proposal speaks of besides it: the fork, and for a fork's meta proposal what the fork
// bundles. all are the proposals of the site, in the order of [mip.Search].
func Context(p mip.Summary, all []mip.Summary, forks []mip.HardFork) (fork *mip.HardFork, bundled []mip.Summary) {
	fork = ForkOf(p, forks)
	if !IsMeta(p, fork) {
		return fork, nil
	}
	for _, id := range p.ID.Siblings(fork.BundledMIPs) {
		if b, ok := mip.Find(all, id); ok && id != p.ID {
			bundled = append(bundled, b)
		}
	}
	return fork, bundled
}

// IsMeta reports whether a proposal is the meta proposal of a fork, whose [Subject] has the bundled
// proposals. A nil fork has none.
func IsMeta(p mip.Summary, f *mip.HardFork) bool {
	return f != nil && f.MetaMIP != nil && *f.MetaMIP == p.Number
}

// Extract makes a summary from the proposal's own sentences, without a model: the same subject gives
// the same summary. It is English, its source is "extractive", and [Check] accepts it. What a group
// cannot read in the text is said to be missing.
func Extract(s Subject) api.Summary {
	all := passages(s)
	sum := api.Summary{
		MIPNumber:   s.Proposal.Number,
		GeneratedAt: mip.NewTime(s.Now),
		ContentHash: s.Proposal.ContentHash,
		Locale:      "en",
		Source:      Extractive,
	}
	sum.TLDR = tldr(s, all)
	sum.WhatsChanging = changes(s, all, sum.TLDR)
	for a, x := range axes(&sum) {
		*x = extractAxis(s, axis(a), all)
	}
	raise(&sum, s)
	return sum
}

// tldr is the header's description, else the first sentences of the abstract or of what opens the
// text, else what the header says. A short description takes the abstract's first sentence along.
func tldr(s Subject, all []passage) string {
	const short = 90 // runes; less than that leaves room for another sentence
	p := s.Proposal
	out := ""
	if p.Description != nil {
		out = fit(sentence(*p.Description), maxTLDR)
	}
	if kindOf(s) == hardfork && len(s.Bundled) > 0 {
		return fit(strings.TrimSpace(out+" "+bundle(s)), maxTLDR)
	}
	for _, x := range opening(all, out == "") {
		joined := strings.TrimSpace(out + " " + x.text)
		if utf8.RuneCountInString(out) < short && utf8.RuneCountInString(joined) <= maxTLDR && !alike(out, x.text) {
			out = joined
		}
	}
	if out != "" {
		return out
	}
	if fate := outcome(s); len(fate) > 0 {
		return fit(fate[0], maxTLDR)
	}
	return fit(quoted(p)+" "+header(p), maxTLDR)
}

// opening returns the first two sentences of the proposal's abstract. Where there is none and another
// section will do, they are the first ones that are no argument.
func opening(all []passage, anyRole bool) []passage {
	var abstracts, others []passage
	for _, x := range all {
		switch {
		case x.from != "" || x.item || x.before:
		case x.role == abstract:
			abstracts = append(abstracts, x)
		case x.role == motivation || x.role == specification || x.role == other:
			if len(others) == 0 || others[0].section == x.section {
				others = append(others, x)
			}
		}
	}
	if len(abstracts) == 0 && anyRole {
		abstracts = others
	}
	return abstracts[:min(2, len(abstracts))]
}

// quoted is a sentence with the title in quotation marks.
func quoted(p *mip.Proposal) string {
	return p.ID.String() + " is titled “" + strings.TrimSpace(p.Title) + "”."
}

// bundle names what a fork's meta proposal bundles.
func bundle(s Subject) string {
	var parts []string
	for _, b := range s.Bundled {
		parts = append(parts, b.ID.String()+" ("+b.Title+")")
	}
	return s.Proposal.ID.String() + " bundles " + enumeration(parts) + "."
}
