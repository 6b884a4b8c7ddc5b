package search

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// mostNear is how many words are tried that begin like one.
	mostNear = 50
	// mostRead is how many parts of texts are read for the phrases of one question.
	mostRead = 24
	// mostParts is how many parts of identifiers are looked up that no text has as a whole.
	mostParts = 16
	// mostKnown is how many values are told in place of an unknown one.
	mostKnown = 12
)

// Found is a proposal that answers a question.
type Found struct {
	// Proposal is its position among all.
	Proposal int
	// Part is the one of its texts, from 0, in which most of the question is.
	Part int
	// Score is larger for a better one, and comparable within one answer.
	Score int
}

// Answer is what a question finds.
type Answer struct {
	// Found are the proposals, the best first.
	Found []Found
	// Partial says that there may be more with the phrases of the question, in texts that were not read.
	Partial bool
	// Terms are those that were looked for, which excerpts mark: phrases, with blanks between their terms, before words. One that
	// ends in a star stands for all that begin so.
	Terms []string
	// Instead are the words that were taken in place of unknown ones, by these.
	Instead map[string]string
	// Unknown are the filters with values that no proposal has.
	Unknown []Unknown
	// Ignored are words and phrases beyond those that count: sixteen words, as many parts of identifiers, four phrases.
	Ignored []string
}

// Unknown is a filter with a value that no proposal has.
type Unknown struct {
	// Filter is its name and its value, such as status:ready.
	Filter string
	// Known are values that proposals have, those that are nearest to it in the alphabet.
	Known []string
}

// Files reads the parts of an index. An error ends a search, which returns it; it is how a search is cancelled, since it
// reads a part for each word and for each text.
type Files interface {
	Table(url string) (*Table, error)
	Block(url string) (*Block, error)
	Texts(url string) (*Texts, error)
}

// Search answers a question. Phrases are looked for in as many texts as so many answers want, and no more than bounded.
func Search(m *Manifest, files Files, q Query, limit int) (a Answer, err error) {
	r := reader{m: m, files: files, answer: &a}
	a.Instead = map[string]string{}
	a.Terms, a.Ignored = slices.Clone(q.phrases), slices.Clone(q.ignored)
	allowed, err := r.filter(q.filters)
	if err != nil {
		return a, err
	}
	var words []counted
	for _, w := range q.words {
		found, err := r.lists(w, len(w.parts) == 0 && !w.quoted)
		if err != nil {
			return a, err
		}
		if len(found) > 0 || len(w.parts) == 0 || w.quoted {
			words = append(words, counted{found, w.quoted})
			continue
		}
		if r.parts+len(w.parts) > mostParts {
			a.Ignored = append(a.Ignored, w.term)
			continue
		}
		r.parts += len(w.parts)
		for _, part := range w.parts {
			found, err := r.lists(asked{term: part}, true)
			if err != nil {
				return a, err
			}
			words = append(words, counted{lists: found})
		}
	}
	answers := rank(words, m, q.key, allowed)
	if len(q.phrases) > 0 {
		return a, r.having(answers, q.phrases, limit)
	}
	for _, of := range answers {
		a.Found = append(a.Found, of.Found)
	}
	if len(q.words) == 0 && q.key == "" && allowed != nil {
		for i := len(m.Proposals) - 1; i >= 0; i-- {
			if allowed[i] {
				a.Found = append(a.Found, Found{Proposal: i})
			}
		}
	}
	return a, nil
}

// reader looks terms and phrases up.
type reader struct {
	m      *Manifest
	files  Files
	answer *Answer
	read   int // parts of texts
	parts  int // of identifiers
}

