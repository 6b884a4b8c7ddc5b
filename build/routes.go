package build

import (
	"cmp"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/card"
)

// Routes of the published tree with parts in braces that vary. {kind} is a proposal's prefix in lower case, {n} its
// number, {hash} that of a file's content. A proposal's page itself is [mip.ID.Page].
const (
	pageRoute        = "/{kind}/{n}/"
	markdownRoute    = "/{kind}/{n}.md"
	historyRoute     = "/{kind}/{n}/history/"
	changesRoute     = "/{kind}/{n}/" + feedFile
	translatedRoute  = "/{kind}/{n}/{locale}/"
	cardRoute        = "/{kind}/{n}/og.{hash}.png"
	siteCardRoute    = "/og.{hash}.png"
	apiRoute         = "/api/v1/mips/{n}"
	summaryRoute     = "/api/v1/mips/{n}/summary"
	translationRoute = "/api/v1/mips/{n}/translations/{locale}"
	statusRoute      = "/status/{s}/"
	categoryRoute    = "/category/{c}/"
	typeRoute        = "/type/{t}/"
	authorRoute      = "/author/{login}/"
	upgradeRoute     = "/upgrade/{name}/"
	skillRoute       = "/.well-known/agent-skills/{skill}/SKILL.md"
	assetRoute       = "/assets/{name}"
)

// feedFile is a feed's name below the page of the same list.
const feedFile = "feed.xml"

// routeOf fills a route's {kind} and {n}, and the parts that pairs names with their values.
func routeOf(route string, id mip.ID, pairs ...string) string {
	pairs = append(pairs, "{kind}", strings.ToLower(id.Kind), "{n}", strconv.Itoa(id.Number))
	return strings.NewReplacer(pairs...).Replace(route)
}

// fileOf is the file of a route, which differs from the route where other routes lie below it.
func fileOf(route string) string {
	file := strings.TrimPrefix(route, "/")
	switch {
	case file == "" || strings.HasSuffix(file, "/"):
		return file + "index.html"
	case strings.HasPrefix(route, "/api/"):
		return file + ".json"
	}
	return file
}

// Media types of the tree.
const (
	typeHTML    = "text/html; charset=utf-8"
	typeJSON    = "application/json; charset=utf-8"
	typeProblem = "application/problem+json; charset=utf-8"
	typeRSS     = "application/rss+xml; charset=utf-8"
)

// types are the media types of files by name, else by extension. Others are plain text.
var types = map[string]string{
	feedFile:       typeRSS,
	"feed.json":    "application/feed+json; charset=utf-8",
	"api-404.json": typeProblem,
	"api-catalog":  `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`,
	".html":        typeHTML,
	".json":        typeJSON,
	".md":          "text/markdown; charset=utf-8",
	".atom":        "application/atom+xml; charset=utf-8",
	".xml":         "application/xml; charset=utf-8",
	".png":         card.Type,
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
}

// typeOf is the media type of a file with its charset.
func typeOf(file string) string {
	return cmp.Or(types[path.Base(file)], types[path.Ext(file)], "text/plain; charset=utf-8")
}

// Cache-Control values. A CDN keeps a file until the next deploy; browsers ask again, except for assets,
// whose names change with their content.
const (
	revalidate = "public, max-age=0, must-revalidate"
	immutable  = "public, max-age=31536000, immutable"
)

// generatedFiles matches the files that only builds write, whatever the proposals were: those of routes with
// parts that vary. {kind} matches that of the site, and mip: see oldPages.
func generatedFiles(kind string) *regexp.Regexp {
	routes := []string{
		pageRoute, markdownRoute, changesRoute, translatedRoute, cardRoute, siteCardRoute,
		apiRoute, summaryRoute, translationRoute, skillRoute,
		"/{kind}/{n}/og.png", "/assets/{name}.{hash}.css", "/assets/{name}.{hash}.js",
	}
	for _, list := range []string{statusRoute, categoryRoute, typeRoute, authorRoute, upgradeRoute} {
		routes = append(routes, list, list+feedFile)
	}
	for i, route := range routes {
		routes[i] = regexp.QuoteMeta(fileOf(route))
	}
	pattern := strings.NewReplacer(
		`\{kind\}`, "(mip|"+regexp.QuoteMeta(strings.ToLower(kind))+")", `\{n\}`, `\d+`, `\{hash\}`, "[0-9a-f]{8}",
	).Replace(strings.Join(routes, "|"))
	pattern = regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(pattern, "[^/]+")
	return regexp.MustCompile("^(" + pattern + ")$")
}
