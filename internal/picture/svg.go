package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// ErrNoSVG is wrapped by the errors of bytes that are no SVG at all.
var ErrNoSVG = errors.New("this is no SVG")

// XML namespaces. encoding/xml returns an undeclared prefix as the namespace.
const (
	svgSpace  = "http://www.w3.org/2000/svg"
	linkSpace = "http://www.w3.org/1999/xlink"
	xmlSpace  = "http://www.w3.org/XML/1998/namespace"
)

// notes are the namespaces of drawing programs' own data, which browsers ignore.
var notes = []string{
	"http://www.inkscape.org/namespaces/inkscape",
	"http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd",
	"http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://creativecommons.org/ns#",
	"http://web.resource.org/cc/",
	"http://purl.org/dc/elements/1.1/", "http://www.bohemiancoding.com/sketch/ns",
	"http://www.serif.com/",
}

// elements are the drawing elements of SVG. None of them runs, loads, moves or links anything,
// except by references, which have a separate check.
var elements = strings.Fields(`
	svg g defs symbol use switch title desc metadata style
	path rect circle ellipse line polyline polygon text tspan textPath image
	linearGradient radialGradient stop clipPath mask pattern marker
	filter feBlend feColorMatrix feComponentTransfer feComposite feDisplacementMap feDropShadow feFlood
	feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset feTile feTurbulence`)

// attributes are the allowed attributes of the elements. Names that begin with aria- or data- are
// allowed too.
var attributes = strings.Fields(`
	xmlns id class style lang role type media version baseProfile focusable tabindex enable-background href
	x y width height viewBox preserveAspectRatio transform transform-origin overflow display visibility
	cx cy r rx ry d points x1 y1 x2 y2 dx dy rotate pathLength
	fx fy fr gradientUnits gradientTransform spreadMethod offset stop-color stop-opacity
	patternUnits patternContentUnits patternTransform clipPathUnits maskUnits maskContentUnits mask-type
	markerUnits markerWidth markerHeight refX refY orient marker marker-start marker-mid marker-end
	filterUnits primitiveUnits in in2 result stdDeviation values mode operator k1 k2 k3 k4 radius scale
	baseFrequency numOctaves seed stitchTiles xChannelSelector yChannelSelector
	tableValues slope intercept amplitude exponent flood-color flood-opacity lighting-color
	fill fill-opacity fill-rule clip clip-path clip-rule mask filter opacity color isolation mix-blend-mode
	color-interpolation color-interpolation-filters color-rendering image-rendering shape-rendering
	stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity
	stroke-width paint-order vector-effect pointer-events
	font font-family font-size font-size-adjust font-stretch font-style font-variant font-weight
	text-anchor text-decoration text-rendering textLength lengthAdjust startOffset method spacing side
	letter-spacing word-spacing writing-mode direction unicode-bidi
	alignment-baseline baseline-shift dominant-baseline`)

// linkAttributes are the allowed attributes of XLink. Browsers ignore all but href.
var linkAttributes = strings.Fields("href type role arcrole title show actuate")

// functions are the allowed functions in style sheets and attributes. They compute colors,
// positions and selectors.
var functions = strings.Fields(`
	rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark var calc min max clamp
	matrix translate translatex translatey scale scalex scaley rotate skew skewx skewy
	blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia
	not is where nth-child nth-of-type`)

var (
	styleRule = regexp.MustCompile(`@[\w-]*`)
	// function matches the name of a function and the start of a reference.
	function = regexp.MustCompile(`([\w-]+)\(\s*["']?(#?)`)
	// pixels matches raster images, which contain no further drawing.
	pixels = regexp.MustCompile(`^data:image/(?:png|jpeg|gif|webp);base64,`)
)

// SVG parses a drawing and returns its width and height in pixels, which are 0 if it states
// neither. It refuses a drawing that does more than draw: people may open its address directly, as
// a document of its own.
func SVG(data []byte) (width, height float64, err error) {
	d := newDecoder(data)
	begun, style, drawn, area := false, "", newRepeated(), 0
	for {
		token, err := d.Token()
		switch {
		case err == io.EOF && begun:
			return width, height, drawn.check()
		case err == io.EOF:
			return 0, 0, fmt.Errorf("%w: it has no element", ErrNoSVG)
		case err != nil && begun:
			return 0, 0, fmt.Errorf("the SVG is broken: %w", err)
		case err != nil:
			return 0, 0, fmt.Errorf("%w: %w", ErrNoSVG, err)
		}
		behind := begun && len(drawn.open) == 1
		switch token := token.(type) {
		case xml.StartElement:
			// Browsers draw no other root element.
			if !begun && token.Name != (xml.Name{Space: svgSpace, Local: "svg"}) {
				return 0, 0, fmt.Errorf("%w: want the element svg with xmlns=%q, got %s",
					ErrNoSVG, svgSpace, mip.Quote(token.Name.Local))
			}
			if !begun {
				begun = true
				width, height = sizeOf(token)
			}
			if err, style = checkElement(token), ""; err == nil && behind {
				err = errBehind
			}
			if err == nil && token.Name.Local == "image" {
				area, err = addPixels(area, token)
			}
			drawn.begin(token)
		case xml.CharData:
			style += string(token) // a comment may split a word
			if blank := len(bytes.Trim(token, "\ufeff \t\r\n")) == 0; !blank && !begun {
				err = fmt.Errorf("%w: it begins with text", ErrNoSVG)
			} else if !blank && behind {
				err = errBehind
			}
		case xml.EndElement:
			drawn.end()
			if token.Name.Local == "style" {
				err = checkStyle("element", "style", style)
			}
			style = ""
		case xml.ProcInst:
			if token.Target != "xml" {
				err = onlyDraws("instruction", token.Target)
			}
		case xml.Directive:
			if !bytes.HasPrefix(bytes.ToUpper(token), []byte("DOCTYPE")) ||
				bytes.ContainsRune(token, '[') {
				err = errors.New("want an SVG that only draws, got a document type with " +
					"declarations; remove what is in its brackets [ ]")
			}
		}
		if err != nil {
			return 0, 0, err
		}
	}
}

