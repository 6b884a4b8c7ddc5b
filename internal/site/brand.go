package site

import (
	"fmt"
	"math"
	"path"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/palette"
)

// Brand is the look of a site's pages. The zero value is the default look.
type Brand struct {
	// Name is at the top of pages and on share cards. Empty means the title.
	Name string `yaml:"name"`
	// Logo is the path of a picture, slash-separated and below the folder of the file. Empty means
	// none. See [Site.ReadLogo].
	Logo string `yaml:"logo"`
	// Picture is the logo after [Site.ReadLogo].
	Picture *Picture
	// Colors are nil if the file has none.
	Colors *palette.Accents
	// Footer are the lines at the foot of each page.
	Footer []FooterLine `yaml:"footer"`
}

// FooterLine is a text with an optional link.
type FooterLine struct {
	Text string `yaml:"text"`
	URL  string `yaml:"url"`
}

// brand is the brand in the form of the file.
type brand struct {
	Brand
	Color accent `yaml:"color"`
}

// accent is either one color for both themes, written as text, or one for each theme.
type accent struct {
	One   string
	Light string `yaml:"light"`
	Dark  string `yaml:"dark"`
}

// validate checks the brand and derives its colors. [Site.ReadLogo] checks the logo.
func (b *brand) validate(p *parser) {
	if b.Logo != "" {
		b.Logo = path.Clean(b.Logo)
		p.check("brand.logo",
			checkInside(b.Logo, "an SVG or PNG file beside site.yaml or below its folder"))
	}
	b.Colors = b.Color.accents(p)
	for i, line := range b.Footer {
		name := item("brand.footer", i)
		p.required(name, "text")
		p.check(name+".url", checkAddress(line.URL))
	}
}

// accents returns the colors of both themes. If only one theme has a color, the other gets the
// nearest color with enough contrast. A single color belongs to a theme in which its contrast is
// sufficient.
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
		return fmt.Errorf("%w in the light theme, and %s in the dark one",
			contrast(light, c), dark.Nearest(c))
	})
	switch {
	case ok && light.Bears(one):
		a.Light = a.One
	case ok:
		a.Dark = a.One
	}
	l, hasLight := read("brand.color.light", a.Light, func(c palette.Color) error {
		return contrast(light, c)
	})
	d, hasDark := read("brand.color.dark", a.Dark, func(c palette.Color) error {
		return contrast(dark, c)
	})
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

// contrast returns an error if the contrast of a color is too low in a theme.
func contrast(t palette.Theme, c palette.Color) error {
	ground, ratio := t.Worst(c)
	if ratio >= palette.Ratio {
		return nil
	}
	// Never round up to the required ratio.
	ratio = math.Floor(ratio*100) / 100
	return fmt.Errorf("want at least %d:1 on %s, got %.2f:1; %s would do",
		palette.Ratio, ground, ratio, t.Nearest(c))
}
