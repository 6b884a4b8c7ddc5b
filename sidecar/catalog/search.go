package catalog

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"path"
	"regexp"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/search"
)

const (
	// keepPartFor is the time for which a decoded part of the search index is cached.
	keepPartFor = 24 * time.Hour
	// keepPartBytes bounds the cached parts, by their published size. The parts of a thousand long
	// texts are a tenth of it.
	keepPartBytes = 48 * mebibyte
	// keepFileBytes bounds the cached files of the search index, which are packed.
	keepFileBytes = 16 * mebibyte
	// keepTableBytes bounds the decoded parts of the index, by their size in memory.
	keepTableBytes = 64 * mebibyte

	manifestLimit = 8 * mebibyte
	partLimit     = 4 * mebibyte

	// readers bounds the documents that one query reads concurrently.
	readers = 8
)

// partName matches the name of a file of the search index with the range of a part.
var partName = regexp.MustCompile(`^search\.[0-9a-f]+\.bin#bytes=\d+-\d+$`)

// errVersion reports a site that a newer program has built.
var errVersion = fmt.Errorf("its version is not %d, which this program reads", search.Version)

// Page selects results of a query: at most Limit hits after the first Offset ones.
type Page struct{ Offset, Limit int }

// Search answers a query from the search index of the site, with one page of hits. whole reports
// that each hit has its text, if there is one. An error is an [api.HTTPError], or the error of ctx.
func (c *Catalog) Search(ctx context.Context, q search.Query, page Page) (
	out api.SearchResults, whole bool, err error) {
	out = api.SearchResults{
		Hits: []api.SearchHit{}, DidYouMean: []api.Replacement{}, Unknown: []api.Unknown{},
		Ignored: []string{}, IndexedAt: c.List.UpdatedAt,
	}
	m, err := c.manifest(ctx)
	if err != nil {
		return out, false, err
	}
	x := parts{ctx: ctx, catalog: c, manifest: m, hash: c.documents.hashOf(m)}
	a, err := search.Search(m, x, q, page.Offset+page.Limit)
	if err != nil {
		return out, false, unreadable(err)
	}
	out.Count, out.Partial = len(a.Found), a.Partial
	for _, u := range a.Unknown {
		out.Unknown = append(out.Unknown, api.Unknown(u))
	}
	for _, word := range slices.Sorted(maps.Keys(a.Instead)) {
		out.DidYouMean = append(out.DidYouMean,
			api.Replacement{Word: word, Instead: a.Instead[word]})
	}
	found := a.Found[min(page.Offset, len(a.Found)):]
	out.Hits = make([]api.SearchHit, min(page.Limit, len(found)))
	read := make([]bool, len(out.Hits))
	out.Ignored = append(out.Ignored, a.Ignored...)
	group, ctx := errgroup.WithContext(ctx)
	x.ctx = ctx
	group.SetLimit(readers)
	for i := range out.Hits {
		group.Go(func() (err error) {
			out.Hits[i], read[i], err = hit(x, found[i], a.Terms)
			return err
		})
	}
	err = group.Wait()
	return out, !slices.Contains(read, false), err
}

// manifest reads the manifest of the search index.
func (c *Catalog) manifest(ctx context.Context) (m *search.Manifest, err error) {
	if c.documents != nil {
		d := document{"api/v1/search", manifestLimit}
		m, err = get(ctx, c.documents, c.documents.kept, d, func(m *search.Manifest) error {
			if len(m.Stages) != len(m.Proposals) || len(m.Parts) != len(m.Proposals) {
				return errors.New("it has not one stage and one number of parts for each proposal")
			}
			return versioned(m.Version)
		})
	}
	if m == nil && err == nil {
		err = &api.HTTPError{Code: api.NotFound,
			Detail: "This site was built without a search index; build it anew."}
	}
	return m, err
}

// versioned rejects documents of another format version.
func versioned(version int) error {
	if version != search.Version {
		return errVersion
	}
	return nil
}

