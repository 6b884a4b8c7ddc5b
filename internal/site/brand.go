package site

import (
	"fmt"
	"math"
	"path"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/palette"
)

// Brand is how the pages of a site look like its own. The zero value is the look that every site has without one.
type Brand struct {
	// Name stands at the top of pages and on share cards; empty: the title does.
	Name string `yaml:"name"`
	// Logo is the path of a picture, slash-separated and below the folder of the file; empty: none. See [Site.ReadLogo].
	Logo string `yaml:"logo"`
	// Picture is the logo itself once it has been read.
	Picture *Picture
	// Colors are nil where the file has none.
	Colors *palette.Accents
	// Footer are lines at the foot of each page.
	Footer []FooterLine `yaml:"footer"`
}

// FooterLine is a text, and where it leads; an empty URL: nowhere.
type FooterLine struct {
	Text string `yaml:"text"`
	URL  string `yaml:"url"`
}

// brand is the brand as it is written.
type brand struct {
	Brand
	Color accent `yaml:"color"`
}

// accent is one colour, which is written as a text, or one for each theme.
type accent struct {
	One   string
	Light string `yaml:"light"`
	Dark  string `yaml:"dark"`
}

// validate checks the brand, and makes its colours. Whether the logo is one is found when it is read.
func (b *brand) validate(p *parser) {
	if b.Logo != "" {
		b.Logo = path.Clean(b.Logo)
		p.check("brand.logo", checkInside(b.Logo, "an SVG or PNG file beside site.yaml or below its folder"))
	}
	b.Colors = b.Color.accents(p)
	for i, line := range b.Footer {
		name := item("brand.footer", i)
		p.required(name, "text")
		p.check(name+".url", checkAddress(line.URL))
	}
}

// accents are the colours of both themes. One that is not given is the nearest to the other that its theme bears. One for
// both is that of a theme which bears it.
func (a accent) accents(p *parser) *palette.Accents {
	light, dark := palette.Light(), palette.Dark()
	read := func(name, text string, check func(palette.Color) error) (palette.Color, bool) {
		if text == "" {
			return palette.Color{}, false
		}
		c, ok := palette.Parse(text)
		err := fmt.Errorf(`want a colour such as "#5431c0", got %s`, mip.Quote(text))
		if ok {
			err = check(c)
		}
		p.check(name, err)
		return c, ok
	}
	one, ok := read("brand.color", a.One, func(c palette.Color) error {
		if light.Bears(c) || dark.Bears(c) {
			return nil
		}
		return fmt.Errorf("%w in the light theme, and %s in the dark one", contrast(light, c), dark.Nearest(c))
	})
	switch {
	case ok && light.Bears(one):
		a.Light = a.One
	case ok:
		a.Dark = a.One
	}
	l, hasLight := read("brand.color.light", a.Light, func(c palette.Color) error { return contrast(light, c) })
	d, hasDark := read("brand.color.dark", a.Dark, func(c palette.Color) error { return contrast(dark, c) })
	switch {
	case !hasLight && !hasDark:
		return nil
	case !hasLight:
		l = light.Match(d, dark)
	case !hasDark:
		d = dark.Match(l, light)
	}
	return &palette.Accents{Light: light.Accent(l), Dark: dark.Accent(d)}
}

// contrast is the error of a colour that a theme does not bear.
func contrast(t palette.Theme, c palette.Color) error {
	ground, ratio := t.Worst(c)
	if ratio >= palette.Ratio {
		return nil
	}
	// Never round up to what is wanted.
	ratio = math.Floor(ratio*100) / 100
	return fmt.Errorf("want at least %d:1 on %s, got %.2f:1; %s would do", palette.Ratio, ground, ratio, t.Nearest(c))
}
