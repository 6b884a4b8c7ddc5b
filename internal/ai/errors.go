package ai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
)

// failure is why a model gives no answer. Every error of this package is an [api.HTTPError] that
// wraps one, except errors of a budget, of a caller and of a context. It holds no text of a
// provider, no address and no key.
type failure struct {
	// The word in records that processes share: no process trusts a text of another one.
	word string
	// For the log.
	text string
	code api.Code
	// For callers, who need not know the reason.
	detail string
}

var (
	errTimeout = &failure{"timeout", "the model did not answer in time",
		api.UpstreamTimeout, "The language model did not answer in time."}
	errUnavailable = &failure{"unavailable", "the model is unavailable",
		api.UpstreamUnavailable, "The language model is not available."}
	// The model or the filter of the provider refuses.
	errRefused = &failure{"refused", "the model refuses to answer",
		api.AIFailed, "The language model refuses to answer."}
	// The answer is prose, empty or cut off, or lacks the form of the API, a summary or a
	// translation.
	errUnreadable = &failure{
		"unreadable", "the model's answer is not in the form that was asked for", api.AIUnreadable,
		"The language model's answer is not in the form that was asked for, " +
			"so nothing of it is shown.",
	}
	// The answer has the form, but the text does not support it, or it repeats the prompt.
	errFailed = &failure{"failed", "the model's answer is not supported by the text",
		api.AIFailed, "The language model's answer is not supported by the text, " +
			"so nothing of it is shown."}
)

// Error implements error.
func (f *failure) Error() string { return f.text }

// FailedAt reports whether an error of this package means that the model failed at a text: its
// answer is unusable, it refused, or it took too long. Errors of an unavailable model do not count.
func FailedAt(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f != errUnavailable
}

// because returns the failure as an error. The reason is for the log, in words of our own. It may
// be empty.
func (f *failure) because(reason string) *api.HTTPError {
	err := error(f)
	if reason != "" {
		err = fmt.Errorf("%w: %s", f, reason)
	}
	return &api.HTTPError{Code: f.code, Detail: f.detail, Err: err}
}

// hostError returns the failure for an error of the provider's host.
func hostError(err error) error {
	h, ok := errors.AsType[*fetch.Error](err)
	if !ok {
		return fmt.Errorf("ask the model: %w", err) // cancelled
	}
	kind, reason := errUnavailable, ""
	if err := errors.Unwrap(h); err != nil {
		reason = err.Error()
	}
	if h.Timeout {
		kind, reason = errTimeout, ""
	}
	e := withStatus(kind.because(reason), h.Status)
	e.RetryAfter = h.RetryAfter
	return e
}

// withStatus adds the status of an HTTP answer for the log. 0 means no answer.
func withStatus(e *api.HTTPError, status int) *api.HTTPError {
	if status != 0 && status != http.StatusOK {
		e.Err = fmt.Errorf("%w (status %d)", e.Err, status)
	}
	return e
}

// LimitModel is the limit of questions to the model, which all callers share.
const LimitModel = "model"

// exhausted returns the error of a budget that is used up. The reason is for the log.
func exhausted(wait time.Duration, reason string) *api.HTTPError {
	return &api.HTTPError{
		Code:       api.RateLimited,
		Detail:     "What this site spends on its language model is used up for now.",
		RetryAfter: wait,
		Limit:      LimitModel,
		Policy:     fmt.Sprintf("q=1;w=%d", api.Seconds(wait)),
		Err:        errors.New(reason),
	}
}

// EncodeRecord encodes an answer for other processes as JSON. It is nil for a value without JSON.
func EncodeRecord(v any) []byte {
	record, _ := json.Marshal(v)
	return record
}

// EncodeFailure encodes a failure of the model for other processes: "-", its word, and its end in
// milliseconds since 1970. It is nil for any other error: a budget and the site's documents belong
// to one process.
func EncodeFailure(err error, stands time.Duration) []byte {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		return nil
	}
	return fmt.Appendf(nil, "-%s %d", f.word, time.Now().Add(stands).UnixMilli())
}

// DecodeRecord decodes a record of another process, which is not trusted. An answer must be byte
// for byte the result of [EncodeRecord]. The caller checks its content. A failure is returned as
// the error. It must not be over, and must end within longest. ok reports whether the record is an
// answer.
func DecodeRecord[V any](record []byte, longest time.Duration) (answer V, ok bool, err error) {
	if failed, is := bytes.CutPrefix(record, []byte("-")); is {
		word, until, _ := strings.Cut(string(failed), " ")
		ms, _ := strconv.ParseInt(until, 10, 64)
		left := time.Until(time.UnixMilli(ms))
		known := []*failure{errTimeout, errUnavailable, errRefused, errUnreadable, errFailed}
		i := slices.IndexFunc(known, func(f *failure) bool { return f.word == word })
		if i < 0 || left <= 0 || left > longest {
			return answer, false, nil
		}
		e := known[i].because("another process says so")
		e.RetryAfter = left
		return answer, false, e
	}
	// Accept only the canonical encoding: no member twice, in another case, unknown or missing, and
	// nothing after the value.
	if json.Unmarshal(record, &answer) != nil || !bytes.Equal(EncodeRecord(answer), record) {
		var none V
		return none, false, nil
	}
	return answer, true, nil
}
