package assist

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/api"
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

// tldr is the header's description, else the abstract's first sentences, else what the header says.
// A short description takes the abstract's first sentence along.
func tldr(s Subject, all []passage) string {
	p := s.Proposal
	out := ""
	if p.Description != nil {
		out = sentence(fit(*p.Description, maxTLDR-1))
	}
	const short = 90
	if kindOf(s) == hardfork && len(s.Bundled) > 0 {
		return fit(strings.TrimSpace(out+" "+bundle(s)), maxTLDR)
	}
	for _, x := range all {
		if x.from != "" || x.role != abstract || utf8.RuneCountInString(out) >= short {
			break
		}
		if !alike(out, x.text) && utf8.RuneCountInString(out+" "+x.text) <= maxTLDR {
			out = strings.TrimSpace(out + " " + x.text)
		}
	}
	if out == "" {
		for _, x := range all {
			if x.from == "" && !x.item && x.role != rationale && x.role != security {
				return fit(x.text, maxTLDR)
			}
		}
		out = fit(quoted(p)+" "+header(p), maxTLDR)
	}
	return out
}

func quoted(p *mip.Proposal) string { return p.ID + " is titled “" + strings.TrimSpace(p.Title) + "”." }

// bundle names what a fork's meta proposal bundles.
func bundle(s Subject) string {
	var parts []string
	for _, b := range s.Bundled {
		parts = append(parts, b.ID+" ("+b.Title+")")
	}
	return s.Proposal.ID + " bundles " + enumeration(parts) + "."
}

// scored is a passage with what speaks for it.
type scored struct {
	passage
	score int
}

// best sorts by score, then by place in the text.
func best(in []scored) []scored {
	slices.SortStableFunc(in, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.order, b.order)) })
	return in
}

// inOrder sorts by place in the text.
func inOrder(in []scored) []scored {
	slices.SortStableFunc(in, func(a, b scored) int { return cmp.Compare(a.order, b.order) })
	return in
}

// alike reports whether two texts say the same in mostly the same words.
func alike(a, b string) bool {
	left, right := terms(a), terms(b)
	if len(left) == 0 || len(right) == 0 {
		return false
	}
	same := 0
	for w := range left {
		if right[w] {
			same++
		}
	}
	return same*100 >= min(len(left), len(right))*65
}

// terms are the words of a text that carry meaning.
func terms(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words(s)) {
		if len(w) > 3 || strings.ContainsAny(w, "0123456789") {
			out[w] = true
		}
	}
	return out
}
