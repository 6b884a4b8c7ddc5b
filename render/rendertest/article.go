package rendertest

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// mathElements and mathAttribute are all that a formula is made of. None of them loads, leads or runs.
var (
	mathElements = strings.Fields("math semantics annotation mrow mi mn mo mtext mspace mstyle mfrac msqrt mroot msub msup msubsup munder mover munderover " +
		"mtable mtr mtd")
	mathAttribute = regexp.MustCompile(`^((display|encoding|mathvariant|width|lspace|rspace|minsize|maxsize|linethickness|scriptlevel)=[a-z0-9/.-]+` +
		`|(stretchy|fence|accent|accentunder|displaystyle|movablelimits)=(true|false)|form=(prefix|infix|postfix)|class=[lcr])$`)
)

// ArticleFaults lists what must not be in an article of a page: what loads, leads elsewhere or runs, an id that is not
// its own, and a link to a fragment that it has not.
func ArticleFaults(article *html.Node) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	active := []string{"script", "style", "iframe", "object", "embed", "form", "base", "meta", "svg", "link", "template",
		"noscript", "frame", "frameset", "applet", "video", "audio", "source", "button", "select", "textarea", "marquee", "portal"}
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
			if n.Namespace != "math" || !slices.Contains(mathElements, n.Data) || n.Data == "math" != (n.Parent.Namespace == "") {
				fault("<%s> of namespace %q in <%s>", n.Data, n.Namespace, n.Parent.Data)
			}
			for _, a := range n.Attr {
				if !mathAttribute.MatchString(a.Key + "=" + a.Val) {
					fault("attribute %s=%q of <%s>", a.Key, a.Val, n.Data)
				}
			}
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "style" || strings.HasPrefix(a.Key, "on") || a.Key == "srcdoc" || a.Key == "align":
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
