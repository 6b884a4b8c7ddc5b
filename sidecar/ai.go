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

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/strictjson"
	"github.com/mipwatch/mipwatch/sidecar/assistant"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// shortBody is the longest body, in bytes, by which a summary is remembered. Honest ones are shorter.
const shortBody = 64

// aiSummary answers POST /api/ai-summary. A warm one costs what a warm GET does: the answer is remembered
// by the bytes that were sent.
func (s *Sidecar) aiSummary(ctx context.Context, w http.ResponseWriter, r *http.Request) (*response, error) {
	st, body, err := s.posted(ctx, w, r)
	if err != nil {
		return nil, err
	}
	summarise := func(ctx context.Context) (*response, error) {
		id, locale, err := summaryRequest(body, st.known.Site)
		if err != nil {
			return nil, err
		}
		return s.assisted(s.assistant.Summary(ctx, st.known, id, locale))
	}
	if len(body) > shortBody {
		return summarise(ctx)
	}
	return s.cached(ctx, responseKey{state: st.number, route: r.URL.Path, body: string(body)}, summarise)
}

// summaryRequest reads the body of a request for a summary.
func summaryRequest(body []byte, site mip.SiteInfo) (id mip.ID, locale string, err error) {
	m, err := members(body, "mipNumber", "locale")
	if err != nil {
		return mip.ID{}, "", err
	}
	if id, err = proposalOf(m["mipNumber"], site.Prefix); err != nil {
		return mip.ID{}, "", err
	}
	if m["locale"] == nil {
		return id, assistant.English, nil
	}
	locale, err = localeOf(m["locale"], append([]string{assistant.English}, foreign(site)...))
	return id, locale, err
}

// aiTranslate answers POST /api/ai-translate.
func (s *Sidecar) aiTranslate(ctx context.Context, w http.ResponseWriter, r *http.Request) (*response, error) {
	st, body, err := s.posted(ctx, w, r)
	if err != nil {
		return nil, err
	}
	m, err := members(body, "mipNumber", "locale", "sections")
	if err != nil {
		return nil, err
	}
	id, err := proposalOf(m["mipNumber"], st.known.Site.Prefix)
	if err != nil {
		return nil, err
	}
	locale, err := translationLocale(m["locale"], foreign(st.known.Site))
	if err != nil {
		return nil, err
	}
	sections, err := sectionsOf(m["sections"])
	if err != nil {
		return nil, err
	}
	return s.assisted(s.assistant.Translation(ctx, st.known, id, locale, sections))
}

// foreign are the site's languages but English.
func foreign(site mip.SiteInfo) []string {
	return slices.DeleteFunc(slices.Clone(site.Locales), func(l string) bool { return strings.EqualFold(l, assistant.English) })
}

// translationLocale reads locale. English is none: the proposals are in it.
func translationLocale(raw json.RawMessage, locales []string) (string, error) {
	switch {
	case len(locales) == 0:
		return "", badRequest("This site has no other language than English; see locales in /api/v1/site.")
	case raw == nil:
		return "", badRequest("locale is missing; want one of %s.", strings.Join(locales, ", "))
	}
	return localeOf(raw, locales)
}

// posted is what is known of the site, and a body.
func (s *Sidecar) posted(ctx context.Context, w http.ResponseWriter, r *http.Request) (*state, []byte, error) {
	body, err := readBody(w, r)
	if err != nil {
		return nil, nil, err
	}
	st, err := s.known(ctx)
	return st, body, err
}

// assisted is the assistant's answer.
func (s *Sidecar) assisted(v any, err error) (*response, error) {
	if err != nil {
		return nil, assistant.Explain(err)
	}
	return s.newResponse(v, s.Now().Add(timing.FreshAI), 0)
}

const maxBody = 64 << 10 // bytes

// limitBody sets the deadline by which the whole body of a request must have arrived. The deadline is the
// connection's, so that it also bounds net/http, which reads what a handler leaves of a body.
func limitBody(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	// The error says that the server has no deadlines. A function, which is such a server, gets whole bodies.
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(timing.Body))
}

// readBody reads the whole body of a POST, which must be JSON.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := checkMediaType(r.Header); err != nil {
		return nil, err
	}
	if r.ContentLength > maxBody {
		return nil, tooLarge(w)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, tooLarge(w)
	}
	if err != nil {
		w.Header().Set("Connection", "close")
		return nil, badRequest("The body broke off, or did not come within %v.", timing.Body)
	}
	// The deadline is lifted only when nothing is left to read: an answer may take longer than the body.
	http.NewResponseController(w).SetReadDeadline(time.Time{})
	return body, nil
}

