package build

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/feed"
	html "github.com/mipwatch/mipwatch/render/markdown"
)

// proposals adds three files for each proposal, and its committed summary and translations. The files of one are
// neighbours, so that one worker makes them and the text is rendered once: see each.
func (p *planner) proposals() {
	for i, c := range p.Proposals {
		document, sum := p.document(i), p.CommittedTexts.Summary(c.ID)
		p.addOf(c, apiRoute, func() ([]byte, error) {
			t, err := p.text(c)
			if err != nil {
				return nil, err
			}
			whole := document
			whole.Sections = t.sections
			return api.JSON(whole)
		})
		// The page is the last artifact that needs the rendered text.
		p.addOf(c, pageRoute, func() ([]byte, error) {
			t, err := p.text(c)
			if err != nil {
				return nil, err
			}
			defer p.dropText(c)
			seen, err := p.seen(c, document.Summary)
			if err != nil {
				return nil, err
			}
			return p.stable.Proposal(render.ProposalPage{
				All: p.Summaries, Index: i, Sections: t.sections, Body: t.html,
				Fork: summary.ForkOf(document.Summary, p.Forks), Impact: sum, History: c.Past != nil,
				Translations: document.Translations, Seen: seen, Commit: c.Commit,
			})
		})
		p.addOf(c, markdownRoute, func() ([]byte, error) { return []byte(c.Raw), nil })
		if sum != nil {
			p.addOf(c, summaryRoute, func() ([]byte, error) { return api.JSON(sum) })
		}
		for _, t := range p.CommittedTexts.Translations(c.ID) {
			p.addOf(c, translationRoute, func() ([]byte, error) { return api.JSON(t.PublishedTranslation) }, "{locale}", t.Locale)
			p.addOf(c, translatedRoute, func() ([]byte, error) {
				article, err := p.translation(c, t)
				if err != nil {
					return nil, err
				}
				return p.stable.Translation(render.TranslationPage{Text: t.PublishedTranslation, ProposalPage: render.ProposalPage{
					All: p.Summaries, Index: i, Body: article.HTML, Translations: document.Translations,
					Fork: summary.ForkOf(document.Summary, p.Forks), Commit: c.Commit,
				}})
			}, "{locale}", t.Locale)
		}
	}
}

// document is the i-th proposal as /api/v1/mips/{n} has it, without its sections: those are made with the page.
func (p *planner) document(i int) mip.Proposal {
	id := p.Summaries[i].ID
	out := mip.Proposal{Summary: p.Summaries[i], Translations: []mip.Translation{}, RawMarkdown: p.Proposals[i].Raw}
	if p.CommittedTexts.Summary(id) != nil {
		out.SummaryURL = new(p.Site.URL(routeOf(summaryRoute, id)))
	}
	for _, t := range p.CommittedTexts.Translations(id) {
		url := p.Site.URL(routeOf(translationRoute, id, "{locale}", t.Locale))
		out.Translations = append(out.Translations, mip.Translation{Locale: t.Locale, URL: url, Stale: t.Stale})
	}
	return out
}

// text is a proposal's text as its artifacts need it.
type text struct {
	sections []mip.Section
	html     []byte
	links    textLinks
}

// Rendered keeps rendered texts in memory from one plan to the next, by the hash of the file: rendering takes most
// of a build's time, and a save changes one proposal. Texts that the newest plan does not have are forgotten. The
// zero value is empty and ready. It is safe for concurrent use, but for plans that are made at the same time.
type Rendered struct {
	// byKey has functions that render once, by textKey.
	byKey sync.Map
}

// beginTexts forgets the rendered texts that this plan does not need.
func (p *planner) beginTexts() {
	if p.texts = p.Rendered; p.texts == nil {
		p.texts = &Rendered{}
	}
	// The site decides how texts are rendered, and so do the proposals that there are to link to.
	h := sha256.New()
	fmt.Fprintln(h, p.Site.BaseURL, p.Site.SourceURL, p.Site.Highlight)
	for _, c := range p.Proposals {
		fmt.Fprintln(h, c.ID, c.File)
	}
	p.state = string(h.Sum(nil))
	// A text whose links may lead elsewhere now has another key.
	wanted := map[any]bool{}
	for _, c := range p.Proposals {
		wanted[p.textKey(c)] = true
	}
	p.texts.byKey.Range(func(key, _ any) bool {
		if !wanted[key] {
			p.texts.byKey.Delete(key)
		}
		return true
	})
}

// textKey is the key of a proposal's text: its file's content, and where the links to other files lead.
func (p *planner) textKey(c *corpus.Proposal) string {
	return fmt.Sprintln(p.state, c.ContentHash, c.RepoPath, c.Commit, c.Local)
}

