package render

import (
	"fmt"
	"html/template"
	"strconv"

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

type translationView struct {
	page
	ID        string
	Heading   template.HTML
	About     string
	English   string // path of the English page
	Language  language
	Stale     bool
	Made      *mip.Time // nil: unknown
	TOC       []tocEntry
	Languages *languagesView
	Article   template.HTML
	JSON      string
}

// Translation renders the page of a committed translation. It is its own canonical address, as search
// engines want it of a text in another language; the English page is marked as the one for everybody else.
func (p *Pages) Translation(v TranslationPage) ([]byte, error) {
	s, l := v.Summary, languageOf(v.Text.Locale)
	title := named(s.ID, ": ", v.Text.Title)
	about := title + " (" + l.Name + ")"
	w := translationView{
		ID: s.ID, Heading: titleHTML(v.Text.Title), English: p.path("/mip/" + strconv.Itoa(s.Number) + "/"),
		Language: l, Stale: v.Text.Stale, TOC: tableOfContents(v.Text.Sections, v.Body), Article: template.HTML(v.Body),
		JSON: p.translationPath(s, mip.Translation{Locale: v.Text.Locale}),
	}
	if v.Text.Description != nil && *v.Text.Description != "" {
		w.About = *v.Text.Description
		about = w.About
	}
	if !v.Text.GeneratedAt.UTC().IsZero() {
		w.Made = &v.Text.GeneratedAt
	}
	w.page = p.frame("/", page{
		Title: title + " (" + l.Name + ")", Description: about, Route: translationRoute(s.Number, l.Tag), Article: true,
		Alternates: append(p.hreflangs(s, v.Translations), alternate{"application/json", s.ID + " as JSON (" + l.Tag + ")", w.JSON, l.Tag}),
	})
	w.Languages = p.languages(s, v.Translations, l.Tag)
	out, err := p.execute("translation", w)
	if err != nil {
		return nil, fmt.Errorf("translation of %s: %w", s.ID, err)
	}
	return out, nil
}
