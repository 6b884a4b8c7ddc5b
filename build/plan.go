// Package build is the generator: it turns a corpus and a site into a Plan, an ordered list of
// artifacts with their bytes, and writes that plan into a folder (Sync), serves it (Publish) or
// copies the part that the sidecar needs (Snapshot).
//
// A build has three steps. [Load] reads everything into memory once. [NewPlan] names the files of
// the tree, and each artifact's Body makes the bytes when it is asked. [Sync] asks: a few workers
// make bodies, compare them with the files, and put only different ones in place.
//
// Four properties hold for every artifact.
//
//   - The same input gives the same bytes. No body depends on the clock, the order of a map or the
//     number of workers. Pages about one proposal contain neither counts nor the commit of the
//     site, so that a change leaves the pages of the others alone.
//   - Indexes name only files that exist: they are written after all others, and removals come
//     last. A build that is killed leaves whole files, and the next one completes the tree.
//   - Rules of the CDN and the sitemap derive from the plan. A [Published] plan reads the same
//     rules, so that local and public answers agree.
//   - The names of the tree are in routes.go. A file is removed only if a build has recorded it.
//
// The package does not know flags, exit codes or the environment. It leaves parsing to
// internal/corpus and formats to render.
package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/forks"
	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/once"
	"github.com/mipwatch/mipwatch/internal/redirect"
	"github.com/mipwatch/mipwatch/render"
	html "github.com/mipwatch/mipwatch/render/markdown"
	"golang.org/x/sync/errgroup"
)

// Artifact is one file of the published tree.
type Artifact struct {
	// Route is the address below the base URL. It is empty for files that only the CDN reads.
	Route string
	// Pattern is Route with its variable parts named, such as /mip/{n}/.
	Pattern string
	// File is the slash-separated path in the output folder. It differs from Route where a route
	// cannot be a file because others lie below it.
	File string
	// Cache is the Cache-Control value.
	Cache string
	// Body makes the bytes. It may be called from any goroutine, and more than once.
	Body func() ([]byte, error)

	// of is the proposal whose file this is, or nil.
	of *corpus.Proposal
	// index marks an artifact that names others and is written after them: lists, feeds, sitemap,
	// rewrites.
	index bool
}

// Type is the media type with its charset.
func (a *Artifact) Type() string {
	return cmp.Or(types[path.Base(a.File)], types[path.Ext(a.File)], "text/plain; charset=utf-8")
}

// hashed reports whether File contains a hash of the bytes' input, so that an existing file need
// not be made again.
func (a *Artifact) hashed() bool { return strings.Contains(a.Pattern, "{hash}") }

// fixed returns a Body of existing bytes.
func fixed(b []byte) func() ([]byte, error) {
	return func() ([]byte, error) { return b, nil }
}

// ErrMake is wrapped by errors of artifacts, as opposed to errors of the output folder.
var ErrMake = errors.New("make")

// Bytes returns the whole content. The error names the artifact and wraps [ErrMake].
func (a *Artifact) Bytes() ([]byte, error) {
	b, err := a.Body()
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrMake, a.File, err)
	}
	return b, nil
}

// Plan is the published tree: its files and their bytes. It is immutable and safe for concurrent
// use.
type Plan struct {
	// Artifacts are in the order in which they are made; no two share a File or a Route. The files
	// of the search index are not among them, since their names depend on all texts: see
	// [Plan.Index].
	Artifacts []Artifact
	// Redirects are the rules of the CDN: the first one that covers a path without a file applies.
	// A host that cannot express a rule of a form gets several in its place.
	Redirects []redirect.Rule
	// Headers are the response headers of the CDN by path.
	Headers []Header

	// made is what the artifacts are made from.
	made *planner
}

