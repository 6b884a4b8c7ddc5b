package render

import (
	"html/template"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// impact is what a proposal means for the groups, as its page shows it. The script that shows a model's answer makes the
// same form.
type impact struct {
	*api.Summary
	Rules bool // made of sentences of the text, by no model
	// Opening is what a reader is told first, empty where a group is told the same, and Changes are what changes beside it.
	Opening string
	Changes []string
	Axes    []axis
	Silent  []silence
	// Verdicts say in one line whom it touches, those who have to act first.
	Verdicts []verdict
}

// verdict is what is said of some groups, in words that are true before and after an upgrade.
type verdict struct {
	Says   string
	Groups []string
}

// axis is what a proposal means for one group that its text speaks of, or of which its upgrade asks something.
type axis struct {
	Name string
	api.Axis
	Lead  *quote  // what is seen first, nil without any
	More  []quote // the others
	Asked *asked  // what the upgrade asks of them, whatever the text says
}

// quote is a sentence of the text, and where it stands.
type quote struct {
	Quote string
	Place place
}

// silence is what is known of groups that the text does not speak of.
type silence struct{ Names, Impact string }

// asked is what an upgrade asks of a group, by its times on the networks that were there before it.
type asked struct {
	Group, What, Fork string
	Times             []activation
}

// impact is what a page's summary says, and what the upgrade asks of the groups. A network that has an upgrade from its
// first block needs nothing.
func (p *Pages) impact(v *proposalView) *impact {
	s := v.Page.Summary
	out := &impact{Summary: s, Rules: s.Source == api.Extractive, Opening: s.TLDR, Changes: s.WhatsChanging}
	if out.Rules {
		out.open(v.Metadata.Description)
	}
	var times []activation
	if v.Page.Fork != nil {
		times = slices.DeleteFunc(p.activation(*v.Page.Fork), func(a activation) bool { return genesis(a.Activation) })
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
	// What a group is told first need not be told before.
	if slices.ContainsFunc(out.Axes, func(a axis) bool { return a.Lead != nil && prose.Plain(a.Lead.Quote, nil) == out.Opening }) {
		out.Opening = ""
	}
	out.Verdicts = verdicts(s, len(times) > 0)
	return out
}

// open takes from what rules tell first the description, which stands above. Where they tell no more, the first change opens.
func (i *impact) open(description *string) {
	if description != nil {
		i.Opening = strings.TrimSpace(strings.TrimPrefix(i.TLDR, mip.Sentence(mip.Collapse(*description))))
		if i.Opening == i.TLDR { // the description alone is too long for it
			i.Opening = ""
		}
	}
	if i.Opening == "" && len(i.Changes) > 0 {
		i.Opening, i.Changes = i.Changes[0], i.Changes[1:]
	}
}

// verdicts are what a summary says of the groups. An upgrade asks validators for a release, whatever the text says.
func verdicts(s *api.Summary, upgrade bool) []verdict {
	out := []verdict{{Says: "asks action of"}, {Says: "affects"}, {Says: "asks nothing of"}, {Says: "does not speak of"}}
	for _, group := range []struct {
		name    string
		axis    api.Axis
		release bool
	}{
		{"validators", s.Validators, upgrade}, {"developers", s.Developers, false}, {"users", s.Users, false}, {"the foundation", s.Foundation, false},
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

// silent adds a group of which the text does not speak to those of which no more is known than of it.
func (i *impact) silent(a axis) {
	at := slices.IndexFunc(i.Silent, func(s silence) bool { return s.Impact == a.Impact })
	if at < 0 {
		i.Silent = append(i.Silent, silence{a.Name, a.Impact})
		return
	}
	i.Silent[at].Names += ", " + a.Name
}

// quote adds the quotes of a group. First is seen the one that says what they have to do. What rules say of a group is its
// quotes and no more: the first of them is seen then, in place of the impact.
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

// place is where a quote stands: the name of the section for people, and a link to it. Href is
// empty for a proposal whose id cannot be read: then the name is shown alone.
type place struct{ Name, Href string }

// place finds the section that evidence names, on this page or on that of a proposal that a fork
// bundles. A section without a heading on the page leads to the beginning of the text.
func (p *Pages) place(v *proposalView, section string) place {
	if strings.Contains(section, "#") {
		return p.cited(v.Metadata.ID, section)
	}
	at := place{Name: sectionName(section), Href: "#text"}
	// A heading on this page is shown as it is written there.
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

// cited is the section of a proposal that evidence names, for another page. The summary of a fork quotes the proposals
// that it bundles, as "MIP-4#s-abstract".
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

// sectionName is what a section is called as far as its id tells, which is made of its title.
func sectionName(id string) string { return strings.ReplaceAll(strings.TrimPrefix(id, "s-"), "-", " ") }
