package ai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
)

// EncodeRecord writes an answer for other processes, as JSON. It is nil for a value that has none.
func EncodeRecord(v any) []byte {
	record, _ := json.Marshal(v)
	return record
}

// EncodeFailure writes a failure of the model for other processes: "-", its word, and until when it stands, in
// milliseconds since 1970. It is nil for any other error: a budget and the site's documents are a process's own.
func EncodeFailure(err error, stands time.Duration) []byte {
	for _, f := range failures {
		if errors.Is(err, f.kind) {
			return fmt.Appendf(nil, "-%s %d", f.word, time.Now().Add(stands).UnixMilli())
		}
	}
	return nil
}

// DecodeRecord reads a record of another process, of which nothing is believed. An answer must be byte for byte the one
// that [EncodeRecord] writes, and pass the check. A failure must stand, and for no longer than longest. ok reports
// whether the record is believed; err is then the failure in it.
func DecodeRecord[V any](record []byte, longest time.Duration, check func(V) bool) (v V, ok bool, err error) {
	if failed, is := bytes.CutPrefix(record, []byte("-")); is {
		word, until, _ := strings.Cut(string(failed), " ")
		ms, bad := strconv.ParseInt(until, 10, 64)
		left := time.Until(time.UnixMilli(ms))
		err := failureOf(word, left)
		return v, bad == nil && err != nil && left > 0 && left <= longest, err
	}
	if json.Unmarshal(record, &v) != nil {
		return v, false, nil
	}
	// One text stands for a value: no member twice, in another case, unknown or missing, nothing after it.
	return v, bytes.Equal(EncodeRecord(v), record) && check(v), nil
}

// failureOf is the failure that another process has met, nil for a word of none.
func failureOf(word string, retryAfter time.Duration) error {
	for _, f := range failures {
		if f.word == word {
			err := fmt.Errorf("another process says: %w", f.kind)
			return &api.HTTPError{Code: f.code, Detail: f.detail, RetryAfter: retryAfter, Err: err}
		}
	}
	return nil
}
