package build

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/calendar"
	"github.com/mipwatch/mipwatch/render/card"
	"github.com/mipwatch/mipwatch/render/feed"
)

// Routes of the published tree with variable parts in braces. {kind} is a proposal's prefix in
// lower case, {n} its number, {hash} a hash of the file's content. The page of a proposal is
// [mip.ID.Page].
const (
	pageRoute        = "/{kind}/{n}/"
	markdownRoute    = "/{kind}/{n}.md"
	historyRoute     = "/{kind}/{n}/history/"
	translatedRoute  = "/{kind}/{n}/{locale}/"
	cardRoute        = "/{kind}/{n}/og.{hash}.png"
	siteCardRoute    = "/og.{hash}.png"
	apiRoute         = "/api/v1/mips/{n}"
	summaryRoute     = "/api/v1/mips/{n}/summary"
	versionsRoute    = "/api/v1/mips/{n}/history"
	translationRoute = "/api/v1/mips/{n}/translations/{locale}"
	eventsRoute      = "/api/v1/events"
	yearRoute        = "/api/v1/events/{year}"
	changesYearRoute = "/changes/{year}/"
	kindRoute        = "/kind/{prefix}/"
	authorRoute      = "/author/{login}/"
	upgradeRoute     = "/upgrade/{name}/"
	upgradeTextRoute = "/upgrade/{name}.md"
	roleRoute        = "/for/{role}/"
	claimsRoute      = "/api/v1/for/{role}"
	skillRoute       = "/.well-known/agent-skills/{skill}/SKILL.md"
	assetRoute       = "/assets/{name}"
	assetFolder      = "/assets/"
	pictureFolder    = assetFolder + "pictures/"
	fileFolder       = assetFolder + "files/"
)

// routeOf replaces the variable parts of a route by the values of a proposal and by pairs, which
// are parts with their values. {n} is the proposal's number in the folder of its kind, else its
// key.
func routeOf(main, route string, id mip.ID, pairs ...string) string {
	name := id.Key(main)
	if strings.Contains(route, "{kind}") {
		name = strconv.Itoa(id.Number)
	}
	pairs = append(pairs, "{kind}", strings.ToLower(id.Kind), "{n}", name)
	for i := 0; i < len(pairs); i += 2 {
		route = strings.Replace(route, pairs[i], pairs[i+1], 1)
	}
	return route
}

// fileOf returns the file of a route. It differs from a route that has other routes below it.
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
)

// types are the media types of files by name or extension. Other files are plain text.
var types = map[string]string{
	"feed.xml":     feed.TypeRSS + "; charset=utf-8",
	"feed.json":    feed.TypeJSON + "; charset=utf-8",
	"api-404.json": typeProblem,
	"api-catalog":  `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`,
	".html":        typeHTML,
	".bin":         "application/octet-stream",
	".json":        typeJSON,
	".md":          "text/markdown; charset=utf-8",
	".atom":        feed.TypeAtom + "; charset=utf-8",
	".xml":         "application/xml; charset=utf-8",
	".ics":         calendar.Type + "; charset=utf-8",
	".png":         card.Type,
	".svg":         "image/svg+xml",
	".jpg":         "image/jpeg",
	".gif":         "image/gif",
	".webp":        "image/webp",
	".avif":        "image/avif",
	".pdf":         "application/pdf",
	".zip":         "application/zip",
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
}

// Cache-Control values. A CDN keeps a file until the next deployment. Browsers ask again, except
// for assets, whose names change with their content.
const (
	revalidate = "public, max-age=0, must-revalidate"
	immutable  = "public, max-age=31536000, immutable"
)

// generatedFiles matches the files that only builds write: the files of routes with variable parts.
// {kind} matches the kinds of the site and mip: see oldPages.
func generatedFiles(kinds []site.Kind) *regexp.Regexp {
	folders := []string{"mip"}
	for _, k := range kinds {
		folders = append(folders, regexp.QuoteMeta(strings.ToLower(k.Prefix)))
	}
	routes := []string{
		markdownRoute, translatedRoute, cardRoute, siteCardRoute,
		apiRoute, summaryRoute, translationRoute, versionsRoute, yearRoute, changesYearRoute,
		skillRoute,
		upgradeRoute + calendarFile, upgradeTextRoute,
		// Earlier releases had these.
		"/{kind}/{n}/graph/", "/{kind}/{n}/requirements/", "/{kind}/{n}/og.png",
		"/assets/{name}.{hash}.css", "/assets/{name}.{hash}.js", "/assets/{name}.{hash}.json",
		"/assets/{name}.{hash}.bin",
		"/assets/logo.{hash}.svg", "/assets/logo.{hash}.png", pictureFolder + "{name}",
		fileFolder + "{digest}/{name}",
	}
	lists := []string{pageRoute, upgradeRoute}
	for _, list := range listFields() {
		lists = append(lists, list.route)
	}
	for _, list := range lists {
		routes = append(routes, list)
		for _, format := range feed.Formats() { // earlier releases had all of them
			routes = append(routes, list+format.File)
		}
	}
	for i, route := range routes {
		routes[i] = regexp.QuoteMeta(fileOf(route))
	}
	pattern := strings.NewReplacer(
		`\{kind\}`, "("+strings.Join(folders, "|")+")",
		`\{n\}`, `([a-z][a-z0-9]*-)?\d+`, `\{hash\}`, "[0-9a-f]{8}",
	).Replace(strings.Join(routes, "|"))
	pattern = regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(pattern, "[^/]+")
	return regexp.MustCompile("^(" + pattern + ")$")
}

