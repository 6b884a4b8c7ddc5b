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
	// Past is set if the proposal asks for nothing any more, at any time.
	Past bool
	// Opening is the first statement, or empty if it repeats the statement for a group. Changes are
	// the changes beside it.
	Opening string
	Changes []string
	Groups  []group
	Whom    []sentence // name the groups in one line, first those that have to act
}

// group is the meaning of a proposal for one group: what its text states and what its upgrade asks
// are kept apart. The text's part has no meaning unless Stated is set.
type group struct {
	Name, Words string // as a heading, and within a sentence
	api.Axis
	Asked *asked        // by the upgrade; nil: nothing
	Lead  *quote        // shown first, or nil
	More  []quote       // the others
	Brief template.HTML // in one sentence; empty for one that the text does not touch
}

// Acts reports whether the text or the upgrade's release asks the group to act.
func (g group) Acts() bool {
	return g.Stated && g.ActionRequired || g.Asked != nil && g.Name == "Validators"
}

// quote is a sentence of the text with its place.
type quote struct {
	Quote string
	Place place
}

// asked is an upgrade's request to a group, with the times of the existing networks.
type asked struct {
	Group, What, Fork string
	Times             []activation
}

// sentence is a sentence with its form once the upgrade is active on all networks. Without times
// it has only one form.
type sentence struct {
	Now, Past string
	Times     []activation
}

// groups returns what a proposal, by its summary and its upgrade, means for each group. Groups of
// which neither states anything are left out. f is nil without an upgrade. A network that has an
// upgrade from its first block needs nothing.
func (p *Pages) groups(s *api.Summary, f *mip.HardFork) (out []group) {
	var times []activation
	if f != nil {
		times = slices.DeleteFunc(p.activation(*f), func(a activation) bool {
			return genesis(a.Activation)
		})
	}
	for _, g := range []struct {
		name, words, asked string
		axis               api.Axis
	}{
		{"Validators", "validators", "A release that knows", s.Validators},
		{"Developers", "developers", "", s.Developers},
		{"Users", "users", "", s.Users},
		{"Foundation", "the foundation", "The date and the releases of", s.Foundation},
	} {
		to := group{Name: g.name, Words: g.words, Axis: g.axis}
		if g.asked != "" && len(times) > 0 {
			to.Asked = &asked{g.name, g.asked, f.Name, times}
		}
		if to.Stated || to.Asked != nil {
			out = append(out, to)
		}
	}
	// A stable sort: those that have to act come first.
	slices.SortStableFunc(out, func(a, b group) int {
		switch {
		case a.Acts() == b.Acts():
			return 0
		case a.Acts():
			return -1
		}
		return 1
	})
	return out
}

// impact combines a page's summary and the upgrade's requests to the groups.
func (p *Pages) impact(v *proposalView) *impact {
	s, f := v.Page.Summary, v.Page.Fork
	out := &impact{Summary: s, Rules: s.Source == api.Extractive, Opening: s.TLDR,
		Changes: s.WhatsChanging, Groups: p.groups(s, f),
		Past: v.Metadata.Over() || f == nil && v.Metadata.Stage == mip.StageFinal}
	if out.Rules {
		out.open(v.Metadata.Description)
	}
	for i := range out.Groups {
		p.quote(v, &out.Groups[i], out.Rules)
	}
	// Do not repeat the first statement for a group.
	if slices.ContainsFunc(out.Groups, func(g group) bool {
		return g.Lead != nil && prose.Plain(g.Lead.Quote, nil) == out.Opening
	}) {
		out.Opening = ""
	}
	v.Needed = sentence{Now: "Action needed"}
	if f != nil {
		v.Needed = sentence{"Action needed for " + f.Name, "Action was needed for " + f.Name,
			p.activation(*f)}
	}
	for _, w := range whom(out.Groups) {
		if out.Past {
			w.Now = w.Past
		}
		w.Times = v.Needed.Times
		out.Whom = append(out.Whom, w)
	}
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

// whom names the groups in sentences: who has to act, who is only touched, and who is told that
// there is nothing to do.
func whom(groups []group) (out []sentence) {
	var acts, touched, idle []string
	for _, g := range groups {
		switch {
		case g.Acts():
			acts = append(acts, g.Words)
		case !g.Stated: // the upgrade's own work
		case g.ActionEvidence != nil:
			idle = append(idle, g.Words)
		default:
			touched = append(touched, g.Words)
		}
	}
	if acts != nil {
		out = append(out, sentence{Now: "Asks " + list(acts) + " to act.",
			Past: "It asked " + list(acts) + " to adapt."})
	}
	if touched != nil {
		also := sentence{Now: "Touches ", Past: "It touched "}
		if acts != nil {
			also = sentence{Now: "Also touches ", Past: "It also touched "}
		}
		out = append(out, sentence{Now: also.Now + list(touched) + ".",
			Past: also.Past + list(touched) + "."})
	}
	if idle != nil {
		out = append(out, sentence{Now: "Asks nothing of " + list(idle) + ".",
			Past: "It asked nothing of " + list(idle) + "."})
	}
	return out
}

// list joins words as in a sentence.
func list(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// quote adds the quotes of a group. The one about a duty comes first. By rules a group has only
// quotes, so the first replaces the impact.
func (p *Pages) quote(v *proposalView, g *group, rules bool) {
	lead := g.ActionEvidence
	if rules {
		if g.Impact = ""; lead == nil && len(g.Evidence) > 0 {
			lead = &g.Evidence[0]
		}
	}
	for _, e := range g.Evidence {
		q := quote{e.Quote, p.place(v, e.Section)}
		if lead != nil && e == *lead {
			g.Lead = &q
		} else {
			g.More = append(g.More, q)
		}
	}
	switch {
	case !g.Stated && !g.Acts(): // the upgrade's own work
	case !g.Stated:
		g.Brief = titleHTML(g.Asked.What + " " + g.Asked.Fork)
	case g.Lead != nil:
		g.Brief = "“" + brief(prose.Plain(g.Lead.Quote, nil)) + "”"
	default:
		g.Brief = titleHTML(g.Impact)
	}
}

// brief is the part of a quote before the first semicolon.
func brief(quote string) template.HTML {
	start, _, cut := strings.Cut(quote, "; ")
	if !cut || strings.Count(start, "`")%2 > 0 {
		return titleHTML(quote)
	}
	return titleHTML(start) + " …"
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
