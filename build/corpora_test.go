package build_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html"
	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/search"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/corpora"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// built is a site in memory, by file, with its sources.
type built struct {
	corpus   *build.Content
	plan     *build.Plan
	files    map[string][]byte
	base     string // the site's address
	basePath string // its path alone
	prefix   string // of its proposals
	host     mip.Host
}

func buildCorpus(t testing.TB, dir string, s *site.Site) built {
	t.Helper()
	c, err := build.Load(t.Context(), build.Options{Site: buildtest.In(s, dir)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := build.NewPlan(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	b := built{
		corpus: c, plan: p, base: s.BaseURL, basePath: strings.TrimSuffix(s.Path("/"), "/"),
		prefix: s.Prefix, host: s.Host,
	}
	b.files = bytesOf(t, p)
	return b
}

// bytesOf returns every file of a plan.
func bytesOf(t testing.TB, p *build.Plan) map[string][]byte {
	t.Helper()
	files, mu := map[string][]byte{}, sync.Mutex{}
	var making errgroup.Group
	making.SetLimit(runtime.GOMAXPROCS(0))
	parts, err := p.Index()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range slices.Concat(p.Artifacts, parts) {
		making.Go(func() error {
			body, err := a.Bytes()
			mu.Lock()
			defer mu.Unlock()
			files[a.File] = body
			return err
		})
	}
	if err := making.Wait(); err != nil {
		t.Fatal(err)
	}
	return files
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

// collections are the samples and the real proposals on this machine, with known facts.
var collections = []struct {
	name, prefix string
	config       string // the site's file; empty: nothing that is optional
	base         string // replaces the base URL of config
	count        int
	cycles       []string // of what proposals require
	details      func(*testing.T, built)
}{
	{name: "samples", prefix: "MIP", config: "../internal/samples/site.yaml", count: 15},
	{name: "samples", prefix: "MIP", config: "../internal/samples/site.yaml",
		base: "https://example.org/proposals", count: 15},
	{name: "monad-mips", prefix: "MIP", config: "../examples/monad.yaml", count: 5,
		details: detailsOfMonad},
	{name: "simd", prefix: "SIMD", count: 118, details: func(t *testing.T, b built) {
		// YAML 1.1 reads '0160' as an octal number.
		if p := b.single(t, 160); p.ID.String() != "SIMD-160" || p.Frontmatter["simd"] != "0160" {
			t.Errorf("0160 became %s, frontmatter %v", p.ID, p.Frontmatter["simd"])
		}
	}},
	{name: "eips", prefix: "EIP", count: 949,
		cycles: []string{"EIP-2780 > EIP-8037 > EIP-2780", "EIP-4750 > EIP-5450 > EIP-4750"},
		details: func(t *testing.T, b built) {
			checkActivations(t, b)
			stub := b.single(t, 1046)
			if !strings.Contains(stub.RawMarkdown, "moved") || len(stub.Sections) == 0 {
				t.Errorf("the stub 1046 is not published with its text: %+v", stub)
			}
			checkIndexSize(t, b)
		}},
}

// checkIndexSize packs the index of all words and the texts, file by file.
func checkIndexSize(t *testing.T, b built) {
	var m search.Manifest
	if err := json.Unmarshal(b.files["api/v1/search.json"], &m); err != nil {
		t.Fatal(err)
	}
	packed := func(body []byte) int {
		var w bytes.Buffer
		z := gzip.NewWriter(&w)
		_, _ = z.Write(body) // to memory
		_ = z.Close()
		return w.Len()
	}
	index, texts, files := 0, 0, 0
	for _, s := range m.Shards {
		var first, last int
		_, at, _ := strings.Cut(s.URL, "#")
		if _, err := fmt.Sscanf(at, "bytes=%d-%d", &first, &last); err != nil {
			t.Fatalf("%s: %v", s.URL, err)
		}
		index += last - first + 1
	}
	for name, body := range b.files {
		if ok, _ := path.Match("eip/*.md", name); ok {
			texts += packed(body)
		}
		if ok, _ := path.Match("assets/search.*.bin", name); ok {
			files++
		}
	}
	if files*10 > 4*len(m.Proposals) {
		t.Errorf("the index of %d proposals has %d files, want four for ten at most",
			len(m.Proposals), files)
	}
	t.Logf("the index has %d bytes, the texts have %d", index, texts)
	if index > texts*15/100 {
		t.Errorf("the index has %d bytes, want 15 %% of the %d of the texts at most", index, texts)
	}
}

// TestCorpora builds each collection once and checks everything that holds for any tree.
func TestCorpora(t *testing.T) {
	for _, c := range collections {
		t.Run(c.name, func(t *testing.T) {
			folder, s := "../internal/samples/proposals", testSite(c.prefix)
			if c.name != "samples" {
				folder = corpora.Need(t, c.name)
			}
			if c.config != "" {
				var err error
				if s, err = site.Load(c.config); err != nil {
					t.Fatal(err)
				}
			}
			if c.base != "" {
				s.BaseURL = c.base
			}
			b := buildCorpus(t, folder, s)
			check := func(name string, f func(*testing.T, built)) {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					f(t, b)
				})
			}
			check("tree", checkTree)
			check("texts", checkTexts)
			check("groups", checkGroups)
			check("headers", checkHeaders)
			check("pictures", checkPictures)
			check("feeds", checkFeeds)
			check("again", checkAgain)
			check("described", checkDescribed)
			check("checked", checkChecked)
			check("known", func(t *testing.T, b built) {
				if len(b.corpus.Proposals) != c.count {
					t.Errorf("%d proposals, want %d", len(b.corpus.Proposals), c.count)
				}
				checkProblems(t, b, c.cycles)
				if c.details != nil {
					c.details(t, b)
				}
			})
			if c.base != "" {
				return // what does not depend on the address is known by now
			}
			check("valid", func(t *testing.T, b built) { validate(t, b, pagesOf(b, 40)) })
			check("sidecar", checkSidecar)
		})
	}
}

func detailsOfMonad(t *testing.T, b built) {
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
	page := string(b.files["mip/6/index.html"])
	if !strings.Contains(page, `href="/mip/3/"`) || strings.Contains(page, "MIP-3.md\"") {
		t.Error("the page of 6 does not link to /mip/3/ where its text links to ./MIP-3.md")
	}
	if got := six.Hardfork; got == nil || *got != "MONAD_NINE" {
		t.Errorf("hardfork of 6 = %v, want MONAD_NINE", got)
	}
	const title = "Meta - `MONAD_NINE` Network Upgrade"
	if six.Title != title {
		t.Errorf("title of 6 = %q, want %q", six.Title, title)
	}
	for _, f := range []string{"feed.xml", "feed.atom", "feed.json", "llms.txt",
		"llms-full.txt", "api/v1/mips.json"} {
		if !bytes.Contains(b.files[f], []byte("`MONAD_NINE`")) &&
			!bytes.Contains(b.files[f], []byte("\\`MONAD_NINE\\`")) {
			t.Errorf("%s has lost the backticks of the texts of 6", f)
		}
	}
	if !strings.Contains(page, "Meta - <code>MONAD_NINE</code> Network Upgrade</h1>") {
		t.Error("the page of 6 does not show the code of its title as such")
	}
}

// checkProblems checks that real proposals have only warnings, and the known cycles.
func checkProblems(t *testing.T, b built, cycles []string) {
	var got []string
	for _, p := range b.corpus.Problems {
		if p.Level != mip.Warning {
			t.Errorf("unexpected %s", p)
		}
		if p.Code == "requires-cycle" {
			_, path, _ := strings.Cut(p.Message, "cycle: ")
			got = append(got, path)
		}
	}
	if diff := cmp.Diff(cycles, got); diff != "" {
		t.Errorf("cycles (-want +got):\n%s", diff)
	}
}

// checkAgain plans the same corpus again and compares all bytes.
func checkAgain(t *testing.T, b built) {
	p, err := build.NewPlan(t.Context(), b.corpus)
	if err != nil {
		t.Fatal(err)
	}
	if diff := diffTree(b.files, bytesOf(t, p)); diff != "" {
		t.Error(diff)
	}
}

// checkFeeds parses every feed with a feed reader's library.
func checkFeeds(t *testing.T, b built) {
	for name, body := range b.files {
		if base := path.Base(name); !strings.HasPrefix(base, "feed.") {
			continue
		}
		feed, err := gofeed.NewParser().Parse(bytes.NewReader(body))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(feed.Items) > 100 {
			t.Errorf("%s has %d entries", name, len(feed.Items))
		}
		for _, item := range feed.Items {
			if item.Title == "" || item.Link == "" || item.GUID == "" {
				t.Errorf("%s: entry %+v", name, item)
			}
		}
	}
}

// checkTree checks what holds for every published tree.
func checkTree(t *testing.T, b built) {
	t.Helper()
	links := newLinkCheck(b)
	formulas, lost := 0, 0
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
			set, plain := checkArticle(t, name, doc)
			formulas, lost = formulas+set+plain, lost+plain
			continue
		}
		links.text(name, body)
	}
	for _, dead := range links.dead() {
		t.Error(dead)
	}
	if lost*50 > formulas {
		t.Errorf("%d of %d formulas are not understood", lost, formulas)
	}
}

