package build

import (
	"fmt"
	"strings"
	"sync"
	"weak"

	html "github.com/mipwatch/mipwatch/render/markdown"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/snapshot"
	"github.com/mipwatch/mipwatch/render"
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

	baseURL  string
	versions *corpus.Texts // of proposals with a history; nil: no artifact asks for one
}

// planner gathers what every producer reads, and the artifacts so far.
type planner struct {
	Options
	plan       *Plan
	corpus     *corpus.Corpus
	beside     *corpus.Committed
	summarised *Subjects
	md         *html.Renderer
	pages      *render.Pages // for pages that speak of the whole site
	stable     *render.Pages // for pages that speak of one proposal: knows neither counts nor commit
	info       mip.SiteInfo
	stableInfo mip.SiteInfo // info without what every commit changes
	forks      []mip.HardFork
	all        []mip.Summary  // ascending by number
	index      map[mip.ID]int // id -> position in all
	figures    *snapshot.Snapshot

	mu    sync.Mutex
	texts []weak.Pointer[text] // by position, while somebody holds them
}

// NewPlan lays out the published tree. It does not write, and renders no proposal: bodies are made
// when they are asked for. The error names a file that two artifacts claim, or a template that fails.
func NewPlan(c *Content, o Options) (*Plan, error) {
	p, err := newPlanner(c, o)
	if err != nil {
		return nil, err
	}
	for _, produce := range []func(){
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
		produce()
	}
	return p.plan, p.unique()
}

func newPlanner(c *Content, o Options) (*planner, error) {
	p := &planner{
		Options: o, corpus: c.Corpus, beside: c.Beside, summarised: &c.Subjects, md: html.New(o.Site.Highlight), index: map[mip.ID]int{},
		plan: &Plan{baseURL: o.Site.BaseURL, versions: &corpus.Texts{}}, texts: make([]weak.Pointer[text], len(c.Proposals)),
	}
	o.Rendered.next()
	p.all = summaries(c.Corpus, o.Site)
	for i, s := range p.all {
		p.index[s.ID] = i
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
		p.figures, p.plan.Problems = o.Live.Filter(p.all, p.info, p.forks)
		p.pages = p.pages.With(p.figures)
	}
	p.stable, err = render.NewPages(p.stableInfo, nil, o.Notice)
	return p, err
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
	p.add(Artifact{Route: route, Type: mediaType, index: true, Body: bodyOf(body)})
}

// json adds a document of the API that follows from the whole corpus.
func (p *planner) json(route string, v any) {
	p.add(Artifact{Route: route, File: route[1:] + ".json", Type: typeJSON, index: true, Body: jsonOf(v)})
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
