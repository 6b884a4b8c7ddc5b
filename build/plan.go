// Package build is the generator: it turns a corpus and a site into a Plan, an ordered list of
// artifacts with their bytes, and writes that plan into a folder (Sync), serves it (Publish) or
// copies the part that the sidecar needs (Snapshot).
//
// A build has three steps. [Load] reads everything into memory once. [NewPlan] is pure: its producers, one list below,
// name the files of the tree, and each artifact's Body makes the bytes when it is asked. [Sync] asks: a few workers
// make bodies, compare them with the files, and put only different ones in place.
//
// Four properties hold for every producer.
//
//   - The same input gives the same bytes. No body depends on the clock, the order of a map or the number of workers.
//     Pages about one proposal know neither counts nor commits, so that a change leaves the pages of the others alone.
//   - Indexes name only files that exist: they are written after all others, and removals come last. A build that is
//     killed leaves whole files, and the next one completes the tree.
//   - Rules of the CDN and the sitemap derive from the plan. The handler of a [Published] plan reads the same rules,
//     so that local and public answers agree.
//   - Names of the tree stand in routes.go. A file is removed only if the record says that a build wrote it.
//
// The package knows nothing of flags, exit codes or the environment, and leaves parsing to internal/corpus and
// formats to render.
package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/render"
	html "github.com/mipwatch/mipwatch/render/markdown"
	"golang.org/x/sync/errgroup"
)

// Options is the input of a build but for the files themselves.
type Options struct {
	// Site is required.
	Site *site.Site
	// Folders are the proposals' folders as the process sees them.
	Folders []string
	// Epoch, when set, replaces every time that git would give (SOURCE_DATE_EPOCH).
	Epoch *time.Time
	// Notice is a sentence above every page, such as that its figures are invented; empty: none.
	Notice string
	// NoAPIFallback leaves the rule for unknown routes below /api/ out of `_redirects`, for a host that
	// rules the live routes after that file and then has to rule all others itself.
	NoAPIFallback bool
	// Rendered, when set, keeps rendered texts for the next plan. Nil: each plan renders all.
	Rendered *Rendered
}

// Content is the input of a site's pages: the proposals, and the summaries and translations that are committed
// beside them. Its Problems are those of both. It is immutable after [Load] and safe for concurrent use.
type Content struct {
	*corpus.Corpus
	// Summaries are those of the corpus's proposals, in their order, completed by the site.
	Summaries []mip.Summary
	// Forks are those of the site, with their status.
	Forks []mip.HardFork
	// CommittedTexts has the summaries and translations.
	CommittedTexts *corpus.Committed
}

// Load reads the proposals and the summaries and translations that are committed beside them. Heavy texts are
// rendered once here, so that one which cannot be published is known before anything is written.
func Load(ctx context.Context, o Options) (*Content, error) {
	refused := map[string]mip.Problem{} // by file
	for {
		all, err := corpus.Load(ctx, corpus.Options{
			Prefix: o.Site.Prefix, Folders: o.Folders, Epoch: o.Epoch, Upstream: o.Site.UpstreamGit(),
			Addresses: o.Site.Addresses(), Refused: refused,
		})
		if err != nil {
			return nil, err
		}
		c := &Content{Corpus: all, Summaries: summaries(all, o.Site)}
		c.Forks = hardForks(o.Site, c.Summaries)
		if c.CommittedTexts, err = all.ReadCommitted(ctx, o.Site.Locales, c.Check); err != nil {
			return nil, err
		}
		c.Problems = mip.SortProblems(append(c.Problems, c.CommittedTexts.Problems...))
		before := len(refused)
		c.refuseTooLarge(o.Site, refused)
		// Links to a refused proposal lead to another address, so the others are tried again.
		if len(refused) == before {
			return c, nil
		}
	}
}

// refuseTooLarge adds the problems of heavy texts that cannot be rendered, by file.
func (c *Content) refuseTooLarge(s *site.Site, refused map[string]mip.Problem) {
	md := html.New(s.Highlight)
	for _, p := range c.Proposals {
		if p.Heavy {
			if _, err := md.Render(c.Read(p), p.Title, c.links(s, p)); err != nil {
				refused[p.File] = mip.Problem{Level: mip.Error, Code: "render-limit", File: p.File, Message: err.Error()}
			}
		}
		for _, t := range c.CommittedTexts.Translations(p.ID) {
			if !t.Heavy {
				continue
			}
			if _, err := md.Render(markdown.Join(t.Sections), t.Title, c.links(s, p)); err != nil {
				message := err.Error() + "; it is not published"
				refused[t.File] = mip.Problem{Code: "translation-invalid", File: t.File, Message: message}
			}
		}
	}
}

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
	// Body makes the bytes. It may be called from any goroutine, and more than once.
	Body func() ([]byte, error)

	// stream, when set, writes what Body returns. It is for files that are too large to be held in memory.
	stream func(io.Writer) error
	// source is the file of the proposal that the artifact is made from; empty: of several.
	source string
	// index marks an artifact that names others and is written after them: lists, feeds, sitemap, rewrites.
	index bool
	// hashed says that File holds a hash of the bytes, which cost much: an existing file of that name has them.
	hashed bool
}

// fixed is the Body of bytes that exist already.
func fixed(b []byte) func() ([]byte, error) {
	return func() ([]byte, error) { return b, nil }
}

// ErrMake is wrapped by the error of an artifact that could not be made, whatever the folder is that it was meant for.
var ErrMake = errors.New("make")

