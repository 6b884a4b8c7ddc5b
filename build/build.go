// Package build is the generator: it turns a corpus and a site into a Plan, an ordered list of
// artifacts with their bytes, and writes that plan into a folder (Sync), serves it (Publish) or
// copies the part that the sidecar needs (Snapshot). It knows nothing of flags, exit codes or the
// environment, and leaves parsing to internal/corpus and formats to render.
package build

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	html "github.com/mipwatch/mipwatch/render/markdown"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/snapshot"
)

// Options is the input of a build beside the files themselves.
type Options struct {
	// Site is required.
	Site *site.Site
	// Folders are the proposals' folders as the process sees them.
	Folders []string
	// Epoch, when set, replaces every time that git would give (SOURCE_DATE_EPOCH).
	Epoch *time.Time
	// Notice is a sentence above every page, such as that its figures are invented; empty: none.
	Notice string
	// Live, when set, is what forum and networks said at one moment: pages then hold those figures.
	Live *snapshot.File
	// NoAPIFallback leaves the rule for unknown routes below /api/ out of `_redirects`, for a host that
	// rules the live routes after that file and then has to rule all others itself.
	NoAPIFallback bool
	// Refused are errors by file: those proposals are not published, such as since a [Plan.Trial] failed.
	Refused map[string]mip.Problem
	// Rendered, when set, keeps rendered texts for the next plan. Nil: each plan renders all.
	Rendered *Rendered
}

// Content is what a site is made of: the proposals, and what is committed beside them. Its Problems are
// those of both. It is immutable after [Load] and safe for concurrent use.
type Content struct {
	*corpus.Corpus
	Subjects
	Beside *corpus.Committed // summaries and translations
}

// Load reads the proposals and what is committed beside them. Documents that could grow out of proportion are
// rendered once here, so that a proposal which cannot be published is known before anything is written.
func Load(ctx context.Context, o Options) (*Content, error) {
	md := html.New(false)
	longest := o.longestLink()
	try := func(d *markdown.Document) error {
		_, err := md.Render(d, "", func(dest string) (string, bool) {
			return longest + url.PathEscape(dest), true
		})
		return err
	}
	c, err := corpus.Load(ctx, corpus.Options{Prefix: o.Site.Prefix, Folders: o.Folders, Epoch: o.Epoch, Render: try, Refused: o.Refused})
	if err != nil {
		return nil, err
	}
	all := summaries(c, o.Site)
	content := &Content{Corpus: c, Subjects: Subjects{Corpus: c, Summaries: all, Forks: hardForks(o.Site, all)}}
	content.Beside, err = c.ReadCommitted(ctx, o.Site.Locales, content.Subjects.Check)
	if err != nil {
		return nil, err
	}
	c.Problems = mip.SortProblems(append(c.Problems, content.Beside.Problems...))
	return content, nil
}

// longestLink is at least as long as anything that a page puts before a relative link's own text: what
// is judged when proposals are loaded must not grow when they are published.
func (o Options) longestLink() string {
	folder := ""
	for _, dir := range o.Folders {
		if abs, err := filepath.Abs(dir); err == nil && len(abs) > len(folder) {
			folder = abs
		}
	}
	page := o.Site.Path(mip.ID{Kind: o.Site.Prefix, Number: 999_999_999}.Page())
	source := strings.NewReplacer("{commit}", strings.Repeat("f", 64), "{path}", url.PathEscape(folder)).Replace(o.Site.SourceURL)
	if len(source) > len(page) {
		return source + "/"
	}
	return page
}
