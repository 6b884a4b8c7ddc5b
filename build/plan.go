package build

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/snapshot"
	"github.com/mipwatch/mipwatch/render"
	html "github.com/mipwatch/mipwatch/render/markdown"
)

// Artifact is one file of the published tree.
type Artifact struct {
	// Route is the address below the base URL. Empty for files that only the CDN reads.
	Route string
	// Pattern is Route with its variable parts named, such as /mip/{n}/.
	Pattern string
	// File is the slash-separated path in the output folder. It differs from Route where a route
	// cannot be a file because others lie below it.
	File string
	// Type is the media type with its charset.
	Type string
	// Cache is the Cache-Control value.
	Cache string
	// Body writes the bytes. It may be called from any goroutine, and more than once.
	Body func(io.Writer) error

	source string // file of the proposal that the artifact is made from; empty: of several
	index  bool   // names other artifacts, and is written after them: lists, feeds, sitemap, rewrites
	hashed bool   // File holds a hash of the bytes, which cost much: an existing file of that name has them
}

// Bytes returns the whole content. The error is a [MakeError].
func (a *Artifact) Bytes() ([]byte, error) {
	var b bytes.Buffer
	if err := a.Body(&b); err != nil {
		return nil, a.makeError(err)
	}
	return b.Bytes(), nil
}

// bodyOf is the Body of bytes that f makes.
func bodyOf(f func() ([]byte, error)) func(io.Writer) error {
	return func(w io.Writer) error {
		b, err := f()
		if err == nil {
			_, err = w.Write(b)
		}
		return err
	}
}

// fixed is the Body of bytes that exist already.
func fixed(b []byte) func(io.Writer) error {
	return bodyOf(func() ([]byte, error) { return b, nil })
}

// jsonOf is the Body of a JSON document, indented as all documents of the API are.
func jsonOf(v any) func(io.Writer) error {
	return bodyOf(func() ([]byte, error) { return api.JSON(v) })
}

// MakeError says that an artifact could not be made, whatever the folder is that it was meant for.
type MakeError struct {
	File   string // of the artifact
	Source string // file of the proposal that it is made from; empty: of several
	Err    error
}

// Error names the artifact; the folder is not at fault.
func (e *MakeError) Error() string { return fmt.Sprintf("make %s: %v", e.File, e.Err) }

// Unwrap returns the error of the body.
func (e *MakeError) Unwrap() error { return e.Err }

// makeError says that the artifact's body failed.
func (a *Artifact) makeError(err error) error { return &MakeError{a.File, a.source, err} }

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
	// Problems tell which figures of Options.Live are left out, and why. All are notices.
	Problems []mip.Problem

	baseURL  string
	kind     string        // of the proposals
	versions *corpus.Texts // of proposals with a history; nil: no artifact reads one
}

// producers add the artifacts of a plan, in this order. A new artifact is a new file with its producer, and a
// line here.
var producers = []func(*planner){
	(*planner).assets,
	(*planner).cards, // before the pages that name them
	(*planner).proposals,
	(*planner).histories,
	(*planner).upgrades,
	(*planner).api,
	(*planner).agents, // llms-full.txt takes longest: others are made at the same time
	(*planner).listings,
	(*planner).home,
	(*planner).feeds,
	(*planner).documentation,
	(*planner).about,
	(*planner).notFound,
	// Those that derive from all others come last.
	(*planner).sitemap,
	(*planner).redirects,
	(*planner).headers,
}

// planner is the input of the producers, and the plan so far.
type planner struct {
	Options
	*Content
	plan       *Plan
	md         *html.Renderer
	pages      *render.Pages // for pages that speak of the whole site
	stable     *render.Pages // for pages that speak of one proposal: knows neither counts nor commit
	info       mip.SiteInfo
	stableInfo mip.SiteInfo // info without the fields that every commit changes
	texts      *Rendered
}