// planner is the input of a plan and the unfinished plan.
type planner struct {
	*Content
	plan *Plan
	md   *html.Renderer
	// context ends the making of the search index.
	context context.Context
	// versions reads the versions of proposals with a history.
	versions history.Reader
	// pages renders all pages.
	pages     *render.Pages
	info      mip.SiteInfo
	brand     render.Brand
	relations *render.Relations
	// tied are the relations of the proposals, in the order of Metadata.
	tied *mip.Relations
	// years are the years of events, ascending. allEvents returns the events, and timeline returns
	// them as entries of feeds. forkPast returns the history of the texts of upgrades.
	years     []int
	allEvents func() (eventList, error)
	forkPast  func() (forks.Past, error)
	timeline  func() (*timeline, error)
	// listed are the lists of each proposal, in the order of Metadata.
	listed [][]string
	// summaries caches the summaries by rules, which several pages need.
	summaries once.Values[keptSummary]
	// forRoles makes the documents of the groups once, in the order of [api.Roles].
	forRoles func() []api.Role
	// searched caches the proposals as the search index has them. searchIndex makes the index once.
	searched    once.Values[once.Result[searchable]]
	searchIndex func() (*searchIndex, error)
	// texts, required, pasts and compares cache what several files of a proposal need, until all of
	// them are made.
	texts    once.Values[once.Result[rendered]]
	required once.Values[[]mip.Requirement]
	pasts    once.Values[once.Result[past]]
	compares once.Values[once.Result[mip.History]]
	// found has the textLinks of each rendered text, by file.
	found sync.Map
	// problems are the problems of these links, which are searched once.
	problems []mip.Problem
	looked   sync.Once
}

// NewPlan returns the plan of a site. It writes no file, and parses no texts but those that a
// commit imported: that happens when bodies are made, before ctx ends. The error names two
// artifacts of one file or a faulty template.
func NewPlan(ctx context.Context, c *Content) (*Plan, error) {
	p, err := newPlanner(c, html.New(c.options.Site.Highlight))
	if err != nil {
		return nil, err
	}
	p.context, p.versions.Context = ctx, ctx
	p.assets() // includes the cards, which pages name
	p.lay()
	// The following derive from all others.
	p.sitemap()
	p.redirects()
	p.headers()
	return p.plan, p.plan.unique()
}

// newPlanner returns a planner without artifacts.
func newPlanner(c *Content, md *html.Renderer) (*planner, error) {
	p := &planner{
		Content: c, md: md, info: siteInfo(c, c.options.Site), brand: brandOf(c.options.Site),
		listed: make([][]string, len(c.Metadata)), relations: render.NewRelations(c.Metadata),
	}
	p.plan, p.forkPast = &Plan{made: p}, sync.OnceValues(p.forkHistory)
	if c.options.Cache != nil {
		p.versions.Cache = &c.options.Cache.history
	}
	mentions := make([][]mip.ID, len(c.Proposals))
	for i, of := range c.Proposals {
		mentions[i] = of.Mentions
		p.versions.Know(of.History, of.Raw)
	}
	p.tied = mip.Relate(c.Metadata, mentions, c.options.Site.References, c.Forks, p.info.Prefix)
	var err error
	if p.pages, err = render.NewPages(p.info, c.Forks, p.brand, c.options.Notice); err != nil {
		return nil, err
	}
	p.pages.Alone = p.alone()
	return p, nil
}

// lay adds all artifacts except assets and those that derive from all others.
func (p *planner) lay() {
	p.search()
	p.proposals()
	p.histories()
	p.upgrades()
	p.documents()
	p.events()
	p.lists()
	p.feeds()
	p.calendar()
	p.sitePages()
	p.changes()
	p.roles()
}

// add appends an artifact.
func (p *planner) add(a Artifact) { p.plan.Artifacts = append(p.plan.Artifacts, p.complete(a)) }

// complete sets the empty fields of an artifact, which follow from its route.
func (p *planner) complete(a Artifact) Artifact {
	kind := strings.ToLower(p.options.Site.Prefix)
	a.Pattern = strings.Replace(cmp.Or(a.Pattern, a.Route), "{kind}", kind, 1)
	a.File = cmp.Or(a.File, fileOf(a.Route))
	a.Route, a.Pattern = p.info.Host.Route(a.Route), p.info.Host.Route(a.Pattern)
	a.Cache = cmp.Or(a.Cache, revalidate)
	return a
}

