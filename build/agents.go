package build

import (
	"io"
	"sync"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/agent"
	"github.com/mipwatch/mipwatch/render/feed"
	"github.com/mipwatch/mipwatch/sidecar/assist"
)

// feeds adds the newest changes in the three formats that readers know.
func (p *planner) feeds() error {
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
	return nil
}

// agents adds what tells an AI agent how to use the site.
func (p *planner) agents() error {
	p.whole("/llms.txt", typeText, func() ([]byte, error) { return agent.LLMs(p.info, p.forks, p.all) })
	p.add(Artifact{
		Route: "/llms-full.txt", Type: typeText, phase: index, key: p.wholeKey,
		Stream: func(w io.Writer) error {
			var text []byte
			return agent.LLMsFull(w, p.info, p.all, func(i int) (_ []byte, err error) {
				text, err = p.corpus.ReadRaw(p.corpus.Proposals[i], text)
				return text, err
			})
		},
	})
	skill, err := agent.Skill(p.info, p.all)
	if err != nil {
		return err
	}
	name := agent.SkillName(p.info)
	p.whole("/skill.md", typeMarkdown, func() ([]byte, error) { return skill, nil })
	p.add(Artifact{
		Route: "/.well-known/agent-skills/" + name + "/SKILL.md", Pattern: "/.well-known/agent-skills/{skill}/SKILL.md",
		Type: typeMarkdown, Body: fixed(skill),
	})
	p.whole("/.well-known/agent-skills/index.json", typeJSON, func() ([]byte, error) { return agent.SkillIndex(p.info, skill) })
	return nil
}

// documentation adds the API's description for programs and for people.
func (p *planner) documentation() error {
	example := p.example()
	openapi := sync.OnceValues(func() (*agent.API, error) { return p.openapi(example) })
	key := p.wholeKey
	if example >= 0 {
		var err error
		if key, err = keyOf(p.Producer, p.wholeKey, example, p.links(p.all[example].Number)); err != nil {
			return err
		}
	}
	p.add(Artifact{Route: "/openapi.json", Type: typeJSON, Body: made(func() ([]byte, error) { return encoded(openapi()) }), phase: index, key: key})
	p.whole("/.well-known/api-catalog", `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`, func() ([]byte, error) { return agent.APICatalog(p.info) })
	p.add(Artifact{Route: "/api/", Type: typeHTML, phase: index, key: key, Body: made(func() ([]byte, error) {
		doc, err := openapi()
		if err != nil {
			return nil, err
		}
		return p.pages.API(doc)
	})})
	p.whole("/feeds/", typeHTML, func() ([]byte, error) { return p.pages.Feeds(p.all) })
	return nil
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
		if p.beside.Summary(m.Number) != nil {
			answers++
		}
		if len(p.beside.Translations(m.Number)) > 0 {
			answers++
		}
		if answers > most {
			best, most = i, answers
		}
	}
	return best
}

// openapi describes the endpoints with the proposal at a position as the example.
func (p *planner) openapi(example int) (*agent.API, error) {
	if example < 0 {
		return agent.Describe(p.stableInfo, p.forks, nil), nil
	}
	subject, err := p.beside.Proposals.Subject(example)
	if err != nil {
		return nil, err
	}
	n, e := p.all[example].Number, agent.Example{Proposal: subject.Proposal, Summary: p.beside.Summary(p.all[example].Number)}
	if e.Summary == nil {
		if updated := p.all[example].Updated; updated != nil {
			subject.Now = updated.UTC()
		}
		e.Summary = new(assist.Extract(subject))
	}
	if all := p.beside.Translations(n); len(all) > 0 {
		if e.Translation, err = p.beside.Read(all[0], subject.Proposal.Sections); err != nil {
			return nil, err
		}
	}
	l := p.links(n)
	e.Proposal.SummaryURL, e.Proposal.Translations = l.SummaryURL, l.Translations
	return agent.Describe(p.stableInfo, p.forks, &e), nil
}

// encoded is a description as JSON, or the error that came instead of it.
func encoded(a *agent.API, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return a.JSON()
}
