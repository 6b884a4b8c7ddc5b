// Package build is the generator: it turns a corpus and a site into a Plan, an ordered list of
// artifacts with their bytes, and writes that plan into a folder (Sync), serves it (Publish) or
// copies the part that the sidecar needs (Snapshot).
//
// A build has three steps. [Load] reads everything into memory once. [NewPlan] is pure: its producers, one list in
// plan.go, name the files of the tree, and each artifact's Body makes the bytes when it is asked. [Sync] asks: a few
// workers make bodies, compare them with the files while they are made, and put only different ones in place.
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
	"context"
	"maps"
	"time"

	html "github.com/mipwatch/mipwatch/render/markdown"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/snapshot"
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
	// Live, when set, holds the figures of forum and networks of one moment, which pages then show.
	Live *snapshot.File
	// NoAPIFallback leaves the rule for unknown routes below /api/ out of `_redirects`, for a host that
	// rules the live routes after that file and then has to rule all others itself.
	NoAPIFallback bool
	// Refused are errors by file: those proposals are not published, such as since a [Plan.Trial] failed.
	Refused map[string]mip.Problem
	// Rendered, when set, keeps rendered texts for the next plan. Nil: each plan renders all.
	Rendered *Rendered
}

// Content is the input of a site's pages: the proposals, and the summaries and translations that are committed
// beside them. Its Problems are those of both. It is immutable after [Load] and safe for concurrent use.
type Content struct {
	*corpus.Corpus
	Subjects
	Beside *corpus.Committed // summaries and translations
}

// Load reads the proposals and the summaries and translations that are committed beside them. Heavy texts are
// rendered once here, so that one which cannot be published is known before anything is written.
func Load(ctx context.Context, o Options) (*Content, error) {
	for {
		c, err := load(ctx, o)
		if err != nil {
			return nil, err
		}
		failed := c.tooLarge(o.Site)
		if len(failed) == 0 {
			return c, nil
		}
		// Links to a refused proposal lead to another address, so the others are tried again.
		maps.Copy(failed, o.Refused)
		o.Refused = failed
	}
}

// load reads everything once. The files in o.Refused are left out with their problem.
func load(ctx context.Context, o Options) (*Content, error) {
	c, err := corpus.Load(ctx, corpus.Options{Prefix: o.Site.Prefix, Folders: o.Folders, Epoch: o.Epoch, Refused: o.Refused})
	if err != nil {
		return nil, err
	}
	all := summaries(c, o.Site)
	content := &Content{Corpus: c, Subjects: Subjects{Corpus: c, Summaries: all, Forks: hardForks(o.Site, all)}}
	content.Beside, err = c.ReadCommitted(ctx, o.Site.Locales, content.Check)
	if err != nil {
		return nil, err
	}
	c.Problems = mip.SortProblems(append(c.Problems, content.Beside.Problems...))
	return content, nil
}

// tooLarge returns, by file, the problems of heavy texts that cannot be rendered.
func (c *Content) tooLarge(s *site.Site) map[string]mip.Problem {
	md := html.New(s.Highlight)
	failed := map[string]mip.Problem{}
	try := func(p *corpus.Proposal, d *markdown.Document, title string, problem mip.Problem) {
		link := func(dest string) (string, bool) { return resolveLink(s, c.Corpus, p, dest) }
		if _, err := md.Render(d, title, link); err != nil {
			problem.Message = err.Error() + problem.Message
			failed[problem.File] = problem
		}
	}
	for _, p := range c.Proposals {
		if p.Heavy {
			try(p, c.Read(p), p.Title, mip.Problem{Level: mip.Error, Code: "render-limit", File: p.File})
		}
		for _, t := range c.Beside.Translations(p.ID) {
			if t.Heavy {
				text := t.PublishedTranslation
				problem := mip.Problem{Code: "translation-invalid", File: t.File, Message: "; it is not published"}
				try(p, markdown.Join(text.Sections), text.Title, problem)
			}
		}
	}
	return failed
}
