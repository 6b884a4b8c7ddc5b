package build_test

import (
	"bytes"
	"compress/flate"
	"fmt"
	"html"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	dom "golang.org/x/net/html"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/redirect"
	"github.com/mipwatch/mipwatch/internal/search"
	"github.com/mipwatch/mipwatch/render/agent"
)

// linkCheck collects the links of a built tree in one pass, and then finds the dead ones.
type linkCheck struct {
	built
	ids      map[string]map[string]bool // by page file
	links    map[link]string            // to a file that has the link
	absolute *regexp.Regexp
	rules    map[string]redirect.Rule
	patterns map[string]bool // of addresses in documents, with variable parts
	absent   []string        // patterns without a file on the site
}

// link is a link in a file. from is empty if the link does not depend on the file's address.
type link struct{ from, to string }

// documentation is the page with a command for each documented route. A site without upgrades, for
// example, has no file for some of them. The page explains that the answer is a 404 then.
const documentation = "api/index.html"

func newLinkCheck(b built) *linkCheck {
	c := &linkCheck{built: b, ids: map[string]map[string]bool{}, links: map[link]string{},
		patterns: map[string]bool{}, rules: map[string]redirect.Rule{}}
	c.absolute = regexp.MustCompile(regexp.QuoteMeta(b.base) +
		"(?:/(?:[^\\s\"'`<>()\\[\\]\\\\{}]|\\{[a-z]+\\})*)?")
	for _, a := range b.plan.Artifacts {
		c.patterns[a.Pattern] = true
	}
	for _, r := range agent.StaticRoutes(mip.Site{Prefix: b.prefix, Host: b.host}) {
		if !c.patterns[r.Pattern] {
			c.patterns[r.Pattern] = true
			c.absent = append(c.absent, r.Pattern)
		}
	}
	for _, r := range b.plan.Redirects {
		if _, ok := c.rules[r.From]; !ok {
			c.rules[r.From] = r
		}
	}
	return c
}

// page adds the ids and links of a page, and the site's addresses in its metadata and its text.
func (c *linkCheck) page(file string, doc *dom.Node) {
	ids := map[string]bool{}
	c.ids[file] = ids
	for n := range doc.Descendants() {
		if n.Type == dom.TextNode {
			c.addresses(file, n.Data)
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "id":
				ids[a.Val] = true
			case "href", "src", "action", "data-run":
				c.add(file, a.Val)
			default:
				c.addresses(file, a.Val)
			}
		}
	}
}

// name matches an identifier in a feed. It looks like an address but need not be one.
var name = regexp.MustCompile(`<guid isPermaLink="false">[^<]*</guid>`)

// text adds the site's addresses in a text of any format but HTML.
func (c *linkCheck) text(file string, body []byte) {
	switch path.Ext(file) {
	case ".png":
	case ".bin":
		for _, part := range unpacked(body) {
			c.addresses(file, string(part))
		}
	case ".xml", ".atom":
		c.addresses(file, html.UnescapeString(string(name.ReplaceAll(body, nil))))
	default:
		c.addresses(file, string(body))
	}
}

// unpacked returns the parts of a file of the search index, as far as they can be read.
func unpacked(file []byte) (parts [][]byte) {
	for rest := bytes.NewReader(file); rest.Len() > 0; {
		part, err := io.ReadAll(flate.NewReader(rest))
		if err != nil {
			break
		}
		parts = append(parts, part)
	}
	return parts
}

func (c *linkCheck) addresses(file, text string) {
	if strings.Contains(text, c.base) {
		for _, m := range c.absolute.FindAllString(text, -1) {
			c.add(file, strings.TrimRight(m, ".,;:"))
		}
	}
}

func (c *linkCheck) add(file, to string) {
	l := link{file, to}
	if file != documentation && (strings.HasPrefix(to, "/") || strings.Contains(to, ":")) {
		l.from = "" // thousands of pages have the same
	}
	if _, ok := c.links[l]; !ok {
		c.links[l] = file
	}
}

// dead returns the dead links, each with a file that has it.
func (c *linkCheck) dead() []string {
	var out []string
	for l, file := range c.links {
		if fault := c.fault(l); fault != "" {
			out = append(out, fmt.Sprintf("%s: link %q: %s", file, l.to, fault))
		}
	}
	slices.Sort(out)
	return out
}

