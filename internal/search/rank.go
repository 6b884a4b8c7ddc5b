package search

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// impact is what a hit counts, by its weight.
var impact = [weights]float64{some: 1, much: 1.4, heading: 1.9, said: 1.9, title: 2.5}

const (
	// whole is what the best part of a proposal, or its header, counts beside the proposal as a whole.
	whole = 0.6
	// near is what a word counts that only begins like the one that is asked for, or is spelt nearly so.
	near = 0.7
	// stopped is what is left of the score of a proposal that is not pursued any more.
	stopped = 0.97
	// outright is added to the score of the proposal that a question names.
	outright = 1_000_000
)

// list are the hits of one term, and what it counts.
type list struct {
	hits   []hit
	factor float64
}

// counted are the hits of one word of a question. A needed one is in every proposal that answers.
type counted struct {
	lists  []list
	needed bool
}

// ranked is a proposal with what the words of a question count in it.
type ranked struct {
	Found

	words  []float64       // each
	parts  map[int]float64 // all words that are shown in the part
	header float64         // all words that the header says
	found  bool            // it has the phrases of the question
}

// rank orders the allowed proposals that have words of a question, the best first.
func rank(words []counted, m *Manifest, key string, allowed map[int]bool) (out []*ranked) {
	all := map[int]*ranked{}
	for i, word := range words {
		word.count(all, i, len(words), float64(len(m.Proposals)))
	}
	named, ok := m.last()[key]
	if !ok {
		named = -1
	} else if all[named] == nil {
		all[named] = &ranked{Found: Found{Proposal: named}, words: make([]float64, len(words))}
	}
	for proposal, r := range all {
		// A shard of another index could name more proposals than there are.
		if proposal < 0 || proposal >= min(len(m.Proposals), len(m.Stages), len(m.Parts)) || allowed != nil && !allowed[proposal] {
			continue
		}
		score := 0.0
		lacks := false
		for i, of := range r.words {
			score += of
			lacks = lacks || words[i].needed && of == 0
		}
		if lacks {
			continue
		}
		if order := r.order(); len(order) > 0 {
			r.Part = order[0]
			score += whole * max(r.parts[r.Part], r.header)
		}
		if m.Stages[proposal] == stageLetters["stopped"] {
			score *= stopped
		}
		r.Score = int(math.Round(1000 * score))
		if proposal == named {
			r.Score += outright
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *ranked) int { return better(a.Found, b.Found) })
	return out
}

// better puts the best first, and of equal ones that with the lower number.
func better(a, b Found) int { return cmp.Or(b.Score-a.Score, a.Proposal-b.Proposal) }

// order are the parts of a proposal in which words are, the best first.
func (r *ranked) order() []int {
	return slices.SortedFunc(maps.Keys(r.parts), func(a, b int) int { return cmp.Or(cmp.Compare(r.parts[b], r.parts[a]), a-b) })
}

// count adds what the n-th word of so many counts. A word in few of the proposals counts more than one in many.
func (c counted) count(all map[int]*ranked, n, words int, proposals float64) {
	type place struct {
		hit
		score float64
	}
	best := map[int]place{}
	for _, l := range c.lists {
		for _, h := range l.hits {
			if score := l.factor * impact[h.weight]; score > best[h.proposal].score {
				best[h.proposal] = place{h, score}
			}
		}
	}
	have := float64(len(best))
	rare := math.Log(1 + (proposals-have+0.5)/(have+0.5))
	for proposal, at := range best {
		r := all[proposal]
		if r == nil {
			r = &ranked{Found: Found{Proposal: proposal}, words: make([]float64, words), parts: map[int]float64{}}
			all[proposal] = r
		}
		r.words[n] = rare * at.score
		r.parts[at.part] += r.words[n]
		if at.weight >= said {
			r.header += r.words[n]
		}
	}
}