// having takes the proposals that have all phrases. The parts in which most of their words are come first, and then the others.
func (r *reader) having(all []*ranked, phrases []string, limit int) error {
	for pass := range 2 {
		for _, of := range all {
			parts := of.order()
			if pass > 0 {
				parts = others(parts, r.m.Parts[of.Proposal])
			}
			if of.found || len(parts) == 0 {
				continue
			}
			if r.read == mostRead || len(r.answer.Found) == limit {
				r.answer.Partial = true
				break
			}
			if err := r.has(of, phrases, parts); err != nil {
				return err
			}
			if of.found {
				r.answer.Found = append(r.answer.Found, of.Found)
			}
		}
	}
	slices.SortFunc(r.answer.Found, better)
	return nil
}

// others are the parts of so many that are not among some, as far as they can be read.
func others(parts []int, of int) (out []int) {
	for part := 0; part < of && len(out) < mostRead; part++ {
		if !slices.Contains(parts, part) {
			out = append(out, part)
		}
	}
	return out
}

// has looks for the phrases that the title of a proposal has not, all of them in one section of some parts.
func (r *reader) has(of *ranked, phrases []string, parts []int) error {
	e, err := Shown(r.m, r.files, of.Proposal)
	if err != nil {
		return err
	}
	phrases = slices.DeleteFunc(slices.Clone(phrases), func(p string) bool { return len(places(e.Title, []string{p})) > 0 })
	of.found = len(phrases) == 0
	for _, part := range parts {
		if of.found {
			return nil
		}
		if r.read == mostRead {
			r.answer.Partial = true
			return nil
		}
		t, err := e.Part(r.files, part)
		if err != nil {
			return err
		}
		r.read++
		if of.found = slices.ContainsFunc(t.Sections, func(s SectionText) bool { return s.has(phrases) }); of.found {
			of.Part = part
		}
	}
	return nil
}

// filter are the proposals that pass filters; nil stands for all.
func (r *reader) filter(filters []string) (allowed []bool, err error) {
	byName := map[string][]bool{}
	for _, f := range filters {
		name, _, _ := strings.Cut(f, ":")
		if byName[name] == nil {
			byName[name] = make([]bool, len(r.m.Proposals))
		}
		table, err := r.table(f)
		if err != nil {
			return nil, err
		}
		hits := table.lookup(f)
		for _, h := range hits {
			// A shard of another index could name more proposals than there are.
			if h.proposal >= 0 && h.proposal < len(r.m.Proposals) {
				byName[name][h.proposal] = true
			}
		}
		if len(hits) == 0 {
			r.answer.Unknown = append(r.answer.Unknown, Unknown{f, table.nearest(f, name+":")})
		}
	}
	for _, one := range byName {
		if allowed == nil {
			allowed = one
			continue
		}
		for p := range allowed {
			allowed[p] = allowed[p] && one[p]
		}
	}
	return allowed, nil
}

// table is the shard whose range has a term, an empty one if there is none.
func (r *reader) table(term string) (*Table, error) {
	i, exact := slices.BinarySearchFunc(r.m.Shards, term, func(p Part, term string) int { return cmp.Compare(p.From, term) })
	if !exact {
		i--
	}
	if i < 0 {
		return &Table{}, nil
	}
	return r.files.Table(r.m.Shards[i].URL)
}

// lists are the hits of a word, of those that begin with it where it is begun, and where there is none of the one that is
// spelt most like it.
func (r *reader) lists(w asked, guess bool) (out []list, err error) {
	table, err := r.table(w.term)
	if err != nil {
		return nil, err
	}
	if hits := table.lookup(w.term); len(hits) > 0 {
		out = append(out, list{hits, 1})
		r.answer.Terms = append(r.answer.Terms, w.term)
	}
	var others []posted
	if w.begun {
		others = table.beginning(w.term)
	}
	if len(others) > 0 {
		r.answer.Terms = append(r.answer.Terms, w.star())
	}
	for _, e := range frequent(others) {
		out = append(out, list{e.hits, near})
	}
	if len(out) == 0 && guess {
		if like := frequent(table.like(w.term)); len(like) > 0 {
			out = append(out, list{like[0].hits, near})
			r.answer.Terms = append(r.answer.Terms, like[0].term)
			r.answer.Instead[w.term] = like[0].term
		}
	}
	return out, nil
}
