package build

import (
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
)

func pageRoute(n int) string     { return "/mip/" + strconv.Itoa(n) + "/" }
func markdownRoute(n int) string { return "/mip/" + strconv.Itoa(n) + ".md" }
func apiRoute(n int) string      { return "/api/v1/mips/" + strconv.Itoa(n) }

// proposals adds three files for each proposal, and what is committed beside it.
func (p *planner) proposals() {
	for i, c := range p.corpus.Proposals {
		n, beside := c.Number, p.links(c.Number)
		p.add(Artifact{
			Route: apiRoute(n), Pattern: "/api/v1/mips/{n}", File: fmt.Sprintf("api/v1/mips/%d.json", n), Type: typeJSON, source: c.File,
			Body: bodyOf(func() ([]byte, error) {
				t, err := p.text(i)
				if err != nil {
					return nil, err
				}
				return api.JSON(mip.Proposal{Summary: p.all[i], SummaryURL: beside.SummaryURL, Translations: beside.Translations, RawMarkdown: c.Raw, Sections: t.sections})
			}),
		})
		p.add(Artifact{
			Route: pageRoute(n), Pattern: "/mip/{n}/", Type: typeHTML, source: c.File,
			Body: bodyOf(func() ([]byte, error) {
				t, err := p.text(i)
				if err != nil {
					return nil, err
				}
				v := p.view(i)
				v.Sections, v.Body = t.sections, t.html
				return p.stable.Proposal(v)
			}),
		})
		p.add(Artifact{
			Route: markdownRoute(n), Pattern: "/mip/{n}.md", Type: typeMarkdown, source: c.File,
			Body: bodyOf(func() ([]byte, error) { return []byte(c.Raw), nil }),
		})
		p.companions(c)
	}
}

// view is the page of a proposal but for its text.
func (p *planner) view(i int) render.ProposalPage {
	m := p.all[i]
	v := render.ProposalPage{
		Summary: m, Requires: p.refs(m.Requires), RequiredBy: p.refs(m.RequiredBy),
		Replaces: p.refs(m.Replaces), SupersededBy: p.refs(m.SupersededBy),
		Fork: ai.ForkOf(m, p.forks), Impact: p.beside.Summary(m.Number), History: p.corpus.Proposals[i].Past != nil, Translations: p.links(m.Number).Translations,
		Heat: p.figures.Topic(m.Number),
	}
	if i > 0 {
		r := p.ref(p.all[i-1].Number)
		v.Previous = &r
	}
	if i+1 < len(p.all) {
		r := p.ref(p.all[i+1].Number)
		v.Next = &r
	}
	return v
}

func (p *planner) refs(numbers []int) []render.Ref {
	out := make([]render.Ref, 0, len(numbers))
	for _, n := range numbers {
		out = append(out, p.ref(n))
	}
	return out
}

func (p *planner) ref(n int) render.Ref {
	i, ok := p.index[n]
	if !ok {
		return render.Ref{Number: n, ID: fmt.Sprintf("%s-%d", p.Site.Prefix, n)}
	}
	return render.RefTo(p.all[i], p.Site.Path(pageRoute(n)))
}

// link resolves a relative destination in a proposal: to the page of the proposal that it names, else
// to the file in the repository. It fails when neither is known.
func (p *planner) link(c *corpus.Proposal, dest string) (string, bool) {
	file := linkedFile(dest)
	if n, ok := linkedNumber(p.corpus, file); ok {
		return p.Site.Path(pageRoute(n)), true
	}
	if path.IsAbs(file) {
		return "", false // of a site that we do not know
	}
	return sourceLink(p.Site, c, path.Join(path.Dir(c.RepoPath), file))
}

// linkedFile is the path of the file that a relative destination names.
func linkedFile(dest string) string {
	file, err := url.PathUnescape(dest)
	if err != nil {
		file = dest
	}
	file, _, _ = strings.Cut(file, "?")
	return file
}

// linkedNumber is that of the published proposal whose file a link names.
func linkedNumber(c *corpus.Corpus, file string) (int, bool) {
	name := path.Base(file)
	if path.Clean(file) == name && path.Ext(name) == "" {
		name += ".md" // [MIP-3](MIP-3); ../assets/MIP-3 is a folder
	}
	if strings.HasSuffix(file, "/") || path.Ext(name) == "" {
		return 0, false
	}
	return c.Number(name)
}
