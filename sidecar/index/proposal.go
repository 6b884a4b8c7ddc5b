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
	size  int64 // bytes as published
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
func (s *Source) Proposal(ctx context.Context, number int) (*mip.Proposal, error) {
	return readDocument(ctx, s, number, "", proposalLimit, func(p *mip.Proposal) error {
		hash := sha256.Sum256([]byte(p.RawMarkdown))
		if p.Number != number || p.ContentHash != hex.EncodeToString(hash[:]) || p.Sections == nil {
			return fmt.Errorf("it holds proposal %d with contentHash %q, want %d and the hash of its text", p.Number, p.ContentHash, number)
		}
		if p.Translations == nil { // an older program has built the site
			p.Translations = []mip.Translation{}
		}
		return nil
	})
}

// Summary reads the committed summary of a proposal. The error of one that is not published is [fs.ErrNotExist]. It may
// be of an older text, which its ContentHash names.
func (s *Source) Summary(ctx context.Context, number int) (*api.Summary, error) {
	return readDocument(ctx, s, number, "/summary", summaryLimit, func(sum *api.Summary) error {
		if sum.MIPNumber != number || sum.Locale != "en" || !mip.IsContentHash(sum.ContentHash) {
			const text = "it holds a summary of proposal %d in %q with contentHash %q, want %d in en and the hash of a text"
			return fmt.Errorf(text, sum.MIPNumber, sum.Locale, sum.ContentHash, number)
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
func (s *Source) Translation(ctx context.Context, number int, locale string) (*api.PublishedTranslation, error) {
	if !mip.IsLocale(locale) {
		return nil, fmt.Errorf("translation of proposal %d: %w", number, fs.ErrNotExist)
	}
	return readDocument(ctx, s, number, "/translations/"+locale, proposalLimit, func(t *api.PublishedTranslation) error {
		if t.MIPNumber != number || t.Locale != locale || !mip.IsContentHash(t.ContentHash) {
			const text = "it holds proposal %d in %q with contentHash %q, want %d in %s and the hash of a text"
			return fmt.Errorf(text, t.MIPNumber, t.Locale, t.ContentHash, number, locale)
		}
		if t.Sections == nil {
			return errNull
		}
		return nil
	})
}

var errNull = errors.New("it has null where a list belongs")

// readDocument returns the document of a proposal whose route ends with a suffix, if it passes check.
func readDocument[T any](ctx context.Context, s *Source, number int, suffix string, limit int64, check func(*T) error) (*T, error) {
	if number < 0 {
		return nil, fmt.Errorf("proposal %d: %w", number, fs.ErrNotExist)
	}
	d := document{"api/v1/mips/" + strconv.Itoa(number) + suffix, limit}
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
