package site_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/palette"
	"github.com/mipwatch/mipwatch/internal/site"
)

func TestBrand(t *testing.T) {
	s, err := site.Parse("site.yaml", []byte(head+`brand:
  name: Lantern
  logo: ./assets//logo.svg
  color: {light: "#5431c0", dark: "#B9A5FF"}
  footer:
    - {text: Lantern Foundation, url: "https://lantern.example"}
    - text: All texts are CC0
`))
	if err != nil {
		t.Fatal(err)
	}
	colors := s.Brand.Colors
	s.Brand.Colors = nil
	want := site.Brand{Name: "Lantern", Logo: "assets/logo.svg", Footer: []site.FooterLine{
		{"Lantern Foundation", "https://lantern.example"}, {Text: "All texts are CC0"},
	}}
	if d := cmp.Diff(want, s.Brand); d != "" {
		t.Errorf("the brand (-want +got):\n%s", d)
	}
	if colors == nil || colors.Light.Text.String() != "#5431c0" ||
		colors.Dark.Text.String() != "#b9a5ff" {
		t.Errorf("the colours are %v", colors)
	}
}

// TestBrandContrast tries colors of all kinds. With an accepted color every contrast ratio of the
// style sheet holds in both themes. For a rejected one the message names an accepted color.
func TestBrandContrast(t *testing.T) {
	sheet, err := os.ReadFile("../../render/assets/site.css")
	if err != nil {
		t.Fatal(err)
	}
	tokens := [2]map[string][3]float64{{}, {}}
	pair := regexp.MustCompile(`--([a-z-]+):light-dark\((#[0-9a-f]+),(#[0-9a-f]+)\)`)
	for _, m := range pair.FindAllStringSubmatch(string(sheet), -1) {
		tokens[0][m[1]], tokens[1][m[1]] = channels(t, m[2]), channels(t, m[3])
	}
	random := rand.New(rand.NewPCG(1, 2))
	hex := func() string { return fmt.Sprintf("#%06x", random.IntN(1<<24)) }
	counts := map[bool]int{}
	for i := range 900 {
		form := []string{"%q", "{light: %q}", "{dark: %q}"}[i%3]
		color := hex()
		colors, err := brandColors(form, color)
		counts[err == nil]++
		for err != nil { // the message names a color for each theme that has a wrong one
			better := regexp.MustCompile(`(#[0-9a-f]{6}) would do`).FindStringSubmatch(err.Error())
			if better == nil {
				t.Fatalf("%s: %v", color, err)
			}
			if colors, err = brandColors(form, better[1]); err != nil {
				t.Errorf("%s, which would do in place of %s: %v", better[1], color, err)
			}
		}
		for theme, a := range []palette.Accent{colors.Light, colors.Dark} {
			own := map[string][3]float64{"accent": channels(t, a.Text.String()),
				"accent-bg": channels(t, a.Ground.String()),
				"on-accent": channels(t, a.On.String())}
			get := func(name string) [3]float64 {
				if c, ok := own[name]; ok {
					return c
				}
				return tokens[theme][name]
			}
			for pair, least := range map[string]float64{
				"accent bg": 7, "accent sub": 7, "accent surface": 7, "accent accent-bg": 7,
				"on-accent accent": 7,
				"text accent-bg":   7, "muted accent-bg": 7, "ctl accent-bg": 3,
			} {
				fore, back, _ := strings.Cut(pair, " ")
				if r := ratio(get(fore), get(back)); r < least {
					t.Fatalf("%s as "+form+": in theme %d %s has %.3f",
						color, color, theme, pair, r)
				}
			}
		}
	}
	if counts[true] < 50 || counts[false] < 50 {
		t.Errorf("of the colours %v are taken", counts)
	}
}

func brandColors(form, color string) (*palette.Accents, error) {
	s, err := site.Parse("site.yaml", []byte(head+"brand: {color: "+fmt.Sprintf(form, color)+"}\n"))
	if err != nil {
		return nil, err
	}
	return s.Brand.Colors, nil
}

