package render

import (
	"html/template"
	"strconv"

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

// heatBar appends a score from 0 to 100 as a bar and a number, or the place for one that is not known.
// Scripts write the new score into both.
func heatBar(m *markup, score int, known bool) {
	m.raw(`<span class="heat"><svg viewBox="0 0 100 10" aria-hidden="true"><path d="M0 5h100"/><path class="fil" d="M0 5h`)
	m.number(score)
	m.raw(`"/></svg><b data-f="heat">`)
	if known {
		m.number(score)
	} else {
		m.raw("–")
	}
	m.raw("</b></span>")
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

// class is that of the column's cells.
func (h heatColumn) class() string {
	if h == liveHeat {
		return "r he js"
	}
	return "r he"
}

// heatCell appends the cell of a proposal. One without a discussion on the site's forum has nothing in it.
func (p *Pages) heatCell(m *markup, s mip.Summary, h heatColumn) {
	if h == noHeat {
		return
	}
	m.raw(`<td class="`, h.class(), `">`)
	if score, ok := p.heatOf[s.Number]; ok || p.info.Forum != nil && s.ForumTopicID != nil {
		heatBar(m, score, ok)
	}
	m.raw("</td>")
}

// table is a list of proposals.
type table struct {
	Rows template.HTML
	Heat template.HTML // the head of the column, empty: there is none
}

// table makes one. live says that its page has a script that asks for figures.
func (p *Pages) table(all []mip.Summary, live bool) table {
	h := p.heatColumn(all, live)
	t := table{Rows: p.rows(all, h)}
	if h != noHeat {
		t.Heat = template.HTML(`<th scope="col" class="` + h.class() + `">Forum heat</th>`)
	}
	return t
}

// forumHeat is the card of a proposal's discussion, empty when it has none on the site's forum.
func (p *Pages) forumHeat(v ProposalPage) template.HTML {
	topic := 0
	switch {
	case p.info.Forum == nil:
	case v.Heat != nil:
		topic = v.Heat.TopicID
	case v.Summary.ForumTopicID != nil:
		topic = *v.Summary.ForumTopicID
	}
	if topic == 0 {
		return ""
	}
	var m markup
	m.raw(`<section class="card fh" data-api="`, p.path("/api/forum-activity?topicId="), strconv.Itoa(topic), `"><h2>Forum heat</h2><p class="big">`)
	score, posts, participants, last := 0, "–", "–", "–"
	if t := v.Heat; t != nil {
		score, posts, participants = t.ActivityScore, thousands(t.Posts), thousands(t.Participants)
		at := t.CreatedAt
		if t.LastPostedAt != nil {
			at = *t.LastPostedAt
		}
		last = `<time datetime="` + at.String() + `">` + dayOf(&at) + "</time>"
	}
	heatBar(&m, score, v.Heat != nil)
	m.raw(` <span class="small muted">of 100</span></p><dl class="kv"><div><dt>Posts</dt><dd data-f="posts">`, posts,
		`</dd></div><div><dt>Participants</dt><dd data-f="participants">`, participants, `</dd></div><div><dt>Last post</dt><dd data-f="last">`, last,
		`</dd></div></dl><p class="small muted" data-f="as">`)
	if v.Heat != nil {
		m.raw("As of ")
		m.time(v.Heat.FetchedAt.String(), minute(&v.Heat.FetchedAt))
	} else {
		m.raw("Not asked for when this page was made")
	}
	m.raw(`</p><p class="small"><a href="`, p.path("/about/"), `#heat">How heat is reckoned</a></p></section>`)
	return m.html()
}
