package build

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/companion"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/figures"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/markdown"
)

// Plan is the whole published tree: which file has which bytes. It is immutable and safe for
// concurrent use.
type Plan struct {
	// Artifacts are in the order in which they are made; no two share a File or a Route.
	Artifacts []Artifact
	// Redirects are the rules of the CDN, in order: the first whose From matches a path without a
	// file applies.
	Redirects []Redirect
	// Headers are the response headers of the CDN by path.
	Headers []Header
	// Problems tell what of Options.Live is left out, and why. All are notices.
	Problems []mip.Problem

	baseURL string
}

// planner gathers what every producer reads, and the artifacts so far.
type planner struct {
	Options
	plan       *Plan
	corpus     *corpus.Corpus
	beside     *companion.Set
	md         *markdown.Renderer
	pages      *render.Pages // for pages that speak of the whole site
	stable     *render.Pages // for pages that speak of one proposal: knows neither counts nor commit
	info       mip.SiteInfo
	stableInfo mip.SiteInfo // info without what every commit changes
	forks      []mip.HardFork
	all        []mip.Summary // ascending by number
	index      map[int]int   // number -> position in all
	keys       []string      // of each summary, and so of its text, by position
	wholeKey   string        // key of whatever follows from the whole corpus
	listsKey   string        // key of what all lists show: the site's own settings and which forks have a page
	texts      scratch       // of proposals as HTML, until they stand in a page
	figures    *figures.Figures
	heatOf     map[int]int // from them
}

// NewPlan lays out the published tree. It does not write, and renders no proposal: bodies are made
// when they are asked for. The error names a file that two artifacts claim, or a template that fails.
func NewPlan(c *Content, o Options) (*Plan, error) {
	p, err := newPlanner(c, o)
	if err != nil {
		return nil, err
	}
	for _, produce := range []func() error{
		p.assets,
		p.cards, // before the pages that name them
		p.proposals,
		p.histories,
		p.upgrades,
		p.api,
		p.agents, // llms-full.txt takes longest: others are made beside it
		p.listings,
		p.home,
		p.feeds,
		p.documentation,
		p.about,
		p.notFound,
		// What derives from the others comes last.
		p.sitemap,
		p.redirects,
		p.headers,
	} {
		if err := produce(); err != nil {
			return nil, err
		}
	}
	return p.plan, p.unique()
}

func newPlanner(c *Content, o Options) (*planner, error) {
	p := &planner{Options: o, plan: &Plan{baseURL: o.Site.BaseURL}, corpus: c.Corpus, beside: c.Beside, md: o.Memo.markdown(o.Site.Highlight), index: map[int]int{}}
	p.all = summaries(c.Corpus, o.Site)
	for i, s := range p.all {
		p.index[s.Number] = i
	}
	p.info = siteInfo(c.Corpus, o.Site, p.all)
	p.forks = hardForks(o.Site, p.all)
	p.stableInfo = p.info
	p.stableInfo.Counts, p.stableInfo.Commit, p.stableInfo.CommittedAt, p.stableInfo.History = mip.SiteCounts{}, nil, nil, ""
	var err error
	if p.pages, err = render.NewPages(p.info, p.forks, o.Notice); err != nil {
		return nil, err
	}
	if o.Live != nil {
		p.figures, p.plan.Problems = o.Live.Hold(p.all, p.info, p.forks)
		p.heatOf = p.figures.Heat()
		p.pages = p.pages.With(p.figures)
	}
	if p.stable, err = render.NewPages(p.stableInfo, nil, o.Notice); err != nil {
		return nil, err
	}
	p.keys = make([]string, len(p.all))
	for i, s := range p.all {
		if p.keys[i], err = keyOf(o.Producer, s, o.Notice); err != nil {
			return nil, err
		}
	}
	forks := make([]string, 0, len(p.forks))
	for _, f := range p.forks {
		forks = append(forks, f.Name)
	}
	if p.listsKey, err = keyOf(p.Producer, p.stableInfo, forks, p.Notice); err != nil {
		return nil, err
	}
	p.wholeKey, err = keyOf(o.Producer, p.info, p.forks, p.keys, o.Site.Highlight, o.Notice)
	return p, err
}

