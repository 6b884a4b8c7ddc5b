// Package agent describes a site to programs: llms.txt, the Agent Skill, the OpenAPI document, the
// API catalog and the problems that static addresses answer. It knows the meaning of every route,
// and none of the files.
package agent

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/search"
	"github.com/mipwatch/mipwatch/render/feed"
)

// Media types that need more than a schema.
const (
	typeJSON    = "application/json"
	typeProblem = "application/problem+json"
	typeHTML    = "text/html"
)

// StaticRoute is one machine-readable address of the published tree.
type StaticRoute struct {
	// Pattern is below the base address. {n} is a proposal's number, {locale} one of the site's,
	// {skill} is [SkillName], others are the path segment of a list.
	Pattern  string
	Name     string // operationId in OpenAPI
	Summary  string // one sentence for documentation
	Text     string // further sentences
	Type     string // media type, without parameters
	Response any    // zero value of the wire type; nil for a foreign format
	Tag      string // a name of [API.Tags]
	List     string // its heading in llms.txt; empty for a route with a parameter
}

// openAPI is data/openapi.json, the parts of the OpenAPI document that are the same for every site.
type openAPI struct {
	Tags       []Tag
	Routes     []StaticRoute // {page} in a pattern is the folder of the proposals' pages
	Parameters map[string]Parameter
	Headers    json.RawMessage
}

//go:embed data/openapi.json
var openAPIData []byte

// fixed decodes the embedded file. The caller may change the values.
func fixed() openAPI {
	var out openAPI
	// The file is embedded, so every test would notice a broken one.
	if err := json.Unmarshal(openAPIData, &out); err != nil {
		panic("data/openapi.json: " + err.Error())
	}
	return out
}

// StaticRoutes returns every static route of a site except pages, their pictures and assets, in the
// order of the documentation. Only the prefix and the host of info matter. The text formats are
// UTF-8.
func StaticRoutes(info mip.Site) []StaticRoute {
	responses := map[string]any{
		"listProposals": mip.List{}, "getProposal": mip.Proposal{}, "getSummary": api.Summary{},
		"getTranslation": api.PublishedTranslation{}, "listHardForks": mip.HardForks{},
		"getSite":        mip.SiteInfo{},
		"getDiagnostics": mip.Diagnostics{}, "getIndex": mip.Index{},
		"getSearchIndex":   search.Manifest{},
		"getRole":          api.Role{},
		"getHistory":       mip.History{},
		"listEvents":       mip.Events{},
		"listEventsOfYear": mip.Events{},
	}
	var out []StaticRoute
	for _, r := range fixed().Routes {
		out = append(out, r.formats()...)
	}
	for i := range out {
		pattern := strings.Replace(out[i].Pattern, "{page}", mip.PageFolder(info.Prefix), 1)
		out[i].Pattern = info.Host.Route(pattern)
		out[i].Response = responses[out[i].Name]
	}
	return out
}

// formats returns the routes of a feed, one for each format, if a pattern has {feed} for the file,
// else the route itself.
func (r StaticRoute) formats() (out []StaticRoute) {
	if !strings.Contains(r.Pattern, "{feed}") {
		return []StaticRoute{r}
	}
	for _, f := range feed.Formats() {
		in := r
		in.Pattern, in.Type = strings.Replace(r.Pattern, "{feed}", f.File, 1), f.Type
		in.Name = strings.Replace(r.Name, "{Feed}", strings.ReplaceAll(f.Name, " ", ""), 1)
		in.Summary = strings.Replace(r.Summary, "{feed}", f.Name, 1)
		out = append(out, in)
	}
	return out
}

// APICatalog is the linkset of /.well-known/api-catalog (RFC 9727, in the JSON of RFC 9264). Its
// items are the addresses without parameters. The API as a whole has the OpenAPI document as the
// description for programs and the API page as the one for people.
func APICatalog(info mip.Site) ([]byte, error) {
	type link = Ordered[string]
	address := func(path string) Member[string] {
		return Member[string]{"href", info.BaseURL + path}
	}
	items := []link{{address("/api/"), {"title", "The API as a whole"}}}
	for _, r := range StaticRoutes(info) {
		if strings.HasPrefix(r.Pattern, "/api/") && !strings.Contains(r.Pattern, "{") {
			items = append(items, link{address(r.Pattern), {"type", r.Type}, {"title", r.Summary}})
		}
	}
	return api.JSON(map[string][]Ordered[any]{"linkset": {
		{{"anchor", info.BaseURL + "/.well-known/api-catalog"}, {"item", items}},
		{
			{"anchor", info.BaseURL + "/api/"},
			{"service-desc",
				[]link{{address("/openapi.json"), {"type", typeJSON}, {"title", "OpenAPI 3.1"}}}},
			{"service-doc",
				[]link{{address("/api/"), {"type", typeHTML},
					{"title", "Documentation for people"}}}},
		},
	}})
}

// NotFoundProblem is the static answer to every unknown address below /api: the body of
// api-404.json. It is one file for all paths, so instance and requestId are empty.
func NotFoundProblem(info mip.Site) ([]byte, error) {
	return api.JSON(api.NewProblem(info.BaseURL, api.NotFound, "", api.NotPublished(info)))
}

// MethodNotAllowed is the answer to a request that would change a static address.
func MethodNotAllowed(baseURL, instance string) ([]byte, error) {
	return api.JSON(api.NewProblem(baseURL, api.MethodNotAllowed, instance,
		"This address answers GET, HEAD and OPTIONS."))
}
