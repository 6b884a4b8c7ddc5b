// Package build is the generator: it turns a corpus and a site into a Plan, an ordered list of
// artifacts with their bytes, and writes that plan into a folder (Sync), serves it (Publish) or
// copies the part that the sidecar needs (Snapshot).
//
// A build has three steps. [Load] reads everything into memory once. [NewPlan] names the files of the
// tree, and each artifact's Body makes the bytes when it is asked. [Sync] asks: a few workers
// make bodies, compare them with the files, and put only different ones in place.
//
// Four properties hold for every artifact.
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
	"path"
	"runtime"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/redirect"
	"github.com/mipwatch/mipwatch/render"
	html "github.com/mipwatch/mipwatch/render/markdown"
	"golang.org/x/sync/errgroup"
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
	// Cache is the Cache-Control value.
	Cache string
	// Body makes the bytes. It may be called from any goroutine, and more than once.
	Body func() ([]byte, error)

	// of is the proposal that the artifact is one of the files of; nil for any other.
	of *corpus.Proposal
	// index marks an artifact that names others and is written after them: lists, feeds, sitemap, rewrites.
	index bool
}

// Type is the media type with its charset.
func (a *Artifact) Type() string {
	return cmp.Or(types[path.Base(a.File)], types[path.Ext(a.File)], "text/plain; charset=utf-8")
}

// hashed reports whether File holds a hash of the bytes, which cost much: an existing file of that name has them.
func (a *Artifact) hashed() bool { return strings.Contains(a.Pattern, "{hash}") }

// fixed is the Body of bytes that exist already.
func fixed(b []byte) func() ([]byte, error) {
	return func() ([]byte, error) { return b, nil }
}

// ErrMake is wrapped by the error of an artifact that could not be made. The folder is not at fault then.
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
	// Artifacts are in the order in which they are made; no two share a File or a Route. The files of
	// the search index are not among them, since their names follow from all texts: see [Plan.Index].
	Artifacts []Artifact
	// Redirects are the rules that a CDN is told, in order: the first that covers a path without a
	// file applies. Some hosts cannot write a rule of a form, and have more in its place.
	Redirects []redirect.Rule
	// Headers are the response headers of the CDN by path.
	Headers []Header

	// made is what the artifacts are made from.
	made *planner
}

// planner is the input of a plan, and the plan so far.
type planner struct {
	*Content
	plan *Plan
	md   *html.Renderer
	// context ends what reads all texts at once.
	context context.Context
	// versions are those of proposals with a history.
	versions history.Reader
	// pages renders all pages. A page of one proposal may name neither counts nor the commit of the
	// site: with them every page would change with every proposal.
	pages     *render.Pages
	info      mip.SiteInfo
	brand     render.Brand
	relations *render.Relations
	// tied are the relations of the proposals, in the order of Metadata.
	tied *mip.Relations
	// years are those of events, ascending; told is what happened, and timeline the same as entries of feeds.
	years    []int
	told     func() (happened, error)
	timeline func() (*timeline, error)
	// listed are the lists that each proposal is on, in the order of Metadata.
	listed [][]string
	// summaries has what [planner.summary] returned: several pages tell of one.
	summaries once[*api.Summary]
	// searched are the proposals as the search index has them, and searchIndex makes the index once.
	searched    once[result[searchable]]
	searchIndex func() (*searchIndex, error)
	// texts, required, pasts and compares are what several files of one proposal are made of. They are kept until all of these are
	// made.
	texts    once[result[rendered]]
	required once[[]mip.Requirement]
	pasts    once[result[past]]
	compares once[result[mip.History]]
	// found has the links of each text that was rendered, by file: textLinks.
	found sync.Map
	// problems are those of these links. They are looked for once.
	problems []mip.Problem
	looked   sync.Once
}

