package shared

import (
	"context"
	"errors"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/cache"
)

var _ cache.Shared = (*Store)(nil)

// What the claim script says first.
const (
	turnTaken = iota
	turnRecord
	turnFailed
	turnMine
)

// errTooLarge is the error of a record that is not written.
var errTooLarge = errors.New("the record is too large to be shared")

// Claim implements [cache.Shared].
func (s *Store) Claim(ctx context.Context, key string, c cache.Claim) (cache.Turn, error) {
	answer, err := s.run(ctx, s.scripts.claim, keysOf(key), c.Name, milliseconds(c.Lease), c.Seen, maxRecord)
	if err != nil {
		return cache.Turn{}, err
	}
	kind, err := number(answer, 0)
	if err != nil {
		return cache.Turn{}, err
	}
	switch kind {
	case turnRecord:
		record, err := text(answer, 1)
		return cache.Turn{Record: []byte(record)}, err
	case turnFailed:
		failure, err := text(answer, 1)
		if err != nil {
			return cache.Turn{}, err
		}
		left, err := number(answer, 2)
		return cache.Turn{Failure: failure, Left: time.Duration(left) * time.Millisecond}, err
	case turnMine:
		return cache.Turn{Mine: true}, nil
	case turnTaken:
		return cache.Turn{}, nil
	}
	return cache.Turn{}, errAnswer
}

// Hold implements [cache.Shared].
func (s *Store) Hold(ctx context.Context, key string, c cache.Claim) error {
	_, err := s.run(ctx, s.scripts.hold, keysOf(key)[1:], c.Name, milliseconds(c.Lease))
	return err
}

// Land implements [cache.Shared]. A record of more than 2 MiB is not kept; the turn ends all the same.
func (s *Store) Land(ctx context.Context, key string, c cache.Claim, l cache.Landing) error {
	var tooLarge error
	if len(l.Record) > maxRecord {
		l.Record, tooLarge = nil, errTooLarge
	}
	gone := 0
	if l.Gone {
		gone = 1
	}
	_, err := s.run(ctx, s.scripts.land, keysOf(key), c.Name, l.Record, milliseconds(l.Keep), gone, l.Failure, milliseconds(l.Stands))
	return errors.Join(tooLarge, err)
}

// keysOf are the keys of what is kept, and of whose turn it is.
func keysOf(key string) []string { return []string{key, key + ":turn"} }

// text is an element of an answer.
func text(answer []any, i int) (string, error) {
	if i < len(answer) {
		if t, ok := answer[i].(string); ok && t != "" {
			return t, nil
		}
	}
	return "", errAnswer
}
