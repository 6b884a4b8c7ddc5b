// Package docs_test compares the documents with the program: routes, examples, paths, rooms, the
// sample site.
package docs_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	diff "github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
)

// top is the top of the repository, the base of paths in documents. Each test changes to it by
// itself: go test ignores files that are read after a change of the folder before the first test,
// and would repeat a cached result.
const top = ".."

// documents are the texts for people who use or change the program, by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("docs/*.md")
	if err != nil || len(names) == 0 {
		t.Fatalf("no documents in docs: %v", err)
	}
	docs := map[string]string{}
	for _, name := range append(names, "README.md", "CONTRIBUTING.md", "CHANGELOG.md") {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		docs[filepath.ToSlash(name)] = string(b)
	}
	return docs
}

// sectionOf is the text of a document below a heading of the second level.
func sectionOf(t *testing.T, doc, heading string) string {
	t.Helper()
	_, section, ok := strings.Cut(documents(t)[doc], "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("%s has no section %q", doc, heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

// routesIn returns the routes in a text.
func routesIn(text string) map[string]bool {
	routes := map[string]bool{}
	for _, m := range routeInText.FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[1], "/t/") && m[1] != "/faq" { // of the forum, and an old address
			routes[m[1]] = true
		}
	}
	return routes
}

// documentedRoutes checks that docs/integrators.md names all routes and pages, that
// docs/operators.md names the routes of the sidecar as a plain server, and that every document
// names only existing routes.
func documentedRoutes(t *testing.T, routes, pages map[string]bool) {
	t.Helper()
	served := map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}
	all := maps.Clone(served)
	maps.Copy(all, routes)
	maps.Copy(all, pages)
	if !pages["/mip/{n}/history/"] { // a checkout without git has no versions
		all["/mip/{n}/history/"] = true
	}
	for name, text := range documents(t) {
		for route := range routesIn(text) {
			if !all[route] {
				t.Errorf("%s names the route %s, which does not exist", name, route)
			}
		}
	}
	integrators, operators := routesIn(documents(t)["docs/integrators.md"]),
		routesIn(documents(t)["docs/operators.md"])
	for _, set := range []map[string]bool{routes, pages} {
		for route := range set {
			if !integrators[route] {
				t.Errorf("docs/integrators.md does not name %s", route)
			}
		}
	}
	for route := range served {
		if !operators[route] {
			t.Errorf("docs/operators.md does not name %s", route)
		}
	}
}

// TestAuthorsHeader checks the header in docs/authors.md as a proposal among the samples.
func TestAuthorsHeader(t *testing.T) {
	t.Chdir(top)
	_, header, ok := strings.Cut(documents(t)["docs/authors.md"], "```yaml\n")
	header, _, ok2 := strings.Cut(header, "```")
	if !ok || !ok2 {
		t.Fatal("docs/authors.md shows no header")
	}
	dir := t.TempDir()
	text := []byte(header + "\n## Abstract\n\nWords.\n")
	if err := errors.Join(os.CopyFS(dir, os.DirFS("internal/samples/proposals")),
		os.WriteFile(filepath.Join(dir, "MIP-16.md"), text, 0o644)); err != nil {
		t.Fatal(err)
	}
	c, err := build.Load(t.Context(),
		build.Options{Site: buildtest.In(&site.Site{Prefix: "MIP", Locales: []string{"ja"}}, dir)})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.Problems {
		t.Errorf("the header of docs/authors.md: %s", p)
	}
	last := c.Proposals[len(c.Proposals)-1]
	if last.Number != 16 || len(last.Authors) != 2 || len(last.Requires) != 2 ||
		last.ForumTopicID == nil {
		t.Errorf("the header of docs/authors.md reads as %+v", last.Metadata)
	}
}

