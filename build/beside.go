package build

import (
	"fmt"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
)

func summaryRoute(n int) string { return apiRoute(n) + "/summary" }

func translationPageRoute(n int, locale string) string { return pageRoute(n) + locale + "/" }

func translationRoute(n int, locale string) string {
	return fmt.Sprintf("%s/translations/%s", apiRoute(n), locale)
}

// links are what a proposal says of what is committed beside it.
type links struct {
	SummaryURL   *string
	Translations []mip.Translation
}

func (p *planner) links(n int) links {
	l := links{Translations: []mip.Translation{}}
	if p.beside.Summary(n) != nil {
		l.SummaryURL = new(p.Site.URL(summaryRoute(n)))
	}
	for _, t := range p.beside.Translations(n) {
		l.Translations = append(l.Translations, mip.Translation{Locale: t.Locale, URL: p.Site.URL(translationRoute(n, t.Locale)), Stale: t.Stale})
	}
	return l
}

// outdated are the proposals, ascending by number, whose committed summary speaks of an older text.
func (p *planner) outdated() []int {
	var out []int
	for _, m := range p.all {
		if sum := p.beside.Summary(m.Number); sum != nil && sum.Stale {
			out = append(out, m.Number)
		}
	}
	return out
}

// companions adds what is committed beside a proposal: its summary and its translations.
func (p *planner) companions(c *corpus.Proposal) {
	n := c.Number
	if sum := p.beside.Summary(n); sum != nil {
		p.add(Artifact{
			Route: summaryRoute(n), Pattern: "/api/v1/mips/{n}/summary", File: summaryRoute(n)[1:] + ".json", Type: typeJSON,
			source: c.File, Body: jsonOf(sum),
		})
	}
	for _, t := range p.beside.Translations(n) {
		p.add(Artifact{
			Route: translationRoute(n, t.Locale), Pattern: "/api/v1/mips/{n}/translations/{locale}", File: translationRoute(n, t.Locale)[1:] + ".json", Type: typeJSON,
			source: c.File, Body: jsonOf(t.Text()),
		})
		p.add(Artifact{
			Route: translationPageRoute(n, t.Locale), Pattern: "/mip/{n}/{locale}/", Type: typeHTML,
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
		Summary: p.all[p.index[t.Number]], Text: text, Body: article.HTML, Translations: p.links(t.Number).Translations,
	})
}
