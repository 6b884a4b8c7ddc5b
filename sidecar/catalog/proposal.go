package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/search"
	"github.com/mipwatch/mipwatch/sidecar/cache"
)

const (
	// keepFor is the time for which a proposal's document, or its absence, is cached.
	keepFor = time.Minute
	// keepAway is the time for which a cached document is served while the site cannot be read.
	keepAway = 24 * time.Hour
	// keepBytes bounds the cached documents, by their published size.
	keepBytes = 48 * mebibyte

	summaryLimit = mebibyte
	// proposalLimit allows for a text of at most a mebibyte, which the document contains twice,
	// with each byte possibly escaped. The text of a translation has the same bound.
	proposalLimit = 16 * mebibyte
)

// documentCache reads and caches the documents that Load does not read. Each Catalog has its own,
// so that a changed site is read again.
type documentCache struct {
	reader reader
	kept   *cache.Cache[document, decoded]
	// files caches files of the search index as they are, and parts their parts. Their addresses
	// change with their content.
	files, parts *cache.Cache[document, decoded]
	// tables caches decoded parts of the search index.
	tables *cache.Cache[tableKey, *search.Table]
	seed   maphash.Seed // for the keys of tables
}

// decoded is a decoded document.
type decoded struct {
	value any
	size  int64 // published size in bytes
}

// newDocumentCache returns caches that keep absence, but no other failure.
func newDocumentCache(r reader) *documentCache {
	missing := func(err error) bool { return errors.Is(err, fs.ErrNotExist) }
	keep := func(fresh time.Duration, bytes int64) *cache.Cache[document, decoded] {
		return cache.New[document](cache.Config[decoded]{
			Fresh: fresh, Keep: keepAway, Timeout: documentTimeout, Gone: missing,
			Retry: func(err error) time.Duration {
				if missing(err) {
					return keepFor
				}
				return 0
			},
			Bytes: bytes, Size: func(d decoded) int64 { return d.size },
		})
	}
	tables := cache.New[tableKey](cache.Config[*search.Table]{
		Fresh: keepPartFor, Timeout: documentTimeout, Bytes: keepTableBytes,
		Size: (*search.Table).Size,
	})
	return &documentCache{r, keep(keepFor, keepBytes), keep(keepPartFor, keepFileBytes),
		keep(keepPartFor, keepPartBytes), tables, maphash.MakeSeed()}
}

// read returns the document of a proposal whose route ends with a suffix, nil if there is none. An
// error is an [api.HTTPError].
func read[T any](
	ctx context.Context, c *Catalog, id mip.ID, suffix string, limit int64, check func(*T) error,
) (*T, error) {
	if c.documents == nil {
		return nil, nil
	}
	return get(ctx, c.documents, c.documents.kept,
		document{"api/v1/mips/" + id.Key(c.Site.Prefix) + suffix, limit}, check)
}

// get returns a document, nil if there is none. check may reject a newly read one. An error is an
// [api.HTTPError]. Concurrent calls for one document share one read. Callers must not change values
// that its fields refer to.
func get[T any](
	ctx context.Context, c *documentCache, in *cache.Cache[document, decoded], d document,
	check func(*T) error,
) (*T, error) {
	entry, err := in.Get(ctx, d, func(ctx context.Context) (decoded, error) {
		f, err := c.unpacked(ctx, d)
		if err != nil {
			return decoded{}, err
		}
		value := new(T)
		if err = decode(f.body, value); err == nil && check != nil {
			err = check(value)
		}
		if err != nil {
			return decoded{}, fmt.Errorf("read %s: %w", f.name, err)
		}
		return decoded{value, int64(len(f.body))}, nil
	})
	switch {
	case errors.Is(err, errAway):
		const detail = "The site is just being replaced; ask again in a moment."
		return nil, siteError(api.NotReady, detail, err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, context.DeadlineExceeded):
		return nil, siteError(api.UpstreamTimeout,
			"The site's own documents could not be read in time.", err)
	case err != nil:
		return nil, siteError(api.UpstreamUnavailable,
			"The site's own documents cannot be read at the moment.", err)
	}
	value := *entry.Value.value.(*T)
	return &value, nil
}

// unpacked reads a document. A part of the search index is one whose route has the range of the
// part as its fragment.
func (c *documentCache) unpacked(ctx context.Context, d document) (file, error) {
	route, at, isPart := strings.Cut(d.route, "#")
	if !isPart {
		return c.present(ctx, d)
	}
	d.route = route
	e, err := c.files.Get(ctx, d, func(ctx context.Context) (decoded, error) {
		f, err := c.present(ctx, d)
		return decoded{f, int64(len(f.body))}, err
	})
	if err != nil {
		return file{}, err
	}
	f := e.Value.value.(file)
	if f.body, err = search.Unpack(f.body, at, d.limit); err != nil {
		return file{}, fmt.Errorf("read %s: %w", f.name, err)
	}
	return f, nil
}

// errAway reports that the site itself is missing, so that no document can be read.
var errAway = errors.New("the site is away")

