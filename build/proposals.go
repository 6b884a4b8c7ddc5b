package build

import (
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/render"
)

// proposals adds three files for each proposal, and its committed summary and translations.
func (p *planner) proposals() {
	for i, c := range p.Proposals {
		p.addOf(c, apiRoute, bodyOf(func() ([]byte, error) { return p.proposalJSON(i) }))
		p.addOf(c, pageRoute, bodyOf(func() ([]byte, error) { return p.proposalPage(i) }))
		p.addOf(c, markdownRoute, func(w io.Writer) error {
			_, err := io.WriteString(w, c.Raw)
			return err
		})
		p.committed(c)
	}
}

func (p *planner) proposalJSON(i int) ([]byte, error) {
	c := p.Proposals[i]
	t, err := p.text(c)
	if err != nil {
		return nil, err
	}
	return api.JSON(mip.Proposal{
		Summary: p.Summaries[i], SummaryURL: p.summaryURL(c.ID), Translations: p.translations(c.ID), RawMarkdown: c.Raw, Sections: t.sections,
	})
}

func (p *planner) proposalPage(i int) ([]byte, error) {
	c, m := p.Proposals[i], p.Summaries[i]
	t, err := p.text(c)
	if err != nil {
		return nil, err
	}
	defer p.dropText(c)
	page := render.ProposalPage{
		Summary: m, Sections: t.sections, Body: t.html,
		Requires: p.refs(m.ID, m.Requires), RequiredBy: p.refs(m.ID, m.RequiredBy),
		Replaces: p.refs(m.ID, m.Replaces), SupersededBy: p.refs(m.ID, m.SupersededBy),
		Fork: ai.ForkOf(m, p.Forks), Impact: p.Beside.Summary(m.ID), History: c.Past != nil,
		Translations: p.translations(m.ID), Heat: p.figures.Topic(m.ID),
	}
	if i > 0 {
		page.Previous = new(p.ref(p.Summaries[i-1].ID))
	}
	if i+1 < len(p.Summaries) {
		page.Next = new(p.ref(p.Summaries[i+1].ID))
	}
	return p.stable.Proposal(page)
}

// refs are links to the proposals of the same kind with these numbers.
func (p *planner) refs(of mip.ID, numbers []int) []render.Ref {
	out := make([]render.Ref, 0, len(numbers))
	for _, id := range of.Siblings(numbers) {
		out = append(out, p.ref(id))
	}
	return out
}

func (p *planner) ref(id mip.ID) render.Ref {
	m, ok := mip.Find(p.Summaries, id)
	if !ok {
		return render.Ref{ID: id}
	}
	return render.RefTo(m, p.Site.Path(id.Page()))
}

// link resolves a relative destination in a proposal.
func (p *planner) link(c *corpus.Proposal, dest string) (string, bool) {
	return resolveLink(p.Site, p.Corpus, c, dest)
}

// resolveLink resolves a relative destination in a proposal: to the page of the proposal that it names, else
// to the file in the repository. It fails when neither is known.
func resolveLink(s *site.Site, c *corpus.Corpus, p *corpus.Proposal, dest string) (string, bool) {
	file := linkedFile(dest)
	if id, ok := linkedID(c, file); ok {
		return s.Path(id.Page()), true
	}
	if path.IsAbs(file) {
		return "", false // of an unknown site
	}
	return sourceLink(s, p, path.Join(path.Dir(p.RepoPath), file))
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
