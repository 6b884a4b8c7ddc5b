package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/strictjson"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/index"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

const (
	// english is the language of proposals, of committed summaries, and of those that rules make.
	english = "en"
	// freshAnswer is longer than any process: an answer stays right as long as its key is asked for.
	freshAnswer = 100 * 365 * 24 * time.Hour
	// answerBytes bounds what is kept of summaries, of translations and of their pieces, each.
	answerBytes = 64 << 20
	// maxBody bounds the body of a POST, in bytes.
	maxBody = 64 << 10
)

// aiSummary answers POST /api/ai-summary with the first of these that there is:
//
//   - the committed summary of the present text;
//   - the model's, made now or earlier;
//   - the committed summary of an older text, marked stale;
//   - what rules take from the text, when there is no model or its budget is used up.
//
// A summary that is not what was asked for has the reason in its Fallback. A failure of the model is an error unless
// there is a committed summary of an older text: rules are no stand-in for a model that an operator pays for.
func (s *Sidecar) aiSummary(w http.ResponseWriter, r *http.Request) (*response, error) {
	// Summaries in English need no model, so English is a locale of every site here.
	q, err := s.readQuestion(w, r, english, "mipNumber", "locale")
	if err != nil {
		return nil, err
	}
	sum, failed, err := s.bestSummary(r.Context(), q)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		sum.Fallback = &api.Fallback{Code: failed.Code, Detail: failed.Detail}
		if failed.RetryAfter > 0 {
			sum.Fallback.RetryAfter = new(api.Seconds(failed.RetryAfter))
		}
	}
	return s.newResponse(sum, time.Time{}, 0)
}

// bestSummary returns a summary. failed is why it is not the one that was asked for, or nil.
func (s *Sidecar) bestSummary(ctx context.Context, q question) (sum api.Summary, failed *api.HTTPError, err error) {
	m, err := q.index.Find(q.id)
	if err != nil {
		return sum, nil, err
	}
	var older *api.Summary
	if q.locale == english {
		if older, err = q.index.Summary(ctx, m); err != nil {
			return sum, nil, s.logged(q.id, err)
		}
	}
	if older != nil && !older.Stale {
		return *older, nil, nil
	}
	subject := q.index.Subject(m, s.Now())
	key := q.key(m)
	key.texts = subject.Hash()
	byRules := true
	switch {
	case s.AI.Unusable != nil:
		failed, byRules = aiDisabled(s.AI.Unusable), false
	case s.AI.Model != nil:
		key.maker = s.maker()
		sum, err = getAnswer(ctx, s, s.summaries, key, func(ctx context.Context) (api.Summary, error) {
			return s.modelSummary(ctx, key, subject)
		})
		if err == nil {
			return sum, nil, nil
		}
		failed = httpError(err)
		byRules = failed.Limit == ai.LimitModel
		if failed.Code == api.Internal || failed.Code == api.NotFound || failed.Code == api.RateLimited && !byRules {
			return sum, nil, err
		}
	case q.locale != english:
		const detail = "Without a language model there are summaries in English only."
		failed = &api.HTTPError{Code: api.AIDisabled, Detail: detail}
	}
	switch {
	case older != nil:
		return *older, failed, nil
	case !byRules:
		return sum, nil, failed
	}
	// A summary by rules is made faster than another process is asked for it.
	key.locale, key.maker = english, summary.Extractive
	sum, err = getAnswer(ctx, s, s.summaries, key, func(ctx context.Context) (api.Summary, error) {
		read, err := subject.Read(ctx)
		if err != nil {
			return api.Summary{}, err
		}
		return summary.Extract(read), nil
	})
	return sum, failed, err
}

// modelSummary asks the model, unless another process has its answer.
func (s *Sidecar) modelSummary(ctx context.Context, key answerKey, subject index.Subject) (api.Summary, error) {
	sum, ok, err := recall[api.Summary](ctx, s, key.shared("summary"))
	if err != nil || ok && s.isSummary(sum, key) {
		return sum, err
	}
	read, err := subject.Read(ctx)
	if err != nil {
		return sum, err
	}
	asking, err := s.beforeQuestion(ctx, key)
	if err != nil {
		return sum, err
	}
	sum, err = ai.Summarise(asking, s.AI.Model, read, key.locale)
	err = s.afterQuestion(ctx, key, err)
	s.share(ctx, key.shared("summary"), sum, err)
	return sum, err
}

