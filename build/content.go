package build

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/attachment"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/forks"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/once"
	"github.com/mipwatch/mipwatch/internal/problem"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/upgrade"
	"github.com/mipwatch/mipwatch/render"
	html "github.com/mipwatch/mipwatch/render/markdown"
	"golang.org/x/sync/errgroup"
)

// Content is the input of a site: the proposals with their committed summaries and translations. It
// is immutable after [Load] and safe for concurrent use.
type Content struct {
	*corpus.Corpus
	// Metadata is the metadata of the corpus's proposals, in their order, completed by the site.
	Metadata []mip.Metadata
	// Forks are the hard forks of the site, with their status.
	Forks []mip.HardFork
	// Committed has the committed summary of each proposal that agrees with its text, else nil.
	Committed []*api.Summary
	titles    []map[string]string // of the sections that they quote
	// Problems are the problems of the corpus and of its committed summaries.
	Problems []mip.Problem

	options Options
	// upgradeTexts are the texts that may define upgrades.
	upgradeTexts []upgrade.Text
	// linkable is a hash of the input that the HTML of every text depends on.
	linkable string
	// docs caches parsed texts. A plan forgets each when its files are made.
	docs once.Values[*markdown.Document]
	// files are the files that the texts name.
	files *attachment.Set
	// tried has the texts that [Load] has rendered to see their size, by file.
	tried sync.Map // of rendered
}

// Load reads the proposals with their committed summaries and translations. It renders texts whose
// HTML may become too large, so that such a text is refused before anything is written.
func Load(ctx context.Context, o Options) (*Content, error) {
	all, err := corpus.Load(ctx, o.Corpus())
	if err != nil {
		return nil, err
	}
	c := newContent(all, o)
	// Links to a refused text change their address, so the others are tried again.
	for refused := c.tooLarge(); len(refused) > 0; refused = c.tooLarge() {
		c = newContent(c.Without(refused), o)
	}
	return c, c.checkCommitted(ctx)
}

// newContent completes a corpus by the configuration of the site.
func newContent(all *corpus.Corpus, o Options) *Content {
	c := &Content{Corpus: all, Metadata: metadata(all, o.Site), Problems: all.Problems, options: o}
	c.upgradeTexts = c.readUpgrades()
	merged, differences := upgrade.Merge(o.Site.Forks(), c.upgradeTexts)
	networks, main := o.Site.PublicNetworks(), mip.ID{Kind: o.Site.Prefix}
	mip.Judge(merged, main, networks, mip.NewestChange(c.Metadata, c.CommittedAt))
	c.Forks, c.Problems = merged, mip.SortProblems(slices.Concat(c.Problems, differences))
	for i := range c.Metadata {
		m := &c.Metadata[i]
		for _, f := range c.Forks {
			if m.Hardfork == nil && m.ID.Kind == main.Kind && f.Concerns(m.Number) {
				m.Hardfork = &f.Name
			}
			if m.Hardfork != nil && f.Name == *m.Hardfork {
				m.Activations = f.Activations(networks)
			}
		}
		p := c.Proposals[i]
		if m.Hardfork != nil && len(networks) > 0 && upgrade.Scheduled(p.Body) {
			m.StatedActivations = upgrade.Stated(c.doc(p), networks)
		}
	}
	c.linkable = linkable(c)
	c.files = c.findFiles()
	return c
}

// readUpgrades reads the texts that may define upgrades.
func (c *Content) readUpgrades() (out []upgrade.Text) {
	reader := forks.TextReader(c.options.Site)
	for i, p := range c.Proposals {
		if m := c.Metadata[i]; m.ID.Kind == c.options.Site.Prefix && upgrade.Candidate(m, p.Body) {
			head := strings.Count(p.Raw, "\n") - strings.Count(p.Body, "\n")
			out = append(out, reader.Read(upgrade.Source{
				Metadata: m, File: p.File, Head: head, Doc: c.doc(p),
			}))
		}
	}
	return out
}

// mostTried bounds the HTML of texts that is kept from Load for the plan, in bytes.
const mostTried = 64 << 20

