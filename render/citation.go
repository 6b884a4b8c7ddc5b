package render

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// citation is how to refer to a proposal, for people and for programs that keep references.
type citation struct{ Text, BibTeX, CSL string }

// citation makes all three forms. route is that of the proposal's page.
func (p *Pages) citation(s mip.Summary, authors []person, route string) (citation, error) {
	csl, err := p.cslJSON(s, authors, route)
	return citation{p.cite(s, authors, route), p.bibTeX(s, authors, route), csl}, err
}

// cite is one line for a list of references. What the header lacks is left out.
func (p *Pages) cite(s mip.Summary, authors []person, route string) string {
	var b strings.Builder
	if len(authors) > 0 {
		b.WriteString(names(authors) + ", ")
	}
	fmt.Fprintf(&b, "\"%s,\" %s, no. %d", fullTitle(s), p.info.Title, s.Number)
	if !s.Created.IsZero() {
		b.WriteString(", " + s.Created.Time().Format("January 2006"))
	}
	b.WriteString(". " + p.info.BaseURL + route)
	return b.String()
}

// names are the authors with commas between them.
func names(authors []person) string {
	var out []string
	for _, a := range authors {
		out = append(out, a.Name)
	}
	return strings.Join(out, ", ")
}

// bibTeX is an entry for BibTeX and biber. Every name stands in braces: how it is made up is not for a
// program to guess.
func (p *Pages) bibTeX(s mip.Summary, authors []person, route string) string {
	var b strings.Builder
	b.WriteString("@misc{" + mip.Slug(s.ID.String()) + ",\n")
	// A field without a value is left out.
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %s = {%s},\n", name, value)
		}
	}
	var by []string
	for _, a := range authors {
		by = append(by, "{"+texText(a.Name)+"}")
	}
	field("author", strings.Join(by, " and "))
	field("title", "{"+texText(fullTitle(s))+"}")
	field("howpublished", fmt.Sprintf("%s, no. %d", texText(p.info.Title), s.Number))
	if !s.Created.IsZero() {
		field("year", s.Created.Time().Format("2006"))
		field("month", strings.ToLower(s.Created.Time().Format("Jan")))
	}
	field("note", texText(string(s.Status)))
	field("url", p.info.BaseURL+route)
	b.WriteString("}")
	return b.String()
}

// texText escapes what TeX would obey; a brace without its fellow would end the field.
func texText(s string) string {
	s = plain.OneLine(s)
	if !strings.ContainsAny(s, `\{}$&#%_~^`) {
		return s // most are, and a replacer costs more than all the rest
	}
	return strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`).Replace(s)
}

// cslJSON is a list of one item in the form that citation programs exchange (CSL 1.0.2).
func (p *Pages) cslJSON(s mip.Summary, authors []person, route string) (string, error) {
	type name struct {
		Literal string `json:"literal"`
	}
	type date struct {
		Parts [][3]int `json:"date-parts"`
	}
	item := struct {
		ID         string `json:"id"`
		Type       string `json:"type"`
		Title      string `json:"title"`
		Authors    []name `json:"author,omitempty"`
		Issued     *date  `json:"issued,omitempty"`
		Collection string `json:"collection-title"`
		Number     string `json:"number"`
		Status     string `json:"status,omitempty"`
		URL        string `json:"URL"`
	}{
		ID: s.ID.String(), Type: "standard", Title: fullTitle(s), Collection: p.info.Title,
		Number: fmt.Sprint(s.Number), Status: string(s.Status), URL: p.info.BaseURL + route,
	}
	for _, a := range authors {
		item.Authors = append(item.Authors, name{a.Name})
	}
	if d := s.Created; !d.IsZero() {
		item.Issued = &date{[][3]int{{d.Year, int(d.Month), d.Day}}}
	}
	b, err := json.MarshalIndent([]any{item}, "", " ")
	if err != nil {
		return "", fmt.Errorf("%s: citation: %w", s.ID, err)
	}
	return string(b), nil
}

// citationMeta are the meta elements by which programs that keep references recognise a report.
func citationMeta(s mip.Summary, authors []person, institution string) []meta {
	out := []meta{
		{"citation_title", fullTitle(s)},
		{"citation_technical_report_institution", institution},
		{"citation_technical_report_number", s.ID.String()},
	}
	for _, a := range authors {
		out = append(out, meta{"citation_author", a.Name})
	}
	if !s.Created.IsZero() {
		out = append(out, meta{"citation_publication_date", s.Created.Time().Format("2006/01/02")})
	}
	return out
}
