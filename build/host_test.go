package build_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	dom "golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/site"
)

// TestPlainHost serves a site by a plain file server: every address on the site that a page, a document, a feed or a text for
// agents names is answered, and the hash of the skill is that of its file.
func TestPlainHost(t *testing.T) {
	s, err := site.Load("../internal/samples/site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s.Host, s.BaseURL, s.Redirects = site.HostPlain, "https://team.example.org/mips", []string{"/faq /about/", "/old/{n}.html"}
	b := buildCorpus(t, "../internal/samples/proposals", s)
	root := t.TempDir()
	if _, err := build.Sync(t.Context(), b.plan, filepath.Join(root, "mips"), build.SyncOptions{}); err != nil {
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
		// Scripts ask for what attributes name.
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
		case err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(u.Path, b.basePath+"/"), strings.Contains(u.Path, "{"):
		case slices.ContainsFunc(api.Routes(), func(r api.Route) bool { return b.basePath+r.Path == u.Path }):
		case u.Path == b.basePath+"/api/v1/mips/": // the page of what is not found goes on with a number and .json
		case file == documentation && slices.ContainsFunc(links.absent, func(pattern string) bool { return isOf(b.basePath+pattern, strings.TrimSuffix(u.Path, ".json")) }):
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
	if len(asked) < 200 || asked[b.basePath+"/api/v1/mips.json"] == "" || !bytes.Contains(b.files["openapi.json"], []byte(`"/api/v1/mips/{n}.json"`)) {
		t.Errorf("only %d addresses were asked", len(asked))
	}
	for _, name := range []string{"_redirects", "_headers", "api-404.json"} {
		if b.files[name] != nil {
			t.Errorf("%s is of no use to such a host", name)
		}
	}
	// Old addresses have a page of their own, which leads on.
	for file, to := range map[string]string{
		"MIPS/MIP-1/index.html": "/mips/mip/1/", "MIPS/MIP-1.html": "/mips/mip/1/", "MIPS/MIP-2/index.html": "/mips/mip/2/", "faq/index.html": "/mips/about/", "old/3.html": "/mips/mip/3/",
	} {
		if page := string(b.files[file]); !strings.Contains(page, `content="0; url=`+to+`"`) || bytes.Contains(b.files["sitemap.xml"], []byte(strings.TrimSuffix(file, "index.html")+"<")) {
			t.Errorf("%s does not lead to %s, or is in the sitemap: %s", file, to, page)
		}
	}
	// The text of a proposal stays as it is.
	quoting := buildCorpus(t, folderOf(t, "MIP-1.md", proposalText("", "Ask `/api/v1/mips` or `GET /api/v1/site`.\n")), &site.Site{Title: "T", BaseURL: "https://m.example", Prefix: "MIP", Host: site.HostPlain})
	if page := string(quoting.files["mip/1/index.html"]); !strings.Contains(page, "<code>/api/v1/mips</code> or <code>GET /api/v1/site</code>") ||
		!strings.Contains(page, `href="/api/v1/mips/1.json"`) {
		t.Errorf("a text that names a route: %s", page)
	}
	index := b.files[".well-known/agent-skills/index.json"]
	if sum := fmt.Sprintf("sha256:%x", sha256.Sum256(b.files["skill.md"])); !bytes.Contains(index, []byte(sum)) {
		t.Errorf("the index of skills lacks %s: %s", sum, index)
	}
}
