package search

import (
	"cmp"
	"math"
	"slices"
)

// impact maps a hit's weight to its score.
var impact = [weights]float64{some: 1, much: 1.4, heading: 1.9, description: 1.9, title: 2.5}

const (
	// whole is the factor of the best part of a proposal, or of its header, relative to the
	// proposal as a whole.
	whole = 0.6
	// near is the factor of a word that only begins like the searched word, or is spelt nearly like
	// it.
	near = 0.7
	// stopped is the factor of a proposal that is no longer pursued.
	stopped = 0.97
	// outright is added to the score of the proposal that the query names.
	outright = 1_000_000
)

// list holds the hits of one term and their factor.
type list struct {
	hits   []hit
	factor float64
}

// counted holds the hits of one word of a query. A needed word is in every result.
type counted struct {
	lists  []list
	needed bool
}

// ranked is a proposal with the scores of the query's words.
type ranked struct {
	Found

	score  float64 // of all words
	needed int     // number of needed words that it contains
	parts  []shown
	header float64 // of all words in the header
	found  bool    // it contains the phrases of the query
}

// shown is the score of all words in one part.
type shown struct {
	part  int
	score float64
}

// best is the best hit of a word in a proposal; a score of 0 means none.
type best struct {
	hit
	score float64
}

// rank orders the allowed proposals that contain words of a query, best first. A nil list allows
// all.
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
		if len(r.parts) == 0 && proposal != named || r.needed < needed ||
			allowed != nil && !allowed[proposal] {
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

// better puts the higher score first and breaks ties by the lower number.
func better(a, b Found) int { return cmp.Or(b.Score-a.Score, a.Proposal-b.Proposal) }

// betterPart puts the higher score first and breaks ties by the lower part.
func betterPart(a, b shown) int { return cmp.Or(cmp.Compare(b.score, a.score), a.part-b.part) }

// order returns the parts of a proposal that contain words, best first.
func (r *ranked) order() (parts []int) {
	for _, s := range slices.SortedFunc(slices.Values(r.parts), betterPart) {
		parts = append(parts, s.part)
	}
	return parts
}

// count adds the scores of a word. A rare word scores higher than a common one. places is scratch
// space that all words share.
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
		if at.weight >= description {
			r.header += score
		}
	}
}
