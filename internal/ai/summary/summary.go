// Package summary makes the summary of a proposal by rules, from the proposal's own sentences, and checks any summary
// against the proposal.
//
// [Extract] goes through these steps:
//
//  1. Each section has a role by its title. Tests, code, references and the licence are skipped (read.go).
//  2. A section is cut into sentences that can be quoted, an item with the lead of its list (read.go).
//  3. A sentence has marks: words of words.txt, where it stands, its form. Marks are points towards each group of
//     readers and towards what changes (mark.go).
//  4. The best sentences are the points (summary.go) and, with their quotes, the impacts (axis.go). A group has to act
//     where a sentence says that what is theirs stops working, or that they have to change it (act.go).
//  5. The header adds what becomes of the proposal (material.go).
//  6. Severities are raised to the floors of the proposal's kind and status (check.go, kinds.txt).
//
// Nothing in it depends on the time but generatedAt, on an order of a map, or on the machine. It says nothing of when a
// fork activates: a page says that by the configuration and the reader's clock.
//
// The rules end where a model begins: [Accept] holds a model's answer to its form, to quotes that stand in the text,
// to the names and numbers of the text and to the floors, and does not read its sentences.
//
// It asks no model, and it does not know who wrote a summary or where one is kept.
package summary

import (
	"iter"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Subject is the proposal that a summary speaks of, with what is known around it.
type Subject struct {
	Proposal *mip.Proposal   // required; not changed
	Bundled  []*mip.Proposal // for the meta proposal of a hard fork: what the fork bundles, ascending; not changed
	Fork     *mip.HardFork   // the fork that bundles the proposal or whose meta proposal it is; nil: none
	Now      time.Time       // becomes generatedAt
}

// ForkOf is the hard fork of a [Subject]: the one that bundles a proposal or whose meta proposal it
// is, nil when there is none: forks bundle proposals of the main kind of a site. Of several it is
// the one that the proposal's own hardfork names, else the first.
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

// Context is what the summary of a proposal speaks of besides it: the fork, and for a fork's meta
// proposal what the fork bundles. all are the proposals of the site, in the order of [mip.Search].
func Context(main string, p mip.Metadata, all []mip.Metadata, forks []mip.HardFork) (fork *mip.HardFork, bundled []mip.Metadata) {
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

// IsMeta reports whether a proposal is the meta proposal of a fork, whose [Subject] has the bundled
// proposals. A nil fork has none.
func IsMeta(p mip.Metadata, f *mip.HardFork) bool {
	return f != nil && f.MetaMIP != nil && *f.MetaMIP == p.Number
}

// Extract makes a summary from the proposal's own sentences, without a model: the same subject
// gives the same summary. It is English, its source is "extractive", and [Check] accepts it. What a
// group cannot read in the text is said to be missing.
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

// tldr is the header's description; a short one takes the abstract's first sentence along, unless
// that repeats it. Without a description it is that sentence, else what the header says.
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
	if x := opening(all); x != nil && utf8.RuneCountInString(out) < short && !repeats(longer(x.text), longer(out)) {
		if joined := strings.TrimSpace(out + " " + x.text); out == "" || utf8.RuneCountInString(joined) <= maxTLDR {
			out = fit(joined, maxTLDR)
		}
	}
	if out != "" {
		return out
	}
	return fit(slices.Concat(outcome(p), []string{quotedTitle(p) + " " + header(p)})[0], maxTLDR)
}

// proposals are the subject's own and then the bundled ones, each behind the id that names it in
// evidence, which is empty for the subject's own.
func (s Subject) proposals() iter.Seq2[string, *mip.Proposal] {
	return func(yield func(string, *mip.Proposal) bool) {
		more := yield("", s.Proposal)
		for i := 0; i < len(s.Bundled) && more; i++ {
			more = yield(s.Bundled[i].ID.String(), s.Bundled[i])
		}
	}
}

// bundles reports whether the summary is made of the proposals that the subject bundles.
func (s Subject) bundles() bool { return kindOf(s) == hardfork && len(s.Bundled) > 0 }

// opening is the first sentence of the proposal's abstract that does not speak of today, else its
// first one, nil when there is none.
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

// enoughForChange are the points from which on a sentence is worth being one of what changes.
const enoughForChange = 6

// changes picks one to six points: what becomes of the proposal by its header, and what the
// abstract and the specification say will be different. Where few sentences say it, weaker ones and
// lists of the text stand beside them.
func changes(s Subject, all []*sentence, own *reading, tldr string) []string {
	const most, few = 5, 3 // sentences of the text
	points := slices.DeleteFunc(outcome(s.Proposal), func(line string) bool { return line == tldr })
	room := maxChanges - len(points)
	if s.bundles() {
		points = append(points, bundledChanges(s, all, room)...)
	} else {
		ranked := func(least int) []*sentence { return best(all, func(x *sentence) int { return x.change }, least) }
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

// listed are points of sentences. Items of one list are one point while they fit.
func listed(picked []*sentence) (out []string) {
	lead := ""
	for _, x := range picked {
		if last := len(out) - 1; lead != "" && x.lead == lead {
			if joined := strings.TrimRight(out[last], ".") + "; " + mip.Sentence(x.own); utf8.RuneCountInString(joined) <= maxChange {
				out[last] = joined
				continue
			}
		}
		// A lead that was left out, as it is too long, joins nothing.
		lead = ""
		if strings.HasPrefix(x.text, x.lead) {
			lead = x.lead
		}
		out = append(out, x.text)
	}
	return out
}

// bundledChanges gives every bundled proposal a point while there is room: what it says of itself
// in one sentence.
func bundledChanges(s Subject, all []*sentence, n int) []string {
	var out []string
	for i, b := range s.Bundled {
		// The last point names all that are left.
		if len(out) == n-1 && i < len(s.Bundled)-1 {
			var rest []string
			for _, b := range s.Bundled[i:] {
				rest = append(rest, b.ID.String())
			}
			return append(out, s.Proposal.ID.String()+" also bundles "+enumeration(rest)+".")
		}
		// The description says most, then the abstract, then the header.
		line := header(b)
		if i := slices.IndexFunc(all, func(x *sentence) bool { return x.from == b.ID.String() && x.role == abstract }); i >= 0 {
			line = all[i].text
		}
		if b.Description != nil && mip.Collapse(*b.Description) != "" {
			line = mip.Sentence(mip.Collapse(*b.Description))
		}
		out = append(out, titled(b)+": "+line)
	}
	// A fork of one or two proposals leaves room for more of what they say.
	said := slices.DeleteFunc(slices.Clone(all), func(x *sentence) bool { return x.from == "" })
	for _, x := range pick(best(said, func(x *sentence) int { return x.change }, enoughForChange), n-len(out), math.MaxInt, out...) {
		out = append(out, x.from+": "+x.text)
	}
	return out
}
