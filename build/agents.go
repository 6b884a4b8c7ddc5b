package build

import (
	"io"
	"sync"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
)

// feeds adds the newest changes in the three formats that readers know.
func (p *planner) feeds() error {
	for _, f := range []struct {
		route, mediaType string
		make             func(mip.SiteInfo, []mip.Summary) ([]byte, error)
	}{
		{"/feed.xml", "application/rss+xml; charset=utf-8", render.RSS},
		{"/feed.atom", "application/atom+xml; charset=utf-8", render.Atom},
		{"/feed.json", "application/feed+json; charset=utf-8", render.JSONFeed},
	} {
		p.whole(f.route, f.mediaType, func() ([]byte, error) { return f.make(p.info, p.all) })
	}
	return nil
}

// agents adds what tells an AI agent how to use the site.
func (p *planner) agents() error {
	p.whole("/llms.txt", typeText, func() ([]byte, error) { return render.LLMs(p.info, p.forks, p.all) })
	p.add(Artifact{
		Route: "/llms-full.txt", Type: typeText, phase: index, key: p.wholeKey,
		Stream: func(w io.Writer) error {
			return render.LLMsFull(w, p.info, p.all, func(i int) ([]byte, error) {
				return p.corpus.ReadRaw(p.corpus.Proposals[i])
			})
		},
	})
	skill, err := render.Skill(p.info, p.all)
	if err != nil {
		return err
	}
	name := render.SkillName(p.info)
	p.whole("/skill.md", typeMarkdown, fixed(skill))
	p.add(Artifact{
		Route: "/.well-known/agent-skills/" + name + "/SKILL.md", Pattern: "/.well-known/agent-skills/{skill}/SKILL.md",
		Type: typeMarkdown, Body: fixed(skill),
	})
	p.whole("/.well-known/agent-skills/index.json", typeJSON, func() ([]byte, error) { return render.SkillIndex(p.info, skill) })
	return nil
}

// documentation adds the API's description for programs and for people.
func (p *planner) documentation() error {
	openapi := sync.OnceValues(p.openapi)
	p.whole("/openapi.json", typeJSON, openapi)
	p.whole("/.well-known/api-catalog", `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`, func() ([]byte, error) { return render.APICatalog(p.info) })
	p.whole("/api/", typeHTML, func() ([]byte, error) {
		doc, err := openapi()
		if err != nil {
			return nil, err
		}
		return p.pages.API(doc)
	})
	p.whole("/feeds/", typeHTML, p.pages.Feeds)
	return nil
}

// openapi describes the endpoints with the first proposal as the example.
func (p *planner) openapi() ([]byte, error) {
	if len(p.all) == 0 {
		return render.OpenAPI(p.stableInfo, p.forks, nil)
	}
	d, err := p.corpus.Read(p.corpus.Proposals[0])
	if err != nil {
		return nil, err
	}
	return render.OpenAPI(p.stableInfo, p.forks, &mip.Proposal{Summary: p.all[0], RawMarkdown: string(d.Raw), Sections: d.Sections})
}
