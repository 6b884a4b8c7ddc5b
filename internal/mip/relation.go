package mip

import (
	"cmp"
	"slices"
)

// RelationType is the relation of a proposal to another.
type RelationType string

// Types of relations. Each is followed by its inverse, except Related, which is symmetric.
const (
	Requires     RelationType = "requires"
	RequiredBy   RelationType = "requiredBy"
	Replaces     RelationType = "replaces" // by its header, until the other is superseded
	ReplacedBy   RelationType = "replacedBy"
	Supersedes   RelationType = "supersedes"
	SupersededBy RelationType = "supersededBy"
	Bundles      RelationType = "bundles"
	BundledBy    RelationType = "bundledBy"
	Related      RelationType = "related"
	Mentions     RelationType = "mentions"
	MentionedBy  RelationType = "mentionedBy"
)

// relationTypes lists all of them, in the order in which a proposal's relations are published.
var relationTypes = []RelationType{
	Requires, RequiredBy, Replaces, ReplacedBy, Supersedes, SupersededBy, Bundles, BundledBy,
	Related, Mentions, MentionedBy,
}

// Relation is one relation of a proposal: an element of [Proposal.Relations].
type Relation struct {
	Type  RelationType `json:"type" doc:"replaces asks to, supersedes is settled; bundles: it is the meta proposal of a hard fork."`
	ID    *string      `json:"id" doc:"Such as MIP-3 or ERC-165; null where the header has an address alone."`
	Title *string      `json:"title" doc:"Null unless published on this site. A long one is cut."`
	Standing
	URL      *string `json:"url" doc:"Its page, null where it is not known."`
	External bool    `json:"external" doc:"It is no proposal of this site."`
}

// Relations are the relations of all proposals of a site. They are immutable.
type Relations struct {
	all []Metadata
	// of are the relations by position in all.
	of [][]relation
}

// relation is a relation to the proposal at a position, unless other is set. It is small, since a
// site has twenty times as many relations as proposals.
type relation struct {
	as    RelationType
	to    int
	other *Relation
}

// Of returns the relations of the proposal at a position of the list that [Relate] was given. They
// are sorted by type, those on the site first, then in the order of the header or else of ids. The
// result is not nil.
func (r *Relations) Of(i int) []Relation {
	out := []Relation{}
	for _, to := range r.of[i] {
		if to.other != nil {
			out = append(out, *to.other)
			continue
		}
		m := &r.all[to.to]
		out = append(out, Relation{
			Type: to.as, ID: new(m.ID.String()), Title: new(m.ShortTitle()),
			Standing: m.Standing, URL: &m.URL,
		})
	}
	return out
}

// Relate returns the relations of proposals, which must be in the order of ids. mentions holds the
// proposals that each text names, by position; a mention is listed if no other relation leads to
// the proposal. sites has the addresses of other sites' proposals; forks, whose numbers are of the
// main kind, define what is bundled.
func Relate(
	all []Metadata, mentions [][]ID, sites References, forks []HardFork, main string,
) *Relations {
	r := ties{
		Relations: &Relations{all: all, of: make([][]relation, len(all))}, tied: map[[2]ID]bool{},
	}
	for i, m := range all {
		for _, list := range []struct {
			as      RelationType
			numbers []int
		}{{Requires, m.Requires}, {RequiredBy, m.RequiredBy}, {Replaces, m.Replaces},
			{SupersededBy, m.SupersededBy}, {ReplacedBy, m.ReplacedBy}} {
			for _, id := range m.ID.Siblings(list.numbers) {
				r.tie(i, list.as, id)
			}
		}
		for _, e := range m.External {
			id, err := ParseID(e.Text)
			if _, ok := Search(all, id); err == nil && ok {
				r.tie(i, e.Relation, id)
				continue
			}
			out := Relation{Type: e.Relation, ID: &e.Text, URL: e.URL, External: true}
			if _, isURL := WebAddress(e.Text); isURL {
				out.ID = nil
			}
			r.add(i, relation{other: &out})
			r.tied[[2]ID{m.ID, id}] = true
		}
	}
	for _, f := range forks {
		if f.MetaMIP == nil {
			continue
		}
		meta := ID{main, *f.MetaMIP}
		at, published := Search(all, meta)
		for _, id := range meta.Siblings(f.BundledMIPs) {
			if published && id != meta {
				r.tie(at, Bundles, id)
			}
			if i, ok := Search(all, id); ok && id != meta {
				r.tie(i, BundledBy, meta)
			}
		}
	}
	// Collect all mentions first: adding one must not affect whether another is listed.
	var back [][2]int
	for i, ids := range mentions {
		for _, id := range ids {
			k, ok := Search(all, id)
			switch _, address, known := sites.Find(id.Kind, id.Number); {
			case id == all[i].ID || r.tied[[2]ID{all[i].ID, id}]:
			case ok:
				r.tie(i, Mentions, id)
				back = append(back, [2]int{k, i})
			case known:
				r.add(i, relation{other: &Relation{
					Type: Mentions, ID: new(id.String()), URL: &address, External: true,
				}})
			}
		}
	}
	for _, b := range back {
		r.tie(b[0], MentionedBy, all[b[1]].ID)
	}
	for i, list := range r.of {
		slices.SortStableFunc(list, func(a, b relation) int {
			return cmp.Compare(a.place(), b.place())
		})
		r.of[i] = slices.Clip(list)
	}
	return r.Relations
}

// place orders relations.
func (r relation) place() int {
	if r.other == nil {
		return 2 * slices.Index(relationTypes, r.as)
	}
	out := 2 * slices.Index(relationTypes, r.other.Type)
	if r.other.External {
		out++
	}
	return out
}

// ties collects relations.
type ties struct {
	*Relations
	tied map[[2]ID]bool // from, to
}

// add adds a relation of the proposal at position i.
func (r *ties) add(i int, to relation) { r.of[i] = append(r.of[i], to) }

// tie adds a relation of the proposal at position i to one of this site. A settled replacement is
// listed as Supersedes or SupersededBy.
func (r *ties) tie(i int, as RelationType, to ID) {
	from := &r.all[i]
	if as == ReplacedBy && from.supersededBy(to) {
		return // listed already
	}
	k, published := Search(r.all, to)
	switch {
	case !published:
		r.add(i, relation{other: &Relation{Type: as, ID: new(to.String())}})
	case as == Replaces && r.all[k].supersededBy(from.ID):
		r.add(i, relation{as: Supersedes, to: k})
	default:
		r.add(i, relation{as: as, to: k})
	}
	r.tied[[2]ID{from.ID, to}] = true
}

// supersededBy reports whether a proposal of the site superseded this one.
func (m *Metadata) supersededBy(by ID) bool {
	return m.ID.Kind == by.Kind && slices.Contains(m.SupersededBy, by.Number) ||
		slices.ContainsFunc(m.External, func(e External) bool {
			return e.Relation == SupersededBy && e.Text == by.String()
		})
}