// tooLarge are the problems of the texts whose HTML would be out of proportion. The HTML of others
// is kept, within bounds: these are the texts that take longest.
func (c *Content) tooLarge() (out []mip.Problem) {
	total := 0
	md := html.New(c.options.Site.Highlight)
	for _, p := range c.Proposals {
		if p.NeedsTrialRender {
			t, err := c.rendered(p, md)
			if err != nil {
				out = append(out, mip.Problem{
					Level: mip.Error, Code: "render-limit", File: p.File, Message: err.Error(),
				})
			} else if total += len(t.html); total <= mostTried {
				c.tried.Store(p.File, t)
			}
			c.docs.Forget(p.File)
		}
		for _, t := range p.Translations {
			if !t.NeedsTrialRender {
				continue
			}
			if _, err := md.Render(markdown.Join(t.Sections), t.Title, links{c, p}); err != nil {
				message := err.Error() + "; it is not published"
				out = append(out, mip.Problem{
					Level: mip.Warning, Code: "translation-invalid", File: t.File, Message: message,
				})
			}
		}
	}
	return out
}

// checkCommitted compares the committed summaries with the texts, on every processor.
func (c *Content) checkCommitted(ctx context.Context) error {
	n := len(c.Proposals)
	c.Committed, c.titles = make([]*api.Summary, n), make([]map[string]string, n)
	found := make([][]mip.Problem, n)
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range c.Proposals {
		if p.CommittedSummary == nil {
			continue
		}
		workers.Go(func() error {
			if ctx.Err() == nil {
				c.Committed[i], found[i] = c.checked(i)
				c.docs.Forget(p.File)
			}
			return ctx.Err()
		})
	}
	if err := workers.Wait(); err != nil {
		return fmt.Errorf("check committed summaries: %w", err)
	}
	c.Problems = mip.SortProblems(slices.Concat(c.Problems, slices.Concat(found...)))
	return nil
}

// checked returns the committed summary of the i-th proposal and the problem that it has. The
// summary is nil if the text does not support it.
func (c *Content) checked(i int) (*api.Summary, []mip.Problem) {
	committed, s := c.Proposals[i].CommittedSummary, c.Subject(i)
	sum := committed.Summary
	summary.Complete(sum, s)
	refused := summary.Check(*sum, s)
	c.titles[i] = summary.Titles(s, *sum)
	problems := func(id string, args ...any) []mip.Problem {
		return []mip.Problem{problem.New(committed.File, 0, id, args...)}
	}
	switch {
	case refused != nil:
		id := "summary-refused"
		if sum.Stale {
			id = "summary-refused/stale"
		}
		return nil, problems(id, strings.ReplaceAll(refused.Error(), "\n", "; "))
	case sum.Stale:
		return sum, problems("summary-stale")
	}
	return sum, nil
}

// metadata completes the metadata of the corpus with the fields that follow from the site.
func metadata(c *corpus.Corpus, s *site.Site) []mip.Metadata {
	forkOf := s.ForkOf()
	all := make([]mip.Metadata, len(c.Proposals))
	for i, p := range c.Proposals {
		m := p.Metadata
		m.URL = s.URL(m.ID.Page())
		m.APIURL = s.URL(routeOf(s.Prefix, apiRoute, m.ID))
		m.MarkdownURL = s.URL(routeOf(s.Prefix, markdownRoute, m.ID))
		m.Hardfork = forkOf[m.ID]
		if link, ok := sourceLink(s, p, "", p.RepoPath); ok {
			m.SourceURL = &link
		}
		// An override of site.yaml wins over the header; a new link brings its own topic.
		o := s.Overrides[m.ID]
		if o.DiscussionsTo != nil {
			m.DiscussionsTo, m.ForumTopicID = o.DiscussionsTo, mip.Topic(*o.DiscussionsTo)
			isIt := func(address string) bool { return address == *o.DiscussionsTo }
			others := slices.DeleteFunc(slices.Clone(m.Discussions), isIt)
			m.Discussions = append([]string{*o.DiscussionsTo}, others...)
		}
		if s.ForeignTopic(m) {
			m.ForumTopicID = nil
		}
		// Drop the number on a site without a forum.
		if m.ForumTopicID = cmp.Or(o.ForumTopicID, m.ForumTopicID); s.Forum == "" {
			m.ForumTopicID = nil
		}
		all[i] = m
	}
	return all
}

// sourceLink is the address of a file of the proposal's repository as of a commit; empty: the one
// that last changed the proposal, so that another proposal's commit does not change the address.
// Where texts are synced, source_url leads to the upstream, which does not hold the others.
func sourceLink(s *site.Site, p *corpus.Proposal, commit, repoPath string) (string, bool) {
	if p.Local || repoPath == "" {
		return "", false
	}
	return s.Source(cmp.Or(commit, p.Commit, "HEAD"), repoPath)
}

