package render

import (
	"cmp"
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/snapshot"
)

// row is a proposal in a list.
type row struct {
	mip.Summary
	Path string
	Fork *forkLabel // nil: none
	Heat *heat      // nil: it has no discussion on the site's forum
}

// forkLabel names a hard fork. Path is empty when the fork has no page.
type forkLabel struct{ Name, Path string }

func (p *Pages) rows(all []mip.Summary) []row {
	out := make([]row, 0, len(all))
	for _, s := range all {
		r := row{Summary: s, Path: p.proposalPath(s.ID)}
		if s.Hardfork != nil {
			r.Fork = &forkLabel{Name: *s.Hardfork}
			if _, ok := p.fork(*s.Hardfork); ok {
				r.Fork.Path = p.slugPath("upgrade", mip.Slug(*s.Hardfork))
			}
		}
		if score, ok := p.heatOf[s.ID]; ok || p.info.Forum != nil && s.ForumTopicID != nil {
			r.Heat = &heat{score, ok}
		}
		out = append(out, r)
	}
	return out
}

// newestChange is the latest change of all, nil when none has a date.
func newestChange(all []mip.Summary) *mip.Time {
	var t *mip.Time
	for i := range all {
		if u := all[i].Updated; u != nil && (t == nil || u.UTC().After(t.UTC())) {
			t = u
		}
	}
	return t
}

// ref is a link to a proposal, or its mere id when it is not published.
func (p *Pages) ref(all []mip.Summary, id mip.ID) Ref {
	s, ok := mip.Find(all, id)
	if !ok {
		return Ref{ID: id}
	}
	return p.refTo(s)
}

// refTo is a link to a published proposal.
func (p *Pages) refTo(s mip.Summary) Ref {
	return RefTo(s, p.proposalPath(s.ID))
}

func (p *Pages) refs(all []mip.Summary, of mip.ID, numbers []int) []Ref {
	out := make([]Ref, 0, len(numbers))
	for _, id := range of.Siblings(numbers) {
		out = append(out, p.ref(all, id))
	}
	return out
}

// choice is one value of a field, with what a link, a filter and a count of it need.
type choice struct {
	Slug, Label string
	Class       string
	Status      mip.Status
	Count       int
}

// statusChoices counts the statuses that occur: those of the process in the order of life, others by
// name, none last. Words that share an address share an entry.
func statusChoices(all []mip.Summary) []choice {
	out := choices(all, func(s mip.Summary) (string, string, bool) { return s.Status.Slug(), s.Status.String(), true })
	rank := func(c choice) int {
		if c.Slug == mip.Status("").Slug() {
			return len(mip.Statuses()) + 1
		}
		if i := slices.IndexFunc(mip.Statuses(), func(s mip.Status) bool { return s.Slug() == c.Slug }); i >= 0 {
			return i
		}
		return len(mip.Statuses())
	}
	slices.SortStableFunc(out, func(a, b choice) int { return cmp.Compare(rank(a), rank(b)) })
	for i, c := range out {
		if c.Slug != mip.Status("").Slug() {
			out[i].Status = mip.Status(c.Label)
		}
		out[i].Class = statusClass(out[i].Status)
	}
	return out
}

// tiles are the statuses of the process in the order of life, whether anything has them or not, and after
// them the others that occur.
func tiles(statuses []choice) []choice {
	out := make([]choice, 0, len(statuses)+len(mip.Statuses()))
	for _, s := range mip.Statuses() {
		i := slices.IndexFunc(statuses, func(c choice) bool { return c.Slug == s.Slug() })
		if i < 0 {
			out = append(out, choice{Slug: s.Slug(), Label: string(s), Class: statusClass(s), Status: s})
			continue
		}
		out = append(out, statuses[i])
	}
	for _, c := range statuses {
		if !slices.ContainsFunc(out, func(o choice) bool { return o.Slug == c.Slug }) {
			out = append(out, c)
		}
	}
	return out
}

// choicesOf counts a field that a header may lack.
func choicesOf(all []mip.Summary, field func(mip.Summary) *string) []choice {
	return choices(all, func(s mip.Summary) (string, string, bool) {
		v := field(s)
		if v == nil {
			return "", "", false
		}
		return mip.Slug(*v), *v, true
	})
}

// forkChoices are the hard forks that have a page, in the order of the site.
func (p *Pages) forkChoices() []choice {
	var out []choice
	for _, f := range p.forks {
		slug := mip.Slug(f.Name)
		if !slices.ContainsFunc(out, func(c choice) bool { return c.Slug == slug }) {
			out = append(out, choice{Slug: slug, Label: f.Name})
		}
	}
	return out
}

// choices counts by slug and sorts by label; the least label of a slug speaks for it.
func choices(all []mip.Summary, value func(mip.Summary) (slug, label string, ok bool)) []choice {
	at := map[string]int{}
	var out []choice
	for _, s := range all {
		slug, label, ok := value(s)
		if !ok {
			continue
		}
		i, seen := at[slug]
		if !seen {
			i = len(out)
			at[slug] = i
			out = append(out, choice{Slug: slug, Label: label})
		}
		out[i].Label = min(out[i].Label, label)
		out[i].Count++
	}
	slices.SortFunc(out, func(a, b choice) int { return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Slug, b.Slug)) })
	return out
}

// With returns pages that also hold the figures of a moment; nil: pages that say that there are none. p
// stays as it is.
func (p *Pages) With(f *snapshot.Snapshot) *Pages {
	q := *p
	q.figures, q.heatOf = f, f.Heat()
	return &q
}

// heat is a score from 0 to 100, or the place for one that is not known. Scripts write the new score into it.
type heat struct {
	Score int
	Known bool
}

// heatColumn says whether a list has a column of heat, and who sees it.
type heatColumn int

const (
	noHeat    heatColumn = iota
	liveHeat             // only for scripts, which ask for the figures: the page itself has none
	knownHeat            // with the figures of the page's moment
)

// heatColumn is that of a list. live says that the list has a script that asks for figures.
func (p *Pages) heatColumn(all []mip.Summary, live bool) heatColumn {
	for _, s := range all {
		if _, ok := p.heatOf[s.ID]; ok {
			return knownHeat
		}
	}
	if live && len(p.discussed(all)) > 0 {
		return liveHeat
	}
	return noHeat
}

// table is a list of proposals.
type table struct {
	Rows []row
	Heat string // class of the column of heat, empty: there is none
}

// table makes one. live says that its page has a script that asks for figures.
func (p *Pages) table(all []mip.Summary, live bool) table {
	t := table{Rows: p.rows(all)}
	switch p.heatColumn(all, live) {
	case liveHeat:
		t.Heat = "r he js"
	case knownHeat:
		t.Heat = "r he"
	}
	return t
}

// forumCard is a proposal's discussion. Without Topic it is the place for one.
type forumCard struct {
	Number int // of the topic
	Topic  *snapshot.Topic
	Heat   heat
	Last   *mip.Time // of its newest post, or else of its beginning
}

// forumCard is nil for a proposal that has no discussion on the site's forum.
func (p *Pages) forumCard(v ProposalPage) *forumCard {
	switch t := v.Heat; {
	case p.info.Forum == nil:
		return nil
	case t != nil:
		return &forumCard{t.TopicID, t, heat{t.ActivityScore, true}, cmp.Or(t.LastPostedAt, &t.CreatedAt)}
	case v.Summary.ForumTopicID != nil && *v.Summary.ForumTopicID != 0:
		return &forumCard{Number: *v.Summary.ForumTopicID}
	}
	return nil
}