// fault is empty for a link to another site, to a file of this one, and to an existing element.
func (c *linkCheck) fault(l link) string {
	to := l.to
	if rest, ok := strings.CutPrefix(to, c.base); ok && (rest == "" || rest[0] == '/') {
		to = c.basePath + rest
	}
	u, err := url.Parse(to)
	if err != nil {
		return err.Error()
	}
	if u.Scheme != "" || u.Host != "" {
		return ""
	}
	file := l.from
	if u.Path != "" {
		if !strings.HasPrefix(u.Path, "/") {
			return "relative to its page, and so to how that is addressed"
		}
		p, ok := strings.CutPrefix(u.Path, c.basePath)
		if !ok {
			return "outside of the site"
		}
		if p == "" {
			p = "/" // the base address itself, which never ends in a slash
		}
		if file, ok = c.file(p); !ok {
			if l.from == documentation &&
				slices.ContainsFunc(c.absent, func(pattern string) bool {
					return isOf(pattern, p)
				}) {
				return ""
			}
			return "no file"
		}
	}
	if u.Fragment == "" {
		if strings.HasSuffix(to, "#") {
			return "an empty fragment"
		}
		return ""
	}
	if path.Ext(file) == ".bin" {
		if _, err := search.Unpack(c.files[file], u.Fragment, 1<<20); err != nil {
			return err.Error()
		}
		return ""
	}
	if ids := c.ids[file]; !ids[u.Fragment] {
		return "no such id in " + file
	}
	return ""
}

// file returns the file for a path: itself, a folder's page, or the target of a rule. ok is also
// true for a live route and for a route's pattern.
func (c *linkCheck) file(p string) (string, bool) {
	for range 3 { // rules in a row
		if slices.ContainsFunc(api.Routes(), func(r api.Route) bool { return r.Path == p }) ||
			strings.Contains(p, "{") && c.patterns[p] {
			return "", true
		}
		file := strings.TrimPrefix(p, "/")
		if strings.HasSuffix(p, "/") {
			file += "index.html"
		}
		if c.files[file] != nil {
			return file, true
		}
		r, ok := c.rules[p]
		if !ok || r.Status == 404 {
			return "", false
		}
		if p = r.To; r.Status == 301 {
			p = strings.TrimPrefix(p, c.basePath)
		}
	}
	return "", false
}

// isOf reports whether a path matches a pattern.
func isOf(pattern, p string) bool {
	return slices.EqualFunc(strings.Split(pattern, "/"), strings.Split(p, "/"),
		func(a, b string) bool {
			return a == b || strings.HasPrefix(a, "{") && b != ""
		})
}

// TestLinkCheck puts dead links into a small tree, to show that linkCheck finds them.
func TestLinkCheck(t *testing.T) {
	b := built{base: "https://example.org/p", basePath: "/p", prefix: "MIP",
		files: map[string][]byte{"index.html": {}, "mip/1/index.html": {}, "api/v1/x.json": {},
			"feed.xml": {}}, plan: &build.Plan{
			Artifacts: []build.Artifact{{Pattern: "/mip/{n}/"}},
			Redirects: []redirect.Rule{{From: "/api/v1/x", To: "/api/v1/x.json", Status: 200},
				{From: "/old.md", To: "/p/mip/1/", Status: 301},
				{From: "/api/*", To: "/api-404.json", Status: 404}},
		}}
	alive := []string{"/p/", "/p/mip/1/", "/p/mip/1/#a", "#a", "/p/api/v1/x", "/p/old.md#a",
		"/p/old.md", "/p/feed.xml", "https://example.org/p", "https://example.org/p/mip/1/",
		"https://example.org/p/mip/{n}/", "https://example.org/part", "https://example.com/x",
		"mailto:a@example.org", "/p/api/mip-watch", "/p/?q=a", "data:image/svg+xml,a"}
	dead := []string{"/", "/mip/1/", "/p/mip/1", "/p/mip/2/", "/p/mip/1/#b", "#b", "#A", "#",
		"/p/#a", "/p/feed.xml#a", "/p/api/v1/y", "/p/old", "mip/1/", "../",
		"https://example.org/p/x", "https://example.org/p/mip/1/#b", "https://example.org/p/{n}",
		"/p/upgrade/x/feed.xml"}
	for _, to := range slices.Concat(alive, dead) {
		c := newLinkCheck(b)
		pages := map[string]string{
			"mip/1/index.html": `<p id=a><a href="` + to + `">x</a>`, "index.html": "<p>"}
		for file, page := range pages {
			doc, err := dom.Parse(strings.NewReader(page))
			if err != nil {
				t.Fatal(err)
			}
			c.page(file, doc)
		}
		if got, want := len(c.dead()) == 0, slices.Contains(alive, to); got != want {
			t.Errorf("%q is alive: %t, want %t", to, got, want)
		}
	}
	for text, want := range map[string]int{
		`<guid isPermaLink="false">https://example.org/p/x</guid>` +
			"<link>https://example.org/p/mip/1/</link>": 0,
		`<guid isPermaLink="true">https://example.org/p/x</guid>` +
			"<link>https://example.org/p/y&amp;</link>": 2,
	} {
		c := newLinkCheck(b)
		c.text("feed.xml", []byte(text))
		if got := c.dead(); len(got) != want {
			t.Errorf("%s: dead links %q, want %d", text, got, want)
		}
	}
}

