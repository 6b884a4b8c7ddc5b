package build

import (
	"fmt"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
)

// committed adds a proposal's committed summary and its translations.
func (p *planner) committed(c *corpus.Proposal) {
	if sum := p.Beside.Summary(c.ID); sum != nil {
		p.addOf(c, summaryRoute, jsonOf(sum))
	}
	for _, t := range p.Beside.Translations(c.ID) {
		p.addOf(c, translationRoute, jsonOf(t.Text()), "{locale}", t.Locale)
		p.addOf(c, translatedRoute, bodyOf(func() ([]byte, error) { return p.translationPage(t, c) }), "{locale}", t.Locale)
	}
}

// translationPage renders a translation as the proposal itself is: its links mean what they mean there.
func (p *planner) translationPage(t corpus.Translation, c *corpus.Proposal) ([]byte, error) {
	text := t.Text()
	link := func(dest string) (string, bool) { return p.link(c, dest) }
	article, err := p.md.Render(markdown.Join(text.Sections), text.Title, link)
	if err != nil {
		return nil, fmt.Errorf("render the translation of %s into %s: %w", c.File, t.Locale, err)
	}
	m, _ := mip.Find(p.Summaries, c.ID)
	return p.stable.Translation(render.TranslationPage{Summary: m, Text: text, Body: article.HTML, Translations: p.translations(c.ID)})
}

// summaryURL is the address of a proposal's committed summary, nil when there is none.
func (p *planner) summaryURL(id mip.ID) *string {
	if p.Beside.Summary(id) == nil {
		return nil
	}
	return new(p.Site.URL(routeOf(summaryRoute, id)))
}

// translations are a proposal's committed translations; the slice is never nil.
func (p *planner) translations(id mip.ID) []mip.Translation {
	out := []mip.Translation{}
	for _, t := range p.Beside.Translations(id) {
		url := p.Site.URL(routeOf(translationRoute, id, "{locale}", t.Locale))
		out = append(out, mip.Translation{Locale: t.Locale, URL: url, Stale: t.Stale})
	}
	return out
}

// outdated are the proposals, in their order, whose committed summary speaks of an older text.
func (p *planner) outdated() []mip.ID {
	var out []mip.ID
	for _, m := range p.Summaries {
		if sum := p.Beside.Summary(m.ID); sum != nil && sum.Stale {
			out = append(out, m.ID)
		}
	}
	return out
}
