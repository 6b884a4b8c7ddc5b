// Package summary makes the summary of a proposal by rules, from the proposal's own sentences, and
// checks any summary against the proposal.
//
// [Extract] goes through these steps:
//
//  1. Each section has a role by its title. Tests, code, references and the license are skipped
//     (read.go).
//  2. A section is cut into sentences that can be quoted, an item with the lead of its list
//     (read.go).
//  3. A sentence has marks: words of words.txt, its place, its form. Marks are points towards each
//     group of readers and towards what changes (mark.go).
//  4. The best sentences become the points (summary.go) and, with their quotes, the impacts
//     (axis.go). A group has to act if something of theirs stops working or has to be changed
//     (act.go).
//  5. The header adds the outcome of the proposal (material.go).
//  6. Severities are raised to the floors of the proposal's kind and status (check.go, kinds.txt).
//
// Summaries do not depend on the time but for generatedAt, on the order of a map, or on the
// machine. They do not mention when a fork activates: a page computes that from the configuration
// and the reader's clock.
//
// The rules end where a model begins: [Accept] holds a model's answer to its form, to quotes that
// are in the text, to the names and numbers of the text and to the floors. It does not read the
// answer's sentences.
//
// The package calls no model, and does not know who wrote a summary or where a summary is kept.
package summary