// checkChecked checks that a check finds the same problems as a build of the site.
func checkChecked(t *testing.T, b built) {
	t.Helper()
	got, err := build.Check(t.Context(), b.corpus)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.plan.LinkProblems(), got); diff != "" {
		t.Errorf("problems of a build and of a check (-build +check):\n%s", diff)
	}
}

// TestCheck checks a site with each problem that appears only after rendering and routing.
func TestCheck(t *testing.T) {
	s := besideSite()
	s.Redirects = []string{"/gone /nowhere/", "/api/search /about/"}
	text := "[a](#no) [b](MIP-9.md) [c](../../out.md) [d](ftp://x.example) [e](/rooted)\n\n" +
		"```go\nfunc main() {}\n```\n"
	in := folderOf(t, "MIP-1.md", proposalText("redirect_from: /healthz\n", text),
		"MIP-2.md", proposalText("", "T"))
	put(t, filepath.Join(in, "translations", "ja", "MIP-1.md"),
		"---\ntitle: T\n---\n\n## A\n\n[f](#none)\n")
	b := buildCorpus(t, in, s)
	codes := map[string]bool{}
	for _, p := range b.plan.LinkProblems() {
		codes[p.Code] = true
	}
	for _, code := range []string{"dead-fragment", "dead-link", "dead-redirect", "taken-redirect"} {
		if !codes[code] {
			t.Errorf("the build finds no %s: %v", code, codes)
		}
	}
	checkChecked(t, b)
}

// TestManyDeadLinks checks that many dead links of a text become few problems, with lines.
func TestManyDeadLinks(t *testing.T) {
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, "[a](#no-%d) [b](other-%d.md) [^%d]\n\n", i, i, i)
	}
	for i := range 500 {
		fmt.Fprintf(&text, "[^%d]: [c](#none-%d)\n", i, i)
	}
	b := buildCorpus(t, folderOf(t, "MIP-1.md", proposalText("", text.String())), testSite("MIP"))
	found := b.plan.LinkProblems()
	codes := map[string]int{}
	for _, p := range found {
		codes[p.Code]++
	}
	folded := mip.FoldProblems(found)
	if codes["dead-fragment"] != 100 || codes["dead-link"] != 500 || len(folded) != 101 {
		t.Errorf("problems %v, folded %d", codes, len(folded))
	}
	last := slices.IndexFunc(folded, func(p mip.Problem) bool {
		return slices.Contains(strings.Fields(p.Message), "#no-99")
	})
	if last < 0 || folded[last].Line != 5+2*99 ||
		!strings.HasSuffix(folded[last].Message, "(this file has 1000 links that lead nowhere)") {
		t.Errorf("the hundredth link has no line: %d of %v", last, folded)
	}
	for n, counted := range map[int]bool{1: false, 100: false, 101: true} {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "[a](#no-%d)\n", i)
		}
		in := folderOf(t, "MIP-1.md", proposalText("", text.String()))
		found := buildCorpus(t, in, testSite("MIP")).plan.LinkProblems()
		last := found[len(found)-1].Message
		if len(found) != min(n, 100) || strings.Contains(last, "(this file has ") != counted {
			t.Errorf("%d dead links are %d problems, the last is %q", n, len(found), last)
		}
	}
}