// NewPlan lays out the published tree of a content that [Load] returned for the same options. It does not write,
// and renders no proposal: bodies are made when they are asked for. The error names a file that two artifacts
// claim, or a template that fails.
func NewPlan(c *Content, o Options) (*Plan, error) {
	p := &planner{
		Options: o, Content: c, md: html.New(o.Site.Highlight), info: siteInfo(c.Corpus, o.Site, c.Summaries),
		plan: &Plan{baseURL: o.Site.BaseURL, kind: o.Site.Prefix, versions: &corpus.Texts{}},
	}
	if p.texts = o.Rendered; p.texts == nil {
		p.texts = &Rendered{}
	}
	p.texts.begin(p.linkState())
	// A page that holds a count or the newest commit would change with every proposal.
	p.stableInfo = p.info
	p.stableInfo.Counts, p.stableInfo.Commit, p.stableInfo.CommittedAt, p.stableInfo.History = mip.SiteCounts{}, nil, nil, ""
	var err error
	var live *snapshot.Snapshot
	if o.Live != nil {
		live, p.plan.Problems = o.Live.Filter(c.Summaries, p.info, c.Forks)
	}
	if p.pages, err = render.NewPages(p.info, c.Forks, live, o.Notice); err != nil {
		return nil, err
	}
	if p.stable, err = render.NewPages(p.stableInfo, nil, live, o.Notice); err != nil {
		return nil, err
	}
	// Producers only name artifacts. The order matters to those that read the plan so far.
	for _, produce := range producers {
		produce(p)
	}
	return p.plan, p.plan.unique()
}

// add appends an artifact, filling in fields that follow from its route.
func (p *planner) add(a Artifact) {
	a.Pattern = strings.Replace(cmp.Or(a.Pattern, a.Route), "{kind}", strings.ToLower(p.Site.Prefix), 1)
	a.File = cmp.Or(a.File, fileOf(a.Route))
	a.Type = cmp.Or(a.Type, typeOf(a.File))
	a.Cache = cmp.Or(a.Cache, revalidate)
	p.plan.Artifacts = append(p.plan.Artifacts, a)
}

// addOf appends an artifact that is made of one proposal. pairs are as for [routeOf].
func (p *planner) addOf(c *corpus.Proposal, pattern string, body func(io.Writer) error, pairs ...string) {
	p.add(Artifact{Route: routeOf(pattern, c.ID, pairs...), Pattern: pattern, source: c.File, Body: body})
}

// addIndex appends an artifact that is made of the whole corpus and names other artifacts.
func (p *planner) addIndex(route string, body func() ([]byte, error)) {
	p.add(Artifact{Route: route, index: true, Body: bodyOf(body)})
}

// unique reports two artifacts of one file or one route. Files are compared without case: some file systems know
// none.
func (p *Plan) unique() error {
	files, routes := map[string]string{}, map[string]string{}
	for _, a := range p.Artifacts {
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

// each calls do for every artifact, on every processor: the leaves first and then, when all of them are done, the
// indexes. Neighbours of one source are done in order by one goroutine, so that they can share its text. The
// first error stops the others and is returned.
func (p *Plan) each(ctx context.Context, do func(*Artifact) error) error {
	if p.versions != nil {
		defer p.versions.Close()
	}
	for _, index := range []bool{false, true} {
		jobs := p.jobs(index)
		var next atomic.Int64
		group, ctx := errgroup.WithContext(ctx)
		// A goroutine for each job would grow its stack anew.
		for range runtime.GOMAXPROCS(0) {
			group.Go(func() error {
				for i := int(next.Add(1)) - 1; i < len(jobs); i = int(next.Add(1)) - 1 {
					for _, a := range jobs[i] {
						if ctx.Err() != nil {
							return context.Cause(ctx)
						}
						if err := do(a); err != nil {
							return err
						}
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// jobs are the artifacts that are indexes, or the others, neighbours of one source together.
func (p *Plan) jobs(index bool) (jobs [][]*Artifact) {
	for i := range p.Artifacts {
		a := &p.Artifacts[i]
		last := len(jobs) - 1
		switch {
		case a.index != index:
		case last >= 0 && a.source != "" && a.source == jobs[last][0].source:
			jobs[last] = append(jobs[last], a)
		default:
			jobs = append(jobs, []*Artifact{a})
		}
	}
	return jobs
}

// Trial makes every artifact and keeps none. It returns the problems of the proposals whose artifacts cannot be
// made. The error is ctx's, or a [MakeError] of an artifact that is made from several.
func (p *Plan) Trial(ctx context.Context) ([]mip.Problem, error) {
	var mu sync.Mutex
	var out []mip.Problem
	err := p.each(ctx, func(a *Artifact) error {
		err := a.Body(io.Discard)
		switch {
		case err == nil:
			return nil
		case a.source == "":
			return a.makeError(err)
		}
		mu.Lock()
		defer mu.Unlock()
		out = append(out, mip.Problem{Level: mip.Error, Code: "not-rendered", File: a.source, Message: err.Error()})
		return nil
	})
	return mip.SortProblems(out), err
}
