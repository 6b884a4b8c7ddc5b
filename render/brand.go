package render

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/mipwatch/mipwatch/internal/palette"
)

// Brand is the look of a site. The zero value is the default look.
type Brand struct {
	Name   string           // at the top of pages and on cards; empty: the site's title
	Logo   *Logo            // nil: our glyph
	Colors *palette.Accents // nil: the style sheet's
	Footer []FooterLine     // at the foot of each page
}

// Logo is the picture beside the name. Browsers also show it beside a page's title.
type Logo struct {
	Ext    string  // .svg or .png
	Data   []byte  // shared, must not be changed
	Aspect float64 // width divided by height; 0: a square
}

// FooterLine is a text with an optional link.
type FooterLine struct{ Text, URL string }

// Name is the logo's name among the assets.
func (l *Logo) Name() string { return "logo" }

// Type is the media type.
func (l *Logo) Type() string {
	if l.Ext == ".png" {
		return "image/png"
	}
	return "image/svg+xml"
}

// Height is in pixels. A page states it with the width, so that nothing moves when the logo
// arrives.
func (l *Logo) Height() int { return 26 }

// Width is in pixels.
func (l *Logo) Width() int {
	const narrowest, widest = 8, 160
	width := math.Round(float64(l.Height()) * cmp.Or(l.Aspect, 1))
	return int(min(widest, max(narrowest, width)))
}

// Accent is the accent color of pictures, which have a light background, as hexadecimal digits.
// Empty means the default.
func (b Brand) Accent() string {
	if b.Colors == nil {
		return ""
	}
	return strings.TrimPrefix(b.Colors.Light.Text.String(), "#")
}

// style is the brand's addition to each style sheet, since pages contain no styles. It is empty
// without a brand.
func (b Brand) style() string {
	var out strings.Builder
	if b.Colors != nil {
		l, d := b.Colors.Light, b.Colors.Dark
		fmt.Fprintf(&out,
			":root{--accent:light-dark(%s,%s);--accent-bg:light-dark(%s,%s);"+
				"--on-accent:light-dark(%s,%s)}",
			l.Text, d.Text, l.Ground, d.Ground, l.On, d.On)
	}
	if b.Logo != nil {
		out.WriteString(".brand::before{content:none}" +
			".brand img{flex:none;height:1.625rem;width:auto;max-width:min(10rem,40vw);" +
			"object-fit:contain}" +
			"@media (max-width:22rem){.brand img{display:none}}")
	}
	if len(b.Footer) > 0 {
		out.WriteString(".foot .own{flex:1 0 100%;border-top:1px solid var(--line);" +
			"padding-top:var(--s4);overflow-wrap:anywhere}")
	}
	return out.String()
}