// isSummary reports whether a summary of another process is the model's answer for a key. Its quotes are not compared
// with the text again.
func (s *Sidecar) isSummary(sum api.Summary, key answerKey) bool {
	return sum.MIPNumber == key.id.Number && sum.ContentHash == key.hash && sum.Locale == key.locale &&
		sum.Source == s.AI.Name && !sum.Stale && sum.Fallback == nil && summary.CheckForm(sum) == nil
}

// answerKey is all that an answer follows from. The texts are those of the moment at which they were listed.
type answerKey struct {
	// site is the base address.
	site string
	id   mip.ID
	// hash is the proposal's contentHash.
	hash string
	// texts is the hash of all texts and of the fork for a summary, and of the passages for a piece.
	texts  [32]byte
	locale string
	// maker is the model with the version of the rules, or summary.Extractive.
	maker string
	// sections are positions, for a translation of some. Empty means all.
	sections string
}

// maker is the model and the rules that its answers are held to.
func (s *Sidecar) maker() string { return s.AI.Name + " " + ai.PromptVersion }

// newAnswerCache makes a cache of answers. In a server an answer that takes too long for its caller is finished for the
// next one.
func newAnswerCache[V any](s *Sidecar, stats *cache.Stats) *cache.Cache[answerKey, V] {
	timeout := timing.DetachedModel
	if s.Function {
		timeout = timing.Model
	}
	// The size is about that of the JSON. An answer without JSON counts as empty.
	size := func(v V) int64 {
		text, _ := json.Marshal(v)
		return int64(len(text))
	}
	return cache.New[answerKey](cache.Config[V]{
		Fresh: freshAnswer, Timeout: timeout, Detached: !s.Function,
		Bytes: answerBytes, Size: size, Retry: pauseAfter, Now: s.Now, Stats: stats,
	})
}

// getAnswer returns what is cached for a key, or makes it. A caller waits for timing.Model at the most.
func getAnswer[V any](
	ctx context.Context, s *Sidecar, c *cache.Cache[answerKey, V], key answerKey,
	fetch func(context.Context) (V, error),
) (V, error) {
	if !s.Function { // there the cache itself ends the fetch
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timing.Model)
		defer cancel()
	}
	for {
		e, err := c.Get(ctx, key, func(ctx context.Context) (V, error) {
			v, err := fetch(ctx)
			return v, s.logged(key.id, err)
		})
		// The limit of the caller who asked the same first is no reason to refuse another one.
		if !ctx.Value(chargeKey{}).(*charge).isOther(err) {
			return e.Value, standing(s, e, err)
		}
	}
}

// logged writes an error to the log and returns it. It leaves out that a budget is used up, and that a caller left.
func (s *Sidecar) logged(id mip.ID, err error) error {
	if err != nil && httpError(err).Code != api.RateLimited && !errors.Is(err, context.Canceled) {
		s.Log.Warn("no answer", "proposal", id, "error", err.Error())
	}
	return err
}

// aiDisabled says that no model can be asked, because none is configured or the one that is cannot be used.
func aiDisabled(why error) *api.HTTPError {
	detail := "This site has no language model for that: " + strings.ReplaceAll(why.Error(), "\n", "; ") + "."
	return &api.HTTPError{Code: api.AIDisabled, Detail: detail, Err: fmt.Errorf("no model: %w", why)}
}

// question is the body of an AI route.
type question struct {
	index  *index.Index
	id     mip.ID
	locale string
	// sections are ids, which the proposal may not have. Nil means all.
	sections []string
}

// key is the key of an answer, but for its maker and texts.
func (q *question) key(m mip.Summary) answerKey {
	return answerKey{site: q.index.Site.BaseURL, id: m.ID, hash: m.ContentHash, locale: q.locale}
}

