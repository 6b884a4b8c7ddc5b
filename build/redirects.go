package build

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
	"github.com/mipwatch/mipwatch/internal/redirect"
	"github.com/mipwatch/mipwatch/internal/requirement"
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/feed"
)

// oldPages is the folder of all pages in releases that had one prefix for every site. Links to it
// still work.
const oldPages = "/mip/"

// redirects adds the rewrites of routes that are not their own file, and the redirects of old
// addresses. A host without rules gets pages at the old addresses.
func (p *planner) redirects() {
	moved := p.moved()
	if p.info.Host == mip.HostPlain {
		p.movedPages(moved)
		return
	}
	rules := redirect.New(moved, p.published())
	if p.info.Host == mip.HostCloudflare {
		written, left := rules.Cloudflare()
		p.plan.Redirects = rules.All()
		p.addRules(written)
		if left > 0 {
			p.problems = append(p.problems, problem.New(p.siteFile(), 0, "redirects-left", left))
		}
		return
	}
	var files, rest []redirect.Rule
	for _, a := range p.plan.Artifacts {
		if a.Route != "" && a.Route != "/"+a.File && a.Route+"index.html" != "/"+a.File {
			files = append(files, redirect.Rule{From: a.Route, To: "/" + a.File, Status: 200})
		}
	}
	// Unknown addresses of the API answer in JSON. The rule is last, since the first match decides.
	if !p.options.NoAPIFallback {
		rest = append(rest, redirect.Rule{From: "/api/*", To: "/api-404.json", Status: 404})
	}
	p.plan.Redirects = slices.Concat(files, rules.All(), rest)
	p.addRules(slices.Concat(files, rules.Netlify(), rest))
	p.add(Artifact{File: "_redirects.caddy", index: true, Body: fixed(rules.Caddy())})
}

// addRules adds the file with the rules of a CDN, in the order in which it tries them.
func (p *planner) addRules(rules []redirect.Rule) {
	var b bytes.Buffer
	for _, r := range rules {
		fmt.Fprintf(&b, "%s %s %d\n", r.From, r.To, r.Status)
	}
	p.add(Artifact{File: "_redirects", index: true, Body: fixed(b.Bytes())})
}

// moved returns the redirects of old addresses of pages, each once. A redirect of site.yaml or of a
// header from an address with another owner is a problem.
func (p *planner) moved() (out []redirect.Rule) {
	published := p.published()
	taken, addresses := maps.Clone(published), p.newAddresses(published)
	add := func(from, to string) {
		if mip.IsPath(from) && !taken[from] {
			taken[from] = true
			out = append(out, redirect.Rule{From: from, To: to, Status: 301})
		}
	}
	p.configured(addresses, published, add)
	add("/feeds", p.options.Site.Path("/follow/"))
	for _, c := range p.Proposals {
		id := strings.ToUpper(c.ID.String())
		for _, m := range c.Moved {
			if owner := addresses.ownerForHeaders(m.Path); owner != "" && owner != id {
				p.problems = append(p.problems, problem.New(
					c.File, m.Line, "taken-redirect", m.Path, mip.Quote(m.Key), owner))
				continue
			}
			addresses.take(m.Path, id)
			add(m.Path, p.options.Site.Path(c.ID.Page()))
		}
	}
	for i, c := range p.Proposals {
		for _, from := range oldPaths(c) {
			add(from, p.options.Site.Path(c.ID.Page()))
		}
		if p.info.Host != mip.HostPlain {
			continue // see movedForms
		}
		if p.relations.Has(i) {
			add(c.ID.Page()+"graph", p.options.Site.Path(c.ID.Page()))
		}
		if requirement.Mentioned(c.Body) {
			add(c.ID.Page()+"requirements", p.options.Site.Path(c.ID.Page()))
		}
	}
	// Addresses of JSON that was removed. A page, as on plain hosts, cannot replace them.
	if p.info.Host != mip.HostPlain {
		for _, locale := range p.info.Locales {
			to := p.info.Host.Route("/api/v1/search")
			add(p.info.Host.Route("/api/v1/search/"+locale), p.options.Site.Path(to))
		}
		if !p.info.FullText {
			add("/llms-full.txt", p.options.Site.Path("/llms.txt"))
		}
	}
	return append(out, p.movedForms()...)
}

// movedForms returns the redirects of all old addresses of a form.
func (p *planner) movedForms() (out []redirect.Rule) {
	old := func(k mip.Kind) bool { return mip.PageFolder(k.Prefix) == oldPages }
	if !slices.ContainsFunc(p.info.Kinds, old) {
		to := p.options.Site.Path(mip.PageFolder(p.info.Prefix)) + ":splat"
		out = append(out, redirect.Rule{From: oldPages + "*", To: to, Status: 301})
	}
	for _, k := range p.info.Kinds {
		page := mip.PageFolder(k.Prefix) + ":n/"
		for _, old := range []string{"graph", "requirements"} {
			to := p.options.Site.Path(page)
			out = append(out, redirect.Rule{From: page + old, To: to, Status: 301})
		}
	}
	lists := map[string]bool{}
	for _, a := range p.plan.Artifacts {
		folder, isFeed := strings.CutSuffix(a.Pattern, feed.ListFormat().File)
		if !isFeed || lists[folder] || a.Pattern == a.Route {
			continue
		}
		lists[folder] = true
		folder = strings.NewReplacer("{", ":", "}", "").Replace(folder)
		for _, old := range []string{"feed.xml", "feed.json"} {
			to := p.options.Site.Path(folder) + feed.ListFormat().File
			out = append(out, redirect.Rule{From: folder + old, To: to, Status: 301})
		}
	}
	return out
}

