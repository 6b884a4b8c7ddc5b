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
	// keepFor is how long a proposal's document, or its absence, is kept without asking the site.
	keepFor = time.Minute
	// keepAway is how long a document is given while the site cannot be read.
	keepAway = 24 * time.Hour
	// keepBytes bounds the documents that are kept, by their size as published.
	keepBytes = 48 * mebibyte

	summaryLimit = mebibyte
	// proposalLimit is for a text of a mebibyte at most, which stands in the document twice and may have each of its
	// bytes escaped. The text of a translation is bounded alike.
	proposalLimit = 16 * mebibyte
)

// documentCache reads the documents that are not read by every Load, and keeps them. Each Catalog has its own, so that a
// changed site is read anew.
type documentCache struct {
	reader reader
	kept   *cache.Cache[document, decoded]
	// parts are those of the search index, whose addresses change with their content.
	parts *cache.Cache[document, decoded]
	// tables are parts of the search index, taken apart.
	tables *cache.Cache[tableKey, *search.Table]
	seed   maphash.Seed // of the keys of tables
}

// decoded is a document that was decoded.
type decoded struct {
	value any
	size  int64 // in bytes as published
}

// newDocumentCache returns caches that keep no failure but that a document does not exist.
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
		Fresh: keepPartFor, Timeout: documentTimeout, Bytes: keepTableBytes, Size: (*search.Table).Size,
	})
	return &documentCache{r, keep(keepFor, keepBytes), keep(keepPartFor, keepPartBytes), tables, maphash.MakeSeed()}
}

// read returns the document of a proposal whose route ends with a suffix, nil if there is none. An error is an
// [api.HTTPError].
func read[T any](ctx context.Context, c *Catalog, id mip.ID, suffix string, limit int64, check func(*T) error) (
	*T, error) {
	if c.documents == nil {
		return nil, nil
	}
	return get(ctx, c.documents, c.documents.kept, document{"api/v1/mips/" + id.Key(c.Site.Prefix) + suffix, limit}, check)
}

// get returns a document, nil if there is none. check may refuse a new one. An error is an [api.HTTPError]. Concurrent
// calls for one document share one reading of it. What its fields lead to must not be changed.
func get[T any](ctx context.Context, c *documentCache, in *cache.Cache[document, decoded], d document, check func(*T) error) (
	*T, error) {
	entry, err := in.Get(ctx, d, func(ctx context.Context) (decoded, error) {
		f, err := c.present(ctx, d)
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
		return nil, siteError(api.UpstreamTimeout, "The site's own documents could not be read in time.", err)
	case err != nil:
		return nil, siteError(api.UpstreamUnavailable, "The site's own documents cannot be read at the moment.", err)
	}
	value := *entry.Value.value.(*T)
	return &value, nil
}

// errAway is why no document can be read: the site itself is not there.
var errAway = errors.New("the site is away")

// present reads a document of a site that is there. While a folder is replaced by another one, nothing is in it, and
// that says nothing of a document.
func (c *documentCache) present(ctx context.Context, d document) (file, error) {
	f, err := c.reader.read(ctx, d, file{})
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if _, away := c.reader.read(ctx, siteDocuments[0], file{}); away != nil {
		return file{}, fmt.Errorf("%w: %v", errAway, away)
	}
	return c.reader.read(ctx, d, file{}) // the site may have come back between the two
}

// siteError says that a document of the site cannot be read.
func siteError(code api.Code, detail string, err error) error {
	const again = 5 * time.Second
	err = fmt.Errorf("the site cannot be read: %w", err)
	return &api.HTTPError{Code: code, Detail: detail, RetryAfter: again, Err: err}
}

// notPublished says that the site has no proposal of a number.
func notPublished(id mip.ID) error {
	return &api.HTTPError{
		Code: api.NotFound, Detail: "No proposal of this number is published.", Err: fmt.Errorf("%s: no such proposal", id),
	}
}

// Find returns a proposal of the site's list. The error for one that is not published is an [api.HTTPError].
func (c *Catalog) Find(id mip.ID) (mip.Metadata, error) {
	m, ok := mip.Find(c.List.MIPs, id)
	if !ok {
		return mip.Metadata{}, notPublished(id)
	}
	return m, nil
}

// Proposal reads a proposal with its text, which is the one of its contentHash. The list may have an older or a newer
// one. Errors are [api.HTTPError]: that it is not published, or that the site cannot be read.
//
// This and the other documents of a proposal are kept for a minute, as long as the site does not change.
func (c *Catalog) Proposal(ctx context.Context, id mip.ID) (*mip.Proposal, error) {
	p, err := read(ctx, c, id, "", proposalLimit, func(p *mip.Proposal) error {
		hash := sha256.Sum256([]byte(p.RawMarkdown))
		if p.ID != id || p.ContentHash != hex.EncodeToString(hash[:]) {
			return fmt.Errorf("it holds %s with contentHash %q, want %s and the hash of its text", p.ID, p.ContentHash, id)
		}
		return nil
	})
	if p == nil && err == nil {
		err = notPublished(id)
	}
	return p, err
}

// Summary reads the summary that the site has of a listed proposal, marked stale when it is of another text than the
// listed one. It is nil where the site has none, which a release before this one published. An error is an
// [api.HTTPError].
func (c *Catalog) Summary(ctx context.Context, m mip.Metadata) (*api.Summary, error) {
	s, err := read[api.Summary](ctx, c, m.ID, "/summary", summaryLimit, nil)
	if s != nil {
		s.Stale = s.ContentHash != m.ContentHash
	}
	return s, err
}

// Translation reads the committed translation of a listed proposal into a locale of the site. It is nil where there is
// none. An error is an [api.HTTPError].
func (c *Catalog) Translation(ctx context.Context, m mip.Metadata, locale string) (*api.PublishedTranslation, error) {
	return read[api.PublishedTranslation](ctx, c, m.ID, "/translations/"+locale, proposalLimit, nil)
}

// Subject is all that a summary of a proposal follows from, before the texts are read. It is never changed.
type Subject struct {
	catalog *Catalog
	listed  mip.Metadata
	fork    *mip.HardFork
	bundled []mip.Metadata // when the proposal is the fork's meta proposal: what the fork bundles and the site publishes
	now     time.Time
}

// Subject returns the subject of a listed proposal.
func (c *Catalog) Subject(m mip.Metadata, now time.Time) Subject {
	s := Subject{catalog: c, listed: m, now: now}
	s.fork, s.bundled = summary.Context(c.Site.Prefix, m, c.List.MIPs, c.HardForks)
	return s
}

// Hash changes with every listed text and with the fork, but not with the fork's times: no summary speaks of them.
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

// Read reads the texts, side by side. Its errors are those of [Catalog.Proposal].
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
