package sidecar

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/search"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// search answers GET /api/search. The possible answers are too many to cache. The parts of the
// index behind them are cached.
func (s *Sidecar) search(_ http.ResponseWriter, r *http.Request) (*response, error) {
	asked, err := searchOf(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	st, err := s.site(r.Context())
	if err != nil {
		return nil, err
	}
	var kinds []string
	for _, k := range st.catalog.Site.Kinds {
		kinds = append(kinds, k.Prefix)
	}
	q := search.Parse(asked.text, kinds...)
	for _, f := range asked.filters {
		q.Filter(f.name, f.value)
	}
	if q.Empty() {
		return nil, badRequest("q is a word of two letters or more, or the number or id of a "+
			"proposal, unless one of %s is there.",
			strings.Join(api.SearchFilters(), ", "))
	}
	if err := s.takePlace(r.Context()); err != nil {
		return nil, err
	}
	defer func() { <-s.searches }()
	out, whole, err := st.catalog.Search(r.Context(), q, asked.page)
	if err != nil {
		return nil, err
	}
	out.Query = visible(asked.text)
	// An incomplete answer is soon requested again.
	if !whole {
		return s.newResponse(out, s.Now().Add(timing.FreshHead), 0)
	}
	return s.newResponse(out, s.Now().Add(timing.FreshTopic), timing.FreshTopic)
}

// takePlace waits until fewer searches run than there are processors, but leaves enough time for
// the search.
func (s *Sidecar) takePlace(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, timing.SearchPlace)
	defer cancel()
	select {
	case s.searches <- struct{}{}:
		return nil
	case <-ctx.Done():
		return &api.HTTPError{
			Code: api.NotReady, RetryAfter: time.Second,
			Detail: "Too many searches run at the moment; ask again in a moment.",
		}
	}
}

// searchParameters returns the names of all parameters.
func searchParameters() []string {
	return append([]string{"q", "limit", "offset"}, api.SearchFilters()...)
}

// searched is a parsed request.
type searched struct {
	text    string
	page    catalog.Page
	filters []filter
}

// filter is one parameter that restricts a search.
type filter struct{ name, value string }

// searchOf parses the parameters. It refuses unknown ones, since a misspelled filter would match
// everything. It ignores locale, which an earlier version had.
func searchOf(query string) (out searched, err error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return out, badRequest("The query cannot be read: want parameters with & between them, " +
			"each value with its special characters as %%XX.")
	}
	known := searchParameters()
	for name := range values {
		if name != "locale" && !slices.Contains(known, name) {
			return out, badRequest("%.40q is no parameter of this address: want %s.",
				name, strings.Join(known, ", "))
		}
	}
	if given := values["q"]; len(given) > 0 {
		out.text = given[0]
		if len(given) > 1 || len(out.text) > api.LongestQuestion || !utf8.ValidString(out.text) {
			return out, badRequest("q is there once at most, and is UTF-8 of at most %d bytes.",
				api.LongestQuestion)
		}
	}
	if out.page.Limit, err = numberOf(values, "limit", api.UsualHits, 1, api.MostHits); err != nil {
		return out, err
	}
	if out.page.Offset, err = numberOf(values, "offset", 0, 0, api.MostOffset); err != nil {
		return out, err
	}
	for _, name := range api.SearchFilters() {
		for _, value := range values[name] {
			named := strings.ContainsFunc(value, func(c rune) bool {
				return unicode.IsLetter(c) || unicode.IsDigit(c)
			})
			if !named || len(value) > api.LongestFilter || !utf8.ValidString(value) {
				return out, badRequest("%s is a value as proposals have it, such as "+
					"?status=final: UTF-8 of at most %d bytes with a letter or a digit.",
					name, api.LongestFilter)
			}
			out.filters = append(out.filters, filter{name, value})
			if len(out.filters) > api.MostFilters {
				return out, badRequest("%s is one value too many: filters have at most %d values "+
					"together.", name, api.MostFilters)
			}
		}
	}
	return out, nil
}

// visible returns a text without control characters, direction marks and other invisible
// characters: people see it.
func visible(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Cc, unicode.Cf) {
			return -1
		}
		return c
	}, text)
}
