package search

import (
	"cmp"
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

	score  float64 // of all words
	needed int     // how many words it has of those that it needs
	parts  []shown
	header float64 // all words that the header says
	found  bool    // it has the phrases of the question
}

// shown is what all words count that are shown in a part.
type shown struct {
	part  int
	score float64
}

// best is where a proposal has most of a word; no score says that it has not.
type best struct {
	hit
	score float64
}

// rank orders the allowed proposals that have words of a question, the best first. No list allows all.
func rank(words []counted, m *Manifest, key string, allowed []bool) (out []*ranked) {
	// A shard of another index could name more proposals than there are.
	all := make([]ranked, min(len(m.Proposals), len(m.Stages), len(m.Parts)))
	places := make([]best, len(all))
	needed := 0
	for _, word := range words {
		word.count(all, places, float64(len(m.Proposals)))
		if word.needed {
			needed++
		}
	}
	named := -1
	if key != "" {
		named = slices.Index(m.Proposals, key)
	}
	for proposal := range all {
		r := &all[proposal]
		if len(r.parts) == 0 && proposal != named || r.needed < needed || allowed != nil && !allowed[proposal] {
			continue
		}
		r.Proposal = proposal
		score := r.score
		if len(r.parts) > 0 {
			most := slices.MinFunc(r.parts, betterPart)
			r.Part = most.part
			score += whole * max(most.score, r.header)
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

// betterPart puts the part that counts most first, and of equal ones the first.
func betterPart(a, b shown) int { return cmp.Or(cmp.Compare(b.score, a.score), a.part-b.part) }

// order are the parts of a proposal in which words are, the best first.
func (r *ranked) order() (parts []int) {
	for _, s := range slices.SortedFunc(slices.Values(r.parts), betterPart) {
		parts = append(parts, s.part)
	}
	return parts
}

// count adds what a word counts. A word in few of the proposals counts more than one in many. Each word uses the same places.
func (c counted) count(all []ranked, places []best, proposals float64) {
	clear(places)
	have := 0.0
	for _, l := range c.lists {
		for _, h := range l.hits {
			if h.proposal < 0 || h.proposal >= len(places) {
				continue
			}
			at := &places[h.proposal]
			if at.score == 0 {
				have++
			}
			if score := l.factor * impact[h.weight]; score > at.score {
				*at = best{h, score}
			}
		}
	}
	rare := math.Log(1 + (proposals-have+0.5)/(have+0.5))
	for proposal, at := range places {
		if at.score == 0 {
			continue
		}
		r := &all[proposal]
		score := rare * at.score
		r.score += score
		if c.needed {
			r.needed++
		}
		i := slices.IndexFunc(r.parts, func(s shown) bool { return s.part == at.part })
		if i < 0 {
			i = len(r.parts)
			r.parts = append(r.parts, shown{part: at.part})
		}
		r.parts[i].score += score
		if at.weight >= said {
			r.header += score
		}
	}
}
