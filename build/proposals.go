package build

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/render"
)

// proposals adds three files for each proposal, and its committed summary and translations.
func (p *planner) proposals() {
	for i, c := range p.Proposals {
		// The three are neighbours, so that one worker makes them and the text is rendered once: see each.
		p.addOf(c, apiRoute, bodyOf(func() ([]byte, error) { return p.proposalJSON(i) }))
		p.addOf(c, pageRoute, bodyOf(func() ([]byte, error) { return p.proposalPage(i) }))
		p.addOf(c, markdownRoute, func(w io.Writer) error {
			_, err := io.WriteString(w, c.Raw)
			return err
		})
		p.committed(c)
	}
}

// proposalJSON makes the document of /api/v1/mips/{n}.
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

// proposalPage makes the page of a proposal. It is the last artifact that needs the rendered text.
func (p *planner) proposalPage(i int) ([]byte, error) {
	c, m := p.Proposals[i], p.Summaries[i]
	t, err := p.text(c)
	if err != nil {
		return nil, err
	}
	defer p.dropText(c)
	return p.stable.Proposal(render.ProposalPage{
		All: p.Summaries, Index: i, Sections: t.sections, Body: t.html,
		Fork: summary.ForkOf(m, p.Forks), Impact: p.Beside.Summary(m.ID), History: c.Past != nil,
		Translations: p.translations(m.ID),
	})
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

// committed adds a proposal's committed summary and its translations.
func (p *planner) committed(c *corpus.Proposal) {
	if sum := p.Beside.Summary(c.ID); sum != nil {
		p.addOf(c, summaryRoute, jsonOf(sum))
	}
	for _, t := range p.Beside.Translations(c.ID) {
		p.addOf(c, translationRoute, jsonOf(t.PublishedTranslation), "{locale}", t.Locale)
		p.addOf(c, translatedRoute, bodyOf(func() ([]byte, error) { return p.translationPage(t, c) }), "{locale}", t.Locale)
	}
}

// translationPage renders a translation as the proposal itself is: its links are relative to the proposal's file.
func (p *planner) translationPage(t corpus.Translation, c *corpus.Proposal) ([]byte, error) {
	text := t.PublishedTranslation
	link := func(dest string) (string, bool) { return p.link(c, dest) }
	article, err := p.md.Render(markdown.Join(text.Sections), text.Title, link)
	if err != nil {
		return nil, fmt.Errorf("render the translation of %s into %s: %w", c.File, t.Locale, err)
	}
	m, _ := mip.Find(p.Summaries, c.ID)
	return p.stable.Translation(render.TranslationPage{Summary: m, Text: text, Body: article.HTML, Translations: p.translations(c.ID)})
}

// summaryURL is the address of a proposal's committed summary, nil when there is none.
func (p *planner) summaryURL(id mip.ID) *string {
	if p.Beside.Summary(id) == nil {
		return nil
	}
	return new(p.Site.URL(routeOf(summaryRoute, id)))
}

// translations are a proposal's committed translations; the slice is never nil.
func (p *planner) translations(id mip.ID) []mip.Translation {
	out := []mip.Translation{}
	for _, t := range p.Beside.Translations(id) {
		url := p.Site.URL(routeOf(translationRoute, id, "{locale}", t.Locale))
		out = append(out, mip.Translation{Locale: t.Locale, URL: url, Stale: t.Stale})
	}
	return out
}

// outdated are the proposals, in their order, whose committed summary speaks of an older text.
func (p *planner) outdated() []mip.Summary {
	var out []mip.Summary
	for _, m := range p.Summaries {
		if sum := p.Beside.Summary(m.ID); sum != nil && sum.Stale {
			out = append(out, m)
		}
	}
	return out
}

// text is a proposal's text as its artifacts need it.
type text struct {
	sections []mip.Section
	html     []byte
}

// Rendered keeps rendered texts in memory from one plan to the next, by the hash of the file: rendering takes most
// of a build's time, and a save changes one proposal. Texts that the last plan did not have are forgotten. The
// zero value is empty and ready. It is safe for concurrent use, but for plans that are made at the same time.
type Rendered struct {
	mu    sync.Mutex
	links string           // linkState of the plan
	last  map[string]*text // of the plan before, by key
	texts map[string]*text
}

// begin begins another plan. Texts whose links may lead elsewhere now are forgotten.
func (r *Rendered) begin(links string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.texts = r.texts, map[string]*text{}
	// A proposal that came or went may be the target of a link in any text.
	if links != r.links {
		r.links, r.last = links, nil
	}
}

// get returns a text of this plan or of the last one.
func (r *Rendered) get(key string) (*text, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t, ok := r.texts[key]; ok {
		return t, true
	}
	t, ok := r.last[key]
	if ok {
		r.texts[key] = t
	}
	return t, ok
}

// put keeps a text until the plan after the next.
func (r *Rendered) put(key string, t *text) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts[key] = t
}

// remove frees a text that no artifact needs any more.
func (r *Rendered) remove(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.texts, key)
}

// linkState is a hash of everything that decides how texts are rendered, but for the proposal itself: the site, and
// which proposals there are to link to.
func (p *planner) linkState() string {
	h := sha256.New()
	fmt.Fprintln(h, p.Site.BaseURL, p.Site.SourceURL, p.Site.Highlight)
	for _, c := range p.Proposals {
		fmt.Fprintln(h, c.ID, c.File)
	}
	return string(h.Sum(nil))
}

// textKey is the key of a proposal's text: its file's content, and where the links to other files lead.
func textKey(c *corpus.Proposal) string {
	return fmt.Sprintln(c.ContentHash, c.RepoPath, c.Commit, c.Local)
}

// text parses and renders a proposal, once for the artifacts that are made of it one after the other. After
// the last, [planner.dropText] frees the memory.
func (p *planner) text(c *corpus.Proposal) (*text, error) {
	key := textKey(c)
	if t, ok := p.texts.get(key); ok {
		return t, nil
	}
	// Parsing and rendering are outside of any lock: workers render different proposals at the same time.
	d := p.Read(c)
	article, err := p.md.Render(d, c.Title, func(dest string) (string, bool) { return p.link(c, dest) })
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", c.File, err)
	}
	t := &text{d.Sections, article.HTML}
	p.texts.put(key, t)
	return t, nil
}

// dropText forgets a proposal's text unless the caller of [NewPlan] keeps texts.
func (p *planner) dropText(c *corpus.Proposal) {
	if p.Rendered == nil {
		p.texts.remove(textKey(c))
	}
}
