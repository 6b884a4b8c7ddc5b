package render

import (
	"fmt"
	"html/template"
	"strconv"
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

// impact is the panel of a proposal's page: a committed summary, or the button that asks for one. body
// is the page's text, in which quotes are looked up.
func (p *Pages) impact(v ProposalPage) (template.HTML, error) {
	if v.Impact == nil {
		return p.impactButton(v.Summary)
	}
	sum := v.Impact
	w := impactView{
		Summary: sum, Label: "AI-generated, not part of the proposal", Model: sum.Source,
		Hash: sum.ContentHash[:min(shortHash, len(sum.ContentHash))], Outdated: sum.Stale || sum.ContentHash != v.Summary.ContentHash,
	}
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
	out, err := p.fragment("impact", w)
	if err != nil {
		return "", fmt.Errorf("summary of %s: %w", v.Summary.ID, err)
	}
	return out, nil
}

// impactButton asks for a summary where none is committed. Only the script can, so that it is not there
// without. Most pages have it, and so it is made without a template.
func (p *Pages) impactButton(s mip.Summary) (template.HTML, error) {
	script := p.path(p.assets[aiScript].Route)
	m := begin()
	m.raw(`<section class="ai js" aria-labelledby="impact" data-api="`)
	m.text(p.path("/api/ai-summary"))
	m.raw(`" data-pages="`)
	m.text(p.path("/mip/"))
	// The hash is not on the page: it would differ where the page does not.
	m.raw(`" data-proposal="`)
	m.text(p.path("/api/v1/mips/" + strconv.Itoa(s.Number)))
	m.raw(`" data-number="`, strconv.Itoa(s.Number), `"><header><h2 id="impact" class="ic ic-rays">Who this touches</h2></header>
<p>No summary is kept beside this proposal. One can be made for you now: what changes for developers, users, validators and the foundation.</p>
<p class="ask"><button class="btn s" type="button" data-run="`)
	m.text(script)
	m.raw(`">Summarise</button> <span role="status"></span></p></section>
`)
	return m.end(), nil
}

// quote finds the place that evidence names: a section of this page, or of the page of a proposal that
// a fork bundles. A section without a heading on the page leads to the beginning of the text.
func (p *Pages) quote(v ProposalPage, e api.Evidence) quoteView {
	q := quoteView{Text: e.Quote}
	other, id, elsewhere := strings.Cut(e.Section, "#")
	if !elsewhere {
		other, id = "", e.Section
	}
	// Sections of other pages are known by their ids only, which are made of their titles.
	q.Place = strings.ReplaceAll(strings.TrimPrefix(id, "s-"), "-", " ")
	if elsewhere {
		digits := other[strings.LastIndexByte(other, '-')+1:]
		q.Place, q.Href = other+", "+q.Place, p.path("/mip/"+digits+"/#"+id)
		return q
	}
	for _, s := range v.Sections {
		if s.ID == id && s.Title != "" {
			q.Place = s.Title
		}
	}
	q.Href = "#text"
	if strings.Contains(string(v.Body), ` id="`+escaped(id)+`"`) {
		q.Href = "#" + id
	}
	return q
}
