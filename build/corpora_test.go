package build_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/corpora"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// built is a site in memory: file -> bytes, with what it was made from.
type built struct {
	corpus   *build.Content
	plan     *build.Plan
	files    map[string][]byte
	base     string // the site's address
	basePath string // its path alone
	prefix   string // of its proposals
}

func buildCorpus(t testing.TB, dir string, s *site.Site) built {
	t.Helper()
	o := build.Options{Site: s, Folders: []string{dir}}
	c, err := build.Load(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := build.NewPlan(c, o)
	if err != nil {
		t.Fatal(err)
	}
	b := built{corpus: c, plan: p, files: map[string][]byte{}, base: s.BaseURL, basePath: strings.TrimSuffix(s.Path("/"), "/"), prefix: s.Prefix}
	for i := range p.Artifacts {
		body, err := p.Artifacts[i].Bytes()
		if err != nil {
			t.Fatalf("%s: %v", p.Artifacts[i].File, err)
		}
		b.files[p.Artifacts[i].File] = body
	}
	return b
}

// single decodes one proposal's JSON strictly.
func (b built) single(t testing.TB, n int) mip.Proposal {
	t.Helper()
	var p mip.Proposal
	d := json.NewDecoder(bytes.NewReader(b.files[fmt.Sprintf("api/v1/mips/%d.json", n)]))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		t.Fatalf("proposal %d: %v", n, err)
	}
	return p
}

func TestSamples(t *testing.T) {
	for _, base := range []string{"https://mips.example.org", "https://example.org/proposals"} {
		s, err := site.Load("../internal/samples/site.yaml")
		if err != nil {
			t.Fatal(err)
		}
		s.BaseURL = base
		checkTree(t, buildCorpus(t, "../internal/samples/proposals", s))
	}
}

func TestMonad(t *testing.T) {
	dir := corpora.Need(t, "monad-mips")
	s, err := site.Load("../examples/monad.yaml")
	if err != nil {
		t.Fatal(err)
	}
	b := buildCorpus(t, dir, s)
	for _, p := range b.corpus.Problems {
		if p.Level == mip.Error {
			t.Errorf("unexpected %s", p)
		}
	}
	six, three := b.single(t, 6), b.single(t, 3)
	if got := six.Requires; !slices.Equal(got, []int{3, 4, 5}) {
		t.Errorf("requires of 6 = %v, want [3 4 5]", got)
	}
	if !slices.Contains(three.RequiredBy, 6) {
		t.Errorf("requiredBy of 3 = %v, want it to hold 6", three.RequiredBy)
	}
	if six.Type == nil || *six.Type != "Meta" || !slices.Contains(six.Inferred, "type") {
		t.Errorf("type of 6 = %v, inferred %v; want Meta, inferred", six.Type, six.Inferred)
	}
	if !bytes.Contains(b.files["api/v1/mips/3.json"], []byte(`"status":null`)) {
		t.Error("the status of 3 is not null in its JSON, though the header has none")
	}
	if page := string(b.files["mip/6/index.html"]); !strings.Contains(page, `href="/mip/3/"`) || strings.Contains(page, "MIP-3.md\"") {
		t.Error("the page of 6 does not link to /mip/3/ where its text links to ./MIP-3.md")
	}
	if got := six.Hardfork; got == nil || *got != "MONAD_NINE" {
		t.Errorf("hardfork of 6 = %v, want MONAD_NINE", got)
	}
	const title = "Meta - `MONAD_NINE` Network Upgrade"
	if six.Title != title {
		t.Errorf("title of 6 = %q, want %q", six.Title, title)
	}
	for _, f := range []string{"feed.xml", "feed.atom", "feed.json", "llms.txt", "llms-full.txt", "mip/6/index.html", "api/v1/mips.json"} {
		if !bytes.Contains(b.files[f], []byte("`MONAD_NINE`")) && !bytes.Contains(b.files[f], []byte("\\`MONAD_NINE\\`")) {
			t.Errorf("%s has lost the backticks of the title of 6", f)
		}
	}
	checkTree(t, b)
}