// Bytes returns the whole content. The error names the artifact and wraps [ErrMake].
func (a *Artifact) Bytes() ([]byte, error) {
	b, err := a.Body()
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrMake, a.File, err)
	}
	return b, nil
}

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

	baseURL string
	// kind is that of the proposals.
	kind string
	// problems are those of the content and of the texts' links, found once.
	problems func() []mip.Problem
	// versions are those of proposals with a history. Nil: no artifact reads one.
	versions *corpus.Texts
}

// producers add the artifacts of a plan, in this order. A new artifact is a new line of a producer, or a new
// producer and a line here.
var producers = []func(*planner){
	(*planner).assets, // with the cards, before the pages that name them
	(*planner).proposals,
	(*planner).histories,
	(*planner).upgrades,
	(*planner).documents, // llms-full.txt takes longest: others are made at the same time
	(*planner).lists,
	(*planner).sitePages,
	// Those that derive from all others come last.
	(*planner).sitemap,
	(*planner).redirects,
	(*planner).headers,
}

// planner is the input of the producers, and the plan so far.
type planner struct {
	Options
	*Content
	plan *Plan
	md   *html.Renderer
	// pages are for pages that speak of the whole site, and stable for those that speak of one proposal. That knows
	// neither counts nor commit, which would change each page with every proposal.
	pages, stable *render.Pages
	// stableInfo is info without the fields that every commit changes.
	info, stableInfo mip.SiteInfo
	texts            *Rendered
	// found has the links of each text that was rendered, by file: textLinks.
	found sync.Map
	// listed are the lists that each proposal is on, in the order of Summaries.
	listed [][]string
	// state is a hash of what decides how texts are rendered.
	state string
}

// NewPlan lays out the published tree of a content that [Load] returned for the same options. It does not write,
// and renders no proposal: bodies are made when they are asked for. The error names a file that two artifacts
// claim, or a template that fails.
func NewPlan(c *Content, o Options) (*Plan, error) {
	p := &planner{
		Options: o, Content: c, md: html.New(o.Site.Highlight), info: siteInfo(c, o.Site),
		plan:   &Plan{baseURL: o.Site.BaseURL, kind: o.Site.Prefix, versions: &corpus.Texts{}},
		listed: make([][]string, len(c.Summaries)),
	}
	p.beginTexts()
	p.plan.problems = sync.OnceValue(p.linkProblems)
	p.stableInfo = p.info
	p.stableInfo.Counts, p.stableInfo.Commit, p.stableInfo.CommittedAt, p.stableInfo.History = mip.SiteCounts{}, nil, nil, ""
	var err error
	if p.pages, err = render.NewPages(p.info, c.Forks, o.Notice); err != nil {
		return nil, err
	}
	if p.stable, err = render.NewPages(p.stableInfo, nil, o.Notice); err != nil {
		return nil, err
	}
	p.pages.Alone, p.stable.Alone = p.alone(), p.alone()
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
func (p *planner) addOf(c *corpus.Proposal, pattern string, body func() ([]byte, error), pairs ...string) {
	p.add(Artifact{Route: routeOf(pattern, c.ID, pairs...), Pattern: pattern, source: c.File, Body: body})
}

// addIndex appends an artifact that is made of the whole corpus and names other artifacts.
func (p *planner) addIndex(route string, body func() ([]byte, error)) {
	p.add(Artifact{Route: route, index: true, Body: body})
}

// unique reports two artifacts of one file or one route. Files are compared without case: some file systems know
// none.
func (p *Plan) unique() error {
	taken := map[string]string{} // files by their names in lower case, and by their routes
	// A route begins with a slash, and a file does not.
	for _, a := range p.Artifacts {
		for _, name := range []string{strings.ToLower(a.File), a.Route} {
			if other, ok := taken[name]; ok && name != "" {
				return fmt.Errorf("two artifacts for %s: %s and %s", name, other, a.File)
			}
			taken[name] = a.File
		}
	}
	return nil
}

// Snapshot writes into dir the files that a function embeds, since it is deployed as a binary alone: the
// JSON tree of /api/v1 and, in sidecar.json, the configuration of the live part, RPC addresses
// included. dir is kept as [Sync] keeps an output folder, and must not be published.
func Snapshot(ctx context.Context, p *Plan, dir string, s *site.Site) (Report, error) {
	carried := p.Documents()
	config := mip.SidecarConfig{Networks: append([]mip.Endpoints{}, s.Networks...)}
	carried.Artifacts = append(carried.Artifacts, Artifact{
		File: "sidecar.json", Type: typeJSON, index: true, Body: func() ([]byte, error) { return api.JSON(config) },
	})
	return Sync(ctx, carried, dir, SyncOptions{})
}

// Documents is the part of the plan that a sidecar reads: the JSON tree of /api/v1.
func (p *Plan) Documents() *Plan {
	out := &Plan{}
	for _, a := range p.Artifacts {
		if strings.HasPrefix(a.Route, "/api/v1/") {
			out.Artifacts = append(out.Artifacts, a)
		}
	}
	return out
}

// Check makes every artifact and keeps none. The error is ctx's, or wraps [ErrMake].
func (p *Plan) Check(ctx context.Context) error {
	return p.each(ctx, func(a *Artifact) error {
		if a.stream != nil {
			return a.stream(io.Discard)
		}
		_, err := a.Bytes()
		return err
	})
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