// mostFullText is how many bytes the texts of all proposals may have together for llms-full.txt: no
// model reads more at once.
const mostFullText = 1_000_000

// siteInfo is the document of /api/v1/site. It holds no RPC address: those may carry keys.
func siteInfo(c *Content, s *site.Site) mip.SiteInfo {
	info := mip.SiteInfo{
		Site: s.Public(), History: c.History,
		Counts: mip.SiteCounts{
			Total: len(c.Metadata), ByKind: map[string]int{}, ByStatus: map[string]int{},
			ByCategory: map[string]int{},
		},
	}
	size := 0
	for _, p := range c.Proposals {
		size += len(p.Raw)
	}
	info.FullText = size <= mostFullText
	if c.Commit != "" {
		info.Commit, info.CommittedAt = &c.Commit, c.CommittedAt
	}
	for _, m := range c.Metadata {
		info.Counts.ByKind[m.ID.Kind]++
		info.Counts.ByStatus[string(m.Status)]++
		info.Counts.ByCategory[mip.Deref(m.Category)]++
	}
	return info
}

// brandOf is the brand of the pages.
func brandOf(s *site.Site) render.Brand {
	out := render.Brand{
		Name: s.Brand.Name, Logo: (*render.Logo)(s.Brand.Picture), Colors: s.Brand.Colors,
	}
	for _, line := range s.Brand.Footer {
		out.Footer = append(out.Footer, render.FooterLine(line))
	}
	return out
}

// publicProblems are all problems as they are published: a file is named by its folder's last name
// and its own, since the path before them belongs to the machine.
func (p *planner) publicProblems(texts []mip.Problem) []mip.Problem {
	var pairs []string
	for _, dir := range p.Folders {
		dir = filepath.ToSlash(dir)
		pairs = append(pairs, dir+"/", path.Base(dir)+"/")
		if dir != "." {
			pairs = append(pairs, dir, path.Base(dir))
		}
	}
	public := strings.NewReplacer(pairs...)
	out := slices.Concat(p.Problems, texts)
	for i := range out {
		out[i].File, out[i].Message = public.Replace(out[i].File), public.Replace(out[i].Message)
	}
	return mip.FoldProblems(mip.SortProblems(out))
}

// Subject is the input for a summary of the i-th proposal: the proposal with its sections, its fork
// and, for a fork's meta proposal, the proposals that the fork bundles. Now is not set.
func (c *Content) Subject(i int) summary.Subject {
	fork, bundled := summary.Context(c.options.Site.Prefix, c.Metadata[i], c.Metadata, c.Forks)
	text := prose.InSections(c.doc(c.Proposals[i]))
	out := summary.Subject{Proposal: c.read(i), Prose: text, Fork: fork}
	for _, m := range bundled {
		k, _ := mip.Search(c.Metadata, m.ID)
		out.Bundled = append(out.Bundled, c.read(k))
	}
	return out
}

// read parses the i-th proposal's text into sections. Fields that only the published document has
// are not set.
func (c *Content) read(i int) *mip.Proposal {
	p := c.Proposals[i]
	return &mip.Proposal{Metadata: c.Metadata[i], RawMarkdown: p.Raw, Sections: c.doc(p).Sections}
}

// doc parses a proposal's text.
func (c *Content) doc(p *corpus.Proposal) *markdown.Document {
	return c.docs.Get(p.File, func() *markdown.Document { return markdown.Parse(p.Body) })
}

// Outdated returns the committed summaries to make: missing ones, refused ones, summaries of an
// older text and, if model is not empty, of another source. It skips a proposal with several files
// for its summary, which is a problem of the corpus.
func (c *Content) Outdated(model string) []ai.Outdated {
	var out []ai.Outdated
	for i, p := range c.Proposals {
		dir, name, ok := c.SummaryFile(p)
		if sum := c.Committed[i]; sum != nil && !sum.Stale && (model == "" || sum.Source == model) {
			continue
		}
		if ok {
			subject := func() summary.Subject {
				defer c.docs.Forget(p.File)
				return c.Subject(i)
			}
			out = append(out, ai.Outdated{File: p.File, Dir: dir, Name: name, Subject: subject})
		}
	}
	return out
}
