package search

import (
	"context"
	"hash/fnv"
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// Proposal holds the searchable texts of a proposal.
type Proposal struct {
	// Title, Description and Authors come from the header.
	Title, Description, Authors string
	// Facets are terms for filters, such as status:final.
	Facets []string
	// Sections are in the order of the text.
	Sections []Section
}

// Section is a section of a proposal's text. ID is the id of its heading on the page. Text is
// plain, on one line, and without the heading.
type Section struct{ ID, Title, Text string }

// usual is the number of terms in a section of average length. It is a constant, so that a changed
// text does not change the weights of all others.
const usual = 150

const (
	// muchFrom is the least weight of a hit of level much.
	muchFrom = 1.3
	// inHeading exceeds the weight of any term in a text.
	inHeading = 2.2
)

// weigh returns the weight of a term that occurs times times in a section of length terms, by the
// BM25 formula with k1 = 1.2 and b = 0.6.
func weigh(times, length int) float64 {
	tf := float64(times)
	return tf * 2.2 / (tf + 1.2*(0.4+0.6*float64(length)/usual))
}

// Indexed is a proposal with its texts cut into parts and its terms counted.
type Indexed struct {
	// Parts are of bounded size. Shards does not need them.
	Parts []Texts

	hits  map[string]hit // without the proposal's number
	parts int            // the number of Parts
}

// Index cuts the texts of a proposal and counts their terms.
func (p *Proposal) Index() Indexed {
	pieces := p.pieces()
	return Indexed{partsOf(pieces), p.hits(pieces), pieces[len(pieces)-1].part + 1}
}

// hits returns the hits of a proposal's terms, given its pieces.
func (p *Proposal) hits(pieces []piece) map[string]hit {
	out := map[string]hit{}
	best := map[string]float64{}
	add := func(term string, part, weight int, counts float64) {
		h, ok := out[term]
		if !ok || counts > best[term] {
			h.part, best[term] = part, counts
		}
		out[term] = hit{part: h.part, weight: max(h.weight, weight)}
	}
	pieces = pieces[1:] // the first one is not a section
	for i, s := range p.Sections {
		n := 1
		for n < len(pieces) && pieces[n].section == i {
			n++
		}
		for _, w := range terms(s.Title) {
			add(w.term, pieces[0].part, heading, inHeading)
		}
		counts, length := count(pieces[:n])
		for term, of := range counts {
			weight, w := some, weigh(of.times, length)
			if w >= muchFrom {
				weight = much
			}
			add(term, of.part, weight, w)
		}
		pieces = pieces[n:]
	}
	// Terms of the header are shown in the section that has most of them.
	header := map[int]string{description: p.Description + " " + p.Authors, title: p.Title}
	for weight, text := range header {
		for _, w := range terms(text) {
			out[w.term] = hit{part: out[w.term].part, weight: max(out[w.term].weight, weight)}
		}
	}
	for _, f := range p.Facets {
		out[f] = hit{}
	}
	return out
}

// times counts a term in a section, in total and in the part that has it most often.
type times struct{ times, most, part int }

// count counts the terms of the pieces of one section, each and in total.
func count(pieces []piece) (of map[string]times, length int) {
	of = map[string]times{}
	for _, p := range pieces {
		here := map[string]int{}
		for _, w := range terms(p.words) {
			here[w.term]++
			length++
		}
		for term, n := range here {
			t := of[term]
			t.times += n
			if n > t.most {
				t.most, t.part = n, p.part
			}
			of[term] = t
		}
	}
	return of, length
}

// Sizes of a shard in bytes, before compression.
const (
	least = 6 << 10
	most  = 18 << 10
)

// Shards cuts the index of proposals, which are in the order of their ids, into parts of nearly
// equal size that can be read separately. The cuts depend on the terms alone: a changed proposal
// changes only the parts with its terms, and no cut moves. The error is the cause of ctx's end.
func Shards(ctx context.Context, all []Indexed) (out []Shard, err error) {
	hits, parts := map[string][]hit{}, make([]int, len(all))
	for i, of := range all {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		parts[i] = of.parts
		for term, h := range of.hits {
			h.proposal = i
			hits[term] = append(hits[term], h)
		}
	}
	// With spare room, a new proposal at the end does not change the postings of all terms.
	among := 1 << bits.Len(uint(len(all)))
	var terms []string
	var postings encoder
	size := 0
	end := func() {
		if len(terms) > 0 {
			out = append(out, Shard{Version: Version, Terms: join(terms), Among: among,
				Postings: postings.String()})
		}
		terms, postings, size = nil, encoder{}, 0
	}
	for _, term := range slices.Sorted(maps.Keys(hits)) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if size > most || size > least && cutsAt(term) {
			end()
		}
		postings.list(hits[term], isFilter(term), among, parts)
		terms = append(terms, term)
		// A hit has about seven bits. The size of a long list is rounded, so that one hit more or
		// less moves no cut.
		size += len(term) + 1<<bits.Len(uint(len(hits[term])))/2
	}
	end()
	return out, nil
}

// isFilter reports whether a term is a filter. Words contain no colon.
func isFilter(term string) bool { return strings.Contains(term, ":") }

// cutsAt reports whether a shard may begin at a term: one of 64 does.
func cutsAt(term string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(term)) // never fails
	return h.Sum32()%64 == 0
}
