package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
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
	// mostNear is how many words are tried that begin like one.
	mostNear = 50
	// outright is added to the score of the proposal that a question names.
	outright = 1_000_000
)

// Found is a proposal that answers a question.
type Found struct {
	// Proposal is its position among all.
	Proposal int
	// Section is the position of its best section, from 1; 0 is the proposal as a whole.
	Section int
	// Score is larger for a better one, and comparable within one answer.
	Score int
}

// Answer is what a question finds.
type Answer struct {
	// Found are the proposals, the best first.
	Found []Found
	// Terms are those that were looked for, which excerpts mark; one that ends in a star stands for all that begin so.
	Terms []string
	// Instead are the words that were taken in place of unknown ones, by these.
	Instead map[string]string
}

// list are the hits of one term, and what it counts.
type list struct {
	hits   []hit
	factor float64
}

// Search answers a question from the parts of an index; shard reads one. Its errors end the search and are returned.
func Search(m *Manifest, shard func(Part) (*Shard, error), q Query) (a Answer, err error) {
	r := reader{m: m, shard: shard, answer: &a}
	a.Instead = map[string]string{}
	allowed, err := r.filter(q.filters)
	if err != nil {
		return a, err
	}
	var lists [][]list
	for i, w := range q.words {
		found, err := r.lists(w.term, q.begun && i == len(q.words)-1, len(w.parts) == 0)
		if err != nil {
			return a, err
		}
		if len(found) > 0 || len(w.parts) == 0 {
			lists = append(lists, found)
			continue
		}
		for _, part := range w.parts {
			found, err := r.lists(part, false, true)
			if err != nil {
				return a, err
			}
			lists = append(lists, found)
		}
	}
	a.Found = rank(lists, m, q.key, allowed)
	if len(q.words) == 0 && q.key == "" {
		for i := len(m.Proposals) - 1; i >= 0; i-- {
			if allowed[i] {
				a.Found = append(a.Found, Found{Proposal: i})
			}
		}
	}
	return a, nil
}

// reader looks terms up.
type reader struct {
	m      *Manifest
	shard  func(Part) (*Shard, error)
	answer *Answer
}

// filter are the proposals that pass filters; nil stands for all.
func (r *reader) filter(filters []string) (allowed map[int]bool, err error) {
	byName := map[string]map[int]bool{}
	for _, f := range filters {
		name, _, _ := strings.Cut(f, ":")
		if byName[name] == nil {
			byName[name] = map[int]bool{}
		}
		t, err := r.at(f)
		if err != nil {
			return nil, err
		}
		for _, h := range t.hits(f) {
			byName[name][h.proposal] = true
		}
	}
	for _, one := range byName {
		if allowed == nil {
			allowed = one
			continue
		}
		both := map[int]bool{}
		for p := range one {
			if allowed[p] {
				both[p] = true
			}
		}
		allowed = both
	}
	return allowed, nil
}

// at is the shard whose range has a term; empty when there is none.
func (r *reader) at(term string) (table, error) {
	i, exact := slices.BinarySearchFunc(r.m.Shards, term, func(p Part, term string) int { return strings.Compare(p.From, term) })
	if !exact {
		i--
	}
	if i < 0 {
		return table{}, nil
	}
	s, err := r.shard(r.m.Shards[i])
	if err != nil {
		return table{}, err
	}
	if s.split != nil {
		return *s.split, nil
	}
	return newTable(s), nil
}

// lists are the hits of a term, of those that begin with it where it is begun, and where there is none of the one that is
// spelt most like it.
func (r *reader) lists(term string, begun, alone bool) (out []list, err error) {
	t, err := r.at(term)
	if err != nil {
		return nil, err
	}
	if hits := t.hits(term); len(hits) > 0 {
		out = append(out, list{hits, 1})
		r.answer.Terms = append(r.answer.Terms, term)
	}
	if begun {
		others := t.beginning(term)
		for _, i := range others {
			out = append(out, list{t.decode(i), near})
		}
		if len(others) > 0 {
			r.answer.Terms = append(r.answer.Terms, term+"*")
		}
	}
	if len(out) == 0 && alone {
		if i := t.like(term); i >= 0 {
			out = append(out, list{t.decode(i), near})
			r.answer.Terms = append(r.answer.Terms, t.terms[i])
			r.answer.Instead[term] = t.terms[i]
		}
	}
	return out, nil
}

// sum is what the words of a question count in one proposal.
type sum struct {
	words    []float64       // the best hit of each
	sections map[int]float64 // of all words
}

// rank orders the allowed proposals that have words of a question, the best first. lists are the hits of each word.
func rank(lists [][]list, m *Manifest, key string, allowed map[int]bool) []Found {
	sums := map[int]*sum{}
	for i, word := range lists {
		count(sums, word, i, len(lists), float64(len(m.Proposals)))
	}
	named := slices.Index(m.Proposals, key)
	if named >= 0 && sums[named] == nil {
		sums[named] = &sum{}
	}
	var out []Found
	for proposal, s := range sums {
		// A shard of another index could name more proposals than there are.
		if proposal >= min(len(m.Proposals), len(m.Stages)) || allowed != nil && !allowed[proposal] {
			continue
		}
		total, best, section := 0.0, 0.0, 0
		for _, score := range s.words {
			total += score
		}
		for i, score := range s.sections {
			if i > 0 && (score > best || score == best && i < section) {
				best, section = score, i
			}
		}
		total += whole * max(best, s.sections[0])
		if m.Stages[proposal] == stageLetters["stopped"] {
			total *= stopped
		}
		score := int(math.Round(1000 * total))
		if proposal == named {
			score += outright
		}
		out = append(out, Found{proposal, section, score})
	}
	slices.SortFunc(out, func(a, b Found) int { return cmp.Or(b.Score-a.Score, a.Proposal-b.Proposal) })
	return out
}

// count adds what the n-th word of so many counts. A word in few of the proposals counts more than one in many.
func count(sums map[int]*sum, word []list, n, words int, proposals float64) {
	best, in := map[[2]int]float64{}, map[int]bool{}
	for _, l := range word {
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
		s := sums[at[0]]
		if s == nil {
			s = &sum{make([]float64, words), map[int]float64{}}
			sums[at[0]] = s
		}
		s.words[n] = max(s.words[n], rare*score)
		s.sections[at[1]] += rare * score
	}
}
