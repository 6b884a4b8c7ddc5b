package render

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/snapshot"
)

// Pages makes the HTML pages of one site. It is immutable after NewPages and safe for concurrent use.
type Pages struct {
	info   mip.SiteInfo
	forks  []mip.HardFork
	base   string // path of the base URL without a slash at the end, empty at a root
	assets []Asset
	tmpl   *template.Template

	snapshot *snapshot.Snapshot // live figures of the moment that the site is built at, nil: none
	heatOf   map[mip.ID]int     // from them

	// The parts that are the same on all pages.
	siteImage image
	links     map[string]template.HTML // by the name of a script
	headers   map[string]template.HTML // by the path of a section
	footer    template.HTML
}

// section is an entry of the main menu.
type section struct{ Path, Label string }

// sections are the entries of the main menu, in order. A page names the one that it belongs to.
func sections() []section {
	return []section{
		{"/", "Proposals"}, {"/dashboard/", "Dashboard"}, {"/upgrade/", "Upgrades"}, {"/api/", "API"}, {"/feeds/", "Feeds"},
	}
}

// NewPages reads the embedded templates. notice is a sentence above every page, plain text; empty: none. It fails when
// info.BaseURL is no http or https address.
func NewPages(info mip.SiteInfo, forks []mip.HardFork, notice string) (*Pages, error) {
	// Links within the site are paths, so a page works at any host.
	u, err := url.Parse(info.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("base URL %q: %w", info.BaseURL, err)
	}
	if u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("base URL %q: not an http or https address", info.BaseURL)
	}
	info.BaseURL = strings.TrimRight(info.BaseURL, "/")
	p := &Pages{info: info, forks: forks, base: strings.TrimRight(u.EscapedPath(), "/")}
	if p.assets, err = loadAssets(); err != nil {
		return nil, err
	}
	if p.tmpl, err = parseTemplates(p.funcs()); err != nil {
		return nil, err
	}
	return p, p.renderFrames(notice)
}

// renderFrames renders the parts that are the same on all pages.
func (p *Pages) renderFrames(notice string) (err error) {
	c := SiteCard(p.info)
	p.siteImage = p.image(SiteCardRoute(c), c)
	p.links, p.headers = map[string]template.HTML{}, map[string]template.HTML{}
	for _, script := range []string{siteScript, listScript, textScript, liveScript} {
		if p.links[script], err = p.fragment("site-links", script); err != nil {
			return err
		}
	}
	for _, s := range append(sections(), section{}) {
		header := struct{ Section, Notice string }{s.Path, notice}
		if p.headers[s.Path], err = p.fragment("site-header", header); err != nil {
			return err
		}
	}
	p.footer, err = p.fragment("site-footer", nil)
	return err
}

// parseTemplates reads the embedded templates. Their indentation is for people who edit them: it is not published.
func parseTemplates(funcs template.FuncMap) (*template.Template, error) {
	files, err := fs.Glob(embedded, "templates/*.tmpl")
	if err != nil {
		return nil, err
	}
	all := template.New("pages").Funcs(funcs)
	indentation := regexp.MustCompile(`(?m)^[ \t]+`)
	for _, name := range files {
		text, err := embedded.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if _, err := all.New(name).Parse(indentation.ReplaceAllString(string(text), "")); err != nil {
			return nil, fmt.Errorf("templates: %w", err)
		}
	}
	return all, nil
}

// fragment renders a part of a page.
func (p *Pages) fragment(name string, data any) (template.HTML, error) {
	var b bytes.Buffer
	if err := p.tmpl.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("page part %s: %w", name, err)
	}
	return template.HTML(b.String()), nil
}

// funcs are what templates may call: addresses and words, no decisions.
func (p *Pages) funcs() template.FuncMap {
	return template.FuncMap{
		// Addresses.
		"site":  func() mip.SiteInfo { return p.info },
		"path":  p.path,
		"pages": func() string { return p.path(mip.PageFolder(p.info.Prefix)) },
		"page":  p.proposalPath,
		"asset": p.assetPath,
		"list":  p.slugPath,
		"abs":   func(route string) string { return p.info.BaseURL + route },
		// Texts, times and numbers.
		"title":    titleHTML,
		"named":    namedHTML,
		"class":    statusClass,
		"day":      day,
		"dayShort": dayShort,
		"dayOf":    dayOf,
		"minute":   minute,
		"clock":    clock,
		"moment":   func(t mip.Time) string { return minute(&t) },
		"num":      thousands,
		"web":      webAddress,
		"host":     host,
		"sections": sections,

		"types":      schemaTypes,
		"inAddress":  inAddress,
		"statusText": http.StatusText,
	}
}

// path is a link to a route of this site.
func (p *Pages) path(route string) string { return p.base + route }

// execute renders a page.
func (p *Pages) execute(name string, data any) ([]byte, error) {
	const usual = 32 << 10 // bytes of a page
	b := bytes.NewBuffer(make([]byte, 0, usual))
	if err := p.tmpl.ExecuteTemplate(b, name, data); err != nil {
		return nil, fmt.Errorf("page %s: %w", name, err)
	}
	return b.Bytes(), nil
}

// fork returns the hard fork of that name.
func (p *Pages) fork(name string) (mip.HardFork, bool) {
	for _, f := range p.forks {
		if f.Name == name {
			return f, true
		}
	}
	return mip.HardFork{}, false
}
