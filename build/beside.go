package build

import (
	"fmt"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
)

func summaryRoute(id mip.ID) string { return apiRoute(id) + "/summary" }

func translationPageRoute(id mip.ID, locale string) string { return id.Page() + locale + "/" }

func translationRoute(id mip.ID, locale string) string {
	return apiRoute(id) + "/translations/" + locale
}

// links are what a proposal says of what is committed beside it.
type links struct {
	SummaryURL   *string
	Translations []mip.Translation
}

func (p *planner) links(id mip.ID) links {
	l := links{Translations: []mip.Translation{}}
	if p.beside.Summary(id) != nil {
		l.SummaryURL = new(p.Site.URL(summaryRoute(id)))
	}
	for _, t := range p.beside.Translations(id) {
		l.Translations = append(l.Translations, mip.Translation{Locale: t.Locale, URL: p.Site.URL(translationRoute(id, t.Locale)), Stale: t.Stale})
	}
	return l
}

// outdated are the proposals, ascending by number, whose committed summary speaks of an older text.
func (p *planner) outdated() []mip.ID {
	var out []mip.ID
	for _, m := range p.all {
		if sum := p.beside.Summary(m.ID); sum != nil && sum.Stale {
			out = append(out, m.ID)
		}
	}
	return out
}

// companions adds what is committed beside a proposal: its summary and its translations.
func (p *planner) companions(c *corpus.Proposal) {
	id := c.ID
	if sum := p.beside.Summary(id); sum != nil {
		p.add(Artifact{
			Route: summaryRoute(id), Pattern: "/api/v1/mips/{n}/summary", File: summaryRoute(id)[1:] + ".json", Type: typeJSON,
			source: c.File, Body: jsonOf(sum),
		})
	}
	for _, t := range p.beside.Translations(id) {
		p.add(Artifact{
			Route: translationRoute(id, t.Locale), Pattern: "/api/v1/mips/{n}/translations/{locale}", File: translationRoute(id, t.Locale)[1:] + ".json", Type: typeJSON,
			source: c.File, Body: jsonOf(t.Text()),
		})
		p.add(Artifact{
			Route: translationPageRoute(id, t.Locale), Pattern: p.pagePattern() + "/{locale}/", Type: typeHTML,
			source: c.File, Body: bodyOf(func() ([]byte, error) { return p.translationPage(t, c) }),
		})
	}
}

// translationPage renders a translation as the proposal itself is: its links mean what they mean there.
func (p *planner) translationPage(t corpus.Translation, c *corpus.Proposal) ([]byte, error) {
	text := t.Text()
	article, err := p.md.Render(markdown.Join(text.Sections), text.Title, func(dest string) (string, bool) { return p.link(c, dest) })
	if err != nil {
		return nil, fmt.Errorf("render the translation of %s into %s: %w", c.File, t.Locale, err)
	}
	return p.stable.Translation(render.TranslationPage{
		Summary: p.all[p.index[c.ID]], Text: text, Body: article.HTML, Translations: p.links(c.ID).Translations,
	})
}
