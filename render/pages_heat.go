package render

import (
	"cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/snapshot"
)

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
		if _, ok := p.heatOf[s.Number]; ok {
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
