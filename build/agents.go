package build

import (
	"io"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/agent"
)

// api adds the JSON documents that speak of the whole corpus.
func (p *planner) api() {
	list := mip.List{Count: len(p.Summaries), MIPs: p.Summaries}
	if newest := updatedAt(p.Summaries); !newest.UTC().IsZero() {
		list.UpdatedAt = &newest
	}
	p.add(Artifact{Route: "/api/v1/mips", index: true, Body: func(w io.Writer) error { return render.List(w, list) }})
	add := func(route string, v any) {
		p.addIndex(route, func() ([]byte, error) { return api.JSON(v) })
	}
	add("/api/v1/hardforks", mip.HardForks{HardForks: p.Forks})
	add("/api/v1/site", p.info)
	add("/api/v1/diagnostics", mip.Diagnostics{Problems: p.publicProblems()})
}

// agents adds texts that tell an AI agent how to use the site.
func (p *planner) agents() {
	p.addIndex("/llms.txt", func() ([]byte, error) { return agent.LLMs(p.info, p.Forks, p.Summaries) })
	p.add(Artifact{Route: "/llms-full.txt", index: true, Body: func(w io.Writer) error {
		return agent.LLMsFull(w, p.info, p.Summaries, func(i int) string { return p.Proposals[i].Raw })
	}})
	skill := sync.OnceValues(func() ([]byte, error) { return agent.Skill(p.info, p.Summaries) })
	p.addIndex("/skill.md", skill)
	p.add(Artifact{
		Route: strings.Replace(skillRoute, "{skill}", agent.SkillName(p.info), 1), Pattern: skillRoute, Body: bodyOf(skill),
	})
	p.addIndex("/.well-known/agent-skills/index.json", func() ([]byte, error) {
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
	p.addIndex("/openapi.json", func() ([]byte, error) { return describe().JSON() })
	p.addIndex("/.well-known/api-catalog", func() ([]byte, error) { return agent.APICatalog(p.info) })
	p.addIndex("/api/", func() ([]byte, error) { return p.pages.API(describe()) })
	p.addIndex("/feeds/", func() ([]byte, error) { return p.pages.Feeds(p.Summaries) })
}

// describe describes the endpoints, with one proposal as the example.
func (p *planner) describe() *agent.API {
	if len(p.Summaries) == 0 {
		return agent.Describe(p.stableInfo, p.Forks, nil)
	}
	at := p.example()
	m, subject := p.Summaries[at], p.Subject(at)
	// An example without a committed summary shows the extractive one, at a time that follows from the input.
	e := agent.Subject{Proposal: subject.Proposal, Summary: p.Beside.Summary(m.ID)}
	if e.Summary == nil {
		if m.Updated != nil {
			subject.Now = m.Updated.UTC()
		}
		e.Summary = new(summary.Extract(subject))
	}
	if all := p.Beside.Translations(m.ID); len(all) > 0 {
		e.Translation = all[0].PublishedTranslation
	}
	e.Proposal.SummaryURL, e.Proposal.Translations = p.summaryURL(m.ID), p.translations(m.ID)
	return agent.Describe(p.stableInfo, p.Forks, &e)
}

// example is the position of the proposal that documentation speaks of: the first with an answer at most of the
// addresses of a proposal, and of the lists that it can be on.
func (p *planner) example() int {
	best, most := 0, -1
	for i, m := range p.Summaries {
		answers := 0
		count := func(answered bool) {
			if answered {
				answers++
			}
		}
		for _, k := range listKinds() {
			count(len(k.entries(m)) > 0)
		}
		count(p.Proposals[i].Past != nil)
		count(p.Beside.Summary(m.ID) != nil)
		count(len(p.Beside.Translations(m.ID)) > 0)
		if answers > most {
			best, most = i, answers
		}
	}
	return best
}