// channels returns the linear light of each channel of #rgb or #rrggbb, by the definition of WCAG
// 2.1.
func channels(t *testing.T, s string) (out [3]float64) {
	t.Helper()
	size := (len(s) - 1) / 3
	for i := range out {
		n, err := strconv.ParseUint(strings.Repeat(s[1+i*size:][:size], 3-size), 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		if v := float64(n) / 255; v <= 0.03928 {
			out[i] = v / 12.92
		} else {
			out[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return out
}

func ratio(a, b [3]float64) float64 {
	x, y := 0.2126*a[0]+0.7152*a[1]+0.0722*a[2]+0.05, 0.2126*b[0]+0.7152*b[1]+0.0722*b[2]+0.05
	return max(x, y) / min(x, y)
}

func TestReadLogo(t *testing.T) {
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" `
	picture := func(width, height int) string {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, file, content string
		ext                 string
		aspect              float64
		want                string // in the problem; empty: none
	}{
		{"SVG", "a.svg", "\ufeff<?xml version=\"1.0\"?>\n<!-- by hand -->\n" + svg +
			`viewBox="0 0 48 32"><path d="M0 0h9"/></svg>`, ".svg", 1.5, ""},
		{"SVG with a size", "a.svg", svg + `width="20px" height="10" viewBox="0 0 1 1"/>`,
			".svg", 2, ""},
		{"SVG of no size, by another name", "a.png",
			svg + `width="100%" viewBox="a b c d"><use href="#x"/></svg>`, ".svg", 0, ""},
		{"PNG", "a.png", picture(30, 20), ".png", 1.5, ""},
		{"PNG by another name", "a.svg", picture(20, 20), ".png", 1, ""},
		{"missing", "", "", "", 0, `no file "logos/a.svg"`},
		{"folder", "a.svg/b", "", "", 0, `"logos/a.svg" is not a file`},
		{"link out of the folder", "-> /etc/hostname", "", "", 0, `"logos/a.svg" cannot be read: `},
		{"too large", "a.svg", svg + ">" + strings.Repeat(" ", 64<<10) + "</svg>", "", 0,
			"want at most 64 KiB, got 65"},
		{"empty", "a.svg", "", "", 0, "this is no SVG: it has no element"},
		{"another type", "a.jpg", "\xff\xd8\xff\xe0\x00\x10JFIF", "", 0,
			"want an SVG or a PNG, and this is neither"},
		{"another type by the name of an SVG", "a.svg", "\xff\xd8\xff", "", 0,
			"this is no SVG: XML syntax error on line 1: invalid UTF-8"},
		{"HTML", "a.svg", "<!doctype html><html></html>", "", 0,
			`want the element svg with xmlns="http://www.w3.org/2000/svg", got "html"`},
		{"SVG without its namespace", "a.svg", "<svg/>", "", 0,
			`this is no SVG: want the element svg with xmlns=`},
		{"SVG that is cut off", "a.svg", svg + "><path", "", 0,
			"the SVG is broken: XML syntax error on line 1"},
		{"script", "a.svg", svg + "><script>1</script></svg>", "", 0,
			`want an SVG that only draws, got the element "script"`},
		{"handler", "a.svg", svg + `><g onload="1"/></svg>`, "", 0,
			`want an SVG that only draws, got the attribute "onload"`},
		{"HTML within", "a.svg", svg + `><foreignObject/></svg>`, "", 0,
			`got the element "foreignObject"`},
		{"reference", "a.svg", svg + `><image xlink:href="https://example.org/a.png"/></svg>`, "",
			0, `want an SVG that is one file, got a reference to "https://example.org/a.png"`},
		{"import", "a.svg", svg + "><style>@im<!-- -->port '//x.example/a.css'</style></svg>", "",
			0, `got "@import" in the element style; want colours`},
		{"address in a style sheet", "a.svg",
			svg + "><style>g{fill:URL( 'https://x.example')}</style></svg>", "", 0,
			`got "URL(" in the element style`},
		{"address in escapes", "a.svg", svg + `><style>g{fill:u\72l(//x.example)}</style></svg>`,
			"", 0, `in the element style`},
		{"address in an attribute", "a.svg",
			svg + `><g fill="url(https://x.example/a.svg#b)"/></svg>`, "", 0,
			`got "url(" in the attribute fill`},
		{"address in a style", "a.svg",
			svg + `><g style="mask:image-set('//x.example' 1x)"/></svg>`, "", 0,
			`got "image-set(" in the attribute style`},
		{"style sheet beside it", "a.svg",
			`<?xml-stylesheet href="//x.example/a.xsl" type="text/xsl"?>` + svg + "/>", "", 0,
			`got the instruction "xml-stylesheet"; remove it`},
		{"XSLT", "a.svg",
			svg + `><x:stylesheet xmlns:x="http://www.w3.org/1999/XSL/Transform"/></svg>`, "", 0,
			`got the element "stylesheet"`},
		{"HTML's script", "a.svg",
			svg + `><x:script xmlns:x="http://www.w3.org/1999/xhtml"/></svg>`, "", 0,
			`got the element "script"`},
		{"set", "a.svg", svg + `><set attributeName="onmouseover" to="1"/></svg>`, "", 0,
			`got the element "set"; remove it`},
		{"animation", "a.svg", svg + `><animate attributeName="href" values="//x.example"/></svg>`,
			"", 0, `got the element "animate"`},
		{"link", "a.svg", svg + `><a href="#x"/></svg>`, "", 0, `got the element "a"`},
		{"entities", "a.svg", `<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>` + svg +
			"/>", "", 0, `got a document type with declarations`},
		{"base", "a.svg", svg + `xml:base="https://x.example/"/>`, "", 0,
			`got the attribute "base"`},
		{"use of another file", "a.svg",
			svg + `><use href="data:image/svg+xml,%3Csvg/%3E#a"/></svg>`, "", 0,
			`want one to an id in it, such as #a`},
		{"drawing in a picture", "a.svg",
			svg + `><image href="data:image/svg+xml;base64,PHN2Zy8+"/></svg>`, "", 0,
			`want one to an id in it`},
		{"attribute of a script", "a.svg", svg + `><g formaction="javascript:1"/></svg>`, "", 0,
			`got the attribute "formaction"`},
		{"drawing of a program", "a.svg",
			`<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">` +
				svg + `xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:i="http://www.inkscape.org/namespaces/inkscape" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
			viewBox="0 0 2 1" xml:space="preserve" i:version="1.3" aria-label="a(b)" data-x="url(//x)"><title>T</title><metadata><rdf:RDF rdf:about="https://x.example"/></metadata>
			<defs><linearGradient id="a" gradientTransform="rotate(45)"><stop offset="0" stop-color="rgb(1,2,3)"/></linearGradient>
			<radialGradient id="b" xlink:href="#a"/></defs><style type="text/css"><![CDATA[.c{fill:url(#a)} @media (prefers-color-scheme: dark){.c:not(.d){fill:hsl(1 2% 3%)}}]]></style>
			<g class="c" style="fill:url('#b')" clip-path="url(#e)" transform="matrix(1 0 0 1 0 0)"><path d="M0 0h9z" stroke-width="2"/></g>
			<image width="1" height="1" xlink:href="data:image/png;base64,
			iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptV"/></svg>`, ".svg", 2, ""},
		{"PNG that is cut off", "a.png", picture(30, 20)[:60], "", 0, "the PNG is broken: "},
		{"huge PNG", "a.png", picture(2049, 1), "", 0,
			"want at most 2048 pixels on a side, got 2049 by 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			name := "logos/a.svg"
			if to, ok := strings.CutPrefix(c.file, "-> "); ok {
				if err := os.Mkdir(filepath.Join(dir, "logos"), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			} else if c.file != "" {
				file := filepath.Join(dir, "logos", c.file)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(c.content), 0o644); err != nil {
					t.Fatal(err)
				}
				name = "logos/" + strings.TrimSuffix(c.file, "/b")
			}
			s, err := site.Parse("site.yaml", []byte(head+"brand:\n  logo: "+name+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			config := filepath.Join(dir, "site.yaml")
			s.File = config
			problems := s.ReadLogo()
			logo := s.Brand.Picture
			if c.want == "" {
				if len(problems) > 0 || logo.Ext != c.ext || logo.Aspect != c.aspect ||
					string(logo.Data) != c.content {
					t.Errorf("a logo %+v, problems %v; want %s with the aspect %v",
						logo, problems, c.ext, c.aspect)
				}
				return
			}
			if prefix := config + ":4: bad-value: brand.logo: "; logo != nil ||
				len(problems) != 1 ||
				!strings.HasPrefix(problems[0].String(), filepath.ToSlash(prefix)) ||
				!strings.Contains(problems[0].Message, c.want) {
				t.Errorf("a logo %v, problems %v; want one: %s", logo, problems, c.want)
			}
		})
	}
}
