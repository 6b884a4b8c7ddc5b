package markdown

import (
	"net/url"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// Links resolves the destination of a relative link or image: no scheme, no host, no fragment, as
// written but for escapes. The href is root-relative, or absolute when the target is not part of the
// site; it may not hold a fragment. With ok false the link is dropped and its text stays.
type Links func(dest string) (href string, ok bool)

// target is where a link leads.
type target struct {
	href     string // percent-encoded, not yet HTML-escaped
	external bool   // another site
}

// target applies the link policy to a destination with its entities and escapes resolved.
func (d *document) target(dest string) (target, bool) {
	dest = browserTrim(dest)
	if len(dest) >= 2 && isSlash(dest[0]) && isSlash(dest[1]) {
		dest = "https://" + strings.TrimLeft(dest, `/\`)
	}
	if scheme, ok := urlScheme(dest); ok {
		href, ok := absoluteURL(scheme, dest)
		return target{href, scheme != "mailto"}, ok
	}
	path, fragment, _ := strings.Cut(dest, "#")
	if path == "" {
		id, ok := d.anchor(fragment)
		return target{href: "#" + id}, ok
	}
	if d.links == nil {
		return target{}, false
	}
	href, ok := d.links(path)
	if !ok {
		return target{}, false
	}
	if scheme, ok := urlScheme(href); ok {
		if fragment != "" {
			href += "#" + fragment
		}
		href, ok = absoluteURL(scheme, href)
		return target{href, scheme != "mailto"}, ok
	}
	if !strings.HasPrefix(href, "/") || len(href) > 1 && isSlash(href[1]) {
		return target{}, false
	}
	if fragment != "" {
		// Only pages have sections, and only what is no page has a dot in its last element.
		if !strings.Contains(href[strings.LastIndexByte(href, '/'):], ".") {
			fragment = pageID(fragment)
		}
		href += "#" + fragment
	}
	return target{href: escapeURL(href)}, true
}

// githubPrefix is what GitHub puts before the ids of a text, and leaves out of most links to them.
const githubPrefix = "user-content-"

// pageID is the id that a fragment means on another page: that of a heading.
func pageID(fragment string) string {
	id := strings.ToLower(unescapePercent(fragment))
	return "s-" + strings.TrimPrefix(strings.TrimPrefix(id, githubPrefix), "s-")
}

// anchor finds the id that a #fragment of this document means: authors follow GitHub's, Jekyll's or
// their own idea of how a heading becomes an id.
func (d *document) anchor(fragment string) (string, bool) {
	if fragment == "" {
		return "", false
	}
	plain := unescapePercent(fragment)
	own := strings.TrimPrefix(plain, githubPrefix)
	for _, f := range []string{fragment, plain, own} {
		for _, f := range []string{f, strings.ToLower(f)} {
			if d.ids[f] {
				return f, true
			}
			if d.ids["s-"+f] {
				return "s-" + f, true
			}
		}
	}
	if id, ok := d.looseIDs[looseID(own)]; ok {
		return id, true
	}
	return "", false
}

// looseID reduces an id to its letters and digits, in lower case.
func looseID(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, strings.TrimPrefix(s, "s-"))
}

// absoluteURL lets http, https and mailto pass, the first two only with a host: without one, a browser
// would resolve the rest against the page.
func absoluteURL(scheme, dest string) (string, bool) {
	switch scheme {
	case "mailto":
		return escapeURL("mailto" + dest[len(scheme):]), len(dest) > len("mailto:")
	case "http", "https":
		href := scheme + escapeURL(dest[len(scheme):])
		u, err := url.Parse(href)
		return href, err == nil && u.Host != ""
	}
	return "", false
}

// urlScheme returns the scheme, in lower case, that a browser sees in dest (WHATWG URL, scheme state).
func urlScheme(dest string) (string, bool) {
	for i := range len(dest) {
		c := dest[i]
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return strings.ToLower(dest[:i]), i > 0 && c == ':'
		}
	}
	return "", false
}

// browserTrim removes what a browser removes before it looks for a scheme: control characters and
// spaces at both ends, tabs and line ends everywhere; and control characters everywhere, as no honest
// address holds one.
func browserTrim(dest string) string {
	dest = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 {
			return -1
		}
		return r
	}, dest)
	return strings.Trim(dest, " ")
}

// resolveMarkdown resolves the backslash escapes and entities of a Markdown destination or title.
func resolveMarkdown(b []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(b))))
}

func escapeURL(s string) string {
	return string(util.URLEscape([]byte(s), false))
}

func unescapePercent(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }

// openAnchor writes the start of an <a> unless one is open already.
func (d *document) openAnchor(t target, class, title string) bool {
	if d.inAnchor > 0 {
		return false
	}
	d.inAnchor++
	d.out.strings("<a")
	if class != "" {
		d.out.strings(` class="`, class, `"`)
	}
	d.out.strings(` href="`)
	d.out.escaped(t.href)
	d.out.strings(`"`)
	if title != "" {
		d.out.strings(` title="`)
		d.out.escaped(title)
		d.out.strings(`"`)
	}
	if t.external {
		d.out.strings(` rel="noopener"`)
	}
	d.out.strings(">")
	return true
}

func (d *document) closeAnchor() {
	d.inAnchor--
	d.out.strings("</a>")
}

func (d *document) link(n *ast.Link, entering bool) {
	if entering {
		t, ok := d.target(resolveMarkdown(n.Destination))
		ok = ok && d.openAnchor(t, "", resolveMarkdown(n.Title))
		d.anchors = append(d.anchors, ok)
		if ok && !n.HasChildren() {
			d.out.escaped(t.href) // nobody could see it, or hear where it leads
		}
		return
	}
	last := len(d.anchors) - 1
	if d.anchors[last] {
		d.closeAnchor()
	}
	d.anchors = d.anchors[:last]
}

// autoLink writes <https://…> and bare addresses. What stands between angle brackets in a proposal
// is often no address at all, such as <module::type>: then the brackets are text.
func (d *document) autoLink(n *ast.AutoLink) {
	label, dest := string(n.Label(d.source)), string(n.URL(d.source))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(dest), "mailto:") {
		dest = "mailto:" + dest
	}
	t, ok := d.target(dest)
	switch {
	case !ok && !strings.HasPrefix(dest, "http") && !strings.HasPrefix(dest, "ftp"):
		d.out.strings("&lt;")
		d.out.escaped(label)
		d.out.strings("&gt;")
	case ok && d.openAnchor(t, "", ""):
		d.out.escaped(label)
		d.closeAnchor()
	default:
		d.out.escaped(label)
	}
}

func (d *document) image(n *ast.Image) {
	alt, _ := plainText(n, d.source)
	d.picture(resolveMarkdown(n.Destination), alt)
}

// picture writes an image of the site itself; any other becomes a link, as the page's policy lets no
// foreign image load.
func (d *document) picture(dest, alt string) {
	t, ok := d.target(dest)
	local := ok && !t.external && strings.HasPrefix(t.href, "/")
	if local && isImageFile(t.href) {
		d.out.strings(`<img src="`)
		d.out.escaped(t.href)
		d.out.strings(`" alt="`)
		d.out.escaped(alt)
		d.out.strings(`" loading="lazy" decoding="async">`)
		return
	}
	label := strings.TrimSpace(alt)
	if label == "" && ok {
		label = t.href
	} else if label == "" {
		label = "Image"
	}
	if ok && d.openAnchor(t, "img", "") {
		d.out.escaped(label)
		d.closeAnchor()
		return
	}
	d.out.strings(`<span class="img">`)
	d.out.escaped(label)
	d.out.strings("</span>")
}

func isImageFile(href string) bool {
	file, _, _ := strings.Cut(href, "?")
	file, _, _ = strings.Cut(file, "#")
	switch strings.ToLower(path.Ext(file)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif":
		return true
	}
	return false
}
