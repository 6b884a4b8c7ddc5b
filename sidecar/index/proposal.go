package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/cache"
)

const (
	// cacheFor is how long a proposal's document, or its absence, is kept.
	cacheFor = time.Minute
	// cacheBytes bounds the documents that are kept, by their size as published.
	cacheBytes = 48 * mebibyte

	summaryLimit = mebibyte
	// proposalLimit is for a text of a mebibyte at most, which stands in the document twice and may have each of its
	// bytes escaped. The text of a translation is bounded alike.
	proposalLimit = 16 * mebibyte
)

// documentKey names a document as of one Index, so that a changed site is read anew.
type documentKey struct {
	document
	build int64
}

// cachedDocument is a document that has passed its check.
type cachedDocument struct {
	value any
	// size is in bytes as published.
	size int64
}

// newDocumentCache makes a cache that keeps no failure but that a document does not exist.
func newDocumentCache() *cache.Cache[documentKey, cachedDocument] {
	missing := func(err error) bool { return errors.Is(err, fs.ErrNotExist) }
	return cache.New[documentKey](cache.Config[cachedDocument]{
		Fresh: cacheFor,
		Gone:  missing,
		Retry: func(err error) time.Duration {
			if missing(err) {
				return cacheFor
			}
			return 0
		},
		Timeout: documentTimeout,
		Bytes:   cacheBytes,
		Size:    func(d cachedDocument) int64 { return d.size },
	})
}

// Proposal reads a proposal with its text. The error of one that is not published is [fs.ErrNotExist]. The text is the
// one of its contentHash. The list of the last Load may have an older or a newer one.
//
// This and the other documents of a proposal are kept until the next Load that finds changes, for a minute at most, and
// shared: lists in them must not be changed. Concurrent calls for one document share one reading of it.
func (s *Source) Proposal(ctx context.Context, id mip.ID) (*mip.Proposal, error) {
	return readDocument(ctx, s, id, "", proposalLimit, func(p *mip.Proposal) error {
		hash := sha256.Sum256([]byte(p.RawMarkdown))
		if p.ID != id || p.Number != id.Number || p.ContentHash != hex.EncodeToString(hash[:]) || p.Sections == nil {
			return fmt.Errorf("it holds %s with contentHash %q, want %s and the hash of its text", p.ID, p.ContentHash, id)
		}
		if p.Translations == nil { // an older program has built the site
			p.Translations = []mip.Translation{}
		}
		return nil
	})
}

// Summary reads the committed summary of a proposal. The error of one that is not published is [fs.ErrNotExist]. It may
// be of an older text, which its ContentHash names.
func (s *Source) Summary(ctx context.Context, id mip.ID) (*api.Summary, error) {
	return readDocument(ctx, s, id, "/summary", summaryLimit, func(sum *api.Summary) error {
		if sum.MIPNumber != id.Number || sum.Locale != "en" || !mip.IsContentHash(sum.ContentHash) {
			const text = "it holds a summary of proposal %d in %q with contentHash %q, want %d in en and the hash of a text"
			return fmt.Errorf(text, sum.MIPNumber, sum.Locale, sum.ContentHash, id.Number)
		}
		complete := sum.WhatsChanging != nil
		for _, axis := range []api.Axis{sum.Developers, sum.Users, sum.Validators, sum.Foundation} {
			complete = complete && axis.Evidence != nil
		}
		if !complete {
			return errNull
		}
		return nil
	})
}

// Translation reads the committed translation of a proposal into a language, whose tag is spelt as the site spells it.
// The error of one that is not published, and of a locale that is no tag, is [fs.ErrNotExist].
func (s *Source) Translation(ctx context.Context, id mip.ID, locale string) (*api.PublishedTranslation, error) {
	if !mip.IsLocale(locale) {
		return nil, fmt.Errorf("translation of %s: %w", id, fs.ErrNotExist)
	}
	return readDocument(ctx, s, id, "/translations/"+locale, proposalLimit, func(t *api.PublishedTranslation) error {
		if t.MIPNumber != id.Number || t.Locale != locale || !mip.IsContentHash(t.ContentHash) {
			const text = "it holds proposal %d in %q with contentHash %q, want %d in %s and the hash of a text"
			return fmt.Errorf(text, t.MIPNumber, t.Locale, t.ContentHash, id.Number, locale)
		}
		if t.Sections == nil {
			return errNull
		}
		return nil
	})
}

// errNull is the error of a document that would be encoded with null in the place of a list.
var errNull = errors.New("it has null where a list belongs")

// readDocument returns the document of a proposal whose route ends with a suffix, if it passes check.
func readDocument[T any](ctx context.Context, s *Source, id mip.ID, suffix string, limit int64, check func(*T) error) (*T, error) {
	if id.Number < 0 {
		return nil, fmt.Errorf("%s: %w", id, fs.ErrNotExist)
	}
	d := document{"api/v1/mips/" + strconv.Itoa(id.Number) + suffix, limit}
	entry, err := s.documents.Get(ctx, documentKey{d, s.builds.Load()}, func(ctx context.Context) (cachedDocument, error) {
		body, _, err := s.store.read(ctx, d, "")
		if err != nil {
			return cachedDocument{}, err
		}
		value, err := decode[T](s.store, d, body)
		if err != nil {
			return cachedDocument{}, err
		}
		if err := check(&value); err != nil {
			return cachedDocument{}, fmt.Errorf("check %s: %w", s.store.name(d), err)
		}
		return cachedDocument{value, int64(len(body))}, nil
	})
	if err != nil {
		return nil, err
	}
	value := entry.Value.value.(T)
	return &value, nil
}
