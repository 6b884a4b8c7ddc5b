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
)

// TranslationPage is what /mip/{n}/{locale}/ shows: a committed translation. Body is HTML that is safe as
// it stands.
type TranslationPage struct {
	Summary      mip.Summary // of the English text
	Text         *api.PublishedTranslation
	Body         []byte
	Translations []mip.Translation // all that are committed, this one included
}

// translationView is the page of a translation. Heading and About are in its language.
type translationView struct {
	Head      head
	ID        string
	Heading   template.HTML
	About     string
	English   string // path of the English page
	Language  language
	Stale     bool
	Made      *mip.Time // nil: unknown
	TOC       template.HTML
	Languages *languagesView
	Article   template.HTML
	JSON      string
}

// Translation renders the page of a committed translation. It is its own canonical address, as search
// engines want it of a text in another language; the English page is marked as the one for everybody else.
func (p *Pages) Translation(v TranslationPage) ([]byte, error) {
	s, l := v.Summary, languageOf(v.Text.Locale)
	title := named(s.ID.String(), ": ", v.Text.Title)
	about := title + " (" + l.Name + ")"
	w := translationView{
		ID: s.ID.String(), Heading: titleHTML(v.Text.Title), English: p.proposalPath(s.ID),
		Language: l, Stale: v.Text.Stale, Article: template.HTML(v.Body),
		JSON: p.translationPath(s, v.Text.Locale),
	}
	if v.Text.Description != nil && *v.Text.Description != "" {
		w.About = *v.Text.Description
		about = w.About
	}
	if !v.Text.GeneratedAt.UTC().IsZero() {
		w.Made = &v.Text.GeneratedAt
	}
	w.Head = p.head(head{
		Section: "/", Title: title + " (" + l.Name + ")", Description: about, Route: translationRoute(s.ID, l.Tag), Article: true,
		Alternates: append(p.hreflangs(s, v.Translations), alternate{"application/json", s.ID.String() + " as JSON (" + l.Tag + ")", w.JSON, l.Tag}),
	})
	w.Languages = p.languages(s, v.Translations, l.Tag)
	var err error
	if w.TOC, err = p.tableOfContents(v.Text.Sections, v.Body); err != nil {
		return nil, fmt.Errorf("translation of %s: %w", s.ID, err)
	}
	return p.execute("translation", w)
}

// language is a language of the site as readers of it know it.
type language struct {
	Tag, Name string
	Dir       string // ltr or rtl
}

// languageOf names a language in itself, by its BCP 47 tag, or by the tag where the name is not known.
func languageOf(tag string) language {
	// A regional variant has the name of its language where it has none of its own.
	primary, _, _ := strings.Cut(tag, "-")
	l := language{tag, cmp.Or(languageName(tag), languageName(primary), tag), "ltr"}
	if l.Name != tag && languageName(tag) == "" {
		l.Name += " (" + tag + ")"
	}
	if slices.Contains([]string{"ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"}, primary) {
		l.Dir = "rtl"
	}
	return l
}

// languageName is the name of a language in itself, empty when it is not known. The list has a tag and a name a line.
func languageName(tag string) string {
	for line := range strings.Lines(languageNames) {
		if t, name, _ := strings.Cut(strings.TrimSpace(line), " "); t == tag {
			return name
		}
	}
	return ""
}

//go:embed templates/languages.txt
var languageNames string

// translationRoute is the route of the page of a translation.
func translationRoute(id mip.ID, locale string) string {
	return id.Page() + locale + "/"
}

// hreflangs are the addresses of a proposal in its languages, for search engines. Each page of the group lists all of
// them, itself included; x-default is the English text. A proposal in one language has none.
func (p *Pages) hreflangs(s mip.Summary, translations []mip.Translation) []alternate {
	if len(translations) == 0 {
		return nil
	}
	english := p.info.BaseURL + s.ID.Page()
	out := []alternate{{"text/html", s.ID.String() + " (English)", english, "en"}, {"text/html", s.ID.String(), english, "x-default"}}
	for _, t := range translations {
		out = append(out, alternate{"text/html", s.ID.String() + " (" + languageOf(t.Locale).Name + ")", p.info.BaseURL + translationRoute(s.ID, t.Locale), t.Locale})
	}
	return out
}

// languagesView leads to a proposal in other languages: to the pages of committed translations and, from the
// English page, to machine translations, which need the script.
type languagesView struct {
	Number     int
	English    bool // the page is the English one
	Translated bool // there are committed translations
	Pages      []languageLink
	Machine    []language
}

// languageLink leads to a page in a language.
type languageLink struct {
	language
	Href    string
	Current bool
	Stale   bool // older than the English text
}

// languages is nil for a proposal that can be read in English only. current is the language of the page.
func (p *Pages) languages(s mip.Summary, translations []mip.Translation, current string) *languagesView {
	if len(translations) == 0 && len(p.info.Locales) == 0 {
		return nil
	}
	v := &languagesView{Number: s.Number, English: current == "en", Translated: len(translations) > 0}
	v.Pages = []languageLink{{languageOf("en"), p.proposalPath(s.ID), v.English, false}}
	// Locales stand in the order of the site.
	for _, tag := range p.info.Locales {
		i := slices.IndexFunc(translations, func(t mip.Translation) bool { return t.Locale == tag })
		switch {
		case i >= 0:
			v.Pages = append(v.Pages, languageLink{languageOf(tag), p.path(translationRoute(s.ID, tag)), tag == current, translations[i].Stale})
		case v.English:
			v.Machine = append(v.Machine, languageOf(tag))
		}
	}
	return v
}
