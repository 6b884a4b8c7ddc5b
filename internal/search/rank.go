package search

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// impact is what a hit counts, by its weight: in a section, and in what the header says.
var impact = [2][4]float64{{0.5, 1, 1.4, 1.9}, {0.5, 1, 1.6, 2.5}}

const (
	// whole is what the best section of a proposal counts beside the proposal as a whole.
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

// counted are the hits of one word of a question. A needed one is in every section that answers.
type counted struct {
	lists  []list
	needed bool
}

// ranked is a proposal with what the words of a question count in it.
type ranked struct {
	Found

	words    []float64 // the best hit of each
	sections map[int]total
}

// total is what all words count in a section, and how many of the needed ones it has.
type total struct {
	score  float64
	needed int
}

// rank orders the allowed proposals that have words of a question, the best first.
func rank(words []counted, m *Manifest, key string, allowed map[int]bool) (out []*ranked) {
	all, needed := map[int]*ranked{}, 0
	for i, word := range words {
		word.count(all, i, len(words), float64(len(m.Proposals)))
		if word.needed {
			needed++
		}
	}
	named, ok := m.last()[key]
	if !ok {
		named = -1
	} else if all[named] == nil {
		all[named] = &ranked{Found: Found{Proposal: named}}
	}
	for proposal, r := range all {
		// A shard of another index could name more proposals than there are.
		if proposal >= min(len(m.Proposals), len(m.Stages)) || allowed != nil && !allowed[proposal] {
			continue
		}
		for section, t := range r.sections {
			if t.needed < needed {
				delete(r.sections, section)
			}
		}
		if needed > 0 && len(r.sections) == 0 {
			continue
		}
		score := 0.0
		for _, of := range r.words {
			score += of
		}
		best := r.sections[0].score
		if order := r.order(); len(order) > 0 {
			r.Section = order[0]
			best = max(best, r.sections[r.Section].score)
		}
		score += whole * best
		if m.Stages[proposal] == stageLetters["stopped"] {
			score *= stopped
		}
		r.Score = int(math.Round(1000 * score))
		if proposal == named {
			r.Score += outright
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *ranked) int { return cmp.Or(b.Score-a.Score, a.Proposal-b.Proposal) })
	return out
}

// order are the sections of a proposal, the best first. What its header says is the last of them.
func (r *ranked) order() []int {
	return slices.SortedFunc(maps.Keys(r.sections), func(a, b int) int {
		if a == 0 || b == 0 {
			return b - a
		}
		return cmp.Or(cmp.Compare(r.sections[b].score, r.sections[a].score), a-b)
	})
}

// count adds what the n-th word of so many counts. A word in few of the proposals counts more than one in many.
func (c counted) count(all map[int]*ranked, n, words int, proposals float64) {
	best, in := map[[2]int]float64{}, map[int]bool{}
	for _, l := range c.lists {
		for _, h := range l.hits {
			of := 0
			if h.section == 0 {
				of = 1
			}
			at := [2]int{h.proposal, h.section}
			best[at] = max(best[at], l.factor*impact[of][h.weight])
			in[h.proposal] = true
		}
	}
	have := float64(len(in))
	rare := math.Log(1 + (proposals-have+0.5)/(have+0.5))
	for at, score := range best {
		r := all[at[0]]
		if r == nil {
			r = &ranked{Found{Proposal: at[0]}, make([]float64, words), map[int]total{}}
			all[at[0]] = r
		}
		r.words[n] = max(r.words[n], rare*score)
		t := r.sections[at[1]]
		t.score += rare * score
		if c.needed {
			t.needed++
		}
		r.sections[at[1]] = t
	}
}
