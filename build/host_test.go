package build_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	dom "golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// TestPlainHost serves a site by a plain file server. It must answer every address on the site that
// a page, a document, a feed or a text for agents names. The skill's hash must match its file.
func TestPlainHost(t *testing.T) {
	s, err := site.Load("../internal/samples/site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s.Host, s.BaseURL = mip.HostPlain, "https://team.example.org/mips"
	s.Redirects = []string{
		"/faq /about/", "/old/{n}.html", "/data /api/v1/mips.json", "/list /api/v1/mips",
	}
	b := buildCorpus(t, "../internal/samples/proposals", s)
	root := t.TempDir()
	_, err = build.Sync(t.Context(), b.plan, filepath.Join(root, "mips"), build.SyncOptions{})
	if err != nil {
		t.Fatal(err)
	}
	server := http.FileServer(http.Dir(root))
	links, asked := newLinkCheck(b), map[string]string{}
	for file, body := range b.files {
		if !strings.HasSuffix(file, ".html") {
			links.text(file, body)
			continue
		}
		doc, err := dom.Parse(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		links.page(file, doc)
		// Scripts request the addresses in attributes.
		for n := range doc.Descendants() {
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "data-") && strings.HasPrefix(a.Val, b.basePath+"/") {
					links.add(file, a.Val)
				}
			}
		}
	}
	for l, file := range links.links {
		u, err := url.Parse(strings.TrimPrefix(l.to, "https://team.example.org"))
		switch {
		case err != nil || u.Scheme != "" || u.Host != "" ||
			!strings.HasPrefix(u.Path, b.basePath+"/"), strings.Contains(u.Path, "{"):
		case slices.ContainsFunc(api.Routes(), func(r api.Route) bool {
			return b.basePath+r.Path == u.Path
		}):
		// The page for status 404 appends a number and .json.
		case u.Path == b.basePath+"/api/v1/mips/":
		case file == documentation && slices.ContainsFunc(links.absent, func(pattern string) bool {
			return isOf(b.basePath+pattern, u.Path)
		}):
		default:
			asked[u.EscapedPath()] = file
		}
	}
	for address, file := range asked {
		w := httptest.NewRecorder()
		if server.ServeHTTP(w, httptest.NewRequest("GET", address, nil)); w.Code != http.StatusOK {
			t.Errorf("%s: %s: %d", file, address, w.Code)
		}
	}
	if len(asked) < 200 || asked[b.basePath+"/api/v1/mips.json"] == "" ||
		!bytes.Contains(b.files["openapi.json"], []byte(`"/api/v1/mips/{n}.json"`)) {
		t.Errorf("only %d addresses were asked", len(asked))
	}
	for _, name := range []string{"_redirects", "_headers", "api-404.json"} {
		if b.files[name] != nil {
			t.Errorf("%s is of no use to such a host", name)
		}
	}
	// Documents of the API have no second address on this host.
	document := regexp.MustCompile(`/api/v1/[\w/{}.-]*`)
	for _, file := range []string{
		"llms.txt", "skill.md", "openapi.json", ".well-known/api-catalog", "api/index.html",
	} {
		for _, route := range document.FindAllString(string(b.files[file]), -1) {
			if !strings.HasSuffix(strings.TrimSuffix(route, "."), ".json") {
				t.Errorf("%s names %s", file, route)
			}
		}
	}
	checkDescribed(t, b)
	// Each old address has a page that redirects.
	for file, to := range map[string]string{
		"MIPS/MIP-1/index.html": "/mips/mip/1/", "MIPS/MIP-1.html": "/mips/mip/1/",
		"MIPS/MIP-2/index.html": "/mips/mip/2/", "faq/index.html": "/mips/about/",
		"old/3.html":      "/mips/mip/3/",
		"data/index.html": "/mips/api/v1/mips.json", "mip/4/graph/index.html": "/mips/mip/4/",
		"mip/4/requirements/index.html": "/mips/mip/4/",
	} {
		page := string(b.files[file])
		if !strings.Contains(page, `content="0; url=`+to+`"`) ||
			bytes.Contains(b.files["sitemap.xml"],
				[]byte(strings.TrimSuffix(file, "index.html")+"<")) {
			t.Errorf("%s does not lead to %s, or is in the sitemap: %s", file, to, page)
		}
	}
	// Old addresses of missing pages, and of feeds, have no page.
	for _, file := range []string{"mip/6/graph/index.html", "mip/8/requirements/index.html",
		"mip/4/feed.xml", "status/draft/feed.json"} {
		if b.files[file] != nil {
			t.Errorf("there is %s", file)
		}
	}
	var problems []string
	for _, problem := range b.plan.LinkProblems() {
		problems = append(problems, problem.Message)
	}
	const dead = "the address /list under redirects in site.yaml leads to /api/v1/mips"
	if len(problems) != 1 || !strings.HasPrefix(problems[0], dead) {
		t.Errorf("problems %q, want %s", problems, dead)
	}
	index := b.files[".well-known/agent-skills/index.json"]
	sum := fmt.Sprintf("sha256:%x", sha256.Sum256(b.files["skill.md"]))
	if !bytes.Contains(index, []byte(sum)) {
		t.Errorf("the index of skills lacks %s: %s", sum, index)
	}
}

// TestPlainHostKeepsTexts builds a site whose proposal names a route of the API in its title and
// its text: files keep it unchanged.
func TestPlainHostKeepsTexts(t *testing.T) {
	const text = "Ask `/api/v1/mips` or `GET /api/v1/site`."
	proposal := strings.Replace(proposalText("", text+"\n"), "title: T", "title: "+text, 1)
	s := testSite("MIP")
	s.Host = mip.HostPlain
	b := buildCorpus(t, folderOf(t, "MIP-1.md", proposal), s)
	// An asset's name has the hash of its bytes.
	asset := regexp.MustCompile(`^assets/.*\.([0-9a-f]{8,})\.`)
	marks := regexp.MustCompile("</?code>|[`\\\\]")
	naming := 0
	for file, body := range b.files {
		if hash := asset.FindStringSubmatch(file); hash != nil {
			if sum := fmt.Sprintf("%x", sha256.Sum256(body)); !strings.HasPrefix(sum, hash[1]) {
				t.Errorf("the content of %s has the hash %s", file, sum)
			}
		}
		for _, rest := range strings.SplitAfter(string(body), "Ask ")[1:] {
			naming++
			rest = marks.ReplaceAllString(rest, "")
			if !strings.HasPrefix(rest, "/api/v1/mips or GET /api/v1/site.") {
				t.Errorf("%s: %.60s", file, rest)
			}
		}
	}
	if naming < 10 {
		t.Errorf("the text is found %d times", naming)
	}
}
