package build

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/render/agent"
)

// host makes the plan one for the host of the site. Where that answers for files alone, each document of the API has the
// address of its file, and no rule says what an unknown one is.
func (p *planner) host() {
	if !p.options.Site.FilesAlone() {
		return
	}
	p.routes = map[string]bool{}
	here := p.options.Site
	inPage := regexp.MustCompile(`="(` + regexp.QuoteMeta(here.BaseURL) + `|` + regexp.QuoteMeta(here.BasePath()) + `)` + apiAddress.String())
	for _, r := range agent.StaticRoutes(p.info.Prefix) {
		p.routes[r.Pattern] = true
	}
	for i := range p.plan.Artifacts {
		a := &p.plan.Artifacts[i]
		p.routes[a.Route] = true
		a.Route, a.Pattern = p.options.Site.Route(a.Route), p.options.Site.Route(a.Pattern)
		// The documents name each other rightly from the start, and hold texts of proposals, as some other files do.
		if strings.HasPrefix(a.Route, "/api/v1/") || strings.HasSuffix(a.Pattern, "/{n}.md") || path.Ext(a.File) == ".png" || a.stream != nil {
			continue
		}
		whole, addresses := a.Body, apiAddress
		if strings.Contains(a.Pattern, "/{n}/") {
			addresses = inPage // the text of a proposal may speak of any route
		}
		a.Body = func() ([]byte, error) {
			body, err := whole()
			return p.hosted(body, addresses), err
		}
	}
}

// apiAddress is what may be the route of a document of the API in a text, with a slash behind it where more follows.
var apiAddress = regexp.MustCompile(`/api/v1/[A-Za-z0-9_{}./-]*/?`)

// hosted is a text in which the routes of documents are the addresses that they have on the host, as far as addresses matches
// them.
func (p *planner) hosted(text []byte, addresses *regexp.Regexp) []byte {
	if p.routes == nil {
		return text
	}
	return addresses.ReplaceAllFunc(text, func(m []byte) []byte {
		at := bytes.Index(m, []byte("/api/v1/"))
		before, route := m[:at], strings.TrimRight(string(m[at:]), ".") // a full stop ends a sentence
		if !p.routes[route] {
			return m
		}
		return slices.Concat(before, []byte(p.options.Site.Route(route)), m[at+len(route):])
	})
}
