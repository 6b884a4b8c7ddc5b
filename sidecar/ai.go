package sidecar

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/strictjson"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// aiSummary answers POST /api/ai-summary.
func (s *Sidecar) aiSummary(w http.ResponseWriter, r *http.Request) (*response, error) {
	st, m, err := s.readPost(w, r, "mipNumber", "locale")
	if err != nil {
		return nil, err
	}
	id, err := proposalOf(m["mipNumber"], st.index.Site.Prefix)
	if err != nil {
		return nil, err
	}
	// Summaries in English need no model, so English is a locale of every site here.
	locale := english
	if m["locale"] != nil {
		if locale, err = localeOf(m["locale"], append([]string{locale}, foreignLocales(st.index.Site)...)); err != nil {
			return nil, err
		}
	}
	sum, err := s.ai.summary(r.Context(), st.index, id, locale)
	if err != nil {
		return nil, err
	}
	return s.newResponse(sum, time.Time{}, 0)
}

// aiTranslate answers POST /api/ai-translate.
func (s *Sidecar) aiTranslate(w http.ResponseWriter, r *http.Request) (*response, error) {
	st, m, err := s.readPost(w, r, "mipNumber", "locale", "sections")
	if err != nil {
		return nil, err
	}
	id, err := proposalOf(m["mipNumber"], st.index.Site.Prefix)
	if err != nil {
		return nil, err
	}
	locales := foreignLocales(st.index.Site)
	switch {
	case len(locales) == 0:
		return nil, badRequest("This site has no other language than English; see locales in /api/v1/site.")
	case m["locale"] == nil:
		return nil, badRequest("locale is missing; want one of %s.", strings.Join(locales, ", "))
	}
	locale, err := localeOf(m["locale"], locales)
	if err != nil {
		return nil, err
	}
	sections, err := sectionsOf(m["sections"])
	if err != nil {
		return nil, err
	}
	translation, err := s.ai.translation(r.Context(), st.index, id, locale, sections)
	if err != nil {
		return nil, err
	}
	return s.newResponse(translation, time.Time{}, 0)
}

// foreignLocales returns the site's languages but English, the language of the proposals.
func foreignLocales(site mip.SiteInfo) []string {
	return slices.DeleteFunc(slices.Clone(site.Locales), func(l string) bool { return strings.EqualFold(l, english) })
}

// readPost reads the members of the body, and returns them with the state of the site. A member that is null counts as
// absent, and one that is not among names is an error.
func (s *Sidecar) readPost(w http.ResponseWriter, r *http.Request, names ...string) (*state, map[string]json.RawMessage, error) {
	// The body comes first: its deadline runs, and a refusal needs no state.
	body, err := readBody(w, r)
	if err != nil {
		return nil, nil, err
	}
	st, err := s.state(r.Context())
	if err != nil {
		return nil, nil, err
	}
	m, err := strictjson.Object(body, names...)
	if e, ok := errors.AsType[*strictjson.MemberError](err); ok {
		problem := "does not belong into the body"
		if e.Twice {
			problem = "is in the body twice"
		}
		return nil, nil, badRequest("The member %q %s; want %s.", shorten(e.Name), problem, strings.Join(names, ", "))
	}
	if err != nil {
		return nil, nil, badRequest("The body %v; want a JSON object with %s.", err, strings.Join(names, ", "))
	}
	maps.DeleteFunc(m, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return st, m, nil
}

const maxBody = 64 << 10 // bytes

// limitBody sets the deadline by which the whole body of a request must have arrived. The deadline is the
// connection's, so that it also bounds net/http, which reads what a handler leaves of a body.
func limitBody(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	// A function has no deadlines, and gets whole bodies. The error says so.
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(timing.Body))
}

// readBody reads the whole body of a POST, which must be JSON.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := checkMediaType(r.Header); err != nil {
		return nil, err
	}
	// A body that says its length is refused before it is read.
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

// tooLarge also ends the connection, since the rest of the body is not read.
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

// shorten bounds a caller's text for a message.
func shorten(s string) string {
	const most = 41 // characters
	return mip.ShortenRunes(s, most)
}

// proposalOf reads mipNumber: 6, "6" or "MIP-6" with the site's prefix in any case.
func proposalOf(raw json.RawMessage, prefix string) (mip.ID, error) {
	problem := "must be"
	if raw == nil {
		problem = "is missing; want"
	}
	wrong := badRequest("mipNumber %s a proposal's number, such as 6, \"6\" or \"%s-6\".", problem, prefix)
	text := string(raw)
	if strings.HasPrefix(text, `"`) {
		var err error
		if text, err = strictjson.String(raw); err != nil {
			return mip.ID{}, wrong
		}
		if kind, digits, ok := strings.Cut(text, "-"); ok && strings.EqualFold(kind, prefix) {
			text = digits
		}
	}
	id, err := mip.ParseID(prefix + "-" + text)
	if err != nil {
		return mip.ID{}, wrong
	}
	return id, nil
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

// sectionsOf reads a list of section ids. It returns nil for an absent one.
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