// present reads a document, if the site is present. While a folder is being replaced it is empty,
// which does not mean that the document is gone.
func (c *documentCache) present(ctx context.Context, d document) (file, error) {
	f, err := c.reader.read(ctx, d, file{})
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if _, away := c.reader.read(ctx, siteDocuments[0], file{}); away != nil {
		return file{}, fmt.Errorf("%w: %v", errAway, away)
	}
	return c.reader.read(ctx, d, file{}) // the site may have come back in between
}

// siteError reports a document of the site that cannot be read.
func siteError(code api.Code, detail string, err error) error {
	const again = 5 * time.Second
	err = fmt.Errorf("the site cannot be read: %w", err)
	return &api.HTTPError{Code: code, Detail: detail, RetryAfter: again, Err: err}
}

// notPublished reports that the site has no such proposal.
func notPublished(id mip.ID) error {
	return &api.HTTPError{
		Code: api.NotFound, Detail: "No proposal of this number is published.",
		Err: fmt.Errorf("%s: no such proposal", id),
	}
}

// Find returns a proposal of the site's list. The error for a missing one is an [api.HTTPError].
func (c *Catalog) Find(id mip.ID) (mip.Metadata, error) {
	m, ok := mip.Find(c.List.MIPs, id)
	if !ok {
		return mip.Metadata{}, notPublished(id)
	}
	return m, nil
}

// Proposal reads a proposal with its text, which matches the contentHash in it. The list may have
// an older or a newer one. Errors are [api.HTTPError]: the proposal is not published, or the site
// cannot be read.
//
// All documents of a proposal are cached for a minute, unless the site changes.
func (c *Catalog) Proposal(ctx context.Context, id mip.ID) (*mip.Proposal, error) {
	p, err := read(ctx, c, id, "", proposalLimit, func(p *mip.Proposal) error {
		hash := sha256.Sum256([]byte(p.RawMarkdown))
		if p.ID != id || p.ContentHash != hex.EncodeToString(hash[:]) {
			return fmt.Errorf("it holds %s with contentHash %q, want %s and the hash of its text",
				p.ID, p.ContentHash, id)
		}
		return nil
	})
	if p == nil && err == nil {
		err = notPublished(id)
	}
	return p, err
}

// Summary reads the site's summary of a listed proposal, marked stale if it is of another text than
// the listed one. It is nil if the site, published by an earlier release, has none. An error is an
// [api.HTTPError].
func (c *Catalog) Summary(ctx context.Context, m mip.Metadata) (*api.Summary, error) {
	s, err := read[api.Summary](ctx, c, m.ID, "/summary", summaryLimit, nil)
	if s != nil {
		s.Stale = s.ContentHash != m.ContentHash
	}
	return s, err
}

// Translation reads the committed translation of a listed proposal into a locale of the site. It is
// nil if there is none. An error is an [api.HTTPError].
func (c *Catalog) Translation(
	ctx context.Context, m mip.Metadata, locale string,
) (*api.PublishedTranslation, error) {
	return read[api.PublishedTranslation](ctx, c, m.ID, "/translations/"+locale, proposalLimit, nil)
}

// Subject holds all inputs of a proposal's summary, before the texts are read. It is immutable.
type Subject struct {
	catalog *Catalog
	listed  mip.Metadata
	fork    *mip.HardFork
	// of a fork's meta proposal: the published proposals that the fork bundles
	bundled []mip.Metadata
	now     time.Time
}

// Subject returns the subject of a listed proposal.
func (c *Catalog) Subject(m mip.Metadata, now time.Time) Subject {
	s := Subject{catalog: c, listed: m, now: now}
	s.fork, s.bundled = summary.Context(c.Site.Prefix, m, c.List.MIPs, c.HardForks)
	return s
}

// Hash changes with each listed text and with the fork, but not with the fork's times, which
// summaries do not mention.
func (s Subject) Hash() [32]byte {
	var b strings.Builder
	b.WriteString(s.listed.ContentHash)
	for _, m := range s.bundled {
		fmt.Fprintf(&b, " %d:%s", m.Number, m.ContentHash)
	}
	if s.fork != nil {
		fmt.Fprintf(&b, " %q", s.fork.Name)
	}
	return sha256.Sum256([]byte(b.String()))
}

// Read reads the texts concurrently. It fails like [Catalog.Proposal].
func (s Subject) Read(ctx context.Context) (summary.Subject, error) {
	all := make([]*mip.Proposal, 1+len(s.bundled))
	readers, ctx := errgroup.WithContext(ctx)
	for i, m := range append([]mip.Metadata{s.listed}, s.bundled...) {
		readers.Go(func() (err error) {
			all[i], err = s.catalog.Proposal(ctx, m.ID)
			return err
		})
	}
	if err := readers.Wait(); err != nil {
		return summary.Subject{}, err
	}
	return summary.Subject{Proposal: all[0], Bundled: all[1:], Fork: s.fork, Now: s.now}, nil
}