// figured is the key of a page that follows from the whole corpus and shows figures of a moment.
func (p *planner) figured() (string, error) {
	if p.figures == nil {
		return p.wholeKey, nil
	}
	return keyOf(p.Producer, p.wholeKey, p.figures)
}

// add appends an artifact, filling in what most have in common.
func (p *planner) add(a Artifact) {
	if a.Pattern == "" {
		a.Pattern = a.Route
	}
	if a.File == "" {
		a.File = strings.TrimPrefix(a.Route, "/")
		if a.File == "" || strings.HasSuffix(a.File, "/") {
			a.File += "index.html"
		}
	}
	if a.Cache == "" {
		a.Cache = revalidate
	}
	p.plan.Artifacts = append(p.plan.Artifacts, a)
}

// whole adds an artifact that follows from the whole corpus and is an index of it.
func (p *planner) whole(route, mediaType string, body func() ([]byte, error)) {
	p.add(Artifact{Route: route, Type: mediaType, Body: made(body), phase: index, key: p.wholeKey})
}

func (p *planner) unique() error {
	files, routes := map[string]string{}, map[string]string{}
	for _, a := range p.plan.Artifacts {
		fold := strings.ToLower(a.File)
		if other, ok := files[fold]; ok {
			return fmt.Errorf("two artifacts for one file: %s and %s", other, a.File)
		}
		files[fold] = a.File
		if other, ok := routes[a.Route]; ok && a.Route != "" {
			return fmt.Errorf("two artifacts for route %s: %s and %s", a.Route, other, a.File)
		}
		routes[a.Route] = a.File
	}
	return nil
}

// summaries completes the corpus's summaries with what follows from the site.
func summaries(c *corpus.Corpus, s *site.Site) []mip.Summary {
	forkOf := map[int]string{}
	for _, f := range s.HardForks {
		for _, n := range f.BundledMIPs {
			if _, ok := forkOf[n]; !ok {
				forkOf[n] = f.Name
			}
		}
		if f.MetaMIP != nil {
			forkOf[*f.MetaMIP] = f.Name
		}
	}
	all := make([]mip.Summary, len(c.Proposals))
	for i, p := range c.Proposals {
		m := p.Summary
		m.URL = s.URL(pageRoute(m.Number))
		m.APIURL = s.URL(apiRoute(m.Number))
		m.MarkdownURL = s.URL(markdownRoute(m.Number))
		if link, ok := sourceLink(s, p, p.RepoPath); ok {
			m.SourceURL = &link
		}
		if name, ok := forkOf[m.Number]; ok {
			m.Hardfork = &name
		}
		if foreignTopic(s, m) {
			m.ForumTopicID = nil
		}
		if o, ok := s.Overrides[m.Number]; ok {
			if o.DiscussionsTo != nil {
				m.DiscussionsTo, m.ForumTopicID = o.DiscussionsTo, corpus.Topic(*o.DiscussionsTo)
			}
			m.ForumTopicID = first(o.ForumTopicID, m.ForumTopicID)
			m.Hardfork = first(o.Hardfork, m.Hardfork)
		}
		all[i] = m
	}
	return all
}

// foreignTopic reports whether the topic number was read from a link to another forum than the site's.
func foreignTopic(s *site.Site, m mip.Summary) bool {
	if s.Forum == "" || m.ForumTopicID == nil || m.DiscussionsTo == nil {
		return false
	}
	linked := corpus.Topic(*m.DiscussionsTo)
	return linked != nil && *linked == *m.ForumTopicID && !strings.HasPrefix(strings.ToLower(*m.DiscussionsTo), strings.ToLower(s.Forum)+"/")
}

