package render

import (
	"html/template"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// impact is the meaning of a proposal for the groups, as on its page. The script that shows a
// model's answer builds the same form.
type impact struct {
	*api.Summary
	Rules bool // made by rules, without a model
	// Opening is the first statement, or empty if it repeats the statement for a group. Changes are
	// the changes beside it.
	Opening string
	Changes []string
	Axes    []axis
	Silent  []silence
	// Verdicts list in one line the affected groups, first those that have to act.
	Verdicts []verdict
}

// verdict is a statement about some groups, true before and after an upgrade.
type verdict struct {
	Says   string
	Groups []string
}

// axis is the meaning of a proposal for one group, from its text or its upgrade.
type axis struct {
	Name string
	api.Axis
	Lead  *quote  // shown first, or nil
	More  []quote // the others
	Asked *asked  // the upgrade's request, whatever the text states
}

// quote is a sentence of the text with its place.
type quote struct {
	Quote string
	Place place
}

// silence is about groups that the text does not mention.
type silence struct{ Names, Impact string }

// asked is an upgrade's request to a group, with the times of the existing networks.
type asked struct {
	Group, What, Fork string
	Times             []activation
}

// impact combines a page's summary and the upgrade's requests to the groups. A network that has an
// upgrade from its first block needs nothing.
func (p *Pages) impact(v *proposalView) *impact {
	s := v.Page.Summary
	out := &impact{Summary: s, Rules: s.Source == api.Extractive, Opening: s.TLDR,
		Changes: s.WhatsChanging}
	if out.Rules {
		out.open(v.Metadata.Description)
	}
	var times []activation
	if v.Page.Fork != nil {
		times = slices.DeleteFunc(p.activation(*v.Page.Fork), func(a activation) bool {
			return genesis(a.Activation)
		})
	}
	for _, group := range []struct {
		name, asked string
		axis        api.Axis
	}{
		{"Developers", "", s.Developers}, {"Users", "", s.Users},
		{"Validators", "A release that knows", s.Validators},
		{"Foundation", "The date and the releases of", s.Foundation},
	} {
		a := axis{Name: group.name, Axis: group.axis}
		if group.asked != "" && len(times) > 0 {
			a.Asked = &asked{group.name, group.asked, v.Page.Fork.Name, times}
		}
		if !a.Stated {
			out.silent(a)
		}
		if a.Stated || a.Asked != nil {
			p.quote(v, &a, out.Rules)
			out.Axes = append(out.Axes, a)
		}
	}
	// Do not repeat the first statement for a group.
	if slices.ContainsFunc(out.Axes, func(a axis) bool {
		return a.Lead != nil && prose.Plain(a.Lead.Quote, nil) == out.Opening
	}) {
		out.Opening = ""
	}
	out.Verdicts = verdicts(s, len(times) > 0)
	return out
}

// open removes the description, which is shown above, from the first statement of the rules. If
// nothing remains, the first change takes its place.
func (i *impact) open(description *string) {
	if description != nil {
		i.Opening = strings.TrimSpace(strings.TrimPrefix(i.TLDR,
			mip.Sentence(mip.Collapse(*description))))
		if i.Opening == i.TLDR { // the description alone exceeds its limit
			i.Opening = ""
		}
	}
	if i.Opening == "" && len(i.Changes) > 0 {
		i.Opening, i.Changes = i.Changes[0], i.Changes[1:]
	}
}

// verdicts returns a summary's statements about the groups. An upgrade always asks validators for a
// release.
func verdicts(s *api.Summary, upgrade bool) []verdict {
	out := []verdict{{Says: "asks action of"}, {Says: "affects"}, {Says: "asks nothing of"},
		{Says: "does not speak of"}}
	for _, group := range []struct {
		name    string
		axis    api.Axis
		release bool
	}{
		{"validators", s.Validators, upgrade}, {"developers", s.Developers, false},
		{"users", s.Users, false}, {"the foundation", s.Foundation, false},
	} {
		at := 3
		switch {
		case group.axis.ActionRequired || group.release:
			at = 0
		case group.axis.ActionEvidence != nil:
			at = 2
		case group.axis.Stated:
			at = 1
		}
		out[at].Groups = append(out[at].Groups, group.name)
	}
	return slices.DeleteFunc(out, func(v verdict) bool { return v.Groups == nil })
}

// silent adds a group that the text does not mention, together with others with the same statement.
func (i *impact) silent(a axis) {
	at := slices.IndexFunc(i.Silent, func(s silence) bool { return s.Impact == a.Impact })
	if at < 0 {
		i.Silent = append(i.Silent, silence{a.Name, a.Impact})
		return
	}
	i.Silent[at].Names += ", " + a.Name
}

// quote adds the quotes of a group. The one about a duty comes first. By rules a group has only
// quotes, so the first replaces the impact.
func (p *Pages) quote(v *proposalView, a *axis, rules bool) {
	lead := a.ActionEvidence
	if rules {
		if a.Impact = ""; lead == nil && len(a.Evidence) > 0 {
			lead = &a.Evidence[0]
		}
	}
	for _, e := range a.Evidence {
		q := quote{e.Quote, p.place(v, e.Section)}
		if lead != nil && e == *lead {
			a.Lead = &q
		} else {
			a.More = append(a.More, q)
		}
	}
}

// place is the place of a quote: the section's name and a link to it. Href is empty for a proposal
// with an invalid id, and only the name is shown.
type place struct{ Name, Href string }

// place finds the section of evidence, on this page or on the page of a bundled proposal. A section
// without a heading on the page links to the beginning of the text.
func (p *Pages) place(v *proposalView, section string) place {
	if strings.Contains(section, "#") {
		return p.cited(v.Metadata.ID, section)
	}
	at := place{Name: sectionName(section), Href: "#text"}
	// Show a heading of this page as written.
	for _, s := range v.Page.Sections {
		if s.ID == section && s.Title != "" {
			at.Name = s.Title
		}
	}
	if strings.Contains(string(v.Text), ` id="`+template.HTMLEscapeString(section)+`"`) {
		at.Href = "#" + section
	}
	return at
}

// cited is a section of a proposal, linked from another page. The summary of a fork quotes bundled
// proposals with places such as "MIP-4#s-abstract".
func (p *Pages) cited(id mip.ID, section string) place {
	if other, of, elsewhere := strings.Cut(section, "#"); elsewhere {
		parsed, err := mip.ParseID(other)
		if err != nil {
			return place{Name: other + ", " + sectionName(of)}
		}
		id, section = parsed, of
	}
	return place{id.String() + ", " + sectionName(section), p.proposalPath(id) + "#" + section}
}

// sectionName is a section's name derived from its id, which is made from its title.
func sectionName(id string) string {
	return strings.ReplaceAll(strings.TrimPrefix(id, "s-"), "-", " ")
}
