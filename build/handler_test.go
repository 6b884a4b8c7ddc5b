package build_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/test/buildtest"
)

func testHandler(t *testing.T) http.Handler {
	t.Helper()
	in := t.TempDir()
	for n := 1; n <= 3; n++ {
		write(t, in, n, "Title", "Words that are long enough for a compressor to find "+
			"something in words.")
	}
	p, err := buildtest.Plan(t.Context(), testSite("MIP"), in)
	if err != nil {
		t.Fatal(err)
	}
	h := p.Publish()
	return h
}

func TestHandler(t *testing.T) {
	h := testHandler(t)
	const (
		html    = "text/html; charset=utf-8"
		json    = "application/json; charset=utf-8"
		problem = "application/problem+json; charset=utf-8"
	)
	ofType := func(value string) map[string]string {
		return map[string]string{"Content-Type": value}
	}
	for _, c := range []struct {
		method, target string
		status         int
		head           map[string]string
		body           string
	}{
		{"GET", "/", 200, map[string]string{"Content-Type": "text/html; charset=utf-8",
			"Cache-Control": "public, max-age=0, must-revalidate"}, "<h1"},
		{"GET", "/mip/2/", 200, ofType(html), "Title 2"},
		{"GET", "/mip/2", 301, map[string]string{"Location": "/mip/2/"}, ""},
		{"GET", "/mip/2?x=1", 301, map[string]string{"Location": "/mip/2/?x=1"}, ""},
		{"GET", "/mip/2.md", 200, ofType("text/markdown; charset=utf-8"), "---\nmip: 2\n"},
		{"GET", "/api/v1/mips", 200,
			map[string]string{"Content-Type": "application/json; charset=utf-8",
				"Access-Control-Allow-Origin": "*"}, `{"count":3,`},
		{"GET", "/api/v1/mips/3", 200, ofType(json), `"rawMarkdown"`},
		{"GET", "/api/v1/mips/3?utm=x", 200, nil, `"number":3`},
		{"HEAD", "/api/v1/mips/3", 200, ofType(json), ""},
		{"GET", "/api/v1/mips/99", 404, ofType(problem), `"code":"not_found"`},
		{"GET", "/api/v1/nothing", 404, ofType(problem), `"code":"not_found"`},
		{"GET", "/api/network-info", 404, ofType(problem), `"code":"not_found"`},
		{"GET", "/api/", 200, ofType(html), "openapi.json"},
		{"GET", "/api", 301, map[string]string{"Location": "/api/"}, ""},
		{"GET", "/mip/99/", 404, ofType(html), "<h1"},
		{"GET", "/..%2f..%2fetc/passwd", 404, nil, "<h1"},
		{"GET", "//mip/2/", 404, nil, "<h1"},
		{"GET", "/mip/../mip/2/", 404, nil, "<h1"},
		{"GET", "/.mipwatch/manifest.json", 404, nil, "<h1"},
		{"GET", "/feed.xml", 200, ofType("application/rss+xml; charset=utf-8"), "<rss"},
		{"GET", "/.well-known/api-catalog", 200,
			ofType(`application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`), "linkset"},
		{"OPTIONS", "/api/v1/mips", 204,
			map[string]string{"Access-Control-Allow-Origin": "*",
				"Access-Control-Allow-Methods": "GET, HEAD, OPTIONS", "Allow": "GET, HEAD, OPTIONS",
				"Content-Type": ""}, ""},
		{"POST", "/api/v1/mips", 405,
			map[string]string{"Allow": "GET, HEAD, OPTIONS",
				"Content-Type": "application/problem+json; charset=utf-8"},
			`"code":"method_not_allowed"`},
		{"PUT", "/mip/2/", 405, map[string]string{"Allow": "GET, HEAD, OPTIONS"},
			`"instance":"/mip/2/"`},
		{"POST", "/api/ai-summary", 404, ofType(problem), `"code":"not_found"`},
		{"DELETE", "/nothing", 404, nil, "<h1"},
	} {
		r := httptest.NewRequest(c.method, "http://x"+strings.ReplaceAll(c.target, " ", "%20"), nil)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s %s: status %d, want %d", c.method, c.target, w.Code, c.status)
		}
		for k, want := range c.head {
			if got := w.Header().Get(k); got != want {
				t.Errorf("%s %s: %s = %q, want %q", c.method, c.target, k, got, want)
			}
		}
		if !strings.Contains(w.Body.String(), c.body) || c.method == "HEAD" && w.Body.Len() > 0 {
			t.Errorf("%s %s: body %.200q, want it to hold %q", c.method, c.target, w.Body, c.body)
		}
		if w.Code == 200 && !strings.Contains(w.Header().Get("Content-Security-Policy"),
			"default-src 'none'") {
			t.Errorf("%s %s: no content security policy", c.method, c.target)
		}
	}
}

