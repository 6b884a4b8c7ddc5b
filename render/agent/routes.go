// Package agent describes a site to programs: llms.txt, the Agent Skill, the OpenAPI document, the API catalog and
// the problems that static addresses answer. It knows every route's meaning and none of the files behind it.
package agent

import (
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Media types of the static machine formats, without parameters.
const (
	typeJSON     = "application/json"
	typeRSS      = "application/rss+xml"
	typeAtom     = "application/atom+xml"
	typeJSONFeed = "application/feed+json"
	typeXML      = "application/xml"
	typeText     = "text/plain"
	typeMarkdown = "text/markdown"
	typeLinkset  = "application/linkset+json"
	typeProblem  = "application/problem+json"
	typeHTML     = "text/html"
)

// StaticRoute is one machine-readable address of the published tree.
type StaticRoute struct {
	// Pattern is below the base address. {n} is a proposal's number, {locale} one of the site's, {skill} is [SkillName],
	// others are the path segment of a list.
	Pattern  string
	Name     string // operationId in OpenAPI
	Summary  string // one sentence for documentation
	Type     string // media type, without parameters
	Response any    // zero value of the wire type; nil when the format is not one of ours
}

// StaticRoutes returns every static route of a site with this prefix but pages, their pictures and assets, in the order in which documentation
// shows them. The text formats are UTF-8.
func StaticRoutes(prefix string) []StaticRoute {
	page := mip.PageFolder(prefix) + "{n}"
	return []StaticRoute{
		{"/api/v1/mips", "listProposals", "Every proposal without its text, ascending by number.", typeJSON, mip.List{}},
		{"/api/v1/mips/{n}", "getProposal", "One proposal with its text and its sections.", typeJSON, mip.Proposal{}},
		{"/api/v1/mips/{n}/summary", "getSummary", "What a proposal means, as committed beside it; 404 for one without.", typeJSON, api.Summary{}},
		{"/api/v1/mips/{n}/translations/{locale}", "getTranslation",
			"A proposal in another language, as committed beside it; 404 where there is none.", typeJSON,
			api.PublishedTranslation{}},
		{"/api/v1/hardforks", "listHardForks", "Hard forks: the proposals that each bundles and when each network activates it.", typeJSON, mip.HardForks{}},
		{"/api/v1/site", "getSite", "What this site is: prefix, networks, forum, counts.", typeJSON, mip.SiteInfo{}},
		{"/api/v1/diagnostics", "getDiagnostics", "What was found in the proposals' files.", typeJSON, mip.Diagnostics{}},
		{page + ".md", "getProposalMarkdown", "The proposal's file, byte for byte.", typeMarkdown, nil},
		{"/feed.xml", "getRSS", "The newest changes as RSS 2.0.", typeRSS, nil},
		{"/feed.atom", "getAtom", "The newest changes as Atom.", typeAtom, nil},
		{"/feed.json", "getJSONFeed", "The newest changes as JSON Feed 1.1.", typeJSONFeed, nil},
		{"/status/{s}/feed.xml", "getStatusRSS", "The newest changes of one status as RSS 2.0.", typeRSS, nil},
		{"/category/{c}/feed.xml", "getCategoryRSS", "The newest changes of one category as RSS 2.0.", typeRSS, nil},
		{"/type/{t}/feed.xml", "getTypeRSS", "The newest changes of one type as RSS 2.0.", typeRSS, nil},
		{"/upgrade/{name}/feed.xml", "getUpgradeRSS", "The newest changes of what a network upgrade bundles as RSS 2.0.", typeRSS, nil},
		{"/author/{login}/feed.xml", "getAuthorRSS", "The newest changes of one author's proposals as RSS 2.0.", typeRSS, nil},
		{page + "/feed.xml", "getProposalRSS", "Every change of one proposal as RSS 2.0, where git has any.", typeRSS, nil},
		{"/llms.txt", "getLLMs", "A map of the site for language models, in the llmstxt.org format.", typeText, nil},
		{"/llms-full.txt", "getLLMsFull", "The text of every proposal in one file.", typeText, nil},
		{"/skill.md", "getSkill", "How an agent answers questions from this site, as an Agent Skill.", typeMarkdown, nil},
		{"/.well-known/agent-skills/index.json", "listSkills", "The site's Agent Skills, for discovery.", typeJSON, nil},
		{"/.well-known/agent-skills/{skill}/SKILL.md", "getSkillFile", "The same skill at its place for discovery.", typeMarkdown, nil},
		{"/openapi.json", "getOpenAPI", "Every endpoint as OpenAPI 3.1, static and live, with schemas and examples.", typeJSON, nil},
		{"/.well-known/api-catalog", "getAPICatalog", "Where the API and its description are (RFC 9727).", typeLinkset, nil},
		{"/sitemap.xml", "getSitemap", "Every page with the time of its last change.", typeXML, nil},
		{"/robots.txt", "getRobots", "What crawlers may read: all of it.", typeText, nil},
	}
}

// APICatalog is the linkset of /.well-known/api-catalog (RFC 9727, in the JSON of RFC 9264): the catalog's items are
// the addresses that can be asked without a parameter. The API as a whole has the OpenAPI document as its description
// for programs and the API page as that for people.
func APICatalog(info mip.SiteInfo) ([]byte, error) {
	type link struct {
		Href  string `json:"href"`
		Type  string `json:"type,omitempty"`
		Title string `json:"title,omitempty"`
	}
	type context struct {
		Anchor      string `json:"anchor"`
		Item        []link `json:"item,omitempty"`
		ServiceDesc []link `json:"service-desc,omitempty"`
		ServiceDoc  []link `json:"service-doc,omitempty"`
	}
	// The API page is both the anchor of the API and its documentation for people.
	root := info.BaseURL + "/api/"
	items := []link{{Href: root, Title: "The API as a whole"}}
	for _, r := range StaticRoutes(info.Prefix) {
		if strings.HasPrefix(r.Pattern, "/api/") && !strings.Contains(r.Pattern, "{") {
			items = append(items, link{info.BaseURL + r.Pattern, r.Type, r.Summary})
		}
	}
	return api.JSON(map[string][]context{"linkset": {
		{Anchor: info.BaseURL + "/.well-known/api-catalog", Item: items},
		{
			Anchor:      root,
			ServiceDesc: []link{{info.BaseURL + "/openapi.json", typeJSON, "OpenAPI 3.1"}},
			ServiceDoc:  []link{{root, typeHTML, "Documentation for people"}},
		},
	}})
}

// NotFoundProblem is the static answer to every address below /api that does not exist: the body of api-404.json. It is
// one file for all paths, so instance and requestId are empty.
func NotFoundProblem(info mip.SiteInfo) ([]byte, error) {
	return api.JSON(api.NewProblem(info.BaseURL, api.NotFound, "", notFoundDetail(info)))
}

// notFoundDetail tells the caller of an unknown address where the known ones are listed.
func notFoundDetail(info mip.SiteInfo) string {
	return "Nothing is published at this address. " + info.BaseURL + "/api/v1/mips lists the proposals that exist; " +
		info.BaseURL + "/openapi.json describes every endpoint. Live endpoints are answered only where the site runs its sidecar."
}

// MethodNotAllowed is the answer to a request that would change a static address.
func MethodNotAllowed(baseURL, instance string) ([]byte, error) {
	return api.JSON(api.NewProblem(baseURL, api.MethodNotAllowed, instance, "This address answers GET, HEAD and OPTIONS."))
}
