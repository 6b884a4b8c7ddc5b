package markdown

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/mipwatch/mipwatch/internal/markdown"
)

// NamesPictures reports whether Markdown may contain a picture. It needs no parsed document.
func NamesPictures(source string) bool {
	if strings.Contains(source, "![") {
		return true
	}
	const tag = "img"
	for found := true; found; {
		_, source, found = strings.Cut(source, "<")
		if len(source) >= len(tag) && strings.EqualFold(source[:len(tag)], tag) {
			return true
		}
	}
	return false
}

// Named is a picture that a text names, or a file to which it links.
type Named struct {
	// Dest is a relative destination, or an address of the web, as [Links] gets it.
	Dest string
	// Offset is as in a [Fragment].
	Offset int
	// Link is true for a link, whose Dest is relative.
	Link bool
}

// Files returns a document's pictures and the files to which it links, in their order. Each
// destination is there at most once as a picture and once as a link.
func Files(source *markdown.Document) (named []Named) {
	seen := map[Named]bool{}
	add := func(dest string, offset int, link bool) {
		if of := (Named{Dest: dest, Link: link}); dest != "" && !seen[of] {
			seen[of] = true
			named = append(named, Named{dest, offset, link})
		}
	}
	linked := func(dest string, offset int) {
		if dest, ok := relative(dest); ok {
			add(dest, offset, true)
		}
	}
	block := 0
	offset := func(n ast.Node) int {
		if text, ok := n.FirstChild().(*ast.Text); ok {
			return text.Segment.Start
		}
		return block
	}
	_ = ast.Walk(source.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
			block = n.Lines().At(0).Start
		}
		switch n := n.(type) {
		case *ast.Image:
			add(located(resolveMarkdown(n.Destination)), offset(n), false)
		case *ast.Link:
			linked(resolveMarkdown(n.Destination), offset(n))
		case *ast.HTMLBlock, *ast.RawHTML:
			for _, t := range rawTokens(n, source.Body) {
				switch {
				case t.isStart() && rawKinds[t.Data] == rawImage:
					add(located(t.attr("src")), block, false)
				case t.isStart() && rawKinds[t.Data] == rawAnchor:
					linked(t.attr("href"), block)
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return named
}

// located returns a relative destination or an address of the web without its fragment, and "" for
// others.
func located(dest string) string {
	if file, ok := relative(dest); ok {
		return file
	}
	file, _, _ := strings.Cut(browserTrim(dest), "#")
	if !strings.HasPrefix(urlScheme(file), "http") {
		return ""
	}
	return file
}

// relative returns the path of a destination without a scheme, a host and its fragment. ok is false
// for another one.
func relative(dest string) (file string, ok bool) {
	dest = browserTrim(dest)
	file, _, _ = strings.Cut(dest, "#")
	return file, file != "" && !schemeMark.MatchString(file) && !hostMark.MatchString(file)
}

// image writes an image; the text of the nodes below it is its alternative text.
func (d *document) image(n *ast.Image) {
	d.picture(shown{
		dest: resolveMarkdown(n.Destination), alt: markdown.PlainText(n, d.source),
		title: resolveMarkdown(n.Title), inFigure: d.caption(n.Parent()) != "",
	}, d.offset(n))
}

// caption returns the title of a picture that is alone in its paragraph. It is empty for other
// paragraphs, and for a picture that is not shown.
func (d *document) caption(paragraph ast.Node) string {
	n, ok := paragraph.FirstChild().(*ast.Image)
	if !ok || paragraph.Kind() != ast.KindParagraph || paragraph.ChildCount() > 1 {
		return ""
	}
	if _, ok := d.pictureAt(resolveMarkdown(n.Destination)); !ok {
		return ""
	}
	return strings.TrimSpace(resolveMarkdown(n.Title))
}

// pictureAt returns the picture of the site at a destination.
func (d *document) pictureAt(dest string) (p Picture, ok bool) {
	if dest = located(dest); dest == "" || d.links == nil {
		return p, false
	}
	return d.links.Picture(dest)
}

// shown is a picture as the text describes it.
type shown struct {
	dest, alt, title string
	// width and height are of an HTML tag, in pixels. Zero means that it has none.
	width, height int
	// inFigure is true if its title is a caption.
	inFigure bool
}

// picture writes a picture of the site in a link to its file. Any other one becomes a link, as the
// page's policy lets no foreign picture load.
func (d *document) picture(s shown, offset int) {
	if p, ok := d.pictureAt(s.dest); ok {
		d.localPicture(s, p)
		return
	}
	if dest, ok := relative(s.dest); ok && offset >= 0 {
		d.dropped = append(d.dropped, Dropped{Dest: dest, Offset: offset, Picture: true})
		offset = -1
	}
	href, ok := d.target(s.dest, offset)
	// A dropped address must not become the label.
	if !ok {
		href = ""
	}
	label := escape(cmp.Or(strings.TrimSpace(s.alt), href, "Image"))
	if ok && d.openAnchor(href, "img", "") {
		d.print(label)
		d.closeAnchor()
		return
	}
	d.printf(`<span class="img">%s</span>`, label)
}

// localPicture writes a picture of the site. A link of the author stays the link around it.
func (d *document) localPicture(s shown, p Picture) {
	title := s.title
	if s.inFigure {
		title = ""
	}
	linked := d.openAnchor(p.Href, "pic", title)
	// The picture is the whole text of its link, which needs one.
	file, _, _ := strings.Cut(s.dest, "?")
	alt := cmp.Or(strings.TrimSpace(s.alt), strings.TrimSpace(s.title),
		path.Base(unescapePercent(file)))
	width, height := s.size(p)
	d.printf(`<img src="%s" alt="%s" width="%d" height="%d" loading="lazy" decoding="async">`,
		escape(p.Href), escape(alt), width, height)
	if linked {
		d.closeAnchor()
	}
}

// size is the size at which a picture is shown: the tag's, in the proportion of the picture.
func (s shown) size(p Picture) (width, height int) {
	scaled := func(a, b, c int) int { return max(1, (a*b+c/2)/c) }
	switch {
	case s.width > 0:
		return s.width, scaled(s.width, p.Height, p.Width)
	case s.height > 0:
		return scaled(s.height, p.Width, p.Height), s.height
	}
	return p.Width, p.Height
}

// rawPicture writes the picture of an HTML tag.
func (d *document) rawPicture(t rawToken, offset int) {
	side := func(name string) int {
		const most = 10_000
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(t.attr(name)), "px"))
		if err != nil || n < 1 || n > most {
			return 0
		}
		return n
	}
	d.picture(shown{
		dest: t.attr("src"), alt: t.attr("alt"), title: t.attr("title"),
		width: side("width"), height: side("height"),
	}, offset)
}
