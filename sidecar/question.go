package sidecar

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/strictjson"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// maxBody bounds the body of a POST, in bytes.
const maxBody = 64 << 10

// question is the body of a request to an AI route.
type question struct {
	catalog *catalog.Catalog
	id      mip.ID
	locale  string
	// members are all members of the body, undecoded.
	members map[string]json.RawMessage
	// sections are the requested section ids, which the proposal may not have. Nil means all. A
	// summary always covers all.
	sections []string
}

// readQuestion reads the body of a POST except its sections. A null member counts as absent, and
// unknown members are ignored. usual is the locale if there is none. An empty usual makes the
// locale required.
func (s *Sidecar) readQuestion(
	w http.ResponseWriter, r *http.Request, usual string,
) (q question, err error) {
	// Read the body first: its deadline runs, and an invalid body needs no site.
	body, err := readBody(w, r)
	if err != nil {
		return q, err
	}
	st, err := s.site(r.Context())
	if err != nil {
		return q, err
	}
	members, err := strictjson.Object(body)
	if twice, ok := errors.AsType[*strictjson.TwiceError](err); ok {
		err = fmt.Errorf("%w, %s", err, mip.Quote(twice.Name))
	}
	if err != nil {
		return q, badRequest("The body %v; want a JSON object with mipNumber and locale.", err)
	}
	site := st.catalog.Site
	q.catalog, q.members = st.catalog, members
	if q.id, err = parseID(members["mipNumber"], site.Site); err != nil {
		const detail = "mipNumber must be a proposal's number, such as 6, \"6\" or \"%s-6\"."
		return q, badRequest(detail, site.Prefix)
	}
	locales := append([]string{api.English}, site.Locales...)
	locale, err := optional(members["locale"], usual)
	if q.locale = mip.LookUpLocale(locale, locales); err != nil || q.locale == "" {
		const detail = "locale must be a language of this site, %s, or a more specific tag such " +
			"as en-US."
		return q, badRequest(detail, strings.Join(locales, ", "))
	}
	return q, nil
}

// readSections returns the ids of the chosen sections, or nil for all.
func (q question) readSections() ([]string, error) {
	sections, err := optional[[]string](q.members["sections"], nil)
	const most = 1000 // more than any real proposal has
	if n := len(sections); err != nil || sections != nil && n == 0 || n > most {
		const detail = "sections must be a list of 1 to %d section ids, such as " +
			"[\"s-abstract\"], or be left out."
		return nil, badRequest(detail, most)
	}
	return sections, nil
}

// optional decodes a member. An absent or null one has the usual value.
func optional[T any](raw json.RawMessage, usual T) (value T, err error) {
	if raw == nil || string(raw) == "null" {
		return usual, nil
	}
	err = json.Unmarshal(raw, &value)
	return value, err
}

// parseID parses 6, "6" or "MIP-6", or the id of another kind of the site, in any form that an
// address may have.
func parseID(raw json.RawMessage, site mip.Site) (mip.ID, error) {
	if quoted, err := strictjson.String(raw); err == nil {
		return site.ParseKey(quoted)
	}
	return site.ParseKey(string(raw))
}

// limitBody sets the deadline by which the whole body of a request must have arrived. The deadline
// applies to the connection, so it also bounds net/http, which reads the rest of a body after the
// handler.
func limitBody(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	// A function gets whole bodies and supports no deadlines. Ignore that error.
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(timing.Body))
}

// readBody reads the whole body of a POST, which must be JSON in UTF-8 without a content coding.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	given := strings.Join(r.Header.Values("Content-Type"), ", ")
	mediaType, params, err := mime.ParseMediaType(given)
	coding := r.Header.Get("Content-Encoding")
	if err != nil || mediaType != "application/json" ||
		coding != "" && !strings.EqualFold(coding, "identity") ||
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
		const detail = "The body has more than %d bytes. Proposals are named by number; no text " +
			"is sent here."
		return nil, &api.HTTPError{Code: api.TooLarge, Detail: fmt.Sprintf(detail, maxBody)}
	}
	if err != nil {
		return nil, badRequest("The body broke off, or did not come within %v.", timing.Body)
	}
	// Lift the deadline only when nothing is left to read: an answer may take longer than the body.
	http.NewResponseController(w).SetReadDeadline(time.Time{})
	return body, nil
}
