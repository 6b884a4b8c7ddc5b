package render

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// TranslationPage is the content of /mip/{n}/{locale}/: a committed translation, in Text and Body,
// of a proposal with the facts of its header. Sections, Impact and History are not used.
type TranslationPage struct {
	ProposalPage
	Text *api.PublishedTranslation
}

// translationView is the page of a translation. Its heading, description and text are in that
// language. Everything else is in English and marked so.
type translationView struct {
	proposalView
	Text     *api.PublishedTranslation
	Language language
	Article  template.HTML
	Made     bool // the time of its creation is known
}

// Translation renders the page of a committed translation. It is its own canonical address, as
// search engines expect of a text in another language. The English page is marked as the default.
func (p *Pages) Translation(v TranslationPage) ([]byte, error) {
	w, err := p.facts(v.ProposalPage)
	if err != nil {
		return nil, err
	}
	m, l := w.Metadata, languageOf(v.Text.Locale)
	w.Languages, _ = p.languages(m, v.Translations, l.Tag)
	if w.TOC, err = p.tableOfContents(v.Text.Sections, v.Body); err != nil {
		return nil, fmt.Errorf("translation of %s: %w", m.ID, err)
	}
	title := named(m.ID.String(), ": ", plain.Text(v.Text.Title)) + " (" + l.Name + ")"
	return p.page("translation", head{
		Section: "/", Title: title, Description: cmp.Or(mip.Deref(v.Text.Description), title),
		Route: translationRoute(m.ID, l.Tag), Article: true, Script: textScript,
		Alternates: append(p.hreflangs(m, v.Translations), p.translationJSON(m, l.Tag)),
	}, translationView{*w, v.Text, l, template.HTML(v.Body), !v.Text.GeneratedAt.UTC().IsZero()})
}

// language is a language of the site in its own words.
type language struct {
	Tag, Name string
	Dir       string // ltr or rtl
}

// languageNames are the names of languages in themselves, by BCP 47 tag.
//
//go:embed templates/languages.txt
var languageNames string

// languageOf returns a language with its own name, by its BCP 47 tag. The name defaults to the tag.
func languageOf(tag string) language {
	// A regional variant without a name has the name of its language.
	primary, _, _ := strings.Cut(tag, "-")
	l := language{tag, plain.Lookup(languageNames, tag), "ltr"}
	if l.Name == "" {
		l.Name = tag
		if name := plain.Lookup(languageNames, primary); name != "" {
			l.Name = name + " (" + tag + ")"
		}
	}
	if slices.Contains([]string{"ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"},
		primary) {
		l.Dir = "rtl"
	}
	return l
}

// translationRoute is the route of the page of a translation. locale is spelled as in site.yaml.
func translationRoute(id mip.ID, locale string) string { return id.Page() + locale + "/" }

// translationJSON is a committed translation as JSON.
func (p *Pages) translationJSON(m mip.Metadata, locale string) alternate {
	href := p.jsonPath(m.ID, "translations", locale)
	return alternate{"application/json", m.ID.String() + " as JSON (" + locale + ")", href, locale}
}

// hreflangs are the addresses of a proposal in its languages, for search engines. Each page of the
// group lists all of them, including itself. x-default is the English text. A proposal in one
// language has none.
func (p *Pages) hreflangs(m mip.Metadata, translations []mip.Translation) []alternate {
	if len(translations) == 0 {
		return nil
	}
	id, english := m.ID.String(), p.info.BaseURL+m.ID.Page()
	out := []alternate{{"text/html", id + " (English)", english, "en"},
		{"text/html", id, english, "x-default"}}
	for _, t := range translations {
		title := id + " (" + languageOf(t.Locale).Name + ")"
		out = append(out,
			alternate{"text/html", title, p.info.BaseURL + translationRoute(m.ID, t.Locale),
				t.Locale})
	}
	return out
}

// languagesView links to a proposal in other languages: to the pages of committed translations, or
// to machine translations, which need the sidecar.
type languagesView struct {
	ID      mip.ID
	Pages   []languageLink // English comes first
	Machine []language
}

// languageLink links to a page in a language.
type languageLink struct {
	language
	Href    string
	Current bool
	Stale   bool // older than the English text
}

// languages returns the pages of committed translations, and the languages without one. Each is nil
// if there are none. current is the language of the page.
func (p *Pages) languages(
	m mip.Metadata, translations []mip.Translation, current string,
) (committed, machine *languagesView) {
	// English is included even on its own page, where the link is marked as current.
	english := languageLink{languageOf("en"), p.proposalPath(m.ID), current == "en", false}
	committed, machine = &languagesView{Pages: []languageLink{english}},
		&languagesView{ID: m.ID, Pages: []languageLink{english}}
	// Locales are in the order of the site.
	for _, tag := range p.info.Locales {
		i := slices.IndexFunc(translations, func(t mip.Translation) bool { return t.Locale == tag })
		if i < 0 {
			machine.Machine = append(machine.Machine, languageOf(tag))
			continue
		}
		href := p.path(translationRoute(m.ID, tag))
		committed.Pages = append(committed.Pages,
			languageLink{languageOf(tag), href, tag == current, translations[i].Stale})
	}
	if len(translations) == 0 {
		committed = nil
	}
	if len(machine.Machine) == 0 {
		machine = nil
	}
	return committed, machine
}
