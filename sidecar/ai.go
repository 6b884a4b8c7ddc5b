package sidecar

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
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
		number, locale, err := summaryRequest(body, st.known.Site)
		if err != nil {
			return nil, err
		}
		return s.assisted(s.assistant.Summary(ctx, st.known, number, locale))
	}
	if len(body) > shortBody {
		return summarise(ctx)
	}
	return s.cached(ctx, responseKey{state: st.number, route: r.URL.Path, body: string(body)}, summarise)
}

// summaryRequest reads the body of a request for a summary.
func summaryRequest(body []byte, site mip.SiteInfo) (number int, locale string, err error) {
	m, err := members(body, "mipNumber", "locale")
	if err != nil {
		return 0, "", err
	}
	if number, err = numberOf(m["mipNumber"], site.Prefix); err != nil {
		return 0, "", err
	}
	if m["locale"] == nil {
		return number, assistant.English, nil
	}
	locale, err = localeOf(m["locale"], append([]string{assistant.English}, foreign(site)...))
	return number, locale, err
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
	number, err := numberOf(m["mipNumber"], st.known.Site.Prefix)
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
	return s.assisted(s.assistant.Translation(ctx, st.known, number, locale, sections))
}

// foreign are the site's languages but English.
func foreign(site mip.SiteInfo) []string {
	return slices.DeleteFunc(slices.Clone(site.Locales), func(l string) bool { return strings.EqualFold(l, assistant.English) })
}

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
