package render

import (
	"html/template"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/snapshot"
	"github.com/mipwatch/mipwatch/render/plain"
)

// table is a list of proposals.
type table struct {
	Rows []row
	Heat string // class of the column of heat, empty: there is none
}

// row is a proposal in a list. Empty values are left out.
type row struct {
	ID, Path                        string
	Title                           template.HTML
	Description                     string
	Status, StatusSlug, StatusClass string
	Category, CategorySlug          string
	Updated                         string     // day
	Fork                            *forkLabel // nil: none
	Heat                            *heat      // nil: it has no discussion on the site's forum
}

// forkLabel names a hard fork. Path is empty when the fork has no page.
type forkLabel struct{ Name, Path string }

// heat is a score from 0 to 100, or the place for one that is not known. Scripts write the new score into it.
type heat struct {
	Score int
	Known bool
}

// table makes a list. live says that its page has a script that asks for live figures.
func (p *Pages) table(all []mip.Summary, live bool) table {
	t := table{Rows: make([]row, 0, len(all))}
	// The column is hidden from readers without the script, for whom it would stay empty.
	if live && len(p.discussed(all)) > 0 {
		t.Heat = "r he js"
	}
	for _, s := range all {
		r := row{
			ID: s.ID.String(), Path: p.proposalPath(s.ID), Title: titleHTML(s.Title), Description: plain.Deref(s.Description),
			Status: s.Status.String(), StatusSlug: s.Status.Slug(), StatusClass: statusClass(s.Status),
		}
		if s.Category != nil {
			r.Category, r.CategorySlug = *s.Category, mip.Slug(*s.Category)
		}
		if s.Updated != nil {
			r.Updated = s.Updated.UTC().Format(time.DateOnly)
		}
		if s.Hardfork != nil {
			r.Fork = &forkLabel{Name: *s.Hardfork}
			if _, ok := p.fork(*s.Hardfork); ok {
				r.Fork.Path = p.slugPath("upgrade", mip.Slug(*s.Hardfork))
			}
		}
		score, known := p.heatOf[s.ID]
		if known || p.info.Forum != nil && s.ForumTopicID != nil {
			r.Heat = &heat{score, known}
		}
		if known {
			t.Heat = "r he" // readers without the script see it, too
		}
		t.Rows = append(t.Rows, r)
	}
	return t
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

// ref is a mention of a proposal. Path holds the base path and is empty when the proposal is not published.
type ref struct {
	ID          mip.ID
	Title, Path string
	Status      mip.Status
	Published   bool
}

// refTitle is how many bytes of a title a reference shows: many pages may refer to one proposal.
const refTitle = 200

// refTo is a link to a published proposal.
func (p *Pages) refTo(s mip.Summary) ref {
	return ref{ID: s.ID, Title: mip.Shorten(s.Title, refTitle), Path: p.proposalPath(s.ID), Status: s.Status, Published: true}
}

// ref is a link to a proposal, or its mere id when it is not published. all must be in the order of ids.
func (p *Pages) ref(all []mip.Summary, id mip.ID) ref {
	if i, ok := mip.Search(all, id); ok {
		return p.refTo(all[i])
	}
	return ref{ID: id}
}

// refs are links to the proposals of the same kind with these numbers.
func (p *Pages) refs(all []mip.Summary, of mip.ID, numbers []int) []ref {
	out := make([]ref, 0, len(numbers))
	for _, id := range of.Siblings(numbers) {
		out = append(out, p.ref(all, id))
	}
	return out
}

// With returns pages that also hold the live figures of a moment; nil: pages that say that there are none. p stays as it
// is.
func (p *Pages) With(f *snapshot.Snapshot) *Pages {
	q := *p
	q.snapshot, q.heatOf = f, f.Heat()
	return &q
}
