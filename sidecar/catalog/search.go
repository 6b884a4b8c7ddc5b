package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/search"
)

const (
	// keepPartFor is how long a part of the search index is kept, decoded.
	keepPartFor = 24 * time.Hour
	// keepPartBytes bounds the parts that are kept, by their size as published. Decoded they take some three times as
	// much. All of a thousand long texts are a tenth of it.
	keepPartBytes = 48 * mebibyte

	manifestLimit = 8 * mebibyte
	partLimit     = 4 * mebibyte

	// readers is how many documents one question reads at the same time.
	readers = 8
)

// partName is the name of a part.
var partName = regexp.MustCompile(`^search\.[0-9a-f]+\.json$`)

// errVersion says that a newer program has built the site.
var errVersion = fmt.Errorf("its version is not %d, which this program reads", search.Version)

// Search answers a question from the search index of the site, with at most so many hits. whole says that every hit has
// the text that it can have. An error is an [api.HTTPError].
func (c *Catalog) Search(ctx context.Context, q search.Query, limit int) (out api.SearchResults, whole bool, err error) {
	out = api.SearchResults{Hits: []api.SearchHit{}, DidYouMean: []api.Replacement{}, IndexedAt: c.List.UpdatedAt}
	m, err := c.manifest(ctx)
	if err != nil {
		return out, false, err
	}
	a, err := search.Search(m, func(p search.Part) (*search.Shard, error) {
		return part(ctx, c, p, func(s *search.Shard) error {
			s.Split()
			return versioned(s.Version)
		})
	}, q)
	if err != nil {
		return out, false, err
	}
	out.Count = len(a.Found)
	for _, word := range slices.Sorted(maps.Keys(a.Instead)) {
		out.DidYouMean = append(out.DidYouMean, api.Replacement{Word: word, Instead: a.Instead[word]})
	}
	out.Hits = make([]api.SearchHit, min(limit, len(a.Found)))
	read := make([]bool, len(out.Hits))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readers)
	for i := range out.Hits {
		group.Go(func() (err error) {
			out.Hits[i], read[i], err = c.hit(ctx, m, a.Found[i], a.Terms)
			return err
		})
	}
	err = group.Wait()
	return out, !slices.Contains(read, false), err
}

// manifest reads what a search begins with.
func (c *Catalog) manifest(ctx context.Context) (m *search.Manifest, err error) {
	if c.documents != nil {
		d := document{"api/v1/search", manifestLimit}
		m, err = get(ctx, c.documents, c.documents.kept, d, func(m *search.Manifest) error {
			if len(m.Stages) != len(m.Proposals) {
				return errors.New("it has not one stage for each proposal")
			}
			return versioned(m.Version)
		})
	}
	if m == nil && err == nil {
		err = &api.HTTPError{Code: api.NotFound, Detail: "This site was built without a search index; build it anew."}
	}
	return m, err
}

// versioned refuses documents of another form.
func versioned(version int) error {
	if version != search.Version {
		return errVersion
	}
	return nil
}

// part reads a part of the index. One that is missing is of another build than the manifest, which is soon read anew.
func part[T any](ctx context.Context, c *Catalog, p search.Part, check func(*T) error) (*T, error) {
	name := path.Base(p.URL)
	if !partName.MatchString(name) {
		return nil, siteError(api.UpstreamUnavailable, "The site's search index cannot be read.", fmt.Errorf("a part of it is at %q", p.URL))
	}
	value, err := get(ctx, c.documents, c.documents.parts, document{"assets/" + name, partLimit}, check)
	if value == nil && err == nil {
		const detail = "The site has just been built anew; ask again in a moment."
		err = siteError(api.NotReady, detail, fmt.Errorf("a part of the search index, %s, is missing", name))
	}
	return value, err
}

// hit is what is told of a proposal that was found. read says that its text was.
func (c *Catalog) hit(ctx context.Context, m *search.Manifest, f search.Found, terms []string) (h api.SearchHit, read bool, err error) {
	e, err := c.entry(ctx, m, f.Proposal)
	if err != nil {
		return h, false, err
	}
	h = api.SearchHit{Title: e.Title, Status: mip.Status(e.Status), Excerpt: []api.Fragment{}, Score: f.Score, URL: e.URL}
	if h.ID, err = mip.ParseID(e.ID); err != nil {
		return h, false, siteError(api.UpstreamUnavailable, "The site's search index cannot be read.", err)
	}
	if f.Section > 0 && f.Section <= len(e.Sections) {
		s := e.Sections[f.Section-1]
		h.Section, h.URL = &api.SearchSection{ID: s[0], Title: s[1]}, e.URL+"#"+s[0]
	}
	// The hit is of use without its text.
	p, err := c.Proposal(ctx, h.ID)
	if err != nil {
		return h, false, nil
	}
	for _, of := range search.Excerpt(textOf(p, h.Section), terms) {
		h.Excerpt = append(h.Excerpt, api.Fragment(of))
	}
	return h, true, nil
}

// entry is what the index shows of a proposal.
func (c *Catalog) entry(ctx context.Context, m *search.Manifest, proposal int) (search.Entry, error) {
	from := func(i int) int {
		n, _ := strconv.Atoi(m.Titles[i].From) // anything else is the first
		return n
	}
	at := sort.Search(len(m.Titles), func(i int) bool { return from(i) > proposal }) - 1
	if at >= 0 {
		b, err := part(ctx, c, m.Titles[at], func(b *search.Block) error { return versioned(b.Version) })
		if err != nil {
			return search.Entry{}, err
		}
		if i := proposal - from(at); i < len(b.Proposals) {
			return b.Proposals[i], nil
		}
	}
	return search.Entry{}, siteError(api.UpstreamUnavailable, "The site's search index cannot be read.", fmt.Errorf("it has no title of proposal %d", proposal))
}

// textOf is the Markdown of a section without its heading, of all sections for nil.
func textOf(p *mip.Proposal, section *api.SearchSection) string {
	var all strings.Builder
	for _, s := range p.Sections {
		if section == nil {
			all.WriteString(s.Markdown)
		} else if s.ID == section.ID {
			return bodyOf(s)
		}
	}
	return all.String()
}

// underline is the second line of a heading of two.
var underline = regexp.MustCompile(`(?m)^ {0,3}(=+|-+)[ \t]*\r?$`)

// bodyOf is the text of a section below its heading.
func bodyOf(s mip.Section) string {
	_, body, _ := strings.Cut(s.Markdown, "\n")
	switch {
	case s.Level == 0:
		return s.Markdown
	case strings.HasPrefix(strings.TrimLeft(s.Markdown, " "), "#"):
		return body
	}
	if end := underline.FindStringIndex(s.Markdown); end != nil {
		return s.Markdown[end[1]:]
	}
	return body
}