// Header is one rule of `_headers`: fields for every path that From covers, as in [redirect.Rule].
type Header struct {
	From   string
	Fields [][2]string
}

// contentSecurityPolicy lets a page load its own style sheet, scripts and images, send requests to
// its own origin, and nothing else.
const contentSecurityPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; " +
	"img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// picturePolicy is for pictures that are opened by themselves: SVG is a document.
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

// sitemap lists all pages of the unfinished plan. A proposal's pages change with the proposal and a
// translation's with the translation. Other pages have the time of the newest change.
func (p *planner) sitemap() {
	changed := map[string]*mip.Time{} // by route
	for i, m := range p.Metadata {
		for _, route := range []string{pageRoute, historyRoute} {
			changed[routeOf(p.info.Prefix, route, m.ID)] = m.Updated
		}
		for _, t := range p.Proposals[i].Translations {
			route := routeOf(p.info.Prefix, translatedRoute, m.ID, "{locale}", t.Locale)
			if changed[route] = m.Updated; !t.GeneratedAt.UTC().IsZero() {
				changed[route] = &t.GeneratedAt
			}
		}
	}
	newest := mip.NewestChange(p.Metadata, p.CommittedAt)
	// Leave out the 404 page: it answers other addresses and has none of its own.
	var entries []render.SitemapEntry
	for _, a := range p.plan.Artifacts {
		if a.Type() != typeHTML || a.Route == "/404.html" {
			continue
		}
		lastMod, ok := changed[a.Route]
		if !ok {
			lastMod = newest
		}
		entries = append(entries, render.SitemapEntry{Route: a.Route, LastMod: lastMod})
	}
	p.addIndex("/sitemap.xml", func() ([]byte, error) {
		return render.Sitemap(p.info.Site, entries)
	})
	p.addIndex("/robots.txt", fixed(render.Robots(p.info.Site)))
}

// headers adds the header fields that a CDN cannot derive from a file's name: types of routes
// without an extension, lifetimes, and the policy for pages. No two rules that match one path name
// the same field, except for policies, which all apply.
func (p *planner) headers() {
	var b bytes.Buffer
	add := func(from string, fields ...[2]string) {
		p.plan.Headers = append(p.plan.Headers, Header{from, fields})
		fmt.Fprintf(&b, "%s\n", from)
		for _, f := range fields {
			fmt.Fprintf(&b, "  %s: %s\n", f[0], f[1])
		}
	}
	add("/*",
		[2]string{"Access-Control-Allow-Origin", "*"},
		[2]string{"Access-Control-Expose-Headers", "ETag"},
		[2]string{"Content-Security-Policy", contentSecurityPolicy},
		[2]string{"X-Content-Type-Options", "nosniff"},
		[2]string{"Referrer-Policy", "strict-origin-when-cross-origin"},
		[2]string{"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()"})
	add("/assets/*", [2]string{"Cache-Control", immutable})
	add(pictureFolder+"*", [2]string{"Content-Security-Policy", picturePolicy})
	add(fileFolder+"*", [2]string{"Content-Security-Policy", "default-src 'none'; sandbox"},
		[2]string{"Content-Disposition", "attachment"})
	fields := [][2]string{{"Cache-Control", revalidate}}
	// Otherwise file names have extensions, and an unknown address answers with a page.
	if !p.info.Host.FilesAlone() {
		fields = append(fields, [2]string{"Content-Type", typeJSON})
	}
	add("/api/v1/*", fields...)
	// A CDN takes a file's type from its extension, which many routes lack and feeds share with
	// other XML.
	placed, colons := map[string]bool{}, strings.NewReplacer("{", ":", "}", "")
	for _, a := range p.plan.Artifacts {
		from := "/" + a.File
		base, api := path.Base(a.File), strings.HasPrefix(a.Route, "/api/")
		dated := strings.HasPrefix(base, "feed.") || path.Ext(base) == ".ics"
		if dated && a.Pattern != a.Route {
			// One rule covers all feeds or calendars of a kind.
			from = colons.Replace(a.Pattern)
		} else if !a.index || a.Type() == typeHTML || api || strings.HasPrefix(a.File, "_") ||
			a.Pattern == upgradeTextRoute {
			continue
		}
		if !placed[from] {
			placed[from] = true
			add(from, [2]string{"Content-Type", a.Type()})
		}
	}
	if p.info.Host != mip.HostPlain {
		p.add(Artifact{File: "_headers", index: true, Body: fixed(b.Bytes())})
	}
}
