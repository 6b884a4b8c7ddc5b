package sidecar

import (
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
	"github.com/mipwatch/mipwatch/sidecar/catalog"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// english is the language of proposals, of committed summaries, and of those that rules make.
const english = "en"

// maxBody bounds the body of a POST, in bytes.
const maxBody = 64 << 10

// question is the body of an AI route.
type question struct {
	catalog *catalog.Catalog
	id      mip.ID
	locale  string
	// sections are ids, which the proposal may not have. Nil means all.
	sections []string
}

// readQuestion reads the body of a POST, whose members must be among those named. One that is null counts as absent. An
// absent locale is the one given, which is allowed beside the site's own. Empty means that the locale is required.
func (s *Sidecar) readQuestion(
	w http.ResponseWriter, r *http.Request, locale string, names ...string,
) (q question, err error) {
	// Read the body first: its deadline runs, and a refusal needs no site.
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
	// By now no name is in another case, which encoding/json would take too.
	var m struct {
		MIPNumber json.RawMessage `json:"mipNumber"`
		Locale    *string         `json:"locale"`
		Sections  []string        `json:"sections"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return q, badRequest("locale must be a string, and sections a list of section ids, such as [\"s-abstract\"].")
	}
	site := st.catalog.Site
	q.catalog, q.sections = st.catalog, m.Sections
	if q.id, err = parseID(m.MIPNumber, site.Site); err != nil {
		const detail = "mipNumber must be a proposal's number, such as 6, \"6\" or \"%s-6\"."
		return q, badRequest(detail, site.Prefix)
	}
	const most = 1000 // more than any real proposal has
	if n := len(m.Sections); m.Sections != nil && n == 0 || n > most {
		return q, badRequest("sections must hold 1 to %d section ids, or be left out.", most)
	}
	// Leave English out of the site's own locales: it is the language of the proposals.
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

// parseID reads 6, "6" or "MIP-6", or the id of another kind of the site, with its prefix in any case.
func parseID(raw json.RawMessage, site mip.Site) (mip.ID, error) {
	if quoted, err := strictjson.String(raw); err == nil {
		return site.ParseKey(quoted)
	}
	return site.ParseKey(string(raw))
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
