package search

import (
	"hash/fnv"
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

// Section is a part of a text. Its ID is that of the heading on the page.
type Section struct{ ID, Title, Markdown string }

// Weights of a hit. Those of a body say how much of the section the term is.
const (
	little = iota
	some
	much
	heading // or, in section 0, the title
)

// usual is the number of terms of a section that is neither short nor long. It is fixed, so that one text does not change the
// weights of all others.
const usual = 150

// weigh is the weight of a term that a section with so many terms has so often, by the formula of BM25 with k1 = 1.2 and
// b = 0.6.
func weigh(times, length int) int {
	tf := float64(times)
	switch w := tf * 2.2 / (tf + 1.2*(0.4+0.6*float64(length)/usual)); {
	case w < 0.75:
		return little
	case w < 1.3:
		return some
	}
	return much
}

// keeps reports whether a hit of a term that so many of all proposals have is of use. A term that many have finds those that
// are about it: the sections that have little of it are left out, and of one that most have those that have but some.
func (h hit) keeps(have, all int) bool {
	switch {
	case h.section == 0:
		return true
	case have > max(50, all*3/10):
		return h.weight >= much
	case have > max(20, all/20):
		return h.weight >= some
	}
	return true
}

// index has the hits of each term, sorted.
func index(all []Proposal) map[string][]hit {
	found := make([]map[string][]hit, len(all))
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i := range all {
		workers.Go(func() error {
			found[i] = hitsOf(i, &all[i])
			return nil
		})
	}
	_ = workers.Wait() // no worker returns an error
	hits, in := map[string][]hit{}, map[string]int{}
	for _, of := range found {
		for term := range of {
			in[term]++
		}
	}
	for _, of := range found {
		for term, h := range of {
			hits[term] = append(hits[term], slices.DeleteFunc(h, func(h hit) bool { return !h.keeps(in[term], len(all)) })...)
		}
	}
	return hits
}

// hitsOf are the terms of one proposal with its sections, sorted.
func hitsOf(proposal int, p *Proposal) map[string][]hit {
	out := map[string][]hit{}
	add := func(term string, section, weight int) {
		hits := out[term]
		if n := len(hits); n > 0 && hits[n-1].section == section {
			hits[n-1].weight = max(hits[n-1].weight, weight)
			return
		}
		out[term] = append(hits, hit{proposal, section, weight})
	}
	for weight, text := range map[int]string{heading: p.Title, much: p.Description, little: p.Authors} {
		for _, w := range terms(text) {
			add(w.term, 0, weight)
		}
	}
	for _, f := range p.Facets {
		add(f, 0, little)
	}
	for i, s := range p.Sections {
		counts, length := map[string]int{}, 0
		for _, w := range terms(Text(s.Markdown)) {
			counts[w.term]++
			length++
		}
		for _, w := range terms(s.Title) {
			counts[w.term]--
			add(w.term, i+1, heading)
		}
		for term, n := range counts {
			if n > 0 {
				add(term, i+1, weigh(n, length))
			}
		}
	}
	return out
}

// Sizes of a shard in bytes, before compression.
const (
	least = 12 << 10
	most  = 36 << 10
)

// Shards cut the index of proposals, which stand in the order of their ids, into parts of nearly the same size that can be
// read one by one. They are cut at terms that depend on the terms alone: a change of one proposal changes the parts with
// its terms, and moves no others.
func Shards(all []Proposal) (out []Shard) {
	hits := index(all)
	names := make([]string, 0, len(hits))
	for term, h := range hits {
		if len(h) > 0 {
			names = append(names, term)
		}
	}
	slices.Sort(names)
	var terms, proposals, sections []string
	size := 0
	end := func() {
		if len(terms) > 0 {
			out = append(out, Shard{
				Version: Version, Terms: strings.Join(terms, " "), Proposals: strings.Join(proposals, " "), Sections: strings.Join(sections, " "),
			})
		}
		terms, proposals, sections, size = nil, nil, nil, 0
	}
	for _, term := range names {
		if size > most || size > least && cutsAt(term) {
			end()
		}
		p, s := encode(hits[term])
		terms, proposals, sections = append(terms, term), append(proposals, p), append(sections, s)
		size += len(term) + len(p) + len(s)
	}
	end()
	return out
}

// cutsAt reports whether a shard may begin at a term: one of 64 does.
func cutsAt(term string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(term)) // never fails
	return h.Sum32()%64 == 0
}

// Version is that of the form of the files.
const Version = 2

// Shard is a part of an index. The n-th word of each of its texts belongs to the n-th term.
type Shard struct {
	Version   int    `json:"version" doc:"2."`
	Terms     string `json:"terms" doc:"Terms in the order of their bytes, with blanks between them."`
	Proposals string `json:"proposals" doc:"For each term the proposals that have it."`
	Sections  string `json:"sections" doc:"For each term the sections of these proposals that have it."`

	split *table // nil before Split
}
