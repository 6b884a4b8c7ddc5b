package markdown

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// Browsers parse an address (WHATWG URL) into a scheme or, without one, a host. Two slashes of
// either kind precede the host.
var (
	schemeMark = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)
	hostMark   = regexp.MustCompile(`^[/\\]{2,}`)
)

// target applies the link policy to a destination with its entities and escapes resolved. The href
// is percent-encoded and not yet HTML-escaped; ok is false if there is no such link. offset is the
// position of a link in the source, for the article's fragments, negative if it is not a link.
func (d *document) target(dest string, offset int) (href string, ok bool) {
	// Browsers complete two slashes with the page's scheme; readers may have the page from another
	// origin.
	absolute := hostMark.ReplaceAllString(browserTrim(dest), "https://")
	if scheme := urlScheme(absolute); scheme != "" {
		if href, ok = absoluteURL(scheme, absolute); !ok {
			d.drop(dest, offset)
		}
		if address, fragment, _ := strings.Cut(absolute, "#"); ok && d.links != nil &&
			strings.HasPrefix(scheme, "http") {
			if own, isOwn := d.links.Own(address); isOwn {
				return escapeURL(withFragment(own, fragment)), true
			}
		}
		return href, ok
	}
	dest = absolute
	// A destination without a path is a place in this document.
	path, fragment, marked := strings.Cut(dest, "#")
	id, here := "", false
	if path == "" {
		id, here = d.anchor(fragment)
	}
	if offset >= 0 && marked && !here && (path == "" || fragment != "") {
		d.fragments = append(d.fragments,
			Fragment{Dest: dest, Path: path, ID: pageID(fragment), Offset: offset})
	}
	if path == "" || d.links == nil {
		return "#" + id, here
	}
	if href, ok = d.links.Link(path); !ok {
		d.drop(path, offset)
		return "", false
	}
	// The caller's address is subject to the same policy as one in the text.
	scheme := urlScheme(href)
	if scheme == "" && (!strings.HasPrefix(href, "/") || hostMark.MatchString(href)) {
		return "", false
	}
	if scheme != "" && fragment != "" {
		href += "#" + fragment
	}
	if scheme != "" {
		return absoluteURL(scheme, href)
	}
	return escapeURL(withFragment(href, fragment)), true
}

// withFragment adds a fragment, if there is one, to an address of the site.
func withFragment(href, fragment string) string {
	switch {
	case fragment == "":
		return href
	// Only pages have sections, and only other files have a dot in the last element of their path.
	case !strings.Contains(href[strings.LastIndexByte(href, '/'):], "."):
		fragment = pageID(fragment)
	}
	return href + "#" + fragment
}

// drop records a link or a picture whose destination leads nowhere.
func (d *document) drop(dest string, offset int) {
	if offset >= 0 && dest != "" {
		d.dropped = append(d.dropped, Dropped{Dest: dest, Offset: offset})
	}
}

// githubPrefix begins all ids of a text on GitHub, and most links to them omit it.
const githubPrefix = "user-content-"

// pageID returns the id of the heading that a fragment means on another page.
func pageID(fragment string) string {
	id := strings.ToLower(unescapePercent(fragment))
	return "s-" + strings.TrimPrefix(strings.TrimPrefix(id, githubPrefix), "s-")
}

// anchor finds the id that a #fragment of this document means: authors follow GitHub's, Jekyll's or
// their own rules for the ids of headings.
func (d *document) anchor(fragment string) (string, bool) {
	plain := unescapePercent(fragment)
	own := strings.TrimPrefix(plain, githubPrefix)
	// Compare from exactly to most leniently.
	for _, f := range []string{fragment, plain, own} {
		for _, id := range []string{f, "s-" + f, strings.ToLower(f), "s-" + strings.ToLower(f)} {
			if d.ids[id] {
				return id, true
			}
		}
	}
	id, ok := d.looseIDs[looseID(own)]
	return id, ok
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

// absoluteURL accepts http, https and mailto, the first two only with a host: without one, a
// browser would resolve the rest against the page.
func absoluteURL(scheme, dest string) (string, bool) {
	href := scheme + escapeURL(dest[len(scheme):])
	switch scheme {
	case "mailto":
		return href, len(dest) > len("mailto:")
	case "http", "https":
		u, err := url.Parse(href)
		return href, err == nil && u.Host != ""
	}
	return "", false
}

// urlScheme returns the scheme of an address in lower case, or an empty string for a relative one.
func urlScheme(dest string) string {
	return strings.ToLower(strings.TrimSuffix(schemeMark.FindString(dest), ":"))
}

// browserTrim removes the characters that browsers remove before they look for a scheme: control
// characters and spaces at both ends, tabs and line ends everywhere; and control characters
// everywhere, as no legitimate address contains one.
func browserTrim(dest string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, dest), " ")
}

// resolveMarkdown resolves the backslash escapes and entities of a Markdown destination or title.
func resolveMarkdown(b []byte) string {
	return string(util.ResolveEntityNames(
		util.ResolveNumericReferences(util.UnescapePunctuations(b))))
}

// escapeURL percent-encodes the characters that are not allowed in an address. Encoded ones stay
// unchanged.
func escapeURL(s string) string {
	return string(util.URLEscape([]byte(s), false))
}

// unescapePercent decodes an address, or returns it unchanged if it cannot be decoded.
func unescapePercent(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// openAnchor writes the start of an <a> unless one is open already.
func (d *document) openAnchor(href, class, title string) bool {
	if d.inAnchor > 0 {
		return false
	}
	d.inAnchor++
	d.print("<a")
	if class != "" {
		d.printf(` class="%s"`, class)
	}
	d.printf(` href="%s"`, escape(href))
	if title != "" {
		d.printf(` title="%s"`, escape(title))
	}
	if strings.HasPrefix(href, "http") { // to another site
		d.print(` rel="noopener"`)
	}
	d.print(">")
	return true
}

// closeAnchor writes the end of the <a> that openAnchor began.
func (d *document) closeAnchor() {
	d.inAnchor--
	d.print("</a>")
}

// link writes an <a>, or only the text if the destination leads nowhere. Markdown links do not
// nest.
func (d *document) link(n *ast.Link, entering bool) {
	if !entering {
		if d.inLink {
			d.closeAnchor()
		}
		return
	}
	href, ok := d.target(resolveMarkdown(n.Destination), d.offset(n))
	d.inLink = ok && d.openAnchor(href, "", resolveMarkdown(n.Title))
	if d.inLink && !n.HasChildren() {
		d.print(escape(href)) // else it would be invisible
	}
}

// offset returns the position of the text of a link or a picture. Without text it is the position
// of the block: goldmark keeps no other.
func (d *document) offset(n ast.Node) int {
	if text, ok := n.FirstChild().(*ast.Text); ok {
		return text.Segment.Start
	}
	return d.block
}

// autoLink writes <https://…> and bare addresses. The text between angle brackets in a proposal is
// often no address, such as <module::type>: then the brackets are text.
func (d *document) autoLink(n *ast.AutoLink) {
	label, dest := escape(n.Label(d.source)), string(n.URL(d.source))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(dest), "mailto:") {
		dest = "mailto:" + dest
	}
	href, ok := d.target(dest, -1)
	switch {
	case !ok && !strings.HasPrefix(dest, "http") && !strings.HasPrefix(dest, "ftp"):
		d.printf("&lt;%s&gt;", label)
	case ok && d.openAnchor(href, "", ""):
		d.print(label)
		d.closeAnchor()
	default:
		d.print(label)
	}
}
