package build

import (
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
)

func pageRoute(n int) string     { return "/mip/" + strconv.Itoa(n) + "/" }
func markdownRoute(n int) string { return "/mip/" + strconv.Itoa(n) + ".md" }
func apiRoute(n int) string      { return "/api/v1/mips/" + strconv.Itoa(n) }

// proposals adds three files for each proposal, and what is committed beside it, made from one reading of its source.
func (p *planner) proposals() error {
	// What a link can lead to. A new or renamed file can change how every page's links resolve.
	type target struct {
		File   string
		Number int
	}
	targets := make([]target, 0, len(p.all))
	for _, c := range p.corpus.Proposals {
		targets = append(targets, target{c.RepoPath, c.Number})
	}
	shellKey, err := keyOf(p.Producer, targets, p.Site.SourceURL, p.stableInfo, p.Site.Highlight)
	if err != nil {
		return err
	}
	for i, c := range p.corpus.Proposals {
		doc := &source{corpus: p.corpus, proposal: c}
		v, beside := p.view(i), p.links(c.Number)
		pageKey, err := keyOf(p.Producer, p.keys[i], shellKey, c.RepoPath,
			v.Requires, v.RequiredBy, v.Replaces, v.SupersededBy, v.Previous, v.Next, v.Fork, v.Impact, v.History, v.Translations, v.Heat)
		if err != nil {
			return err
		}
		jsonKey, err := keyOf(p.Producer, p.keys[i], beside)
		if err != nil {
			return err
		}
		n, group := c.Number, i+1
		p.add(Artifact{
			Route: apiRoute(n), Pattern: "/api/v1/mips/{n}", File: fmt.Sprintf("api/v1/mips/%d.json", n), Type: typeJSON,
			group: group, key: jsonKey, release: doc.release, source: c.File,
			Body: func(to []byte) ([]byte, error) {
				d := doc.read()
				return api.AppendJSON(to, mip.Proposal{Summary: p.all[i], SummaryURL: beside.SummaryURL, Translations: beside.Translations, RawMarkdown: c.Raw, Sections: d.Sections})
			},
		})
		p.add(Artifact{
			Route: pageRoute(n), Pattern: "/mip/{n}/", Type: typeHTML, group: group, key: pageKey, release: doc.release, source: c.File,
			Body: func(to []byte) ([]byte, error) { return p.page(to, i, doc) },
		})
		p.add(Artifact{
			Route: markdownRoute(n), Pattern: "/mip/{n}.md", Type: typeMarkdown, group: group, key: p.keys[i], release: doc.release, source: c.File,
			Body: func(to []byte) ([]byte, error) { return append(to, c.Raw...), nil },
		})
		if err := p.companions(doc, group, shellKey); err != nil {
			return err
		}
	}
	return nil
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

func (p *planner) page(to []byte, i int, doc *source) ([]byte, error) {
	d := doc.read()
	// Made again rather than kept since the key was hashed: a large site has many.
	v, c := p.view(i), p.corpus.Proposals[i]
	v.Sections = d.Sections
	text := p.texts.get()
	defer p.texts.put(text)
	var err error
	*text, err = p.md.HTMLInto(*text, d.Root, d.Body, v.Summary.Title, func(dest string) (string, bool) { return p.link(c, dest) })
	v.Body = *text
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", c.File, err)
	}
	return p.stable.AppendProposal(to, v)
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

// source parses a proposal's text once for the neighbours of one group, which one worker
// makes in order. A second reader at the same time, such as a server, shares or repeats the work.
type source struct {
	corpus   *corpus.Corpus
	proposal *corpus.Proposal

	mu   sync.Mutex
	kept *markdown.Document
}

func (s *source) read() *markdown.Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = s.corpus.Read(s.proposal)
	}
	return s.kept
}

// release forgets the document: the trees of a large corpus do not fit in memory.
func (s *source) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = nil
}
