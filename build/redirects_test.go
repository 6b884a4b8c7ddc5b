package build_test

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
)

// TestOldAddresses follows links of other sites to a proposal: to its file in the repository, to
// the page of another publisher of EIPs, and to the addresses in site.yaml and in its header. Pages
// are under the site's prefix. In earlier versions they were under mip.
func TestOldAddresses(t *testing.T) {
	for _, c := range []struct {
		prefix, folder, file, header string
		redirects                    []string
		want                         map[string]string
	}{
		{"EIP", "EIPS", "eip-1559.md", "redirect_from: [old/fees, /old/base.html]\n",
			nil, map[string]string{
				"/EIPS/eip-1559": "301 /eip/1559/", "/EIPS/eip-1559.md": "301 /eip/1559/",
				"/EIPS/eip-1559/": "301 /eip/1559/", "/EIPS/eip-1559.html": "301 /eip/1559/",
				"/eips/eip-1559": "301 /eip/1559/", "/old/fees/": "301 /eip/1559/",
				"/old/base.html":     "301 /eip/1559/",
				"/EIPS/eip-1559?a=b": "301 /eip/1559/?a=b",
				"/EIPS/eip-1560":     "404 ", "/EIPS/eip-1559/x": "404 ", "/EIPS/": "404 ",
				"/EIP/1559/": "404 ", "/eip/1559/": "200 ", "/eip/1559.md": "200 ",
				"/mip/1559/": "301 /eip/1559/", "/mip/1559.md": "301 /eip/1559.md",
				"/mip/1559/feed.xml?x=%25": "301 /eip/1559/feed.xml?x=%25",
				"/mip/a%20b/%3Fc":          "301 /eip/a%20b/%3Fc", "/mip": "301 /eip/",
			}},
		{"MIP", "proposals", "MIP-4.md",
			"aliases:\n  - /four\n  - four\npermalink: /p/:slug\nslug: /fourth/\n",
			[]string{"/faq /about/", "/chat https://chat.example.org/?a=b", "/mip/4 /about/"},
			map[string]string{
				"/proposals/MIP-4": "301 /mip/4/", "/proposals/MIP-4.md": "301 /mip/4/",
				"/MIPS/MIP-4": "301 /mip/4/", "/MIPS/MIP-4.md": "301 /mip/4/",
				"/four": "301 /mip/4/", "/fourth": "301 /mip/4/", "/p/:slug": "404 ",
				"/faq": "301 /about/", "/chat?c=d": "301 https://chat.example.org/?a=b",
				"/mip/4": "301 /mip/4/",
			}},
		{"BIP", "texts", "bip-0032.md", "",
			[]string{"/standards/{n}.html", "/b{n}"}, map[string]string{
				"/texts/bip-0032": "301 /bip/32/", "/BIPS/bip-0032.md": "301 /bip/32/",
				"/standards/32.html": "301 /bip/32/", "/b32": "301 /bip/32/",
				"/b32/": "301 /bip/32/",
			}},
	} {
		s := testSite(c.prefix)
		s.Redirects = c.redirects
		in := filepath.Join(t.TempDir(), c.folder)
		text := proposalText(c.header, "Words.")
		err := errors.Join(os.Mkdir(in, 0o755),
			os.WriteFile(filepath.Join(in, c.file), []byte(text), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		p, err := buildtest.Plan(t.Context(), s, in)
		if err != nil {
			t.Fatal(err)
		}
		h := p.Publish()
		for target, want := range c.want {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
			if got := fmt.Sprint(w.Code, " ", w.Header().Get("Location")); got != want {
				t.Errorf("GET %s: %s, want %s", target, got, want)
			}
		}
	}
}

// TestForms builds sites whose old addresses differ only in the number. One rule covers them, in
// the syntax of each host.
func TestForms(t *testing.T) {
	in := filepath.Join(t.TempDir(), "EIPS")
	if err := os.Mkdir(in, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 20} {
		header := fmt.Sprintf("redirect_from: [/%s/a]\n", strings.Repeat("x", n))
		err := os.WriteFile(filepath.Join(in, fmt.Sprintf("eip-%d.md", n)),
			[]byte(proposalText(header, "Words.")), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	s := testSite("EIP")
	s.Redirects = []string{"/faq /about/", "/standard/{n}", "/e{n}", "/old/eip-{n}-text"}
	p, err := buildtest.Plan(t.Context(), s, in)
	if err != nil {
		t.Fatal(err)
	}
	h := p.Publish()
	ask := func(at string) (answer, to string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, at, nil))
		to = w.Header().Get("Location")
		return fmt.Sprint(w.Code, " ", to), to
	}
	for at, want := range map[string]string{
		"/EIPS/eip-20": "301 /eip/20/", "/EIPS/eip-20/": "301 /eip/20/",
		"/EIPS/eip-20.md":   "301 /eip/20/",
		"/EIPS/eip-20.html": "301 /eip/20/", "/eips/eip-20": "301 /eip/20/",
		"/standard/2": "301 /eip/2/",
		"/e2":         "301 /eip/2/", "/old/eip-2-text": "301 /eip/2/",
		"/faq": "301 /about/", "/x/a": "301 /eip/1/",
		"/eip/20/feed.xml": "301 /eip/20/feed.atom", "/eip/20/feed.json": "301 /eip/20/feed.atom",
		"/eip/20/feed.atom":       "200 ",
		"/status/draft/feed.json": "301 /status/draft/feed.atom", "/eip/2/graph/": "301 /eip/2/",
		"/eip/2/graph":         "301 /eip/2/",
		"/eip/2/requirements/": "301 /eip/2/", "/graph/": "200 ", "/eip/graph/": "404 ",
		"/eip/2/graph/a": "404 ", "/mip/2/feed.xml": "301 /eip/2/feed.xml",
		"/feed.xml": "200 ", "/changes/feed.json": "200 ", "/feed/feed.xml": "404 ",
		"/EIPS/eip-": "404 ", "/EIPS/": "404 ", "/EIPS/eip-2/a": "404 ", "/standard/": "404 ",
		"/standard/2/a": "404 ",
	} {
		if got, _ := ask(at); got != want {
			t.Errorf("GET %s: %s, want %s", at, got, want)
		}
	}
	for _, at := range []string{"/EIPS/eip-9", "/EIPS/eip-a.md", "/EIPS/eip-.md", "/standard/abc",
		"/eips/eip-1.html", "/e9", "/mip/9/", "/eip/9/feed.xml", "/eip/9/graph/",
		"/eip/a/requirements", "/mip/9/graph/", "/mip/a/feed.xml", "/status/no/feed.json"} {
		steps := 0
		got, to := ask(at)
		for ; to != "" && steps < 3; steps++ {
			got, to = ask(to)
		}
		if got != "404 " {
			t.Errorf("GET %s: %s after %d steps, want 404", at, got, steps)
		}
	}
	want := map[string]string{
		"_redirects": `/faq /about/ 301
/feeds /follow/ 301
/x/a /eip/1/ 301
/xx/a /eip/2/ 301
/xxxxxxxxxxxxxxxxxxxx/a /eip/20/ 301
/EIPS/eip-1.html /eip/1/ 301
/EIPS/eip-2.html /eip/2/ 301
/EIPS/eip-20.html /eip/20/ 301
/EIPS/eip-1.md /eip/1/ 301
/EIPS/eip-2.md /eip/2/ 301
/EIPS/eip-20.md /eip/20/ 301
/e1 /eip/1/ 301
/e2 /eip/2/ 301
/e20 /eip/20/ 301
/old/eip-1-text /eip/1/ 301
/old/eip-2-text /eip/2/ 301
/old/eip-20-text /eip/20/ 301
/status/:status/feed.json /status/:status/feed.atom 301
/status/:status/feed.xml /status/:status/feed.atom 301
/eip/:n/requirements /eip/:n/ 301
/eip/:n/feed.json /eip/:n/feed.atom 301
/eip/:n/feed.xml /eip/:n/feed.atom 301
/eip/:n/graph /eip/:n/ 301
/standard/:n /eip/:n/ 301
/EIPS/eip-* /eip/:splat 301
/eips/eip-* /eip/:splat 301
/mip/* /eip/:splat 301
`,
		"_redirects.caddy": `/faq /about/
/faq/ /about/
/feeds /follow/
/feeds/ /follow/
/x/a /eip/1/
/x/a/ /eip/1/
/xx/a /eip/2/
/xx/a/ /eip/2/
/xxxxxxxxxxxxxxxxxxxx/a /eip/20/
/xxxxxxxxxxxxxxxxxxxx/a/ /eip/20/
~^/status/([^/]+?)/feed\.json/?$ /status/${1}/feed.atom
~^/status/([^/]+?)/feed\.xml/?$ /status/${1}/feed.atom
~^/eip/([^/]+?)/requirements/?$ /eip/${1}/
~^/eip/([^/]+?)/feed\.json/?$ /eip/${1}/feed.atom
~^/EIPS/eip-([^/]+?)\.html/?$ /eip/${1}/
~^/eip/([^/]+?)/feed\.xml/?$ /eip/${1}/feed.atom
~^/old/eip-([^/]+?)-text/?$ /eip/${1}/
~^/EIPS/eip-([^/]+?)\.md/?$ /eip/${1}/
~^/eip/([^/]+?)/graph/?$ /eip/${1}/
~^/EIPS/eip-([^/]+?)/?$ /eip/${1}/
~^/eips/eip-([^/]+?)/?$ /eip/${1}/
~^/standard/([^/]+?)/?$ /eip/${1}/
~^/mip(?:/(.*))?$ /eip/${1}
~^/e([^/]+?)/?$ /eip/${1}/
`,
	}
	for _, a := range p.Artifacts {
		if want[a.File] == "" {
			continue
		}
		body, err := a.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		got := regexp.MustCompile(`(?m)^/api/.*\n`).ReplaceAllString(string(body), "")
		if got != want[a.File] {
			t.Errorf("%s:\n%s\nwant\n%s", a.File, got, want[a.File])
		}
	}
}

// TestCloudflare applies the rules of a site as Cloudflare Pages does: first the rules for one
// path, then the patterns in their order. In a pattern, :n matches anything but a slash, and *
// matches anything. No rule may cover a published file, because the host applies rules first.
func TestCloudflare(t *testing.T) {
	in := t.TempDir()
	old := map[string]string{"/faq": "/about/"}
	for n := 1; n <= 700; n++ {
		name := fmt.Sprintf("cip-%04d.md", n)
		if n > 300 {
			name = fmt.Sprintf("CIP-%d-%s.md", n, strings.Repeat("x", n%7)+string(rune('a'+n%26)))
		}
		addresses := []string{fmt.Sprintf("/standard/%d", n), fmt.Sprintf("/cips/%d", n),
			fmt.Sprintf("/cip/cip%d.html", n)}
		for _, file := range []string{"/" + filepath.Base(in) + "/" + name, "/CIPS/" + name} {
			page := strings.TrimSuffix(file, ".md")
			addresses = append(addresses, file, page, page+".html", strings.ToLower(page))
		}
		for _, at := range addresses {
			old[at] = fmt.Sprintf("/cip/%d/", n)
		}
		text := fmt.Sprintf("---\ncip: %d\ntitle: T\nredirect_from: /standard/%d\n---\n\n"+
			"## Abstract\n", n, n)
		if err := os.WriteFile(filepath.Join(in, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := testSite("CIP")
	s.Host, s.Redirects = mip.HostCloudflare, []string{"/faq /about/", "/cips/{n}",
		"/cip/cip{n}.html", "/gone /nowhere/"}
	p, err := buildtest.Plan(t.Context(), s, in)
	if err != nil {
		t.Fatal(err)
	}
	static, order, patterns := map[string]string{}, []string{}, map[string]*regexp.Regexp{}
	to := map[string]string{}
	for _, a := range p.Artifacts {
		if a.File != "_redirects" {
			continue
		}
		rules, err := a.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(rules)) {
			from, rest, _ := strings.Cut(line, " ")
			target, status, _ := strings.Cut(strings.TrimSpace(rest), " ")
			if status != "301" {
				t.Errorf("a rule of a status that the host does not know: %s", line)
			}
			if !strings.ContainsAny(from, ":*") {
				if len(order) > 0 {
					t.Errorf("behind a rule for many paths: %s", line)
				}
				static[from] = target
				continue
			}
			groups := strings.NewReplacer(`:n`, `(?P<n>[^/]+)`, `\*`, `(?P<splat>.*)`)
			pattern := groups.Replace(regexp.QuoteMeta(from))
			order = append(order, from)
			patterns[from], to[from] = regexp.MustCompile("^"+pattern+"$"), target
		}
	}
	follow := func(at string) string {
		if to := static[at]; to != "" {
			return to
		}
		for _, from := range order {
			if m := patterns[from].FindStringSubmatch(at); m != nil {
				return strings.NewReplacer(":n", m[1], ":splat", m[1]).Replace(to[from])
			}
		}
		return ""
	}
	if len(static) > 2000 || len(static) < 1900 || len(order) > 100 || len(order) < 10 {
		t.Errorf("%d rules for one path and %d for many; the host takes 2000 and 100",
			len(static), len(order))
	}
	pages := map[string]bool{}
	for _, a := range p.Artifacts {
		pages[a.Route] = true
	}
	lost := 0
	for at, to := range old {
		got, below := follow(at), follow(at+"/")
		if got != "" && pages[got] && got != to ||
			!strings.Contains(filepath.Base(at), ".") && got != below {
			t.Errorf("%s leads to %q, and with a slash to %q, want %s", at, got, below, to)
		}
		if got != to {
			lost++
		}
	}
	for _, a := range p.Artifacts {
		for _, at := range []string{a.Route, "/" + a.File} {
			if got := follow(at); got != "" {
				t.Errorf("%s is published, and a rule leads it to %s", at, got)
			}
		}
	}
	var problems []string
	for _, problem := range p.LinkProblems() {
		problems = append(problems, problem.Code+": "+problem.Message)
	}
	want := []string{
		"dead-redirect: the address /gone under redirects in site.yaml leads to /nowhere/",
		fmt.Sprintf("redirects-left: %d old addresses", lost),
	}
	if len(problems) != 2 || !strings.HasPrefix(problems[0], want[0]) ||
		!strings.HasPrefix(problems[1], want[1]) || lost == 0 {
		t.Errorf("problems %q, want %q", problems, want)
	}
	for _, at := range []string{"/cips/cip-0030", "/CIPS/cip-0299.md", "/standard/650",
		"/cips/12", "/cip/cip699.html"} {
		n := strings.TrimLeft(regexp.MustCompile(`\d+`).FindString(at), "0")
		if got, want := follow(at), "/cip/"+n+"/"; got != want {
			t.Errorf("%s leads to %q, want %s", at, got, want)
		}
	}
}

// TestFullText publishes all texts in one file up to a total of 1 MB. Beyond it nothing names the
// file, and its address redirects to the map of the site.
func TestFullText(t *testing.T) {
	t.Parallel()
	for over, want := range []string{"200 ", "301 /llms.txt"} {
		in := t.TempDir()
		size := 0
		for n := 1; n <= 4; n++ {
			text := fmt.Sprintf("---\nmip: %d\ntitle: T\n---\n\n", n)
			length := 250_000
			if n == 4 {
				length = 1_000_000 + over - size
			}
			text += strings.Repeat("a b\n", (length-len(text))/4) +
				strings.Repeat("c", (length-len(text))%4)
			size += len(text)
			put(t, filepath.Join(in, fmt.Sprintf("MIP-%d.md", n)), text)
		}
		s := testSite("MIP")
		s.Locales = []string{"ja"}
		p, err := buildtest.Plan(t.Context(), s, in)
		if err != nil {
			t.Fatal(err)
		}
		h := p.Publish()
		for _, target := range []string{"/llms-full.txt",
			"/api/v1/search/ja", "/api/v1/search/tr"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
			want := map[string]string{"/llms-full.txt": want,
				"/api/v1/search/ja": "301 /api/v1/search"}[target]
			got := fmt.Sprint(w.Code, " ", w.Header().Get("Location"))
			if got != cmp.Or(want, "404 ") {
				t.Errorf("%d bytes: GET %s: %s, want %s", size, target, got, want)
			}
		}
		for _, page := range []string{"/llms.txt", "/search/"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, page, nil))
			if named := strings.Contains(w.Body.String(), "llms-full.txt"); named != (over == 0) {
				t.Errorf("%d bytes: %s names llms-full.txt: %t", size, page, named)
			}
		}
	}
}
