package assistant

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// sharedFor is how long other processes find an answer. It would be right for longer, but a text that nobody
// asks about any more should not fill a memory that many share.
const sharedFor = 30 * 24 * time.Hour

// errOther is the error of an answer that other processes left and that is none to the question.
var errOther = errors.New("not what was asked for")

// Shared is where several processes keep the answers of one model; see sidecar/redis.
type Shared interface {
	// Once finds a record under key that accept takes, or calls fetch and keeps its record for ttl. Over all
	// processes one fetch of a key runs at a time. An error means that neither has come about.
	Once(ctx context.Context, key string, accept func(record []byte) bool, fetch func(context.Context) (record []byte, ttl time.Duration)) error
}

// once calls fetch, unless another process has its answer or is about to. What rules make is not shared: it is
// made faster than it is looked up.
func once[V any](ctx context.Context, s Shared, kind string, k key, check func(key, V) error, fetch func(context.Context) (V, error)) (v V, err error) {
	if s == nil || k.maker == extractive {
		return fetch(ctx)
	}
	name := cache.Name(k.site, kind, k.id.String(), k.hash, hex.EncodeToString(k.texts[:]), k.locale, k.maker)
	ended := s.Once(ctx, name, func(record []byte) (ok bool) {
		v, ok, err = decode(record, k, check)
		return ok
	}, func(ctx context.Context) ([]byte, time.Duration) {
		v, err = fetch(ctx)
		return encode(v, err)
	})
	if ended != nil {
		err = ended
	}
	return v, err
}

// encode writes an answer as JSON, or the failure of the model as "-", a word and until when it stands, in
// milliseconds since 1970. Nothing is kept of other failures.
func encode[V any](v V, err error) (record []byte, ttl time.Duration) {
	if err == nil {
		record, _ = json.Marshal(v) // an answer that has no JSON is not shared
		return record, sharedFor
	}
	word, ttl := wordOf(err), pause(err)
	if word == "" || ttl <= 0 {
		return nil, 0
	}
	return fmt.Appendf(nil, "-%s %d", word, time.Now().Add(ttl).UnixMilli()), ttl
}

// decode reads a record, of which nothing is believed: an answer must be byte for byte what encode writes, and
// belong to its key. ok reports whether it is to be believed; err is then the failure that it holds.
func decode[V any](record []byte, k key, check func(key, V) error) (v V, ok bool, err error) {
	if failed, is := bytes.CutPrefix(record, []byte("-")); is {
		word, until, _ := strings.Cut(string(failed), " ")
		ms, bad := strconv.ParseInt(until, 10, 64)
		left := time.Until(time.UnixMilli(ms))
		if err = errorOf(word, left); bad != nil || err == nil || left <= 0 || left > timing.LongestPause {
			return v, false, nil
		}
		return v, true, err
	}
	if json.Unmarshal(record, &v) != nil {
		return v, false, nil
	}
	// One text stands for a value: no member twice, in another case, unknown or missing, nothing after it.
	again, bad := json.Marshal(v)
	return v, bad == nil && bytes.Equal(again, record) && check(k, v) == nil, nil
}

// checkSummary holds a summary to its key. Its quotes are not held to the text again.
func checkSummary(k key, sum api.Summary) error {
	if sum.MIPNumber != k.id.Number || sum.ContentHash != k.hash || sum.Locale != k.locale || !madeBy(k, sum.Source) || sum.Stale || sum.Fallback != nil {
		return errOther
	}
	return ai.CheckForm(sum)
}

// checkPiece holds a piece of a translation to its key.
func checkPiece(k key, p ai.Passages) error {
	if len(p.Texts) != k.count || slices.Contains(p.Texts, "") || !madeBy(k, p.Source) {
		return errOther
	}
	return nil
}

func madeBy(k key, source string) bool { return k.maker == source+" "+ai.PromptVersion }

// kinds are the failures of a model, by the word that stands for them in a record.
var kinds = [...]struct {
	word string
	err  error
}{
	{"timeout", ai.ErrTimeout}, {"unavailable", ai.ErrUnavailable}, {"refused", ai.ErrRefused},
	{"truncated", ai.ErrTruncated}, {"garbled", ai.ErrGarbled}, {"failed", ai.ErrFailed},
}

// wordOf is the word for a failure of the model. A budget and the site's own documents are a process's own.
func wordOf(err error) string {
	if errors.Is(err, errSite) {
		return ""
	}
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			return k.word
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return kinds[0].word
	}
	return ""
}

// errorOf is the failure that a word stands for; nil: none.
func errorOf(word string, left time.Duration) error {
	for _, k := range kinds {
		if k.word == word {
			e := ai.NewError(k.err, "")
			e.RetryAfter = left
			return fmt.Errorf("another process says: %w", e)
		}
	}
	return nil
}
