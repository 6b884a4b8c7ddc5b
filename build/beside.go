package build

import (
	"fmt"

	"github.com/mipwatch/mipwatch/internal/api"
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

// companions adds what is committed beside a proposal: its summary and its translations. They are in the
// group of the proposal, whose sections the translations need. shellKey is of what pages have in common.
func (p *planner) companions(doc *source, group int, shellKey string) error {
	n := doc.proposal.Number
	if sum := p.beside.Summary(n); sum != nil {
		key, err := keyOf(p.Producer, sum)
		if err != nil {
			return err
		}
		p.companion(summaryRoute(n), "/api/v1/mips/{n}/summary", key, group, doc, sum)
	}
	for _, t := range p.beside.Translations(n) {
		// The ids of its sections are those of the English text.
		key, err := keyOf(p.Producer, t, doc.proposal.ContentHash)
		if err != nil {
			return err
		}
		p.companion(translationRoute(n, t.Locale), "/api/v1/mips/{n}/translations/{locale}", key, group, doc, t.Text())
		if key, err = keyOf(p.Producer, key, shellKey, p.keys[p.index[n]], doc.proposal.RepoPath, p.links(n).Translations); err != nil {
			return err
		}
		p.add(Artifact{
			Route: translationPageRoute(n, t.Locale), Pattern: "/mip/{n}/{locale}/", Type: typeHTML, group: group, key: key,
			release: doc.release, source: doc.proposal.File,
			Body: made(func() ([]byte, error) { return p.translationPage(t, doc) }),
		})
	}
	return nil
}

func (p *planner) companion(route, pattern, key string, group int, doc *source, value any) {
	p.add(Artifact{
		Route: route, Pattern: pattern, File: route[1:] + ".json", Type: typeJSON, group: group, key: key, release: doc.release, source: doc.proposal.File,
		Body: func(to []byte) ([]byte, error) { return api.AppendJSON(to, value) },
	})
}

// translationPage renders a translation as the proposal itself is: its links mean what they mean there.
func (p *planner) translationPage(t corpus.Translation, doc *source) ([]byte, error) {
	text := t.Text()
	d := markdown.Join(text.Sections)
	body, err := p.md.HTML(d.Root, d.Body, text.Title, func(dest string) (string, bool) { return p.link(doc.proposal, dest) })
	if err != nil {
		return nil, fmt.Errorf("render the translation of %s into %s: %w", doc.proposal.File, t.Locale, err)
	}
	return p.stable.Translation(render.TranslationPage{
		Summary: p.all[p.index[t.Number]], Text: text, Body: body, Translations: p.links(t.Number).Translations,
	})
}
