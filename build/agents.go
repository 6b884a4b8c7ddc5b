package build

import (
	"io"
	"sync"

	"github.com/mipwatch/mipwatch/render/agent"
	"github.com/mipwatch/mipwatch/render/feed"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
)

// feeds adds the newest changes in the three formats that readers know.
func (p *planner) feeds() {
	for _, f := range []struct {
		route, mediaType string
		make             func(mip.SiteInfo, []mip.Summary) ([]byte, error)
	}{
		{"/" + feedFile, typeRSS, feed.RSS},
		{"/feed.atom", "application/atom+xml; charset=utf-8", feed.Atom},
		{"/feed.json", "application/feed+json; charset=utf-8", feed.JSONFeed},
	} {
		p.whole(f.route, f.mediaType, func() ([]byte, error) { return f.make(p.info, p.all) })
	}
}

// api adds the JSON documents that speak of the whole corpus.
func (p *planner) api() {
	list := mip.List{Count: len(p.all), MIPs: p.all}
	if newest := updatedAt(p.all); !newest.UTC().IsZero() {
		list.UpdatedAt = &newest
	}
	p.add(Artifact{
		Route: "/api/v1/mips", File: "api/v1/mips.json", Type: typeJSON, index: true,
		Body: func(w io.Writer) error { return render.List(w, list) },
	})
	p.json("/api/v1/hardforks", mip.HardForks{HardForks: p.forks})
	p.json("/api/v1/site", p.info)
	p.json("/api/v1/diagnostics", mip.Diagnostics{Problems: p.problems()})
}

// agents adds what tells an AI agent how to use the site.
func (p *planner) agents() {
	p.whole("/llms.txt", typeText, func() ([]byte, error) { return agent.LLMs(p.info, p.forks, p.all) })
	p.add(Artifact{
		Route: "/llms-full.txt", Type: typeText, index: true,
		Body: func(w io.Writer) error {
			return agent.LLMsFull(w, p.info, p.all, func(i int) string { return p.corpus.Proposals[i].Raw })
		},
	})
	skill := sync.OnceValues(func() ([]byte, error) { return agent.Skill(p.info, p.all) })
	p.whole("/skill.md", typeMarkdown, skill)
	p.add(Artifact{
		Route: "/.well-known/agent-skills/" + agent.SkillName(p.info) + "/SKILL.md", Pattern: "/.well-known/agent-skills/{skill}/SKILL.md",
		Type: typeMarkdown, Body: bodyOf(skill),
	})
	p.whole("/.well-known/agent-skills/index.json", typeJSON, func() ([]byte, error) {
		text, err := skill()
		if err != nil {
			return nil, err
		}
		return agent.SkillIndex(p.info, text)
	})
}

// documentation adds the API's description for programs and for people.
func (p *planner) documentation() {
	describe := sync.OnceValue(p.describe)
	p.whole("/openapi.json", typeJSON, func() ([]byte, error) { return describe().JSON() })
	p.whole("/.well-known/api-catalog", `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`,
		func() ([]byte, error) { return agent.APICatalog(p.info) })
	p.whole("/api/", typeHTML, func() ([]byte, error) { return p.pages.API(describe()) })
	p.whole("/feeds/", typeHTML, func() ([]byte, error) { return p.pages.Feeds(p.all) })
}

// example is the position of the proposal that documentation speaks of: the first for which most of the
// addresses of a proposal, and of the lists that it can be on, answer. It is negative when there is none.
func (p *planner) example() int {
	best, most := -1, -1
	for i, m := range p.all {
		answers := 0
		for _, k := range listKinds() {
			if len(k.entries(m)) > 0 {
				answers++
			}
		}
		if p.corpus.Proposals[i].Past != nil {
			answers++
		}
		if p.beside.Summary(m.ID) != nil {
			answers++
		}
		if len(p.beside.Translations(m.ID)) > 0 {
			answers++
		}
		if answers > most {
			best, most = i, answers
		}
	}
	return best
}

// describe describes the endpoints, with one proposal as the example.
func (p *planner) describe() *agent.API {
	example := p.example()
	if example < 0 {
		return agent.Describe(p.stableInfo, p.forks, nil)
	}
	subject := p.summarised.Subject(example)
	id, e := p.all[example].ID, agent.Subject{Proposal: subject.Proposal, Summary: p.beside.Summary(p.all[example].ID)}
	if e.Summary == nil {
		if updated := p.all[example].Updated; updated != nil {
			subject.Now = updated.UTC()
		}
		e.Summary = new(summary.Extract(subject))
	}
	if all := p.beside.Translations(id); len(all) > 0 {
		e.Translation = all[0].Text()
	}
	l := p.links(id)
	e.Proposal.SummaryURL, e.Proposal.Translations = l.SummaryURL, l.Translations
	return agent.Describe(p.stableInfo, p.forks, &e)
}