// TestReadmeTree checks that the sample site has the files in the README.
func TestReadmeTree(t *testing.T) {
	t.Chdir(top)
	p, _ := sample(t)
	published := map[string]bool{}
	for _, a := range p.Artifacts {
		published[a.File] = true
	}
	// A copy of this repository without its history has no versions.
	if out, err := exec.CommandContext(t.Context(), "git", "log", "-1", "--format=%H", "--",
		"internal/samples").Output(); err != nil || len(out) == 0 {
		published["mip/7/history/index.html"], published["mip/7/feed.atom"] = true, true
	}
	named := 0
	for line := range strings.Lines(sectionOf(t, "README.md", "What comes out")) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.Contains(line, "`public/`") {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(cells[1], -1) {
			named++
			if !published[m[1]] {
				t.Errorf("README.md names %s, which is not published", m[1])
			}
		}
	}
	if named < 15 {
		t.Errorf("README.md names %d published files", named)
	}
}

// TestRooms compares the table of packages in CONTRIBUTING.md with the first sentences of their
// comments.
func TestRooms(t *testing.T) {
	t.Chdir(top)
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f",
		"{{if .GoFiles}}{{.ImportPath}}\t{{.Doc}}{{end}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	want, got := map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, doc, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if doc == "" {
			t.Errorf("package %s has no comment", name)
		}
		want[strings.TrimPrefix(name, "github.com/mipwatch/mipwatch/")] = strings.ReplaceAll(doc,
			"|", `\|`)
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(.*?)` \\| (.*) \\|$").FindAllStringSubmatch(
		sectionOf(t, "CONTRIBUTING.md", "Rooms"), -1) {
		got[m[1]] = m[2]
	}
	if d := diff.Diff(want, got); d != "" {
		t.Errorf("sentences of the packages and of CONTRIBUTING.md (-package +document):\n%s", d)
	}
}

// markdown is a document: its links, its headings with GitHub's ids, and its spans of code.
type markdown struct {
	links, code []string
	ids         map[string]bool
}

func readMarkdown(source string) markdown {
	m, b := markdown{ids: map[string]bool{}}, []byte(source)
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(b))
	ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			m.links = append(m.links, string(n.Destination))
		case *ast.Image:
			m.links = append(m.links, string(n.Destination))
		case *ast.CodeSpan:
			m.code = append(m.code, textOf(n, b))
		case *ast.Heading:
			id := headingID(textOf(n, b))
			for i, first := 1, id; m.ids[id]; i++ {
				id = fmt.Sprintf("%s-%d", first, i)
			}
			m.ids[id] = true
		}
		return ast.WalkContinue, nil
	})
	return m
}

// textOf is the text of a node without its markup.
func textOf(n ast.Node, source []byte) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// headingID is a heading's id on GitHub.
func headingID(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// TestDocumentLinks follows every relative link of the documents to its file and its heading.
func TestDocumentLinks(t *testing.T) {
	t.Chdir(top)
	docs := map[string]markdown{}
	for name, text := range documents(t) {
		docs[name] = readMarkdown(text)
	}
	followed := 0
	for name, doc := range docs {
		for _, link := range doc.links {
			if strings.Contains(link, "://") {
				continue
			}
			followed++
			file, fragment, hasFragment := strings.Cut(link, "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if !filepath.IsLocal(filepath.FromSlash(target)) {
				t.Errorf("%s: %s leads out of the repository", name, link)
			} else if _, err := os.Stat(filepath.FromSlash(target)); err != nil {
				t.Errorf("%s: %s: %v", name, link, err)
			} else if hasFragment && !docs[target].ids[fragment] {
				t.Errorf("%s: %s: no such heading; there are %v",
					name, link, slices.Sorted(maps.Keys(docs[target].ids)))
			}
		}
	}
	if followed < 50 {
		t.Errorf("the documents have %d relative links", followed)
	}
}

// TestDocumentFiles checks that every file of the repository in a span of code exists.
func TestDocumentFiles(t *testing.T) {
	t.Chdir(top)
	file := regexp.MustCompile(
		`^(cmd|build|render|sidecar|internal|examples|docs|\.github|\.ci)(/[\w.-]+)+$`)
	named := 0
	for name, text := range documents(t) {
		for _, span := range readMarkdown(text).code {
			if !file.MatchString(span) {
				continue
			}
			named++
			if _, err := os.Stat(filepath.FromSlash(span)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if named < 100 {
		t.Errorf("the documents name %d files", named)
	}
}
