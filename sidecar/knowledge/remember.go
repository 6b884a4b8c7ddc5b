package knowledge

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/cache"
)

const (
	// remembered is how long a document of one proposal is given again, and how long it is known that
	// there is none.
	remembered = time.Minute
	// memory bounds the documents of each kind that are remembered, in bytes as published.
	memory = 16 * mebibyte
)

// recall remembers documents of one kind. Readers of one document at the same time share one reading of
// it; other errors than that it is not there are not remembered.
type recall[T any] struct {
	place place
	cache *cache.Cache[recallKey, kept[T]]
}

// recallKey is a document as of one Knowledge: a changed site is read anew.
type recallKey struct {
	document
	build int64
}

type kept[T any] struct {
	value T
	size  int64
}

func newRecall[T any](p place) *recall[T] {
	missing := func(err error) bool { return errors.Is(err, fs.ErrNotExist) }
	return &recall[T]{p, cache.New[recallKey](cache.Config[kept[T]]{
		Fresh: remembered,
		Gone:  missing,
		Retry: func(err error) time.Duration {
			if missing(err) {
				return remembered
			}
			return 0
		},
		Timeout: documentDeadline,
		Bytes:   memory,
		Size:    func(k kept[T]) int64 { return k.size },
	})}
}

// read returns a document that passes check. The value is the caller's, what its pointers and lists lead
// to is shared.
func (r *recall[T]) read(ctx context.Context, d document, build int64, check func(*T) error) (*T, error) {
	entry, err := r.cache.Get(ctx, recallKey{d, build}, func(ctx context.Context) (kept[T], error) {
		body, _, err := r.place.read(ctx, d, "")
		if err != nil {
			return kept[T]{}, err
		}
		value, err := decode[T](r.place, d, body)
		if err == nil {
			err = check(&value)
		}
		return kept[T]{value, int64(len(body))}, err
	})
	if err != nil {
		return nil, err
	}
	value := entry.Value.value
	return &value, nil
}
