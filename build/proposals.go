package build

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
)

// proposals adds four files of each proposal, and its committed translations.
func (p *planner) proposals() {
	for i, c := range p.Proposals {
		p.addOf(c, apiRoute, func() ([]byte, error) {
			whole := p.document(i)
			whole.Sections = p.doc(c).Sections
			whole.Requirements = p.requirementsOf(i)
			return api.JSON(whole)
		})
		p.addOf(c, pageRoute, func() ([]byte, error) { return p.page(i) })
		p.addOf(c, markdownRoute, func() ([]byte, error) { return []byte(c.Raw), nil })
		p.addOf(c, summaryRoute, func() ([]byte, error) { return api.JSON(p.summary(i)) })
		for _, t := range c.Translations {
			p.addOf(c, translationRoute, func() ([]byte, error) {
				return api.JSON(t.PublishedTranslation)
			}, "{locale}", t.Locale)
			p.addOf(c, translatedRoute, func() ([]byte, error) {
				return p.translated(i, t)
			}, "{locale}", t.Locale)
		}
	}
}

// document returns the i-th proposal as in /api/v1/mips/{n}, without its sections.
func (p *planner) document(i int) mip.Proposal {
	c, id := p.Proposals[i], p.Metadata[i].ID
	return mip.Proposal{
		Metadata:     p.Metadata[i],
		SummaryURL:   p.options.Site.URL(routeOf(p.info.Prefix, summaryRoute, id)),
		Translations: p.translationsOf(c), Relations: p.tied.Of(i), RawMarkdown: c.Raw,
	}
}

// translationsOf returns the published translations of a proposal.
func (p *planner) translationsOf(c *corpus.Proposal) []mip.Translation {
	out := []mip.Translation{}
	for _, t := range c.Translations {
		route := routeOf(p.info.Prefix, translationRoute, c.ID, "{locale}", t.Locale)
		url := p.options.Site.URL(route)
		out = append(out, mip.Translation{Locale: t.Locale, URL: url, Stale: t.Stale})
	}
	return out
}

// page makes the page of the i-th proposal.
func (p *planner) page(i int) ([]byte, error) {
	c, m := p.Proposals[i], p.Metadata[i]
	text, err := p.text(c)
	if err != nil {
		return nil, err
	}
	entered, err := p.entered(c, m)
	if err != nil {
		return nil, err
	}
	past, err := p.forkPast()
	if err != nil {
		return nil, err
	}
	page := render.ProposalPage{
		All: p.Metadata, Index: i, Sections: text.sections, Body: text.html,
		Stages: past.Stages[m.ID],
		Fork:   summary.ForkOf(p.info.Prefix, m, p.Forks), Summary: p.summary(i),
		History: c.History != nil, Shown: c.Shown, Translations: p.translationsOf(c),
		Entered: entered, Commit: c.Commit, Requirements: p.requirementsOf(i),
	}
	return p.pages.Proposal(page)
}

// translated makes the page of a translation of the i-th proposal.
func (p *planner) translated(i int, t corpus.CommittedTranslation) ([]byte, error) {
	article, err := p.translation(p.Proposals[i], t)
	if err != nil {
		return nil, err
	}
	c := p.Proposals[i]
	page := render.ProposalPage{
		All: p.Metadata, Index: i, Body: article.HTML, Translations: p.translationsOf(c),
		Fork:   summary.ForkOf(p.info.Prefix, p.Metadata[i], p.Forks),
		Commit: c.Commit, Shown: c.Shown,
	}
	return p.pages.Translation(render.TranslationPage{
		Text: t.PublishedTranslation, ProposalPage: page,
	})
}

// entered returns the statuses of a proposal's versions if its page shows them, which is on the way
// to Final, each with the day of the newest commit that set it. The day is zero if that is unknown.
// The first version of a file counts as the proposal's beginning only on the day in its header,
// since the file may have been imported or renamed.
func (p *planner) entered(
	c *corpus.Proposal, m mip.Metadata,
) (out map[mip.Status]mip.Date, err error) {
	if c.History == nil || slices.Index(p.info.Statuses.Way(m.ID.Kind), m.Standing) < 1 {
		return nil, nil
	}
	if len(c.History.Versions) == 1 && c.History.Versions[0].Before == "" {
		return nil, nil // it is today's
	}
	past, err := p.pastOf(c)
	if err != nil {
		return nil, err
	}
	out = map[mip.Status]mip.Date{}
	for _, v := range c.History.Versions {
		is, was, day := past.headers[v.After], past.headers[v.Before], v.Published().Date()
		set := was != nil && is != nil && was.Status() != is.Status()
		if v.Before == "" {
			set = day == m.Created
		}
		if was != nil {
			out[was.Status()] = out[was.Status()]
		}
		if is != nil {
			at := out[is.Status()]
			if set && at.IsZero() {
				at = day
			}
			out[is.Status()] = at
		}
	}
	return out, nil
}

// histories adds the versions of each proposal with a history, as a page and as JSON.
func (p *planner) histories() {
	for i, c := range p.Proposals {
		if c.History == nil {
			continue
		}
		m := &p.Metadata[i]
		p.addOf(c, historyRoute, func() ([]byte, error) { return p.history(c, *m) })
		p.addOf(c, versionsRoute, func() ([]byte, error) { return p.versionsOf(c) })
	}
}

// versionsKnown returns the versions of the i-th proposal, newest first.
func (p *planner) versionsKnown(i int) []history.Version {
	if h := p.Proposals[i].History; h != nil {
		return h.Versions
	}
	return nil
}

// versionsOf makes the JSON of a proposal's versions.
func (p *planner) versionsOf(c *corpus.Proposal) ([]byte, error) {
	h, err := p.compared(c)
	if err != nil {
		return nil, err
	}
	return api.JSON(h)
}

// compare compares each version of a proposal with the one before.
func (p *planner) compare(c *corpus.Proposal) (out mip.History, err error) {
	past, err := p.pastOf(c)
	if err != nil {
		return out, err
	}
	out = mip.History{ID: c.ID, Before: c.History.Before, Versions: []mip.Version{}}
	for i, v := range c.History.Versions {
		x := mip.Version{
			Commit: v.Hash, Time: v.Time(), Subject: v.Subject, Author: v.Author,
			Changes: []mip.FieldChange{},
		}
		before, after := past.texts[v.Before], past.texts[v.After]
		first := i+1 == len(c.History.Versions) && c.History.Before == "nothing"
		if !first && before != nil && after != nil {
			history.Compare(&x, before, after)
			x.Changes = header.Changes(past.headers[v.Before], past.headers[v.After])
		}
		out.Versions = append(out.Versions, x)
	}
	return out, nil
}

// history makes the page of a proposal's versions.
func (p *planner) history(c *corpus.Proposal, m mip.Metadata) ([]byte, error) {
	versions, err := p.compared(c)
	if err != nil {
		return nil, err
	}
	all, err := p.allEvents()
	if err != nil {
		return nil, err
	}
	page := render.HistoryPage{Metadata: m, History: versions, Events: all.byMIP[c.ID]}
	past, _ := p.pastOf(c) // compared has read them
	for _, v := range c.History.Versions {
		x := render.VersionText{Missing: past.texts[v.After] == nil}
		if v.After != "" {
			x.SourceURL, _ = sourceLink(p.options.Site, c, v.Hash, c.RepoPath)
		}
		page.Texts = append(page.Texts, x)
	}
	return p.pages.History(page)
}