// configured adds the redirects of site.yaml.
func (p *planner) configured(
	addresses *addresses, published map[string]bool, add func(from, to string),
) {
	s := p.options.Site
	for i, item := range s.Redirects {
		line := s.Lines[fmt.Sprintf("redirects[%d]", i)]
		report := func(id string, args ...any) {
			p.problems = append(p.problems, problem.New(p.siteFile(), line, id, args...))
		}
		from, to, single := strings.Cut(item, " ")
		if !single {
			if at, owner := p.byNumber(addresses, item, add); owner != "" {
				report("taken-redirect", at, "redirects", owner)
			}
			continue
		}
		to = strings.TrimSpace(to)
		here := strings.HasPrefix(to, "/")
		switch owner := addresses.ownerForSite(from); {
		case here && !published[strings.TrimSuffix(to, "/")]:
			report("dead-redirect", from, to)
		case owner != "":
			report("taken-redirect", from, "redirects", owner)
		case here:
			addresses.take(from, p.siteFile())
			add(from, s.Path(to))
		default:
			addresses.take(from, p.siteFile())
			add(from, to)
		}
	}
}

// published returns the paths of the unfinished plan, without a last slash. The home page is at "".
func (p *planner) published() map[string]bool {
	paths := map[string]bool{}
	for _, a := range p.plan.Artifacts {
		paths["/"+a.File], paths[strings.TrimSuffix(a.Route, "/")] = true, true
	}
	return paths
}

// siteFile returns the name of the site's file for problems, which are public, without its folder.
func (p *planner) siteFile() string {
	return filepath.Base(cmp.Or(p.options.Site.File, "site.yaml"))
}

// byNumber adds a redirect of site.yaml with a number, for each proposal. It returns the first
// address with another owner, and the owner.
func (p *planner) byNumber(
	addresses *addresses, template string, add func(from, to string),
) (taken, by string) {
	kind := p.kindOfPath(template)
	for _, c := range p.Proposals {
		if c.ID.Kind != kind {
			continue
		}
		at := strings.Replace(template, "{n}", strconv.Itoa(c.ID.Number), 1)
		id := strings.ToUpper(c.ID.String())
		switch owner := addresses.ownerForSite(at); {
		case owner == "" || owner == id:
			addresses.take(at, id)
			add(at, p.options.Site.Path(c.ID.Page()))
		case by == "":
			taken, by = at, owner
		}
	}
	return taken, by
}

// oldPaths returns the paths of a proposal in links of other sites: the paths of its file in the
// repository, with and without the extension, and the usual path on other sites (/EIPS/eip-1559).
func oldPaths(c *corpus.Proposal) (paths []string) {
	files := []string{"/" + c.RepoPath, "/" + c.ID.Kind + "S/" + c.Name}
	if c.Name != path.Base(c.RepoPath) {
		files = append(files, "/"+path.Dir(c.RepoPath))
	}
	for _, file := range files {
		page := strings.TrimSuffix(file, path.Ext(file))
		paths = append(paths, file, page, page+".html", strings.ToLower(page))
	}
	return paths
}

// kindOfPath returns the kind of the proposals at an old path: the kind whose prefix precedes the
// number, as in /sccp/sccp-{n}, else the main one.
func (p *planner) kindOfPath(template string) string {
	before, _, _ := strings.Cut(strings.ToLower(template), "{n}")
	separator := func(r rune) bool { return strings.ContainsRune("/-_.~", r) }
	words := strings.FieldsFunc(before, separator)
	for _, k := range p.info.Kinds {
		prefix := strings.ToLower(k.Prefix)
		if n := len(words); n > 0 && (words[n-1] == prefix || words[n-1] == prefix+"s") {
			return k.Prefix
		}
	}
	return p.info.Prefix
}

// movedPages adds a page at each old address that a file can have, which redirects browsers and
// search engines. If two addresses differ only in case, the first one gets a page, since some file
// systems ignore case.
func (p *planner) movedPages(moved []redirect.Rule) {
	taken := map[string]bool{}
	for _, a := range p.plan.Artifacts {
		taken[strings.ToLower(a.File)] = true
	}
	for _, r := range moved {
		file := strings.TrimPrefix(r.From, "/")
		switch path.Ext(file) {
		case ".html":
		case "":
			file += "/index.html"
		default:
			continue
		}
		if r.IsForm() || taken[strings.ToLower(file)] {
			continue
		}
		taken[strings.ToLower(file)] = true
		body := func() ([]byte, error) { return render.Moved(r.To) }
		p.add(Artifact{File: file, index: true, Body: body})
	}
}
