package assistant

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/cache"
)

// sharedFor is how long other processes find an answer. It would be right for longer, but a text that nobody
// asks about any more should not fill a memory that many share.
const sharedFor = 30 * 24 * time.Hour

// errOther is the error of an answer that other processes left and that is none to the question.
var errOther = errors.New("not what was asked for")

// sharing is how a model's answers get to other processes; nil: they do not. What rules make is made faster
// than it is looked up.
func sharing[V any](c Config, kind string, check func(key, V) error) *cache.Sharing[key, V] {
	if c.Shared == nil {
		return nil
	}
	return &cache.Sharing[key, V]{
		With: c.Shared, Check: check, Keep: sharedFor, Told: told, Heard: heard,
		Key: func(k key) string {
			if k.maker == extractive {
				return ""
			}
			return cache.Name(k.site, kind, strconv.Itoa(k.number), k.hash, hex.EncodeToString(k.texts[:]), k.locale, k.maker)
		},
	}
}

// checkSummary holds a summary to its key. Its quotes are not held to the text again.
func checkSummary(k key, sum api.Summary) error {
	if sum.MIPNumber != k.number || sum.ContentHash != k.hash || sum.Locale != k.locale || !madeBy(k, sum.Source) || sum.Stale || sum.Fallback != nil {
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

// kinds are the failures of a model, by the word that other processes are told.
var kinds = [...]struct {
	word string
	err  error
}{
	{"timeout", ai.ErrTimeout}, {"unavailable", ai.ErrUnavailable}, {"refused", ai.ErrRefused},
	{"truncated", ai.ErrTruncated}, {"garbled", ai.ErrGarbled}, {"failed", ai.ErrFailed},
}

// told is the word for a failure of the model. A budget and the site's own documents are a process's own.
func told(err error) string {
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

func heard(word string, left time.Duration) error {
	for _, k := range kinds {
		if k.word == word {
			e := ai.NewError(k.err, "")
			e.RetryAfter = left
			return fmt.Errorf("another process says: %w", e)
		}
	}
	return nil
}
