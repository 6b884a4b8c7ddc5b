package search

import (
	"context"
	"hash/fnv"
	"math/bits"
	"slices"
	"strings"
	"sync"
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

	terms    string    // each on a line, in no particular order
	postings []posting // of the terms, without the proposal's number
	parts    int       // the number of Parts
}

// Index cuts the texts of a proposal and counts their terms.
func (p *Proposal) Index() Indexed {
	pieces := p.pieces()
	out := Indexed{Parts: partsOf(pieces), parts: pieces[len(pieces)-1].part + 1}
	c := counters.Get().(*counter)
	defer counters.Put(c)
	clear(c.ids)
	c.all = c.all[:0]
	c.count(p, pieces[1:]) // the first one is not a section
	terms := make([]string, len(c.all))
	out.postings = make([]posting, len(c.all))
	for i, t := range c.all {
		terms[i], out.postings[i] = t.term, newPosting(t.hit)
	}
	out.terms = strings.Join(terms, "\n")
	return out
}

// counters are reused, since they grow to the size of a text.
var counters = sync.Pool{New: func() any { return &counter{ids: map[string]int{}} }}

// counter counts the terms of a proposal. Its terms are numbered as they occur.
type counter struct {
	ids map[string]int // by term
	all []termCount    // by id

	words   []word // scratch space of terms
	section []int  // scratch space of sections: the ids of one section
	found   []int  // the last result of terms
}

// termCount is a term with its hit in the proposal, and its number in the current section.
type termCount struct {
	term string
	hit
	best float64 // the greatest weight in one section, which hit.part belongs to

	// times counts the section, and here its piece with the number piece. most is the largest
	// value of here, and mostIn the part of that piece.
	times, here, piece, most, mostIn int
}

// terms returns the ids of a text's terms in order, until the next call.
func (c *counter) terms(text string) []int {
	c.words, c.found = appendTerms(c.words[:0], text), c.found[:0]
	for _, w := range c.words {
		c.found = append(c.found, c.id(w.term))
	}
	return c.found
}

// id returns the id of a term.
func (c *counter) id(term string) int {
	id, ok := c.ids[term]
	if !ok {
		id = len(c.all)
		c.ids[term] = id
		c.all = append(c.all, termCount{term: term})
	}
	return id
}

// count counts the terms of a proposal, given the pieces of its sections.
func (c *counter) count(p *Proposal, pieces []piece) {
	for i, s := range p.Sections {
		n := 1
		for n < len(pieces) && pieces[n].section == i {
			n++
		}
		for _, id := range c.terms(s.Title) {
			c.all[id].add(pieces[0].part, heading, inHeading)
		}
		c.countSection(pieces[:n])
		pieces = pieces[n:]
	}
	// Terms of the header are shown in the section that has most of them.
	for _, id := range c.terms(p.Description + " " + p.Authors) {
		c.all[id].weight = max(c.all[id].weight, description)
	}
	for _, id := range c.terms(p.Title) {
		c.all[id].weight = title
	}
	for _, f := range p.Facets {
		c.id(f)
	}
}

// countSection counts the terms of one section, given its pieces.
func (c *counter) countSection(pieces []piece) {
	length := 0
	c.section = c.section[:0]
	for n, p := range pieces {
		for _, id := range c.terms(p.words) {
			t := &c.all[id]
			if t.times == 0 {
				c.section = append(c.section, id)
			}
			if t.piece != n {
				t.piece, t.here = n, 0
			}
			t.times++
			t.here++
			if t.here > t.most {
				t.most, t.mostIn = t.here, p.part
			}
			length++
		}
	}
	for _, id := range c.section {
		t := &c.all[id]
		weight, w := some, weigh(t.times, length)
		if w >= muchFrom {
			weight = much
		}
		t.add(t.mostIn, weight, w)
		t.times, t.here, t.piece, t.most = 0, 0, 0, 0
	}
}

// add adds what a section has of a term: its part, its weight as a hit, and the exact weight.
func (t *termCount) add(part, weight int, exact float64) {
	if exact > t.best {
		t.part, t.best = part, exact
	}
	t.weight = max(t.weight, weight)
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
	ids, parts := map[string]int{}, make([]int, len(all)) // ids are indexes in lists
	var lists []termList
	for i, of := range all {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		parts[i] = of.parts
		term, rest := "", of.terms
		for _, p := range of.postings {
			term, rest, _ = strings.Cut(rest, "\n")
			id, ok := ids[term]
			if !ok {
				id = len(lists)
				lists = append(lists, termList{term: strings.Clone(term)})
				ids[lists[id].term] = id
			}
			lists[id].postings = append(lists[id].postings, p.of(i))
		}
	}
	slices.SortFunc(lists, func(a, b termList) int { return strings.Compare(a.term, b.term) })
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
	var hits []hit
	for _, l := range lists {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if size > most || size > least && cutsAt([]byte(l.term), 64) {
			end()
		}
		hits = hits[:0]
		for _, p := range l.postings {
			hits = append(hits, p.hit())
		}
		postings.list(hits, isFilter(l.term), among, parts)
		terms = append(terms, l.term)
		// A hit has about seven bits. The size of a long list is rounded, so that one hit more or
		// less moves no cut.
		size += len(l.term) + 1<<bits.Len(uint(len(hits)))/2
	}
	end()
	return out, nil
}

// termList is a term with its postings in all proposals.
type termList struct {
	term     string
	postings []posting
}

// isFilter reports whether a term is a filter. Words contain no colon.
func isFilter(term string) bool { return strings.Contains(term, ":") }

// cutsAt reports whether a shard or a file may begin at some bytes: it may at one of n.
func cutsAt(begin []byte, n uint32) bool {
	h := fnv.New32a()
	_, _ = h.Write(begin) // never fails
	return h.Sum32()%n == 0
}
