package build

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
)

// splat in the address of a redirect stands for the part of the path that the rule's * covers.
const splat = ":splat"

// The rules have the syntax of Netlify and Cloudflare Pages. `_redirects` has a rule a line, of which the first match
// applies to a path without a file. `_headers` has a path and, indented below it, its fields; all matches apply.

// Redirect is one rule of `_redirects`. Status 200 answers with the file To, 404 with To and that
// status, 301 sends the client there.
type Redirect struct {
	From   string // exact path, or a prefix that ends in /*
	To     string
	Status int
}

// Header is one rule of `_headers`: fields for every path that From matches, as in [Redirect]; besides, a
// segment that begins with a colon stands for any.
type Header struct {
	From   string
	Fields [][2]string
}

// contentSecurityPolicy lets a page load its own style sheet, scripts and images, ask its own origin,
// and nothing else.
const contentSecurityPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// sitemap lists every page of the plan so far. A proposal's pages change with the proposal, a
// translation's with the translation; the others with the newest one.
func (p *planner) sitemap() {
	changed := map[string]*mip.Time{} // by route
	for _, m := range p.Summaries {
		changed[m.ID.Page()], changed[routeOf(historyRoute, m.ID)] = m.Updated, m.Updated
		for _, t := range p.Beside.Translations(m.ID) {
			route := routeOf(translatedRoute, m.ID, "{locale}", t.Locale)
			changed[route] = m.Updated
			if !t.GeneratedAt.UTC().IsZero() {
				changed[route] = &t.GeneratedAt
			}
		}
	}
	var newest *mip.Time
	if t := updatedAt(p.Summaries); !t.UTC().IsZero() {
		newest = &t
	}
	// The 404 page is the answer to other addresses; it has none of its own that is worth an entry.
	var entries []render.SitemapEntry
	for _, a := range p.plan.Artifacts {
		if a.Type != typeHTML || a.Route == "/404.html" {
			continue
		}
		lastMod, ok := changed[a.Route]
		if !ok {
			lastMod = newest
		}
		entries = append(entries, render.SitemapEntry{Route: a.Route, LastMod: lastMod})
	}
	p.addIndex("/sitemap.xml", func() ([]byte, error) { return render.Sitemap(p.info, entries) })
	p.addIndex("/robots.txt", func() ([]byte, error) { return render.Robots(p.info), nil })
}

// oldPages is the folder of all pages in releases that had one prefix for every site. Links to it still work.
const oldPages = "/mip/"

// redirects maps every route that is not its own file to its file, and the addresses that the files
// have in their repository to their pages.
func (p *planner) redirects() {
	var rules []Redirect
	for _, a := range p.plan.Artifacts {
		if a.Route == "" || a.Route == "/"+a.File || a.Route+"index.html" == "/"+a.File {
			continue
		}
		rules = append(rules, Redirect{a.Route, "/" + a.File, 200})
	}
	// Links to a proposal's file, as texts and forums have them, lead to its page. Of two folders with one name the
	// first proposal has the address.
	taken := map[string]bool{}
	for _, c := range p.Proposals {
		from := "/" + c.RepoPath
		if !plainPath(from) || taken[from] {
			continue
		}
		taken[from] = true
		rules = append(rules, Redirect{from, p.Site.Path(c.ID.Page()), 301})
	}
	if folder := mip.PageFolder(p.info.Prefix); folder != oldPages {
		rules = append(rules, Redirect{oldPages + "*", p.Site.Path(folder) + splat, 301})
	}
	// Last, since the first match decides: every unknown address of the API answers in JSON.
	rules = append(rules, Redirect{"/api/v1/*", "/api-404.json", 404})
	if !p.NoAPIFallback {
		rules = append(rules, Redirect{"/api/*", "/api-404.json", 404})
	}
	p.plan.Redirects = rules
	var b bytes.Buffer
	for _, r := range rules {
		fmt.Fprintf(&b, "%s %s %d\n", r.From, r.To, r.Status)
	}
	p.add(Artifact{File: "_redirects", index: true, Body: fixed(b.Bytes())})
}

// plainPath reports whether a path can stand in a rule as it is.
func plainPath(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("*:#%?", r)
	})
}

// headers adds the header fields that a CDN cannot derive from a file's name: types of routes without an
// extension, lifetimes, and the policy for pages. No two rules that match one path name the same field.
func (p *planner) headers() {
	rules := []Header{
		{"/*", [][2]string{
			{"Access-Control-Allow-Origin", "*"},
			{"Content-Security-Policy", contentSecurityPolicy},
			{"X-Content-Type-Options", "nosniff"},
			{"Referrer-Policy", "strict-origin-when-cross-origin"},
			{"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()"},
		}},
		{"/assets/*", [][2]string{{"Cache-Control", immutable}}},
		{"/api/v1/*", [][2]string{{"Content-Type", typeJSON}, {"Cache-Control", revalidate}}},
	}
	// A CDN takes a file's type from its extension, which many routes lack and feeds share with other XML.
	placed := map[string]bool{}
	for _, a := range p.plan.Artifacts {
		from := "/" + a.File
		if a.Type == typeRSS && a.Pattern != a.Route {
			// One rule for all feeds of a kind, whatever letters their names are made of.
			from = strings.NewReplacer("{", ":", "}", "").Replace(a.Pattern)
		} else if !a.index || a.Type == typeHTML || strings.HasPrefix(a.Route, "/api/") || strings.HasPrefix(a.File, "_") {
			continue
		}
		if !placed[from] {
			placed[from] = true
			rules = append(rules, Header{from, [][2]string{{"Content-Type", a.Type}}})
		}
	}
	p.plan.Headers = rules
	var b bytes.Buffer
	for _, r := range rules {
		fmt.Fprintf(&b, "%s\n", r.From)
		for _, f := range r.Fields {
			fmt.Fprintf(&b, "  %s: %s\n", f[0], f[1])
		}
	}
	p.add(Artifact{File: "_headers", index: true, Body: fixed(b.Bytes())})
}

// match reports whether a rule's From covers a path; rest is the part of it that a * covers.
func match(from, urlPath string) (rest string, ok bool) {
	if prefix, ok := strings.CutSuffix(from, "/*"); ok {
		rest, ok = strings.CutPrefix(urlPath+"/", prefix+"/")
		return strings.TrimSuffix(rest, "/"), ok
	}
	if !strings.Contains(from, "/:") {
		return "", from == urlPath
	}
	return "", slices.EqualFunc(strings.Split(from, "/"), strings.Split(urlPath, "/"), func(rule, got string) bool {
		return rule == got || strings.HasPrefix(rule, ":") && got != ""
	})
}
