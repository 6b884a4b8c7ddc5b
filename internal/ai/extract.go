package ai

import (
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// extractive is the source of a summary that no model has written.
const extractive = "extractive"

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
		Source:      extractive,
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
