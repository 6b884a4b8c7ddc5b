package render

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
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

// group is a claim about a group that is not silent. The text's part has no meaning unless Stated
// is set.
type group struct {
	api.Claim
	Name, Words string        // as a heading, and within a sentence
	Asked       *asked        // by the upgrade; nil: nothing
	Lead        *quote        // shown first, or nil
	More        []quote       // the others
	Brief       template.HTML // in one sentence; empty for one that the text does not touch
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

// groups returns the claims of a summary, without groups of which neither the text nor the upgrade
// states anything. f is nil without an upgrade.
func (p *Pages) groups(s *api.Summary, m mip.Metadata, f *mip.HardFork) (out []group) {
	claims := s.Claims(m, f, p.info.Networks)
	for _, of := range [...]string{"validators", "developers", "users", "foundation"} {
		c := claims[slices.IndexFunc(claims, func(c api.Claim) bool { return c.Group == of })]
		if c.Silent() {
			continue
		}
		to := group{Claim: c, Name: plain.Capital(of), Words: of}
		if of == "foundation" {
			to.Words = "the foundation"
		}
		if c.UpgradeAsks != nil {
			what := strings.TrimSuffix(*c.UpgradeAsks, " "+f.Name)
			times := slices.DeleteFunc(p.activation(*f), func(a activation) bool {
				return genesis(a.Activation)
			})
			to.Asked = &asked{to.Name, plain.Capital(what), f.Name, times}
		}
		out = append(out, to)
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
		Changes: s.WhatsChanging, Groups: p.groups(s, v.Metadata, f)}
	out.Past = len(out.Groups) > 0 && out.Groups[0].Past
	if out.Rules {
		out.open(v.Metadata.Description)
	}
	shown := map[string]string{}
	for i := range out.Groups {
		p.quote(v, &out.Groups[i], out.Rules, shown)
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

// whom names the groups in sentences: those that have to act, and those that are only touched.
func whom(groups []group) (out []sentence) {
	var acts, touched []string
	for _, g := range groups {
		switch {
		case g.Acts():
			acts = append(acts, g.Words)
		case !g.Stated: // the upgrade's own work
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
// quotes, so one of them replaces the impact: the strongest that no other group has shown. shown
// has the words of the group that shows a quote first.
func (p *Pages) quote(v *proposalView, g *group, rules bool, shown map[string]string) {
	lead := g.ActionEvidence
	if rules {
		if g.Impact = ""; lead == nil && len(g.Evidence) > 0 {
			ranked := g.Ranked()
			isNew := func(e api.Evidence) bool { return shown[e.Quote] == "" }
			lead = &ranked[max(0, slices.IndexFunc(ranked, isNew))]
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
	case g.Lead != nil && shown[g.Lead.Quote] != "":
		g.Brief = titleHTML("As for " + shown[g.Lead.Quote] + ".")
	case g.Lead != nil:
		shown[g.Lead.Quote] = g.Words
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
		return p.cited(v.Metadata.ID, section, nil)
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
// proposals with places such as "MIP-4#s-abstract". titles have the headings as written, by the id
// of the quoting proposal, # and place; a missing one is derived from the place.
func (p *Pages) cited(id mip.ID, section string, titles map[string]string) place {
	title := titles[id.String()+"#"+section]
	if other, of, elsewhere := strings.Cut(section, "#"); elsewhere {
		parsed, err := mip.ParseID(other)
		if err != nil {
			return place{Name: other + ", " + cmp.Or(title, sectionName(of))}
		}
		id, section = parsed, of
	}
	name := prose.Plain(cmp.Or(title, sectionName(section)), nil)
	return place{id.String() + ", " + name, p.proposalPath(id) + "#" + section}
}

// sectionName is a section's name derived from its id, which is made from its title.
func sectionName(id string) string {
	return strings.ReplaceAll(strings.TrimPrefix(id, "s-"), "-", " ")
}