// readQuestion reads the body of a POST, whose members must be among those named. One that is null counts as absent. An
// absent locale is the one given, which is allowed beside the site's own. Empty means that the locale is required.
func (s *Sidecar) readQuestion(
	w http.ResponseWriter, r *http.Request, locale string, names ...string,
) (q question, err error) {
	// The body comes first: its deadline runs, and a refusal needs no site.
	body, err := readBody(w, r)
	if err != nil {
		return q, err
	}
	st, err := s.site(r.Context())
	if err != nil {
		return q, err
	}
	_, err = strictjson.Object(body, names...)
	if member, ok := errors.AsType[*strictjson.MemberError](err); ok {
		err = fmt.Errorf("%w, %s", err, mip.Quote(member.Name))
	}
	if err != nil {
		return q, badRequest("The body %v; want a JSON object with %s.", err, strings.Join(names, ", "))
	}
	// encoding/json takes a name in another case too. There is none any more.
	var m struct {
		MIPNumber json.RawMessage `json:"mipNumber"`
		Locale    *string         `json:"locale"`
		Sections  []string        `json:"sections"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return q, badRequest("locale must be a string, and sections a list of section ids, such as [\"s-abstract\"].")
	}
	site := st.index.Site
	q.index, q.sections = st.index, m.Sections
	if q.id, err = parseID(m.MIPNumber, site.Prefix); err != nil {
		const detail = "mipNumber must be a proposal's number, such as 6, \"6\" or \"%s-6\"."
		return q, badRequest(detail, site.Prefix)
	}
	const most = 1000 // more than any real proposal has
	if n := len(m.Sections); m.Sections != nil && n == 0 || n > most {
		return q, badRequest("sections must hold 1 to %d section ids, or be left out.", most)
	}
	// English, the language of the proposals, is none of the site's own locales.
	isEnglish := func(l string) bool { return strings.EqualFold(l, english) }
	allowed := slices.DeleteFunc(slices.Clone(site.Locales), isEnglish)
	if locale != "" {
		allowed = append(allowed, locale)
	}
	if len(allowed) == 0 {
		return q, badRequest("This site has no other language than English; see locales in /api/v1/site.")
	}
	if m.Locale != nil {
		locale = *m.Locale
	}
	i := slices.IndexFunc(allowed, func(l string) bool { return strings.EqualFold(l, locale) })
	if i < 0 {
		const detail = "locale must be one of those of this site (%s); see locales in /api/v1/site."
		return q, badRequest(detail, strings.Join(allowed, ", "))
	}
	q.locale = allowed[i]
	return q, nil
}

// parseID reads 6, "6" or "MIP-6" with the site's prefix in any case.
func parseID(raw json.RawMessage, prefix string) (mip.ID, error) {
	text := string(raw)
	if quoted, err := strictjson.String(raw); err == nil {
		text = quoted
		if kind, digits, ok := strings.Cut(text, "-"); ok && strings.EqualFold(kind, prefix) {
			text = digits
		}
	}
	return mip.ParseID(prefix + "-" + text)
}

// limitBody sets the deadline by which the whole body of a request must have arrived. The deadline is the
// connection's, so that it also bounds net/http, which reads what a handler leaves of a body.
func limitBody(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	// A function has no deadlines, and gets whole bodies. The error says so.
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(timing.Body))
}

// readBody reads the whole body of a POST, which must be JSON in UTF-8 without a content coding.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	mediaType, params, err := mime.ParseMediaType(strings.Join(r.Header.Values("Content-Type"), ", "))
	coding := r.Header.Get("Content-Encoding")
	if err != nil || mediaType != "application/json" || coding != "" && !strings.EqualFold(coding, "identity") ||
		params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8") {
		const detail = "The body must be application/json, in UTF-8 and without a content coding."
		return nil, &api.HTTPError{Code: api.UnsupportedMediaType, Detail: detail}
	}
	var body []byte
	if r.ContentLength > maxBody {
		err = &http.MaxBytesError{Limit: maxBody}
	} else {
		body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	}
	if err != nil {
		// The rest of the body is not read.
		w.Header().Set("Connection", "close")
	}
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		const detail = "The body has more than %d bytes. Proposals are named by number; no text is sent here."
		return nil, &api.HTTPError{Code: api.TooLarge, Detail: fmt.Sprintf(detail, maxBody)}
	}
	if err != nil {
		return nil, badRequest("The body broke off, or did not come within %v.", timing.Body)
	}
	// The deadline is lifted only when nothing is left to read: an answer may take longer than the body.
	http.NewResponseController(w).SetReadDeadline(time.Time{})
	return body, nil
}