// TestHandlerAssets checks that the handler serves every asset that the search page names, also
// assets whose names begin like files of the index.
func TestHandlerAssets(t *testing.T) {
	h := testHandler(t)
	get := func(target string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "http://x"+target, nil))
		return w
	}
	assets := regexp.MustCompile(`/assets/[\w.-]+`).FindAllString(get("/search/").Body.String(), -1)
	begun := 0
	for _, asset := range assets {
		if w := get(asset); w.Code != 200 {
			t.Errorf("%s: status %d, want 200", asset, w.Code)
		}
		if strings.HasPrefix(asset, "/assets/search.") {
			begun++
		}
	}
	if begun == 0 {
		t.Errorf("/search/ names no asset at /assets/search.: %q", assets)
	}
}

// TestHandlerConditional checks the headers that the handler adds: a 304 has Cache-Control but no
// Content-Type of the rules in _headers, and files without status 200 have no ETag.
func TestHandlerConditional(t *testing.T) {
	h := testHandler(t)
	get := func(target string, head ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", target, nil)
		for i := 0; i < len(head); i += 2 {
			r.Header.Set(head[i], head[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	plain, zipped := get("/api/v1/mips"), get("/api/v1/mips", "Accept-Encoding", "br, gzip;q=0.5")
	z, err := gzip.NewReader(zipped.Body)
	if err != nil {
		t.Fatal(err)
	}
	unzipped, err := io.ReadAll(z)
	if err != nil || string(unzipped) != plain.Body.String() {
		t.Errorf("gzip body differs from the plain one (%v)", err)
	}
	tag := plain.Header().Get("ETag")
	zippedTag := zipped.Header().Get("ETag")
	if tag == "" || tag == zippedTag || plain.Header().Get("Vary") != "Accept-Encoding" {
		t.Errorf("ETag %s and %s, Vary %q: want two tags and Vary Accept-Encoding", tag, zippedTag,
			plain.Header().Get("Vary"))
	}
	w := get("/api/v1/mips", "If-None-Match", tag)
	if w.Code != 304 || w.Body.Len() != 0 || w.Header().Get("ETag") != tag {
		t.Errorf("If-None-Match %s: %d with %d bytes and ETag %s, "+
			"want 304 without a body and with the tag", tag, w.Code,
			w.Body.Len(), w.Header().Get("ETag"))
	}
	want := http.Header{"Cache-Control": {"public, max-age=0, must-revalidate"},
		"Access-Control-Allow-Origin":   {"*"},
		"Access-Control-Expose-Headers": {"ETag"}, "Content-Type": nil}
	for name, values := range want {
		if d := cmp.Diff(values, w.Header()[name]); d != "" {
			t.Errorf("304: %s (-want +got):\n%s", name, d)
		}
	}
	if w := get("/nothing", "If-None-Match", "*"); w.Code != 404 || w.Header().Get("ETag") != "" {
		t.Errorf("404 with If-None-Match *: %d with ETag %q, want 404 without a tag",
			w.Code, w.Header().Get("ETag"))
	}
}

// checkHeaders applies the rules of _headers as a CDN does. They set the lifetimes of assets and of
// the API, and the types of files without a known extension. No two rules for one path set the same
// field, except for policies, of which browsers apply all.
func checkHeaders(t *testing.T, b built) {
	type rule struct {
		from   *regexp.Regexp
		fields map[string]string
	}
	var rules []rule
	for line := range strings.Lines(string(b.files["_headers"])) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && strings.HasPrefix(line, "  ") {
			rules[len(rules)-1].fields[name] = value
			continue
		}
		from := regexp.MustCompile(`:[a-z]+`).ReplaceAllString(regexp.QuoteMeta(strings.TrimSpace(line)), "[^/]+")
		pattern := "^" + strings.ReplaceAll(from, `\*`, ".*") + "$"
		rules = append(rules, rule{regexp.MustCompile(pattern), map[string]string{}})
	}
	for _, a := range b.plan.Artifacts {
		got := map[string]string{}
		for _, r := range rules {
			if !r.from.MatchString("/" + a.File) {
				continue
			}
			for name, value := range r.fields {
				if _, twice := got[name]; twice && name != "Content-Security-Policy" {
					t.Errorf("%s: two rules name %s", a.File, name)
				}
				got[name] = value
			}
		}
		api := strings.HasPrefix(a.File, "api/v1/")
		asset := strings.HasPrefix(a.File, "assets/")
		feed := strings.HasPrefix(path.Base(a.File), "feed.")
		if value := got["Cache-Control"]; value != a.Cache && (value != "" || api || asset) {
			t.Errorf("%s: Cache-Control %q, want %q", a.File, value, a.Cache)
		}
		value := got["Content-Type"]
		if value != a.Type() && (value != "" || api || feed ||
			path.Ext(a.File) == "" && !strings.HasPrefix(a.File, "_")) {
			t.Errorf("%s: Content-Type %q, want %q", a.File, value, a.Type())
		}
		if got["Access-Control-Allow-Origin"] != "*" || got["Content-Security-Policy"] == "" {
			t.Errorf("%s: fields %v", a.File, got)
		}
	}
}