// errBehind is the error of a second root element, or of text after the first one.
var errBehind = errors.New("the SVG is broken: want nothing behind its element svg")

// newDecoder returns a decoder of UTF-8, of which ASCII is a part.
func newDecoder(data []byte) *xml.Decoder {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = func(charset string, r io.Reader) (io.Reader, error) {
		if !strings.EqualFold(charset, "us-ascii") {
			return nil, fmt.Errorf("want the encoding UTF-8, got %s", mip.Quote(charset))
		}
		return r, nil
	}
	return d
}

// onlyDraws is the error about a part that drawing does not need.
func onlyDraws(what, name string) error {
	return fmt.Errorf("want an SVG that only draws, got the %s %s; remove it",
		what, mip.Quote(name))
}

// checkElement refuses an element or attribute that is not in the lists.
func checkElement(e xml.StartElement) error {
	if slices.Contains(notes, e.Name.Space) {
		return nil
	}
	if e.Name.Space != svgSpace || !slices.Contains(elements, e.Name.Local) {
		return onlyDraws("element", e.Name.Local)
	}
	for _, a := range e.Attr {
		if err := checkAttribute(e.Name.Local, a); err != nil {
			return err
		}
	}
	return nil
}

// checkAttribute refuses an attribute that is not in the lists, or loads something.
func checkAttribute(element string, a xml.Attr) error {
	known, name := false, a.Name.Local
	switch a.Name.Space {
	case "":
		if strings.HasPrefix(name, "aria-") || strings.HasPrefix(name, "data-") {
			return nil
		}
		known = slices.Contains(attributes, name)
	case linkSpace, "xlink":
		known = slices.Contains(linkAttributes, name)
	case xmlSpace:
		known = name == "lang" || name == "space"
	default:
		known = a.Name.Space == "xmlns" || slices.Contains(notes, a.Name.Space)
	}
	if !known {
		return onlyDraws("attribute", name)
	}
	value := strings.TrimSpace(a.Value)
	if name == "href" && !strings.HasPrefix(value, "#") &&
		(element != "image" || !pixels.MatchString(value)) {
		return fmt.Errorf("want an SVG that is one file, got a reference to %s; want one to "+
			"an id in it, such as #a", mip.Quote(value))
	}
	return checkStyle("attribute", name, value)
}

// checkStyle refuses a style sheet, or the value of an attribute, that loads something.
func checkStyle(what, name, text string) error {
	got := ""
	if strings.Contains(text, `\`) {
		got = `\` // it can spell any other word
	}
	if what == "element" {
		for _, rule := range styleRule.FindAllString(text, -1) {
			if rule = strings.ToLower(rule); rule != "@media" && rule != "@supports" {
				got = rule
			}
		}
	}
	for _, m := range function.FindAllStringSubmatch(text, -1) {
		f := strings.ToLower(m[1])
		if !slices.Contains(functions, f) && (f != "url" || m[2] == "") {
			got = m[1] + "("
		}
	}
	if got == "" {
		return nil
	}
	return fmt.Errorf("want an SVG that is one file, got %s in the %s %s; want colours, places "+
		"and references such as url(#a) alone",
		mip.Quote(got), what, name)
}

// sizeOf is the width and height of a drawing, else of its view box, else 0.
func sizeOf(e xml.StartElement) (width, height float64) {
	number := func(s string) float64 {
		n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(s), "px"), 64)
		if err != nil || n <= 0 || math.IsInf(n, 0) || math.IsNaN(n) {
			return 0
		}
		return n
	}
	var boxWidth, boxHeight float64
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "width":
			width = number(a.Value)
		case "height":
			height = number(a.Value)
		case "viewBox":
			if parts := strings.Fields(strings.ReplaceAll(a.Value, ",", " ")); len(parts) == 4 {
				boxWidth, boxHeight = number(parts[2]), number(parts[3])
			}
		}
	}
	if width*height > 0 {
		return width, height
	}
	return boxWidth, boxHeight
}
