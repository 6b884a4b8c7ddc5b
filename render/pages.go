package render

import (
	"bytes"
	"fmt"
	"html/template"
	"net/url"
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
	head   template.HTML            // what every head holds: icon, assets, feeds
	top    map[string]template.HTML // the header bar by current section
	bottom template.HTML            // the footer
	notice template.HTML            // what stands above every page, mostly nothing

	figures *snapshot.Snapshot // of the moment that the site is built with, nil: none
	heatOf  map[int]int        // from them, by number

	siteImage string // what a head says of the picture of a page without its own
}

// sections are the entries of the main menu, in order. A page names the one that it belongs to.
func sections() []struct{ Path, Label string } {
	return []struct{ Path, Label string }{
		{"/", "Proposals"}, {"/dashboard/", "Dashboard"}, {"/upgrade/", "Upgrades"}, {"/api/", "API"}, {"/feeds/", "Feeds"},
	}
}

// NewPages reads the embedded templates. The parts of a page that never differ are rendered once
// here. notice is a sentence above every page, plain text; empty: none. The error says so when
// info.BaseURL is no http or https address.
func NewPages(info mip.SiteInfo, forks []mip.HardFork, notice string) (*Pages, error) {
	u, err := url.Parse(info.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("base URL %q: %w", info.BaseURL, err)
	}
	if u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("base URL %q: not an http or https address", info.BaseURL)
	}
	info.BaseURL = strings.TrimRight(info.BaseURL, "/")
	p := &Pages{info: info, forks: forks, base: strings.TrimRight(u.EscapedPath(), "/"), top: map[string]template.HTML{}}
	if p.assets, err = loadAssets(); err != nil {
		return nil, err
	}
	if p.tmpl, err = template.New("pages").Funcs(p.funcs()).ParseFS(embedded, "templates/*.tmpl"); err != nil {
		return nil, fmt.Errorf("templates: %w", err)
	}
	if p.head, err = p.fragment("head-fixed", p); err != nil {
		return nil, err
	}
	if p.bottom, err = p.fragment("bottom-fixed", p); err != nil {
		return nil, err
	}
	if p.notice, err = p.fragment("notice", notice); err != nil {
		return nil, err
	}
	var image markup
	c := SiteCard(info)
	p.image(&image, SiteCardRoute(c), c)
	p.siteImage = string(image)
	for _, current := range append(sections(), struct{ Path, Label string }{}) {
		if p.top[current.Path], err = p.fragment("top-fixed", topView{p, current.Path}); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// topView is the header bar of a page in the section Current.
type topView struct {
	*Pages
	Current string
}

// Sections, Theme, Style, Script and Site are for the templates' fixed parts.
func (t topView) Sections() []struct{ Path, Label string } { return sections() }

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
		"site":     func() mip.SiteInfo { return p.info },
		"path":     p.path,
		"asset":    func(i int) string { return p.path(p.assets[i].Route) },
		"abs":      func(route string) string { return p.info.BaseURL + route },
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
	}
}

// path is a link to a route of this site.
func (p *Pages) path(route string) string { return p.base + route }

// execute renders a page. Size is a guess of what it will hold.
func (p *Pages) execute(name string, size int, data any) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, size+8<<10))
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
