// Package render turns values into the pages of a site, by templates, and into its JSON lists, its
// sitemap and robots.txt. It is pure: the same values give the same bytes. It does not know files,
// routes on disk, git, the configuration file or the clock.
package render

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	text "text/template"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/card"
	"github.com/mipwatch/mipwatch/render/plain"
)

//go:embed assets templates
var embedded embed.FS

// Pages makes the HTML pages of one site. Its input does not change after NewPages, and it is safe
// for concurrent use. Every method that renders a page returns the whole of it, from the doctype,
// or an error of a template, which is a bug of this package: no value of a proposal can cause one.
type Pages struct {
	info  mip.SiteInfo
	forks []mip.HardFork // in the order of the site
	brand Brand
	base  string // path of the base URL without a trailing slash, empty at a root
	// Alone are the authors of a single proposal, by slug: they have no page. It is set before
	// pages are made.
	Alone map[string]bool

	assets    []Asset
	tmpl      *template.Template
	citations *text.Template // as plain text, which the page escapes

	// frame has the parts of the frame that many pages share, by template and data.
	frame map[string]map[string]template.HTML
	rows  sync.Map // of tables: template.HTML by rowKey
}

// NewPages parses the embedded templates. notice is a plain sentence above every page. Empty means
// none. It fails if info.BaseURL is no http or https address.
func NewPages(info mip.SiteInfo, forks []mip.HardFork, brand Brand, notice string) (*Pages, error) {
	// Links within the site are paths, so a page works at any host. Links for other programs, such
	// as the canonical address and the pictures, are absolute.
	u, err := url.Parse(info.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("base URL %q: %w", info.BaseURL, err)
	}
	if u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("base URL %q: not an http or https address", info.BaseURL)
	}
	info.BaseURL = strings.TrimRight(info.BaseURL, "/")
	p := &Pages{info: info, forks: forks, brand: brand}
	p.base = strings.TrimRight(u.EscapedPath(), "/")
	if p.assets, err = loadAssets(brand); err != nil {
		return nil, err
	}
	if p.tmpl, err = p.parseTemplates(); err != nil {
		return nil, err
	}
	p.citations, err = text.New("").Funcs(p.funcs()).Delims("<<", ">>").ParseFS(embedded,
		"templates/citation.txt")
	if err != nil {
		return nil, fmt.Errorf("templates: %w", err)
	}
	return p, p.renderFrame(notice)
}

// parseTemplates parses the embedded templates. It removes indentation, which is only for people
// who edit them, and resolves links to fixed routes and assets in advance, since every page has
// many.
func (p *Pages) parseTemplates() (*template.Template, error) {
	files, err := fs.Glob(embedded, "templates/*.tmpl")
	if err != nil {
		return nil, err
	}
	// All files form one set, so that a template can use one of another file. The template package
	// escapes each action for its place. Only values of its own types, such as template.HTML, are
	// printed unescaped.
	all := template.New("pages").Funcs(p.funcs())
	link := regexp.MustCompile(`{{(path|asset) "([^"]*)"}}`)
	for _, name := range files {
		text, err := embedded.ReadFile(name)
		if err != nil {
			return nil, err
		}
		source := link.ReplaceAllStringFunc(string(compact(text)), func(action string) string {
			part := link.FindStringSubmatch(action)
			if part[1] == "asset" {
				return template.HTMLEscapeString(p.assetPath(part[2]))
			}
			return template.HTMLEscapeString(p.path(part[2]))
		})
		if _, err := all.New(name).Parse(source); err != nil {
			return nil, fmt.Errorf("templates: %w", err)
		}
	}
	return all, nil
}

// renderFrame renders the parts of the frame: the links to a script, the header with its current
// menu entry, and the footer. They make up most of a short page, so rendering them for each page
// would take most of a build.
func (p *Pages) renderFrame(notice string) (err error) {
	p.frame = map[string]map[string]template.HTML{"links": {}, "header": {}, "footer": {}}
	for _, script := range []string{
		siteScript, forksScript, upgradeScript, graphScript, listScript, textScript, liveScript,
		lostScript, searchScript, changesScript, followScript,
	} {
		if p.frame["links"][script], err = p.fragment("site-links", script); err != nil {
			return err
		}
	}
	data := struct{ Section, Notice string }{Notice: notice}
	// The last ones are for pages whose section is not in the menu, or that have none.
	for _, s := range append(p.sections(), section{Path: "/upgrade/"}, section{}) {
		data.Section = s.Path
		if p.frame["header"][s.Path], err = p.fragment("site-header", data); err != nil {
			return err
		}
	}
	p.frame["footer"][""], err = p.fragment("site-footer", nil)
	return err
}

