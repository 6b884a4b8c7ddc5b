package build

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
)

func markdownRoute(id mip.ID) string { return strings.TrimSuffix(id.Page(), "/") + ".md" }
func apiRoute(id mip.ID) string      { return "/api/v1/mips/" + strconv.Itoa(id.Number) }

// pagePattern is the path of a proposal's page with {n} for its number, without the last slash.
func (p *planner) pagePattern() string { return mip.PageFolder(p.info.Prefix) + "{n}" }

// proposals adds three files for each proposal, and what is committed beside it.
func (p *planner) proposals() {
	for i, c := range p.corpus.Proposals {
		id, beside := c.ID, p.links(c.ID)
		p.add(Artifact{
			Route: apiRoute(id), Pattern: "/api/v1/mips/{n}", File: apiRoute(id)[1:] + ".json", Type: typeJSON, source: c.File,
			Body: bodyOf(func() ([]byte, error) {
				t, err := p.text(i)
				if err != nil {
					return nil, err
				}
				return api.JSON(mip.Proposal{Summary: p.all[i], SummaryURL: beside.SummaryURL, Translations: beside.Translations, RawMarkdown: c.Raw, Sections: t.sections})
			}),
		})
		p.add(Artifact{
			Route: id.Page(), Pattern: p.pagePattern() + "/", Type: typeHTML, source: c.File,
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
			Route: markdownRoute(id), Pattern: p.pagePattern() + ".md", Type: typeMarkdown, source: c.File,
			Body: bodyOf(func() ([]byte, error) { return []byte(c.Raw), nil }),
		})
		p.companions(c)
	}
}

// view is the page of a proposal but for its text.
func (p *planner) view(i int) render.ProposalPage {
	m := p.all[i]
	return render.ProposalPage{
		All: p.all, Index: i, Fork: summary.ForkOf(m, p.forks), Impact: p.beside.Summary(m.ID), History: p.corpus.Proposals[i].Past != nil,
		Translations: p.links(m.ID).Translations, Heat: p.figures.Topic(m.ID),
	}
}

// link resolves a relative destination in a proposal: to the page of the proposal that it names, else
// to the file in the repository. It fails when neither is known.
func (p *planner) link(c *corpus.Proposal, dest string) (string, bool) {
	file := linkedFile(dest)
	if id, ok := linkedID(p.corpus, file); ok {
		return p.Site.Path(id.Page()), true
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

// linkedID is that of the published proposal whose file a link names.
func linkedID(c *corpus.Corpus, file string) (mip.ID, bool) {
	name := path.Base(file)
	if path.Clean(file) == name && path.Ext(name) == "" {
		name += ".md" // [MIP-3](MIP-3); ../assets/MIP-3 is a folder
	}
	if strings.HasSuffix(file, "/") || path.Ext(name) == "" {
		return mip.ID{}, false
	}
	return c.ID(name)
}
