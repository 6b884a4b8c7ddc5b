package markdown

import (
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
)

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
