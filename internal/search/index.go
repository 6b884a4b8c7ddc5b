package search

import (
	"hash/fnv"
	"maps"
	"math/bits"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Proposal is what is searched of one.
type Proposal struct {
	// Title, Description and Authors are those of the header.
	Title, Description, Authors string
	// Facets are terms for filters, such as status:final.
	Facets []string
	// Sections are in the order of the text.
	Sections []Section
}

// Section is a part of a text. Its ID is that of the heading on the page; its text is plain, in one line, and without the
// heading.
type Section struct{ ID, Title, Text string }

// usual is the number of terms of a section that is neither short nor long. It is fixed, so that one text does not change the
// weights of all others.
const usual = 150

const (
	// muchFrom is the weight from which a section has much of a term.
	muchFrom = 1.3
	// inHeading is more than the weight of any term in a text.
	inHeading = 2.2
)

// weigh is the weight of a term that a section with so many terms has so often, by the formula of BM25 with k1 = 1.2 and
// b = 0.6.
func weigh(times, length int) float64 {
	tf := float64(times)
	return tf * 2.2 / (tf + 1.2*(0.4+0.6*float64(length)/usual))
}

// index has the hits of each term, sorted, and how many parts the texts of each proposal have.
func index(all []Proposal) (hits map[string][]hit, parts []int) {
	found := make([]map[string]hit, len(all))
	parts = make([]int, len(all))
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i := range all {
		workers.Go(func() error {
			pieces := all[i].pieces()
			found[i], parts[i] = all[i].hits(i, pieces), pieces[len(pieces)-1].part+1
			return nil
		})
	}
	_ = workers.Wait() // no worker returns an error
	hits = map[string][]hit{}
	for _, of := range found {
		for term, h := range of {
			hits[term] = append(hits[term], h)
		}
	}
	return hits, parts
}

// hits are those of the terms of a proposal with this number and these pieces.
func (p *Proposal) hits(proposal int, pieces []piece) map[string]hit {
	out := map[string]hit{}
	best := map[string]float64{}
	add := func(term string, part, weight int, counts float64) {
		h, ok := out[term]
		if !ok || counts > best[term] {
			h.part, best[term] = part, counts
		}
		out[term] = hit{proposal, h.part, max(h.weight, weight)}
	}
	pieces = pieces[1:] // the first one is no section
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
	// What the header says is shown where the text has most of it.
	for weight, text := range map[int]string{said: p.Description + " " + p.Authors, title: p.Title} {
		for _, w := range terms(text) {
			out[w.term] = hit{proposal, out[w.term].part, max(out[w.term].weight, weight)}
		}
	}
	for _, f := range p.Facets {
		out[f] = hit{proposal: proposal}
	}
	return out
}

// times is how often a section has a term, and the part that has it most often.
type times struct{ times, most, part int }

// count counts the terms of the pieces of one section, and how many there are in all.
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

// Shards cut the index of proposals, which stand in the order of their ids, into parts of nearly the same size that can be
// read one by one. They are cut at terms that depend on the terms alone: a change of one proposal changes the parts with
// its terms, and moves no others.
func Shards(all []Proposal) (out []Shard) {
	hits, parts := index(all)
	// With room for more of them a new one at the end does not change the postings of all terms.
	among := 1 << bits.Len(uint(len(all)))
	var terms []string
	var postings encoder
	size := 0
	end := func() {
		if len(terms) > 0 {
			out = append(out, Shard{Version: Version, Terms: join(terms), Among: among, Postings: postings.String()})
		}
		terms, postings, size = nil, encoder{}, 0
	}
	for _, term := range slices.Sorted(maps.Keys(hits)) {
		if size > most || size > least && cutsAt(term) {
			end()
		}
		postings.list(hits[term], isFilter(term), among, parts)
		terms = append(terms, term)
		// A hit has some seven bits. One more or less of a long list does not count, so that it moves no cut.
		size += len(term) + 1<<bits.Len(uint(len(hits[term])))/2
	}
	end()
	return out
}

// isFilter tells a filter from a word, which has no colon.
func isFilter(term string) bool { return strings.Contains(term, ":") }

// cutsAt reports whether a shard may begin at a term: one of 64 does.
func cutsAt(term string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(term)) // never fails
	return h.Sum32()%64 == 0
}