// NewPlan lays out the published tree of what [Load] returned. It writes nothing and parses no text:
// bodies are made when they are asked for, while ctx lasts. The error names a file that two
// artifacts claim or a template that fails.
func NewPlan(ctx context.Context, c *Content) (*Plan, error) {
	p, err := newPlanner(c, html.New(c.options.Site.Highlight))
	if err != nil {
		return nil, err
	}
	p.context, p.versions.Context = ctx, ctx
	p.assets() // with the cards, before the pages that name them
	p.lay()
	// These derive from all others.
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
	p.plan = &Plan{made: p}
	mentions := make([][]mip.ID, len(c.Proposals))
	for i, of := range c.Proposals {
		mentions[i] = of.Mentions
	}
	p.tied = mip.Relate(c.Metadata, mentions, c.options.Site.References, c.Forks, p.info.Prefix)
	var err error
	if p.pages, err = render.NewPages(p.info, c.Forks, p.brand, c.options.Notice); err != nil {
		return nil, err
	}
	p.pages.Alone = p.alone()
	return p, nil
}

// lay adds the artifacts behind assets, but for those that derive from all others.
func (p *planner) lay() {
	// Each names artifacts, and makes none. A new artifact is a new line in one of them, or a new one.
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

// complete fills in fields that follow from the route of an artifact.
func (p *planner) complete(a Artifact) Artifact {
	a.Pattern = strings.Replace(cmp.Or(a.Pattern, a.Route), "{kind}", strings.ToLower(p.options.Site.Prefix), 1)
	a.File = cmp.Or(a.File, fileOf(a.Route))
	a.Route, a.Pattern = p.info.Host.Route(a.Route), p.info.Host.Route(a.Pattern)
	a.Cache = cmp.Or(a.Cache, revalidate)
	return a
}

// addOf appends an artifact that is made of one proposal. pairs are as for [routeOf].
func (p *planner) addOf(c *corpus.Proposal, pattern string, body func() ([]byte, error), pairs ...string) {
	p.add(Artifact{
		Route:   routeOf(p.info.Prefix, pattern, c.ID, pairs...),
		Pattern: strings.Replace(pattern, "{kind}", strings.ToLower(c.ID.Kind), 1), Body: body, of: c,
	})
}

// forget frees what the files of a proposal were made of.
func (p *planner) forget(c *corpus.Proposal) {
	p.texts.forget(c.File)
	p.required.forget(c.File)
	p.pasts.forget(c.File)
	p.docs.forget(c.File)
	p.tried.Delete(c.File)
	p.compares.forget(c.File)
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
// JSON tree of /api/v1 but for what is past, with the files of the search index, and in sidecar.json the configuration of
// the live part, RPC addresses included. dir is kept as [Sync] keeps an output folder, and must not be published.
func Snapshot(ctx context.Context, p *Plan, dir string) (Report, error) {
	carried, past := &Plan{made: p.made}, map[string]bool{}
	// What only reads the history is of no use there, and grows for ever.
	for _, route := range []string{eventsRoute, yearRoute, versionsRoute} {
		past[p.made.info.Host.Route(route)] = true
	}
	for _, a := range p.Artifacts {
		if strings.HasPrefix(a.Route, "/api/v1/") && !past[a.Pattern] {
			carried.Artifacts = append(carried.Artifacts, a)
		}
	}
	config := mip.SidecarConfig{Networks: append([]mip.Endpoints{}, p.made.options.Site.Networks...)}
	carried.Artifacts = append(carried.Artifacts, Artifact{
		File: "sidecar.json", index: true, Body: func() ([]byte, error) { return api.JSON(config) },
	})
	return Sync(ctx, carried, dir, SyncOptions{})
}

// batches are the artifacts that others name, and the indexes that name them, in their order. Those
// of one proposal are together.
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

// run calls do for the artifacts of batches, on every processor. One worker has all files of a
// proposal, so that what they have in common is made once. The first error stops the others and is
// returned.
func (p *Plan) run(ctx context.Context, batches [][]*Artifact, do func(*Artifact) error) error {
	queue := make(chan []*Artifact, len(batches))
	for _, batch := range batches {
		queue <- batch
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
					p.made.searchable(c) // of the text that is at hand
					p.made.forget(c)
				}
			}
			return nil
		})
	}
	return group.Wait()
}