// buffers are reused for the next page: growing one for each would make most of a build's garbage.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// fragment renders a part of a page. The result is escaped, and templates print it unchanged.
func (p *Pages) fragment(name string, data any) (template.HTML, error) {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	if err := p.tmpl.ExecuteTemplate(b, name, data); err != nil {
		return "", fmt.Errorf("page part %s: %w", name, err)
	}
	return template.HTML(b.String()), nil
}

// head is the content of a page's frame: the head element, and the page's place in the site. Its
// texts are plain: the template "begin" escapes them.
type head struct {
	Title       string // of the document, exact; empty: the site's
	Description string
	Route       string // of the canonical address; empty: none, and not to be indexed
	Section     string // path of an entry of the main menu; empty: none
	Article     bool
	Proposal    *mip.Metadata // the page's proposal, for its picture and for programs; nil: none
	Alternates  []alternate
	Script      string // name of the page's script

	Site, Address string // set by Pages.page: the site's title and the canonical address
}

// alternate is the same content in another format or, if Lang is set, another language.
type alternate struct{ Type, Title, Href, Lang string }

// page renders a template within the frame: "begin" with h, the template with data, and "end".
// Pages without a script of their own have siteScript.
func (p *Pages) page(name string, h head, data any) ([]byte, error) {
	h.Script, h.Site, h.Address = cmp.Or(h.Script, siteScript), p.info.Title, p.info.BaseURL+h.Route
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	for _, part := range []struct {
		name string
		data any
	}{{"begin", h}, {name, data}, {"end", nil}} {
		if err := p.tmpl.ExecuteTemplate(b, part.name, part.data); err != nil {
			return nil, fmt.Errorf("page %s: %w", name, err)
		}
	}
	return bytes.Clone(b.Bytes()), nil
}

// image is the preview picture that other sites show beside a link to a page.
type image struct{ Address, Alt string }

// image is the picture of a proposal, described by the words on its card. For nil, and for a text
// that only reports a move, it is the site's own.
func (p *Pages) image(m *mip.Metadata) image {
	// The alternative text is the text on the picture.
	c, folder := SiteCard(p.info.Site, p.brand), "/"
	if m != nil && !m.Moved() {
		c, folder = ProposalCard(p.info.Site, p.brand, *m), m.ID.Page()
	}
	words := []string{c.Title}
	if c.ID != "" {
		words = []string{named(c.ID, ": ", c.Title), c.Status}
	}
	for _, s := range []string{c.Kind, c.Site} {
		if s != "" {
			words = append(words, strings.TrimSuffix(s, "."))
		}
	}
	return image{p.info.BaseURL + cardRoute(folder, c), strings.Join(words, ". ")}
}

// cardRoute is the address of a picture. It changes with the content, so that no cache keeps the
// old picture.
func cardRoute(folder string, c card.Card) string {
	return strings.TrimSuffix(folder, "/") + "/og." + c.Hash() + ".png"
}

// SiteCardRoute is the address of the picture for all pages without one of their own.
func SiteCardRoute(c card.Card) string { return cardRoute("/", c) }

// ProposalCardRoute is the address of the picture of a proposal.
func ProposalCardRoute(id mip.ID, c card.Card) string { return cardRoute(id.Page(), c) }

// ProposalCard is the content of a proposal's picture. Package card draws it, and the file's name
// has its hash: the plan of the files and the links to them must use the same values.
func ProposalCard(info mip.Site, b Brand, m mip.Metadata) card.Card {
	var kind []string
	if until := m.CommentsUntil(); until != nil {
		kind = append(kind, "Comments until "+date("2 January 2006", until))
	}
	for _, v := range []*string{m.Type, m.Category} {
		if v != nil && *v != "" {
			kind = append(kind, *v)
		}
	}
	// Leave out a title that only repeats the id, and backticks, since a picture has no code font.
	c := card.Card{
		Site: cmp.Or(b.Name, info.Title), ID: m.ID.String(), Status: m.Status.String(),
		Mark: plain.Mark(m.Standing), Kind: strings.Join(kind, ", "),
		Accent: b.Accent(), NoGlyph: b.Logo != nil,
	}
	if m.Title != m.ID.String() {
		c.Title = plain.Text(m.Title)
	}
	return c
}

// SiteCard is the content of the picture of all other pages.
func SiteCard(info mip.Site, b Brand) card.Card {
	return card.Card{Title: cmp.Or(b.Name, info.Title), Kind: info.Description, Accent: b.Accent(),
		NoGlyph: b.Logo != nil}
}

// fork returns the hard fork of that name.
func (p *Pages) fork(name string) (mip.HardFork, bool) {
	i := slices.IndexFunc(p.forks, func(f mip.HardFork) bool { return f.Name == name })
	if i < 0 {
		return mip.HardFork{}, false
	}
	return p.forks[i], true
}
