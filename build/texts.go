package build

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/attachment"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/forks"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/once"
	"github.com/mipwatch/mipwatch/internal/requirement"
	html "github.com/mipwatch/mipwatch/render/markdown"
)

// Cache keeps from one build to the next what takes most of the time: texts as they were read and
// rendered, what the search index has of each, summaries by rules, and the history. A save changes
// one proposal and no commit. The zero value is empty and ready. It is safe for concurrent use.
type Cache struct {
	read      corpus.Cache
	byFile    sync.Map // of rendered
	searched  sync.Map // of searchable, by file
	summaries sync.Map // of keptSummary, by file
	history   history.Cache
	forks     forks.Cache
	attached  attachment.Cache
	named     once.Values[[]html.Named] // files, by hash of the text
}

// keptSummary is a summary by rules.
type keptSummary struct {
	// of is a hash of its input.
	of     [sha256.Size]byte
	sum    *api.Summary
	titles map[string]string // of [summary.Titles]
}

// rendered is a proposal's text as its page shows it.
type rendered struct {
	// of is a hash of its input.
	of       [sha256.Size]byte
	sections []mip.Section
	html     []byte
	links    textLinks
}

// cache returns the cache of the options, or an empty one.
func (c *Content) cache() *Cache { return cmp.Or(c.options.Cache, &Cache{}) }

// rendered renders a proposal's text, unless it is cached.
func (c *Content) rendered(p *corpus.Proposal, md *html.Renderer) (rendered, error) {
	t, ok := c.kept(p)
	if ok {
		return t, nil
	}
	d := c.doc(p)
	article, err := md.Render(d, p.Title, links{c, p})
	if err != nil {
		return t, err
	}
	t.sections, t.html = d.Sections, article.HTML
	t.links = newTextLinks(strings.Count(p.Raw, "\n")+1, d.Body, article)
	c.cache().byFile.Store(p.File, t)
	return t, nil
}

// kept returns a text that [Load] or an earlier build has rendered from the same input: the input
// of every text, the file, its pictures, and the values that decide where links to other files
// lead. Otherwise only the hash is set.
func (c *Content) kept(p *corpus.Proposal) (t rendered, ok bool) {
	from := fmt.Appendln(nil, c.linkable, p.ContentHash, p.RepoPath, p.Commit, p.Local,
		c.files.Entries(p.File))
	t.of = sha256.Sum256(from)
	if tried, ok := c.tried.Load(p.File); ok {
		return tried.(rendered), true
	}
	cached, _ := c.cache().byFile.Load(p.File)
	before, ok := cached.(rendered)
	if ok && before.of == t.of && !c.leadSomewhere(p, before.links.dropped) {
		return before, true
	}
	return t, false
}

// leadSomewhere reports whether a link that was dropped when a text was rendered leads to a file
// now.
func (c *Content) leadSomewhere(p *corpus.Proposal, dropped []droppedAt) bool {
	return slices.ContainsFunc(dropped, func(d droppedAt) bool {
		_, ok := links{c, p}.Link(d.Dest)
		return ok && !d.Picture && d.Undrawn == ""
	})
}

// linkable returns a hash of the input that the HTML of every text depends on: values of the site,
// and the proposals to link to.
func linkable(c *Content) string {
	s := c.options.Site
	b := fmt.Appendln(nil, s.BaseURL, s.SourceURL, s.UpstreamGit(), s.Highlight)
	for _, p := range c.Proposals {
		b = fmt.Appendln(b, p.ID, p.File)
	}
	sum := sha256.Sum256(b)
	return string(sum[:])
}

// text returns a proposal's text as its page shows it.
func (p *planner) text(c *corpus.Proposal) (rendered, error) {
	t := p.texts.Get(c.File, func() once.Result[rendered] { return once.ResultOf(p.render(c)) })
	return t.Value, t.Err
}

