package rendertest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// The allowed markup of formulas and diagrams, of which nothing loads, links or runs anything.
var (
	mathElements = strings.Fields("math semantics annotation mrow mi mn mo mtext mspace mstyle " +
		"mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd")
	mathAttribute = regexp.MustCompile(`^((display|encoding|mathvariant|width|lspace|rspace|minsize|maxsize|linethickness|scriptlevel)=[a-z0-9/.-]+` +
		`|(stretchy|fence|accent|accentunder|displaystyle|movablelimits)=(true|false)|form=(prefix|infix|postfix)|class=[lcr])$`)
	svgElements  = strings.Fields("svg path rect text")
	svgAttribute = regexp.MustCompile(`^(?:(?:x|y|width|height)=-?\d+|viewBox=[-\d ]+|role=img|` +
		`aria-label=(?s:.+)|class=[a-z ]+|d=[-MHVLChvlacmz\d .]+)$`)
)

// ArticleFaults lists forbidden content in an article: elements that load, link elsewhere or run, a
// foreign id, and a link to a missing fragment.
func ArticleFaults(article *html.Node) (faults []string) {
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Sprintf(format, args...))
	}
	active := []string{"script", "style", "iframe", "object", "embed", "form", "base", "meta",
		"link", "template",
		"noscript", "frame", "frameset", "applet", "video", "audio", "source", "button", "select",
		"textarea", "marquee", "portal"}
	ids := map[string]bool{}
	var fragments []string
	for n := range article.Descendants() {
		if n.Type == html.CommentNode {
			fault("comment %q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if slices.Contains(active, n.Data) {
			fault("element <%s>", n.Data)
		}
		if n.Namespace != "" || n.Data == "math" || n.Parent.Namespace != "" {
			root, elements, attribute := "math", mathElements, mathAttribute
			if n.Namespace == "svg" {
				root, elements, attribute = "svg", svgElements, svgAttribute
			}
			if n.Namespace != root || !slices.Contains(elements, n.Data) ||
				n.Data == root != (n.Parent.Namespace == "") ||
				n.Data == "svg" && (len(n.Attr) == 0 || n.Attr[0].Key != "role") {
				fault("<%s> of namespace %q in <%s>", n.Data, n.Namespace, n.Parent.Data)
			}
			for _, a := range n.Attr {
				if !attribute.MatchString(a.Key + "=" + a.Val) {
					fault("attribute %s=%q of <%s>", a.Key, a.Val, n.Data)
				}
			}
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "style" || strings.HasPrefix(a.Key, "on") || a.Key == "srcdoc" ||
				a.Key == "align":
				fault("attribute %s=%q of <%s>", a.Key, a.Val, n.Data)
			case a.Key == "id":
				if ids[a.Val] || !strings.HasPrefix(a.Val, "s-") {
					fault("id %q is not unique or not prefixed", a.Val)
				}
				ids[a.Val] = true
			case a.Key == "href" || a.Key == "src":
				u, err := url.Parse(a.Val)
				switch {
				case err != nil:
					fault("%s of <%s>: %v", a.Key, n.Data, err)
				case a.Key == "src" && !strings.HasPrefix(a.Val, "/"):
					fault("foreign source %q", a.Val)
				case strings.HasPrefix(a.Val, "#"):
					fragments = append(fragments, a.Val[1:])
				case strings.HasPrefix(a.Val, "//") || strings.HasPrefix(a.Val, `/\`):
					fault("address without a scheme: %q", a.Val)
				case u.Scheme == "" && !strings.HasPrefix(a.Val, "/"):
					fault("relative address %q", a.Val)
				case !slices.Contains([]string{"", "http", "https", "mailto"}, u.Scheme):
					fault("scheme of %q", a.Val)
				}
			}
		}
		if n.Data == "a" {
			for p := n.Parent; p != nil; p = p.Parent {
				if p.Data == "a" {
					fault("<a> within <a>")
				}
			}
		}
	}
	for _, f := range fragments {
		if plain, err := url.PathUnescape(f); !ids[f] && (err != nil || !ids[plain]) {
			fault("#%s leads nowhere", f)
		}
	}
	return faults
}

// PageFaults returns how a page breaks the rules for all pages.
func PageFaults(doc *html.Node) (faults []string) {
	say := func(format string, args ...any) {
		faults = append(faults, fmt.Sprintf(format, args...))
	}
	ids, names, fragments, h1 := map[string]bool{}, map[string]bool{}, []string{}, 0
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
			switch {
			case a.Key == "style" || strings.HasPrefix(a.Key, "on"):
				say("<%s %s=%q>", n.Data, a.Key, a.Val)
			case a.Key == "id" && ids[a.Val]:
				say("id %q twice", a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			}
			if strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") {
				say("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
		if to, ok := strings.CutPrefix(attr["href"], "#"); ok {
			fragments = append(fragments, to)
		}
		switch n.Data {
		case "style", "iframe", "object", "embed", "base":
			say("<%s>", n.Data)
		case "script":
			text := TextOf(n)
			if attr["type"] == "application/ld+json" {
				if !json.Valid([]byte(text)) {
					say("structured data is not JSON: %s", text)
				}
			} else if attr["src"] == "" || text != "" {
				say("inline script %q", text)
			}
		case "h1", "h2", "h3", "h4", "a", "button", "title", "option", "summary":
			// A script fills rows whose links have no target yet.
			_, leads := attr["href"]
			if strings.TrimSpace(TextOf(n)) == "" && (leads || n.Data != "a") {
				say("<%s> without text", n.Data)
			}
			if n.Data == "h1" {
				h1++
			}
		case "nav", "aside":
			if name := attr["aria-label"]; name == "" || names[name] {
				say("<%s aria-label=%q>: not a name of its own", n.Data, name)
			} else {
				names[name] = true
			}
		}
	}
	if h1 != 1 {
		say("%d h1", h1)
	}
	for _, to := range fragments {
		if plain, err := url.PathUnescape(to); !ids[to] && (err != nil || !ids[plain]) {
			say("no element has the id of #%s", to)
		}
	}
	return faults
}