// addOf appends a file of a proposal. pairs are as for [routeOf].
func (p *planner) addOf(
	c *corpus.Proposal, pattern string, body func() ([]byte, error), pairs ...string,
) {
	p.add(Artifact{
		Route:   routeOf(p.info.Prefix, pattern, c.ID, pairs...),
		Pattern: strings.Replace(pattern, "{kind}", strings.ToLower(c.ID.Kind), 1),
		Body:    body, of: c,
	})
}

// forget frees the caches of a proposal, whose files are made.
func (p *planner) forget(c *corpus.Proposal) {
	p.texts.Forget(c.File)
	p.required.Forget(c.File)
	p.pasts.Forget(c.File)
	p.docs.Forget(c.File)
	p.tried.Delete(c.File)
	p.compares.Forget(c.File)
}

// addIndex appends an artifact that names others.
func (p *planner) addIndex(route string, body func() ([]byte, error)) {
	p.add(Artifact{Route: route, index: true, Body: body})
}

// unique returns an error for two artifacts of one file or one route. The case of file names does
// not count, since some file systems ignore it.
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

// Snapshot writes the files that a function embeds into dir: the JSON tree of /api/v1 except
// histories and events, the search index, and sidecar.json, which is the configuration of the live
// part with its RPC addresses. dir must not be published. Otherwise it is like the folder of
// [Sync].
func Snapshot(ctx context.Context, p *Plan, dir string) (Report, error) {
	carried, past := &Plan{made: p.made}, map[string]bool{}
	// The function serves no histories, which grow for ever.
	for _, route := range []string{eventsRoute, yearRoute, versionsRoute} {
		past[p.made.info.Host.Route(route)] = true
	}
	for _, a := range p.Artifacts {
		if strings.HasPrefix(a.Route, "/api/v1/") && !past[a.Pattern] {
			carried.Artifacts = append(carried.Artifacts, a)
		}
	}
	networks := append([]mip.Endpoints{}, p.made.options.Site.Networks...)
	config := mip.SidecarConfig{Networks: networks}
	carried.Artifacts = append(carried.Artifacts, Artifact{
		File: "sidecar.json", index: true, Body: func() ([]byte, error) { return api.JSON(config) },
	})
	return Sync(ctx, carried, dir, SyncOptions{})
}

// batches returns the artifacts that others name, with the files of each proposal in one batch, and
// the indexes.
func (p *Plan) batches() (leaves, indexes [][]*Artifact) {
	at := map[*corpus.Proposal]int{}
	for i := range p.Artifacts {
		a := &p.Artifacts[i]
		k, known := at[a.of]
		switch {
		case a.index:
			indexes = append(indexes, []*Artifact{a})
		case known && a.of != nil:
			leaves[k] = append(leaves[k], a)
		default:
			at[a.of] = len(leaves)
			leaves = append(leaves, []*Artifact{a})
		}
	}
	return leaves, indexes
}

// run calls do for all artifacts, on all processors. One worker processes a whole batch, so that
// the caches of its proposal can be freed afterwards. The first error ends all workers and is
// returned.
func (p *Plan) run(ctx context.Context, batches [][]*Artifact, do func(*Artifact) error) error {
	queue := make(chan []*Artifact, len(batches))
	// Texts that are parsed already come first, since their trees take memory.
	for _, parsed := range []bool{true, false} {
		for _, batch := range batches {
			if c := batch[0].of; parsed == (c != nil && p.made.docs.Has(c.File)) {
				queue <- batch
			}
		}
	}
	close(queue)
	group, ctx := errgroup.WithContext(ctx)
	// A goroutine for each artifact would grow its stack anew.
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			for batch := range queue {
				for _, a := range batch {
					if ctx.Err() != nil {
						return context.Cause(ctx)
					}
					if err := do(a); err != nil {
						return err
					}
				}
				if c := batch[0].of; c != nil {
					p.made.searchable(c) // while its text is cached
					p.made.forget(c)
				}
			}
			return nil
		})
	}
	return group.Wait()
}