import (
	"iter"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Subject is the proposal of a summary with its context.
type Subject struct {
	Proposal *mip.Proposal // required; not changed
	// Prose has the blocks of each section of Proposal. If it is nil, the sections are parsed.
	Prose   [][]prose.Block
	Bundled []*mip.Proposal // what the fork of a meta proposal bundles, ascending; not changed
	Fork    *mip.HardFork   // see [ForkOf]; nil: none
	Now     time.Time       // becomes generatedAt
}

// ForkOf returns the hard fork of a [Subject], nil for none: the fork that bundles the proposal or
// whose meta proposal it is. Forks bundle proposals of the main kind of a site. Among several forks
// it prefers the one in the proposal's own hardfork field, else the first.
func ForkOf(main string, p mip.Metadata, forks []mip.HardFork) *mip.HardFork {
	if p.ID.Kind != main {
		return nil
	}
	var found *mip.HardFork
	for i := range forks {
		f := &forks[i]
		named := p.Hardfork != nil && *p.Hardfork == f.Name
		if (found == nil || named) && f.Concerns(p.Number) {
			found = f
		}
	}
	return found
}

// Context returns the fork of a proposal and, for the meta proposal of a fork, what the fork
// bundles. all are the proposals of the site, in the order of [mip.Search].
func Context(main string, p mip.Metadata, all []mip.Metadata, forks []mip.HardFork) (
	fork *mip.HardFork, bundled []mip.Metadata,
) {
	fork = ForkOf(main, p, forks)
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

// IsMeta reports whether a proposal is the meta proposal of a fork. A nil fork has none.
func IsMeta(p mip.Metadata, f *mip.HardFork) bool {
	return f != nil && f.MetaMIP != nil && *f.MetaMIP == p.Number
}

// Extract makes a summary from the proposal's own sentences, without a model. The same subject has
// the same summary. The summary is English, its source is "extractive", and [Check] accepts it. A
// group that the text does not mention is marked as not mentioned.
func Extract(s Subject) api.Summary {
	all, own := sentences(s)
	sum := api.Summary{
		MIPNumber:   s.Proposal.Number,
		GeneratedAt: mip.NewTime(s.Now),
		ContentHash: s.Proposal.ContentHash,
		Locale:      "en",
		Source:      api.Extractive,
		TLDR:        tldr(s, all),
	}
	sum.WhatsChanging = changes(s, all, own, sum.TLDR)
	for a, x := range axes(&sum) {
		*x = extractAxis(s, axis(a), all)
	}
	Complete(&sum, s)
	raise(&sum, s)
	return sum
}

// tldr returns the header's description. The first sentence of the abstract follows a short
// description that it does not repeat, and replaces a missing one. If both are missing, the text is
// made of the header.
func tldr(s Subject, all []*sentence) string {
	const short = 90 // runes
	p := s.Proposal
	out := ""
	if p.Description != nil {
		out = fit(mip.Sentence(mip.Collapse(*p.Description)), maxTLDR)
	}
	if s.bundles() {
		var parts []string
		for _, b := range s.Bundled {
			parts = append(parts, titled(b))
		}
		return fit(out+" "+p.ID.String()+" bundles "+enumeration(parts)+".", maxTLDR)
	}
	if x := opening(all); x != nil && utf8.RuneCountInString(out) < short &&
		!repeats(longer(x.text), longer(out)) {
		joined := strings.TrimSpace(out + " " + x.text)
		if out == "" || utf8.RuneCountInString(joined) <= maxTLDR {
			out = fit(joined, maxTLDR)
		}
	}
	if out != "" {
		return out
	}
	return fit(slices.Concat(outcome(p), []string{quotedTitle(p) + " " + header(p)})[0], maxTLDR)
}

// proposals yields the subject's own proposal and then the bundled ones. Their ids in evidence are
// empty for the own one.
func (s Subject) proposals() iter.Seq2[string, *mip.Proposal] {
	return func(yield func(string, *mip.Proposal) bool) {
		more := yield("", s.Proposal)
		for i := 0; i < len(s.Bundled) && more; i++ {
			more = yield(s.Bundled[i].ID.String(), s.Bundled[i])
		}
	}
}

// bundles reports whether the summary is about the bundled proposals.
func (s Subject) bundles() bool { return kindOf(s) == hardfork && len(s.Bundled) > 0 }

// opening returns the first sentence of the abstract that is not about today, else its first
// sentence, nil for none.
func opening(all []*sentence) *sentence {
	var first *sentence
	for _, x := range all {
		switch {
		case x.from != "" || x.role != abstract || x.item || x.marks.has(markSupposed):
		case !x.marks.has(markNow):
			return x
		case first == nil:
			first = x
		}
	}
	return first
}

// enoughForChange are the points that a sentence needs to be a point of what changes.
const enoughForChange = 6

// changes picks one to six points: the outcome by the header, and the best sentences about what
// changes. If those are few, weaker sentences and lists of the text follow.
func changes(s Subject, all []*sentence, own *reading, tldr string) []string {
	const most, few = 5, 3 // sentences of the text
	points := slices.DeleteFunc(outcome(s.Proposal), func(line string) bool { return line == tldr })
	room := maxChanges - len(points)
	if s.bundles() {
		points = append(points, bundledChanges(s, all, room)...)
	} else {
		ranked := func(least int) []*sentence { return best(all, (*sentence).changes, least) }
		picked := pick(ranked(enoughForChange), min(most, room), math.MaxInt, tldr)
		if least := few - len(points); len(picked) < least {
			picked = pick(ranked(1), least, math.MaxInt, tldr)
		}
		points = append(points, listed(picked)...)
	}
	if len(points) < few {
		for _, line := range own.inventories() {
			if len(points) < few && !repeats(longer(line), longerOf(points)...) {
				points = append(points, line)
			}
		}
	}
	if len(points) == 0 {
		points = list("no change")
	}
	out := make([]string, min(len(points), maxChanges))
	for i := range out {
		out[i] = fit(points[i], maxChange)
	}
	return out
}

// changes returns the points of a sentence towards a change.
func (x *sentence) changes() int { return x.change }

// listed returns the points of sentences. Items of one list are one point while they fit.
func listed(picked []*sentence) (out []string) {
	lead := ""
	for _, x := range picked {
		if last := len(out) - 1; lead != "" && x.lead == lead {
			joined := strings.TrimRight(out[last], ".") + "; " + mip.Sentence(x.own)
			if utf8.RuneCountInString(joined) <= maxChange {
				out[last] = joined
				continue
			}
		}
		// A lead that was too long is not in the text, and joins nothing.
		lead = ""
		if strings.HasPrefix(x.text, x.lead) {
			lead = x.lead
		}
		out = append(out, x.text)
	}
	return out
}

// bundledChanges returns a point for each bundled proposal while there is room: one sentence about
// it.
func bundledChanges(s Subject, all []*sentence, n int) []string {
	var out []string
	for i, b := range s.Bundled {
		// The last point names the remaining proposals.
		if len(out) == n-1 && i < len(s.Bundled)-1 {
			var rest []string
			for _, b := range s.Bundled[i:] {
				rest = append(rest, b.ID.String())
			}
			return append(out, s.Proposal.ID.String()+" also bundles "+enumeration(rest)+".")
		}
		// The description is best, then the abstract, then the header.
		line := header(b)
		if i := slices.IndexFunc(all, func(x *sentence) bool {
			return x.from == b.ID.String() && x.role == abstract
		}); i >= 0 {
			line = all[i].text
		}
		if b.Description != nil && mip.Collapse(*b.Description) != "" {
			line = mip.Sentence(mip.Collapse(*b.Description))
		}
		out = append(out, titled(b)+": "+line)
	}
	// A fork of one or two proposals leaves room for more of their sentences.
	said := slices.DeleteFunc(slices.Clone(all), func(x *sentence) bool { return x.from == "" })
	more := best(said, (*sentence).changes, enoughForChange)
	for _, x := range pick(more, n-len(out), math.MaxInt, out...) {
		out = append(out, x.from+": "+x.text)
	}
	return out
}