// requirementsOf returns the requirements in the text of the i-th proposal.
func (p *planner) requirementsOf(i int) []mip.Requirement {
	c := p.Proposals[i]
	return p.required.Get(c.File, func() []mip.Requirement {
		return requirement.Find(p.doc(c).Sections)
	})
}

// past has the texts of a proposal's versions and their headers, by their names in git. Missing
// texts and unreadable headers are left out.
type past struct {
	texts   map[string][]byte
	headers map[string]*header.Header
}

// pastOf reads the versions of a proposal.
func (p *planner) pastOf(c *corpus.Proposal) (past, error) {
	t := p.pasts.Get(c.File, func() once.Result[past] {
		texts, err := p.versions.Read(c.History)
		out := past{texts, map[string]*header.Header{}}
		byHead := map[string]*header.Header{} // most versions have the same
		for blob, text := range texts {
			head, _, closed := strings.Cut(string(text), "\n---\n")
			h := byHead[head]
			if h == nil || !closed || h.Body == 0 {
				h = p.HeaderOf(c, text)
				byHead[head] = h
			}
			if h != nil {
				out.headers[blob] = h
			}
		}
		return once.ResultOf(out, err)
	})
	return t.Value, t.Err
}

// compared returns the versions of a proposal with their differences.
func (p *planner) compared(c *corpus.Proposal) (mip.History, error) {
	t := p.compares.Get(c.File, func() once.Result[mip.History] {
		return once.ResultOf(p.compare(c))
	})
	return t.Value, t.Err
}

// render renders a proposal's text, unless it is cached, and stores its links.
func (p *planner) render(c *corpus.Proposal) (rendered, error) {
	t, err := p.rendered(c, p.md)
	if err != nil {
		return t, fmt.Errorf("render %s: %w", c.File, err)
	}
	p.found.Store(c.File, t.links)
	return t, nil
}

// summary returns the summary of the i-th proposal: the committed one, even of an older text, else
// one by rules. Its time is the time of the text, so that the same proposals make the same files.
func (p *planner) summary(i int) *api.Summary {
	if p.Committed[i] != nil {
		return p.Committed[i]
	}
	return p.ruled(i).sum
}

// ruled returns the summary of the i-th proposal by rules.
func (p *planner) ruled(i int) keptSummary {
	return p.summaries.Get(p.Proposals[i].File, func() keptSummary { return p.byRules(i) })
}

// byRules makes the summary of the i-th proposal by rules, unless it is cached.
func (p *planner) byRules(i int) keptSummary {
	m, file := p.Metadata[i], p.Proposals[i].File
	fork, bundled := summary.Context(p.info.Prefix, m, p.Metadata, p.Forks)
	// Metadata contains the hash of the text. Encoding these types cannot fail.
	from, _ := api.JSON([]any{m, fork, bundled})
	next := keptSummary{of: sha256.Sum256(from)}
	cache := p.cache()
	if before, ok := cache.summaries.Load(file); ok && before.(keptSummary).of == next.of {
		return before.(keptSummary)
	}
	subject := p.Subject(i)
	switch {
	case m.Updated != nil:
		subject.Now = m.Updated.UTC()
	case !m.Created.IsZero():
		subject.Now = m.Created.Time()
	}
	next.sum = new(summary.Extract(subject))
	next.titles = summary.Titles(subject, *next.sum)
	cache.summaries.Store(file, next)
	return next
}

// translation renders a committed translation. Its links are relative to the proposal's file.
func (p *planner) translation(
	c *corpus.Proposal, t corpus.CommittedTranslation,
) (*html.Article, error) {
	d := markdown.Join(t.Sections)
	article, err := p.md.Render(d, t.Title, links{p.Content, c})
	if err != nil {
		return nil, fmt.Errorf("render the translation of %s into %s: %w", c.File, t.Locale, err)
	}
	p.found.Store(t.File, newTextLinks(t.Lines, d.Body, article))
	return article, nil
}
