package search

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// mostNear bounds the words tried that begin like a searched one.
	mostNear = 50
	// mostRead bounds the text parts read for the phrases of one query.
	mostRead = 24
	// mostParts bounds the lookups of parts of identifiers that no text contains as a whole.
	mostParts = 16
	// mostKnown bounds the known values listed for an unknown one.
	mostKnown = 12
)

// Found is a proposal in an answer.
type Found struct {
	// Proposal is its position among all.
	Proposal int
	// Part is the index of its text part that matches best, from 0.
	Part int
	// Score is higher for a better match, and comparable within one answer.
	Score int
}

// Answer is the result of a query.
type Answer struct {
	// Found lists the proposals, best first.
	Found []Found
	// Partial reports that unread texts may also contain the phrases.
	Partial bool
	// Terms are the searched terms, which excerpts mark: phrases, with blanks between their terms,
	// before words. A term that ends in a star is a prefix.
	Terms []string
	// Instead maps unknown words to the words searched in their place.
	Instead map[string]string
	// Unknown lists filters with values that no proposal has.
	Unknown []Unknown
	// Ignored holds words and phrases beyond the limits: sixteen words, as many parts of
	// identifiers, four phrases.
	Ignored []string
}

// Unknown is a filter with a value that no proposal has.
type Unknown struct {
	// Filter is the filter's name and value, such as status:ready.
	Filter string
	// Known lists existing values, nearest to it in alphabetical order.
	Known []string
}

// Files reads the parts of an index. An error ends the search, which returns it. A search is
// canceled in this way, since it reads a part for each word and each text.
type Files interface {
	Table(url string) (*Table, error)
	Block(url string) (*Block, error)
	Texts(url string) (*Texts, error)
}

// Search answers a query. It looks for phrases in enough texts to fill limit results, at most
// mostRead.
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
			found, err := r.lists(queryWord{term: part}, true)
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

// reader looks up terms and phrases.
type reader struct {
	m      *Manifest
	files  Files
	answer *Answer
	read   int // number of text parts read
	parts  int // number of parts of identifiers looked up
}

// having selects the proposals that contain all phrases. It reads the parts with most of their
// words first, and then the others.
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

// others returns the remaining part numbers, at most mostRead.
func others(parts []int, of int) (out []int) {
	for part := 0; part < of && len(out) < mostRead; part++ {
		if !slices.Contains(parts, part) {
			out = append(out, part)
		}
	}
	return out
}

// has looks for the phrases that a proposal's title lacks, all of them in one section of the given
// parts.
func (r *reader) has(of *ranked, phrases []string, parts []int) error {
	e, err := Shown(r.m, r.files, of.Proposal)
	if err != nil {
		return err
	}
	phrases = slices.DeleteFunc(slices.Clone(phrases), func(p string) bool {
		return len(places(e.Title, []string{p})) > 0
	})
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
		of.found = slices.ContainsFunc(t.Sections, func(s SectionText) bool {
			return s.has(phrases)
		})
		if of.found {
			of.Part = part
		}
	}
	return nil
}

// filter returns the proposals that pass the filters; nil allows all.
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

// table returns the shard whose range contains a term, or an empty one.
func (r *reader) table(term string) (*Table, error) {
	i, exact := slices.BinarySearchFunc(r.m.Shards, term, func(p Part, term string) int {
		return cmp.Compare(p.From, term)
	})
	if !exact {
		i--
	}
	if i < 0 {
		return &Table{}, nil
	}
	return r.files.Table(r.m.Shards[i].URL)
}

// lists returns the hits of a word, of words that begin with it if it is begun, and, if there are
// none, of the word spelt most like it.
func (r *reader) lists(w queryWord, guess bool) (out []list, err error) {
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