// text parses and renders a proposal, once for the artifacts that are made of it one after the other.
func (p *planner) text(c *corpus.Proposal) (*text, error) {
	// Workers render different proposals at the same time, and wait for each other only where they want the same.
	once, _ := p.texts.byKey.LoadOrStore(p.textKey(c), sync.OnceValues(func() (*text, error) {
		d := p.Read(c)
		article, err := p.md.Render(d, c.Title, p.links(p.Site, c))
		if err != nil {
			return nil, fmt.Errorf("render %s: %w", c.File, err)
		}
		return &text{d.Sections, article.HTML, newTextLinks(c.File, strings.Count(c.Raw, "\n")+1, d.Body, article)}, nil
	}))
	t, err := once.(func() (*text, error))()
	if err == nil {
		p.found.Store(c.File, t.links)
	}
	return t, err
}

// translation renders a committed translation. Its links are relative to the proposal's file.
func (p *planner) translation(c *corpus.Proposal, t corpus.Translation) (*html.Article, error) {
	d := markdown.Join(t.Sections)
	article, err := p.md.Render(d, t.Title, p.links(p.Site, c))
	if err != nil {
		return nil, fmt.Errorf("render the translation of %s into %s: %w", c.File, t.Locale, err)
	}
	p.found.Store(t.File, newTextLinks(t.File, t.Lines, d.Body, article))
	return article, nil
}

// dropText frees a proposal's text unless the caller of [NewPlan] keeps texts. One with dropped links is not kept:
// the file that one leads to may be there the next time.
func (p *planner) dropText(c *corpus.Proposal) {
	found, _ := p.found.Load(c.File)
	if links, ok := found.(textLinks); p.Rendered == nil || ok && len(links.dropped) > 0 {
		p.texts.byKey.Delete(p.textKey(c))
	}
}

// seen are the statuses of a proposal's earlier versions, as far as its page shows them: those on the way to Final that
// are behind it.
func (p *planner) seen(c *corpus.Proposal, m mip.Summary) (out []mip.Status, err error) {
	if c.Past == nil || len(c.Past.Texts) < 2 || !slices.Contains([]mip.Status{mip.Review, mip.LastCall, mip.Final}, m.Status) {
		return nil, nil
	}
	texts, err := p.plan.versions.Read(c)
	for _, text := range texts {
		if s := corpus.StatusOf(text); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, err
}

// histories adds, of each proposal that git knows, a page with its versions and a feed of its changes.
func (p *planner) histories() {
	for i, c := range p.Proposals {
		if c.Past == nil {
			continue
		}
		m := &p.Summaries[i]
		// It is no fault of the proposal when git cannot read a version, so the page has no source.
		p.add(Artifact{Route: routeOf(historyRoute, c.ID), Pattern: historyRoute, Body: func() ([]byte, error) { return p.history(c, *m) }})
		p.addOf(c, changesRoute, func() ([]byte, error) {
			var out []feed.Change
			for _, v := range c.Past.Versions {
				link, _ := sourceLink(p.Site, c, v.Commit, c.RepoPath)
				out = append(out, feed.Change{Commit: v.Commit, When: v.When, Subject: v.Subject, URL: link})
			}
			// Commits lie in the order of their parents, and a clock may have been wrong.
			slices.SortStableFunc(out, func(a, b feed.Change) int { return b.When.UTC().Compare(a.When.UTC()) })
			return feed.History(p.stableInfo, *m, out)
		})
	}
}

// history makes the page of a proposal's versions.
func (p *planner) history(c *corpus.Proposal, m mip.Summary) ([]byte, error) {
	texts, err := p.plan.versions.Read(c)
	if err != nil {
		return nil, err
	}
	// The text before the oldest version, if git has it, is the base of that version's difference.
	page := render.HistoryPage{Summary: m, Before: c.Past.Before}
	for i, v := range c.Past.Versions {
		link, _ := sourceLink(p.Site, c, v.Commit, c.RepoPath)
		page.Versions = append(page.Versions, render.Version{
			Commit: v.Commit, When: v.When, Author: v.Author, Subject: v.Subject, Text: texts[i], SourceURL: link,
		})
	}
	if len(texts) > len(page.Versions) {
		page.Base = texts[len(page.Versions)]
	}
	return p.stable.History(page)
}

// recentChanges reads the newest versions of the proposals that changed last, and the versions before them.
func (p *planner) recentChanges() (map[mip.ID]render.Revision, error) {
	out := map[mip.ID]render.Revision{}
	for _, m := range render.Recent(p.Summaries) {
		i, _ := mip.Search(p.Summaries, m.ID)
		c := *p.Proposals[i]
		// A proposal whose date is not that of its newest commit was dated by its header.
		if c.Past == nil || m.Updated == nil || !m.Updated.UTC().Equal(c.Past.Versions[0].When.UTC()) {
			continue
		}
		// One version and its predecessor are enough for the newest difference.
		past := *c.Past
		past.Versions, past.Texts = past.Versions[:1], past.Texts[:min(len(past.Texts), 2)]
		c.Past = &past
		bodies, err := p.plan.versions.Read(&c)
		if err != nil {
			return nil, err
		}
		r := render.Revision{After: bodies[0], Is: corpus.StatusOf(bodies[0]), First: len(bodies) == 1 && past.Before == "nothing"}
		if len(bodies) > 1 {
			r.Before, r.Was = bodies[1], corpus.StatusOf(bodies[1])
		}
		out[m.ID] = r
	}
	return out, nil
}