// parts reads the parts of the search index for one request. After its context has ended, each read
// fails with the context's error, even for cached parts.
type parts struct {
	ctx      context.Context
	catalog  *Catalog
	manifest *search.Manifest
	hash     uint64 // of the manifest's parts, for [tableKey]
}

// tableKey identifies a table: the address of its part, and a hash of [search.Manifest.Parts], with
// which it was decoded. Two builds may share a part and differ in these.
type tableKey struct {
	url  string
	hash uint64
}

// hashOf returns a hash of a manifest's numbers of parts, which differs between processes.
func (c *documentCache) hashOf(m *search.Manifest) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, n := range m.Parts {
		maphash.WriteComparable(&h, n)
	}
	return h.Sum64()
}

// Table implements [search.Files].
func (x parts) Table(url string) (*search.Table, error) {
	if err := x.ctx.Err(); err != nil {
		return nil, err
	}
	key := tableKey{url, x.hash}
	decode := func(ctx context.Context) (*search.Table, error) {
		x.ctx = ctx
		s, err := part(x, url, func(s *search.Shard) error { return versioned(s.Version) })
		if err != nil {
			return nil, err
		}
		return search.NewTable(s, x.manifest.Parts), nil
	}
	e, err := x.catalog.documents.tables.Get(x.ctx, key, decode)
	return e.Value, err
}

// Block implements [search.Files].
func (x parts) Block(url string) (*search.Block, error) {
	return part(x, url, func(b *search.Block) error { return versioned(b.Version) })
}

// Texts implements [search.Files].
func (x parts) Texts(url string) (*search.Texts, error) {
	return part(x, url, func(t *search.Texts) error { return versioned(t.Version) })
}

// part reads a part of the index. A missing part belongs to another build than the manifest, which
// is soon read again.
func part[T any](x parts, url string, check func(*T) error) (*T, error) {
	if err := x.ctx.Err(); err != nil {
		return nil, err
	}
	name := path.Base(url)
	if !partName.MatchString(name) {
		return nil, fmt.Errorf("a part of the search index is at %q", url)
	}
	value, err := get(x.ctx, x.catalog.documents, x.catalog.documents.parts,
		document{"assets/" + name, partLimit}, check)
	if value == nil && err == nil {
		const detail = "The site has just been built anew; ask again in a moment."
		err = siteError(api.NotReady, detail,
			fmt.Errorf("a part of the search index, %s, is missing", name))
	}
	return value, err
}

// unreadable converts an error of the index into one for callers, unless the caller has left.
func unreadable(err error) error {
	if _, ok := errors.AsType[*api.HTTPError](err); ok ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return siteError(api.UpstreamUnavailable, "The site's search index cannot be read.", err)
}

// hit builds the result for a found proposal. read reports that its text was read.
func hit(x parts, f search.Found, terms []string) (h api.SearchHit, read bool, err error) {
	e, err := search.Shown(x.manifest, x, f.Proposal)
	if err != nil {
		return h, false, unreadable(err)
	}
	h = api.SearchHit{
		Title: e.Title, Status: mip.Status(e.Status), LastCallDeadline: e.Until,
		Excerpt: []api.Fragment{}, Score: f.Score, URL: e.URL,
	}
	if h.ID, err = mip.ParseID(e.ID); err != nil {
		return h, false, unreadable(err)
	}
	t, err := e.Part(x, f.Part)
	if err != nil {
		return h, false, nil // the hit is useful without its section
	}
	s := t.Best(terms)
	if s.ID() != "" {
		h.Section, h.URL = &api.SearchSection{ID: s.ID(), Title: s.Title()}, e.URL+"#"+s.ID()
	}
	for _, of := range search.Excerpt(s.Text(), terms) {
		h.Excerpt = append(h.Excerpt, api.Fragment(of))
	}
	return h, true, nil
}