// tooLarge ends the connection too: what is left of the body is not read.
func tooLarge(w http.ResponseWriter) error {
	w.Header().Set("Connection", "close")
	const detail = "The body has more than %d bytes. Proposals are named by number; no text is sent here."
	return &api.HTTPError{Code: api.TooLarge, Detail: fmt.Sprintf(detail, maxBody)}
}

// checkMediaType lets JSON in UTF-8 through, without a content coding.
func checkMediaType(h http.Header) error {
	wrong := func(detail string) error { return &api.HTTPError{Code: api.UnsupportedMediaType, Detail: detail} }
	mediaType, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	switch {
	case err != nil || mediaType != "application/json" || len(h.Values("Content-Type")) > 1:
		return wrong("Content-Type must be application/json.")
	case params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8"):
		return wrong("JSON is UTF-8; leave the charset out.")
	case h.Get("Content-Encoding") != "" && !strings.EqualFold(h.Get("Content-Encoding"), "identity"):
		return wrong("The body must not have a content coding.")
	}
	return nil
}

// members reads the body as one JSON object with the members that are named, all others refused. A member
// that is null counts as absent.
func members(body []byte, names ...string) (map[string]json.RawMessage, error) {
	m, err := strictjson.Object(body, names...)
	if e, ok := errors.AsType[*strictjson.MemberError](err); ok {
		problem := "does not belong into the body"
		if e.Twice {
			problem = "is in the body twice"
		}
		return nil, badRequest("The member %q %s; want %s.", shorten(e.Name), problem, strings.Join(names, ", "))
	}
	if err != nil {
		return nil, badRequest("The body %v; want a JSON object with %s.", err, strings.Join(names, ", "))
	}
	for name, value := range m {
		if string(value) == "null" {
			delete(m, name)
		}
	}
	return m, nil
}

// shorten makes what a caller sent fit for a message.
func shorten(s string) string {
	const most = 40 // characters
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// proposalOf reads mipNumber: 6, "6" or "MIP-6" with the site's prefix.
func proposalOf(raw json.RawMessage, prefix string) (mip.ID, error) {
	wrong := badRequest("mipNumber must be a proposal's number, such as 6, \"6\" or \"%s-6\".", prefix)
	if raw == nil {
		return mip.ID{}, badRequest("mipNumber is missing; want a proposal's number, such as 6, \"6\" or \"%s-6\".", prefix)
	}
	text := string(raw)
	if raw[0] == '"' {
		var err error
		if text, err = strictjson.String(raw); err != nil {
			return mip.ID{}, wrong
		}
		if before, digits, ok := strings.Cut(text, "-"); ok {
			if !strings.EqualFold(before, prefix) {
				return mip.ID{}, wrong
			}
			text = digits
		}
	}
	const mostDigits = 9 // as many as a proposal's number may have
	if text == "" || len(text) > mostDigits || len(text) > 1 && text[0] == '0' {
		return mip.ID{}, wrong
	}
	n := 0
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return mip.ID{}, wrong
		}
		n = n*10 + int(c-'0')
	}
	return mip.ID{Kind: prefix, Number: n}, nil
}

// localeOf reads locale and returns it as the site spells it. It must be one of those allowed.
func localeOf(raw json.RawMessage, allowed []string) (string, error) {
	given, err := strictjson.String(raw)
	if err != nil {
		return "", badRequest("locale %v; want one of %s.", err, strings.Join(allowed, ", "))
	}
	i := slices.IndexFunc(allowed, func(l string) bool { return strings.EqualFold(l, given) })
	if i < 0 {
		return "", badRequest("locale %q is none of this site's; want one of %s.", shorten(given), strings.Join(allowed, ", "))
	}
	return allowed[i], nil
}

// sectionsOf reads a list of section ids. Nil means that it is absent.
func sectionsOf(raw json.RawMessage) ([]string, error) {
	if raw == nil {
		return nil, nil
	}
	const most = 1000 // more than any real proposal has
	elements, err := strictjson.Array(raw)
	if err != nil {
		return nil, badRequest("sections %v; want section ids, such as [\"s-abstract\"].", err)
	}
	if len(elements) == 0 || len(elements) > most {
		return nil, badRequest("sections has %d ids; want 1 to %d, or leave it out for all.", len(elements), most)
	}
	out := make([]string, len(elements))
	for i, e := range elements {
		if out[i], err = strictjson.String(e); err != nil {
			return nil, badRequest("sections holds something that %v; want section ids, such as [\"s-abstract\"].", err)
		}
	}
	return out, nil
}