// checkArticle checks the authors' text on a page. It counts the formulas that are set, and the
// others.
func checkArticle(t *testing.T, name string, doc *html.Node) (set, plain int) {
	t.Helper()
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != "article" ||
			!slices.Contains(n.Attr, html.Attribute{Key: "id", Val: "text"}) {
			continue
		}
		for _, fault := range rendertest.ArticleFaults(n) {
			t.Errorf("%s: %s", name, fault)
		}
		for c := range n.Descendants() {
			switch {
			case c.Data == "math" && c.Type == html.ElementNode:
				set++
			case c.Data == "code" && slices.Contains(c.Attr,
				html.Attribute{Key: "class", Val: "math"}):
				plain++
			}
		}
	}
	return set, plain
}

// checkTexts compares the published texts with the files.
func checkTexts(t *testing.T, b built) {
	for _, p := range b.corpus.Proposals {
		raw, err := os.ReadFile(p.File)
		if err != nil {
			t.Fatal(err)
		}
		got := b.single(t, p.Number)
		if got.RawMarkdown != string(raw) ||
			!bytes.Equal(b.files[strings.Trim(p.ID.Page(), "/")+".md"], raw) {
			t.Errorf("%s: rawMarkdown or the Markdown twin is not the file", p.File)
		}
		checkValues(t, got)
		var all strings.Builder
		ids := map[string]bool{}
		for _, s := range got.Sections {
			all.WriteString(s.Markdown)
			if ids[s.ID] || !strings.HasPrefix(s.ID, "s-") || len(s.ID) < 3 ||
				strings.ContainsAny(s.ID, " \t\n\"'<>&") {
				t.Errorf("%s: section id %q is used twice, not prefixed or needs escaping",
					p.File, s.ID)
			}
			ids[s.ID] = true
		}
		if _, at := mip.Printable(all.String()); at >= 0 || got.Sections == nil {
			t.Errorf("%s: sections hold characters that XML forbids, or are null", p.File)
		}
		if diff := cmp.Diff(got.Sections, markdown.Parse(all.String()).Sections); diff != "" {
			t.Errorf("%s: parsed by itself (-published +parsed):\n%s", p.File, diff)
		}
		_, body, _ := strings.Cut(strings.ReplaceAll(string(raw), "\r\n", "\n")[3:], "\n---")
		_, body, _ = strings.Cut(body, "\n")
		if all.String() != body {
			t.Errorf("%s: the sections do not concatenate to the body", p.File)
		}
	}
}

