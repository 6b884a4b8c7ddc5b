// Package summary makes the summary of a proposal by rules, from the proposal's own sentences, and checks any summary
// against the proposal.
//
// [Extract] goes through these steps:
//
//  1. Each section has a role by its title. Tests, code, references and the licence are skipped (passage.go).
//  2. A section is cut into passages: sentences that can stand by themselves (passage.go).
//  3. A passage has a score for each group of readers and one as a change (score.go, rules.txt).
//  4. The best passages are the points (summary.go) and, with their quotes, the impacts (axis.go).
//  5. The header adds what the text does not say (material.go).
//  6. Severities are raised to the floors of the proposal's kind and status (check.go).
//
// Nothing in it depends on the time but generatedAt, on an order of a map, or on the machine. It says nothing of when a
// fork activates: a page says that by the configuration and the reader's clock (schedule.go).
//
// It asks no model, and it does not know who wrote a summary or where one is kept.
package summary

import (
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
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
		named := p.Hardfork != nil && *p.Hardfork == f.Name
		if (found == nil || named) && (IsMeta(p, f) || slices.Contains(f.BundledMIPs, p.Number)) {
			found = f
		}
	}
	return found
}

// Context is what the summary of a proposal speaks of besides it: the fork, and for a fork's meta proposal what the
// fork bundles. all are the proposals of the site, in the order of [mip.Search].
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
		Hardfork:    s.hardfork(),
		TLDR:        tldr(s, all),
	}
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
	// A tldr of less than 90 runes leaves room for another sentence.
	const short = 90
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
	for _, x := range opening(all, out == "") {
		joined := strings.TrimSpace(out + " " + x.text)
		if utf8.RuneCountInString(out) < short && utf8.RuneCountInString(joined) <= maxTLDR && !overlaps(out, x.text) {
			out = joined
		}
	}
	switch fate := outcome(p); {
	case out != "":
		return out
	case len(fate) > 0:
		return fit(fate[0], maxTLDR)
	}
	return fit(quotedTitle(p)+" "+header(p), maxTLDR)
}

// proposals are the subject's own and then the bundled ones, each behind the id that names it in evidence, which is
// empty for the subject's own.
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

// changes picks three to six points: what the abstract and the specification say will be different,
// with what the header says of its fate. Where the text says too little, its lists and the
// rest of the header fill up.
func changes(s Subject, all []passage, tldr string) []string {
	// What becomes of the proposal comes first; what the text says has the room behind it.
	points := slices.DeleteFunc(outcome(s.Proposal), func(line string) bool { return line == tldr })
	fixed := len(points)
	if s.bundles() {
		points = append(points, bundledChanges(s, all, maxChanges-fixed)...)
	} else {
		points = append(points, ownChanges(all, tldr, min(maxChanges-fixed, 5), minChanges-fixed)...)
	}
	points = filled(points[:min(len(points), maxChanges)], s.Proposal, tldr)
	for i := range points {
		points[i] = fit(points[i], maxChange)
	}
	return points
}

// filled has at least three points. Each filler that says something new comes before one that repeats a point or the
// tldr.
func filled(points []string, p *mip.Proposal, tldr string) []string {
	if len(points) >= minChanges {
		return points
	}
	for _, again := range []bool{false, true} {
		for _, line := range fillers(p) {
			said := strings.Contains(tldr, line) || overlaps(line, points...)
			if len(points) < minChanges && !slices.Contains(points, line) && (again || !said) {
				points = append(points, line)
			}
		}
	}
	return points
}

// fillers returns what can be said when sentences are lacking, best first. All of it follows from the file, so that a
// summary has its three points whatever a proposal looks like.
func fillers(p *mip.Proposal) []string {
	out := append(inventories(p), relations(p)...)
	out = append(out, header(p), written(p), quotedTitle(p))
	if !slices.ContainsFunc(p.Sections, func(s mip.Section) bool { return strings.TrimSpace(prose.Body(s)) != "" }) {
		out = append(out, "Beneath its header the file holds no text.")
	}
	return out
}

// ownChanges picks at most n sentences of the proposal itself, the weak ones only up to three of them
// and the weakest only as far as want.
func ownChanges(all []passage, tldr string, n, want int) []string {
	// No section may fill the summary alone, and none of the points may say what another one says.
	const mostPerSection = 3
	// A score below enoughForChange is taken only up to the least number of points, and one below weakestChange only
	// where the points would otherwise be facts of the header.
	var picked []passage
	perSection, said := map[string]int{}, []string{tldr}
	for _, x := range best(all, changeScore) {
		enough := x.score < enoughForChange && len(picked) >= minChanges || x.score < weakestChange && len(picked) >= want
		if x.score <= 0 || len(picked) == n || enough {
			break
		}
		if x.from == "" && perSection[x.section] < mostPerSection && !overlaps(x.text, said...) {
			perSection[x.section]++
			said, picked = append(said, x.text), append(picked, x)
		}
	}
	var out []string
	for _, x := range inOrder(picked) {
		out = append(out, x.text)
	}
	return out
}

// bundledChanges gives every bundled proposal a point while there is room: what it says of itself in
// one sentence.
func bundledChanges(s Subject, all []passage, n int) []string {
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
		if i := slices.IndexFunc(all, func(p passage) bool { return p.from == b.ID.String() && p.role == abstract }); i >= 0 {
			line = all[i].text
		}
		if b.Description != nil && mip.Collapse(*b.Description) != "" {
			line = mip.Sentence(mip.Collapse(*b.Description))
		}
		out = append(out, titled(b)+": "+line)
	}
	// A fork of one or two proposals leaves room for more of what they say.
	for _, x := range best(all, changeScore) {
		if len(out) == n || x.score < enoughForChange {
			break
		}
		if x.from != "" && (x.role == abstract || x.role == specification) && !overlaps(x.text, out...) {
			out = append(out, x.from+": "+x.text)
		}
	}
	return out
}
