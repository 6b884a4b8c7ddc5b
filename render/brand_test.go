package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/palette"
)

// TestBrandPages checks what a brand changes on every page, and that it changes no text of
// proposals and no title.
func TestBrandPages(t *testing.T) {
	colors := &palette.Accents{Light: palette.Light().Accent(palette.Color{G: 0x40}),
		Dark: palette.Dark().Accent(palette.Color{R: 0xff, G: 0xee, B: 0xdd})}
	brand := Brand{
		Name: `A & "B"`, Colors: colors,
		Logo: &Logo{Ext: ".svg", Data: []byte("<svg/>"), Aspect: 1.5},
		Footer: []FooterLine{{Text: "Foundation <x>", URL: "https://lantern.example/?a=1&b=2"},
			{Text: "CC0"}},
	}
	p, err := NewPages(pageInfo("https://example.org/p"), pageForks(), brand, "")
	if err != nil {
		t.Fatal(err)
	}
	assets := map[string]Asset{}
	for _, a := range p.Assets() {
		assets["/p"+a.Route] = a
	}
	for route, page := range renderAll(t, p, pageList()) {
		for _, f := range pageFaults(t, page) {
			t.Errorf("%s: %s", route, f)
		}
		var mark, icon, image, sheet, title string
		var footer []string
		for _, e := range pageElements(t, page) {
			switch {
			case e.attr["class"] == "brand":
				mark = e.text
			case e.tag == "img" && e.attr["width"] == "39" && e.attr["height"] == "26":
				image = e.attr["src"]
				if alt, ok := e.attr["alt"]; !ok || alt != "" {
					t.Errorf("%s: the logo has the text %q; the name stands beside it", route, alt)
				}
			case e.attr["rel"] == "icon" && e.attr["type"] == "image/svg+xml":
				icon = e.attr["href"]
			case e.attr["rel"] == "stylesheet":
				sheet = e.attr["href"]
			case e.tag == "title" && title == "":
				title = e.text
			case e.attr["class"] == "own":
				footer = strings.Fields(e.text)
			case e.text == "Foundation <x>" && e.tag == "a" &&
				e.attr["href"] != "https://lantern.example/?a=1&b=2":
				t.Errorf("%s: the footer leads to %s", route, e.attr["href"])
			}
		}
		if mark != brand.Name || !strings.HasSuffix(title, "Example proposals") ||
			strings.Join(footer, " ") != "Foundation <x> CC0" {
			t.Errorf("%s: the name is %q, the title %q, the footer %q", route, mark, title, footer)
		}
		if logo := assets[image]; icon != image || string(logo.Body) != "<svg/>" ||
			logo.Type != "image/svg+xml" {
			t.Errorf("%s: the logo is at %q, the icon at %q; want both at a file with its bytes",
				route, image, icon)
		}
		l, d := colors.Light, colors.Dark
		want := "--accent:light-dark(" + l.Text.String() + "," + d.Text.String() +
			");--accent-bg:light-dark(" + l.Ground.String() + "," + d.Ground.String() +
			");--on-accent:light-dark(" + l.On.String() + "," + d.On.String() + ")"
		css := assets[sheet].Body
		if bytes.LastIndex(css, []byte("--accent:")) != bytes.Index(css, []byte(want)) {
			t.Errorf("%s: the last accent of the style sheet %q is not %s", route, sheet, want)
		}
	}
}

// TestBrandCards checks that pictures have the name and the accent of the brand, and our glyph
// unless there is a logo.
func TestBrandCards(t *testing.T) {
	info, m := pageInfo("https://example.org").Site,
		mip.Metadata{ID: mip.ID{Kind: "MIP", Number: 3}, Title: "T"}
	b := Brand{Name: "Name",
		Colors: &palette.Accents{Light: palette.Accent{Text: palette.Color{G: 0x40}}}}
	for _, logo := range []*Logo{nil, {Ext: ".png"}} {
		b.Logo = logo
		of, site := ProposalCard(info, b, m), SiteCard(info, b)
		if of.Site != "Name" || site.Title != "Name" || of.Accent != "004000" ||
			site.Accent != "004000" || of.NoGlyph != (logo != nil) ||
			site.NoGlyph != (logo != nil) {
			t.Errorf("with the logo %v the cards are %+v and %+v", logo, of, site)
		}
	}
}

// TestLogoWidth bounds a logo of any shape.
func TestLogoWidth(t *testing.T) {
	for aspect, want := range map[float64]int{0: 26, 1: 26, 2: 52, 0.001: 8, 1e9: 160} {
		if got := (&Logo{Aspect: aspect}).Width(); got != want {
			t.Errorf("a logo of aspect %v is %d wide, want %d", aspect, got, want)
		}
	}
}
