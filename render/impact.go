package render

import (
	"html/template"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// shortHash is how many digits of a content hash people are shown.
const shortHash = 7

// extractive is the source of a summary that rules made.
const extractive = "extractive"

// impactView is the panel "Who this touches", made of a committed summary.
type impactView struct {
	*api.Summary
	Label    string // what kind of text this is
	Model    string // who made it; empty: rules
	Hash     string // short, of the text that it speaks of
	Outdated bool   // the page's text is another
	Axes     []axisView
}

// axisView is what a proposal means for one group.
type axisView struct {
	Name string
	api.Axis
	Level  string // severity as a class, one of three
	Quotes []quoteView
}

// quoteView is a quote with the place where it stands.
type quoteView struct{ Text, Href, Place string }

// impact is the panel of a proposal's page, nil where no summary is committed.
func (p *Pages) impact(v ProposalPage) *impactView {
	if v.Impact == nil {
		return nil
	}
	sum := v.Impact
	w := &impactView{
		Summary: sum, Label: "AI-generated, not part of the proposal", Model: sum.Source,
		Hash: sum.ContentHash[:min(shortHash, len(sum.ContentHash))], Outdated: sum.Stale || sum.ContentHash != v.All[v.Index].ContentHash,
	}
	// The label says to readers who wrote the text.
	if sum.Source == extractive {
		w.Label, w.Model = "Made of the proposal's own sentences", ""
	}
	for _, a := range []struct {
		name string
		axis api.Axis
	}{{"Developers", sum.Developers}, {"Users", sum.Users}, {"Validators", sum.Validators}, {"Foundation", sum.Foundation}} {
		x := axisView{Name: a.name, Axis: a.axis, Level: string(api.Low)}
		if a.axis.Severity == api.Medium || a.axis.Severity == api.High {
			x.Level = string(a.axis.Severity)
		}
		for _, e := range a.axis.Evidence {
			x.Quotes = append(x.Quotes, p.quote(v, e))
		}
		w.Axes = append(w.Axes, x)
	}
	return w
}

// quote finds the place that evidence names: a section of this page, or of the page of a proposal that
// a fork bundles. A section without a heading on the page leads to the beginning of the text.
func (p *Pages) quote(v ProposalPage, e api.Evidence) quoteView {
	q := quoteView{Text: e.Quote}
	// The summary of a fork quotes the proposals that it bundles.
	other, id, elsewhere := strings.Cut(e.Section, "#")
	if !elsewhere {
		other, id = "", e.Section
	}
	// Sections of other pages are known by their ids only, which are made of their titles.
	q.Place = strings.ReplaceAll(strings.TrimPrefix(id, "s-"), "-", " ")
	if elsewhere {
		q.Place = other + ", " + q.Place
		if of, err := mip.ParseID(other); err == nil {
			q.Href = p.path(of.Page() + "#" + id)
		}
		return q
	}
	for _, s := range v.Sections {
		if s.ID == id && s.Title != "" {
			q.Place = s.Title
		}
	}
	// A section may have no heading on the page.
	q.Href = "#text"
	if strings.Contains(string(v.Body), ` id="`+template.HTMLEscapeString(id)+`"`) {
		q.Href = "#" + id
	}
	return q
}
