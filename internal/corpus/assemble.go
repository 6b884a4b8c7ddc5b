package corpus

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// assemble makes the corpus of what was read: duplicates, times, relations.
func assemble(ctx context.Context, ld *loader, results []loaded, h *history) *Corpus {
	c := &Corpus{prefix: ld.prefix, history: h}
	unique(results)
	for _, l := range results {
		if l.p != nil && !l.r.failed {
			c.Proposals = append(c.Proposals, l.p)
		}
	}
	slices.SortFunc(c.Proposals, func(a, b *Proposal) int { return cmp.Compare(a.Number, b.Number) })
	reports := map[string]*report{}
	for _, l := range results {
		reports[l.r.file] = l.r
	}
	relate(c.Proposals, func(p *Proposal) *report { return reports[p.File] })
	c.Commit, c.Committed = h.date(c.Proposals)
	h.keepTexts(ctx, c.Proposals)
	c.History = h.state
	c.files = fileNumbers(c.Proposals)
	c.Problems = append([]mip.Problem{}, h.problems...)
	for _, l := range results {
		c.Problems = append(c.Problems, l.r.most()...)
	}
	c.Problems = mip.SortProblems(c.Problems)
	return c
}

// unique fails every proposal whose number another one has too.
func unique(results []loaded) {
	byNumber := map[int][]loaded{}
	for _, l := range results {
		if l.p != nil {
			byNumber[l.p.Number] = append(byNumber[l.p.Number], l)
		}
	}
	for _, same := range byNumber {
		if len(same) < 2 {
			continue
		}
		for _, l := range same {
			var others []string
			for _, o := range same {
				if o.r != l.r {
					others = append(others, o.p.File)
				}
			}
			slices.Sort(others)
			l.r.errorf(l.p.numberLine, "duplicate-number", "number %d is also that of %s", l.p.Number, strings.Join(others, ", "))
		}
	}
}