func TestEIPs(t *testing.T) {
	b := buildCorpus(t, corpora.Need(t, "eips"), testSite("EIP"))
	var list mip.List
	if err := json.Unmarshal(b.files["api/v1/mips.json"], &list); err != nil {
		t.Fatal(err)
	}
	if list.Count != 949 || len(list.MIPs) != 949 {
		t.Errorf("count %d with %d elements, want 949", list.Count, len(list.MIPs))
	}
	cycles := 0
	for _, p := range b.corpus.Problems {
		if p.Level == mip.Error {
			t.Errorf("unexpected %s", p)
		}
		if strings.Contains(p.Code, "cycle") {
			cycles++
		}
	}
	if cycles != 2 {
		t.Errorf("%d cycles reported, want 2", cycles)
	}
	if stub := b.single(t, 1046); !strings.Contains(stub.RawMarkdown, "moved") || len(stub.Sections) == 0 {
		t.Errorf("the stub 1046 is not published with its text: %+v", stub)
	}
	checkTree(t, b)
	t.Run("valid", func(t *testing.T) { validate(t, b, pagesOf(b, 40)) })
}

func TestSIMDs(t *testing.T) {
	b := buildCorpus(t, corpora.Need(t, "simd"), testSite("SIMD"))
	// YAML 1.1 reads '0160' as an octal number.
	if p := b.single(t, 160); p.ID.String() != "SIMD-160" || p.Frontmatter["simd"] != "0160" {
		t.Errorf("0160 became %s, frontmatter %v", p.ID, p.Frontmatter["simd"])
	}
	if got := len(b.corpus.Proposals); got != 118 {
		t.Errorf("%d proposals, want 118", got)
	}
	checkTree(t, b)
}

// checkTree holds what is true of every published tree.
func checkTree(t *testing.T, b built) {
	t.Helper()
	links := newLinkCheck(b)
	for name, body := range b.files {
		switch path.Ext(name) {
		case ".json":
			if !json.Valid(body) {
				t.Errorf("%s is no valid JSON", name)
			}
		case ".xml", ".atom":
			checkXML(t, name, body)
		case ".html":
			doc, err := html.Parse(bytes.NewReader(body))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			checkPage(t, name, doc)
			links.page(name, doc)
			continue
		}
		links.text(name, body)
	}
	for _, dead := range links.dead() {
		t.Error(dead)
	}
	for _, p := range b.corpus.Proposals {
		raw, err := os.ReadFile(p.File)
		if err != nil {
			t.Fatal(err)
		}
		got := b.single(t, p.Number)
		if got.RawMarkdown != string(raw) || !bytes.Equal(b.files[strings.Trim(p.ID.Page(), "/")+".md"], raw) {
			t.Errorf("%s: rawMarkdown or the Markdown twin is not the file", p.File)
		}
		var all strings.Builder
		for _, s := range got.Sections {
			all.WriteString(s.Markdown)
		}
		_, body, _ := strings.Cut(strings.ReplaceAll(string(raw), "\r\n", "\n")[3:], "\n---")
		_, body, _ = strings.Cut(body, "\n")
		if all.String() != body {
			t.Errorf("%s: the sections do not concatenate to the body", p.File)
		}
	}
}

func checkXML(t *testing.T, name string, body []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(body)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
	}
}

// checkPage looks for what no page may have, and for header text in what a reader sees.
func checkPage(t *testing.T, name string, doc *html.Node) {
	t.Helper()
	ids := map[string]bool{}
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "id" && ids[a.Val] {
				t.Errorf("%s: id %q twice", name, a.Val)
			}
			if a.Key == "id" {
				ids[a.Val] = true
			}
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("%s: attribute %s=%q", name, a.Key, a.Val)
			}
		}
		if n.Type == html.TextNode && n.Parent.Data != "code" && strings.HasPrefix(strings.TrimSpace(n.Data), "---\n") {
			t.Errorf("%s: a header shows: %.60q", name, n.Data)
		}
	}
}