func first[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

// sourceLink is the address of a file of the repository as of the commit that last changed the
// proposal, so that another proposal's commit does not change it.
func sourceLink(s *site.Site, p *corpus.Proposal, repoPath string) (string, bool) {
	return sourceLinkAt(s, p, cmp.Or(p.Commit, "HEAD"), repoPath)
}

// sourceLinkAt is the address of a file of the proposal's repository as of a commit. Where texts are synced,
// source_url leads to the upstream, which does not hold the others.
func sourceLinkAt(s *site.Site, p *corpus.Proposal, commit, repoPath string) (string, bool) {
	if s.SourceURL == "" || p.Local || repoPath == ".." || strings.HasPrefix(repoPath, "../") {
		return "", false
	}
	segments := strings.Split(repoPath, "/")
	for i, seg := range segments {
		segments[i] = url.PathEscape(seg)
	}
	// An escaped path holds no brace.
	return strings.ReplaceAll(strings.ReplaceAll(s.SourceURL, "{path}", strings.Join(segments, "/")), "{commit}", commit), true
}

func siteInfo(c *corpus.Corpus, s *site.Site, all []mip.Summary) mip.SiteInfo {
	info := mip.SiteInfo{
		Title: s.Title, Description: s.Description, Prefix: s.Prefix, BaseURL: s.BaseURL,
		Networks: s.PublicNetworks(), Locales: slices.Clone(s.Locales), History: c.History,
		Counts: mip.SiteCounts{Total: len(all), ByStatus: map[string]int{}, ByCategory: map[string]int{}},
	}
	if info.Locales == nil {
		info.Locales = []string{}
	}
	if s.Forum != "" {
		info.Forum = &s.Forum
	}
	if c.Commit != "" {
		info.Commit, info.CommittedAt = &c.Commit, c.Committed
	}
	for _, m := range all {
		info.Counts.ByStatus[string(m.Status)]++
		info.Counts.ByCategory[word(m.Category)]++
	}
	return info
}

// hardForks judges the configured forks by the newest change of a proposal: the last moment of which
// the input speaks.
func hardForks(s *site.Site, all []mip.Summary) []mip.HardFork {
	newest := updatedAt(all)
	forks := make([]mip.HardFork, len(s.HardForks))
	for i, f := range s.HardForks {
		f.Activation = maps.Clone(f.Activation)
		f.BundledMIPs = append([]int{}, f.BundledMIPs...)
		for n, o := range s.Overrides {
			if o.Hardfork != nil && *o.Hardfork == f.Name && !slices.Contains(f.BundledMIPs, n) && (f.MetaMIP == nil || *f.MetaMIP != n) {
				f.BundledMIPs = append(f.BundledMIPs, n)
			}
		}
		slices.Sort(f.BundledMIPs)
		if f.Activation == nil {
			f.Activation = map[string]mip.Activation{}
		}
		f.Status = f.StatusAt(s.PublicNetworks(), func(string) time.Time { return newest.UTC() })
		forks[i] = f
	}
	return forks
}

// updatedAt is the newest change, zero when no proposal has a date.
func updatedAt(all []mip.Summary) mip.Time {
	var newest mip.Time
	for _, m := range all {
		if m.Updated != nil && m.Updated.UTC().After(newest.UTC()) {
			newest = *m.Updated
		}
	}
	return newest
}

func word(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// problems are the corpus's problems as they are published: a file is named by its folder's last name
// and its own, since the path before them belongs to the machine.
func (p *planner) problems() []mip.Problem {
	var pairs []string
	for _, dir := range p.Folders {
		dir = filepath.ToSlash(filepath.Clean(dir))
		pairs = append(pairs, dir+"/", path.Base(dir)+"/")
		if dir != "." {
			pairs = append(pairs, dir, path.Base(dir))
		}
	}
	public := strings.NewReplacer(pairs...)
	out := make([]mip.Problem, 0, len(p.corpus.Problems))
	for _, q := range p.corpus.Problems {
		q.File, q.Message = public.Replace(q.File), public.Replace(q.Message)
		out = append(out, q)
	}
	return mip.SortProblems(out)
}