// checkValues checks that lists of a proposal are not null, and the types of its header's values.
func checkValues(t *testing.T, p mip.Proposal) {
	t.Helper()
	for name, null := range map[string]bool{"authors": p.Authors == nil,
		"requires": p.Requires == nil, "requiredBy": p.RequiredBy == nil,
		"replaces": p.Replaces == nil, "supersededBy": p.SupersededBy == nil,
		"inferred": p.Inferred == nil, "frontmatter": p.Frontmatter == nil} {
		if null {
			t.Errorf("%s: %s is null", p.ID, name)
		}
	}
	if p.Title == "" || !plainValue(map[string]any(p.Frontmatter)) {
		t.Errorf("%s: title %q, frontmatter %#v; want one, and strings, null, "+
			"lists and objects alone", p.ID, p.Title, p.Frontmatter)
	}
}

// plainValue reports whether v has only types that a Frontmatter may hold.
func plainValue(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v != "" && strings.TrimSpace(v) == v
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !plainValue(e) })
	case map[string]any:
		for _, e := range v {
			if !plainValue(e) {
				return false
			}
		}
		return true
	}
	return false
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

// checkPage checks the rules for every page, and that no text of a header is visible.
func checkPage(t *testing.T, name string, doc *html.Node) {
	t.Helper()
	for _, fault := range rendertest.PageFaults(doc) {
		t.Errorf("%s: %s", name, fault)
	}
	for n := range doc.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "code" &&
			strings.HasPrefix(strings.TrimSpace(n.Data), "---\n") {
			t.Errorf("%s: a header shows: %.60q", name, n.Data)
		}
	}
}
