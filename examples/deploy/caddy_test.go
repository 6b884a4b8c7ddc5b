package deploy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/internal/test/webtest"
)

// published builds the sample site, with upstream hosts that refuse connections, and returns its
// plan and its folder.
func published(t *testing.T) (*build.Plan, string) {
	t.Helper()
	s, err := site.Load(top + "/internal/samples/site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s.Forum, s.Redirects = "http://127.0.0.1:1",
		[]string{"/faq /about/", "/proposal-{n}", "/chat https://chat.example.org/x?y=1"}
	for i := range s.Networks {
		s.Networks[i].RPC = []string{"http://127.0.0.1:1"}
	}
	return publishedOf(t, s, top+"/internal/samples/proposals")
}

// publishedOf builds a site and returns its plan and its folder.
func publishedOf(t *testing.T, s *site.Site, proposals string) (*build.Plan, string) {
	t.Helper()
	p, err := buildtest.Plan(t.Context(), s, proposals)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "public")
	if _, err := build.Sync(t.Context(), p, dir, build.SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	return p, dir
}

// given are the ports that this package's tests have got.
var given sync.Map

// freePort returns a port on which nobody listens now, and which no other test has got.
func freePort(t *testing.T) string {
	t.Helper()
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_, port, err := net.SplitHostPort(l.Addr().String())
		l.Close()
		if err != nil {
			t.Fatal(err)
		}
		if _, taken := given.LoadOrStore(port, true); !taken {
			return port
		}
	}
}

// startCaddy runs the web server over a published folder and returns its address.
func startCaddy(t *testing.T, dir, sidecarPort string, variables ...string) string {
	t.Helper()
	testenv.Program(t, "caddy", "caddy")
	port := freePort(t)
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "caddy", "run", "--config", "Caddyfile", "--adapter",
		"caddyfile")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_DATA_HOME=" + home,
		"XDG_CONFIG_HOME=" + home,
		"SITE_ADDRESS=http://127.0.0.1:" + port, "SITE_DIR=" + dir, "SIDECAR_HOST=127.0.0.1",
		"SIDECAR_PORT=" + sidecarPort}
	cmd.Env = append(cmd.Env, variables...)
	await := logOf(t, cmd)
	await("serving initial configuration")
	return "http://127.0.0.1:" + port
}

// TestCaddyScripts runs the request scripts of a deployed site against the web server with the
// sidecar.
func TestCaddyScripts(t *testing.T) {
	t.Parallel()
	_, dir := published(t)
	port := startSidecar(t, sidecar(t), dir, "TRUSTED_PROXIES=127.0.0.1",
		"REQUESTS_PER_MINUTE=1000", "AI_REQUESTS_PER_MINUTE=1000")
	target := webtest.At(startCaddy(t, dir, port))
	webtest.Run(t, top+"/build/testdata/web/*.web", target)
	for _, name := range []string{"live", "requests", "ai", "ids"} {
		webtest.Run(t, top+"/sidecar/testdata/web/"+name+".web", target)
	}
}

// TestCaddyAgrees requests every file, route and redirect of the sample site, and of a site with
// another prefix, and compares the answers with _redirects and _headers.
func TestCaddyAgrees(t *testing.T) {
	t.Parallel()
	t.Run("sample", func(t *testing.T) {
		p, dir := published(t)
		caddyAgrees(t, p, dir)
	})
	t.Run("prefix", func(t *testing.T) {
		folder := filepath.Join(t.TempDir(), "EIPS")
		text := "---\neip: 1\ntitle: A\nredirect_from: [old/one, /old/two.html]\n---\n\n" +
			"## Abstract\n\nWords.\n"
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "eip-1.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, dir := publishedOf(t,
			&site.Site{Title: "T", BaseURL: "https://mips.example.org", Prefix: "EIP"}, folder)
		caddyAgrees(t, p, dir)
	})
}

func caddyAgrees(t *testing.T, p *build.Plan, dir string) {
	t.Helper()
	base := startCaddy(t, dir, "1")
	want := p.Publish()
	paths := []string{"/nothing", "/mip/9999/", "/api/nothing", "/api/v1/nothing",
		"/api/v1/mips/9999", "/mip/1", "/proposals/MIP-9999.md", "/openapi", "/feed",
		"/api/v1/mips.json/x"}
	for _, a := range p.Artifacts {
		if !strings.HasPrefix(a.File, "_") {
			paths = append(paths, "/"+a.File)
		}
		if a.Route != "" {
			paths = append(paths, a.Route)
		}
	}
	for _, r := range p.Redirects {
		if !strings.HasSuffix(r.From, "*") && !live(r.From) {
			paths = append(paths, r.From)
		}
	}
	paths = append(paths, "/faq/", "/proposal-3/", "/mip/1/", "/mip/1.md", "/mip/", "/EIPS/eip-1/",
		"/old/one/", "/old/two.html", "/old")
	fields := []string{"Content-Type", "Cache-Control", "Location"}
	for _, h := range p.Headers {
		for _, f := range h.Fields {
			fields = append(fields, f[0])
		}
	}
	slices.Sort(fields)
	slices.Sort(paths)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	for _, path := range slices.Compact(paths) {
		rec := recorded(want, path)
		res, err := client.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		// A folder's index is redirected to the folder, which is also right.
		if res.StatusCode/100 == 3 && strings.HasSuffix(path, "/index.html") {
			continue
		}
		moved := rec.Code/100 == 3
		if res.StatusCode/100 != rec.Code/100 || !moved && res.StatusCode != rec.Code {
			t.Errorf("%s: status %d, want %d", path, res.StatusCode, rec.Code)
			continue
		}
		for _, field := range slices.Compact(slices.Clone(fields)) {
			got, want := strings.ReplaceAll(res.Header.Get(field), " ", ""),
				strings.ReplaceAll(rec.Header().Get(field), " ", "")
			if moved && field != "Location" {
				continue
			}
			if got != want && !(strings.HasPrefix(field, "Content-Type") && sameType(got, want)) {
				t.Errorf("%s: %s: %q, want %q", path, field, got, want)
			}
		}
		if !moved && string(body) != rec.Body.String() {
			t.Errorf("%s: %d bytes, want the %d of the file", path, len(body), rec.Body.Len())
		}
	}
	for _, private := range []string{"/_headers", "/_redirects", "/_redirects.caddy",
		"/.mipwatch/manifest", "/.mipwatch/lock"} {
		if res, err := client.Get(base + private); err != nil ||
			res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %v, %v, want 404", private, res, err)
		}
	}
}

// TestCaddyWithoutSidecar requests the sidecar's routes without one.
func TestCaddyWithoutSidecar(t *testing.T) {
	t.Parallel()
	_, dir := published(t)
	base := startCaddy(t, dir, "1")
	for _, r := range api.Routes() {
		req, err := http.NewRequestWithContext(t.Context(), r.Method, base+r.Path,
			strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var problem api.Problem
		err = json.NewDecoder(res.Body).Decode(&problem)
		res.Body.Close()
		if err != nil || res.StatusCode != 503 || problem.Code != api.NotReady ||
			!strings.HasPrefix(res.Header.Get("Content-Type"), "application/problem+json") ||
			res.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s %s: %s, %+v, %v, header %v; want a coded problem",
				r.Method, r.Path, res.Status, problem, err, res.Header)
		}
	}
}

// TestCaddyTellsCallersApart has a caller that forges addresses: all its requests count for one
// caller.
func TestCaddyTellsCallersApart(t *testing.T) {
	t.Parallel()
	_, dir := published(t)
	port := startSidecar(t, sidecar(t), dir, "TRUSTED_PROXIES=127.0.0.1", "REQUESTS_PER_MINUTE=3")
	base := startCaddy(t, dir, port)
	var codes []int
	for i := range 4 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			base+"/api/network-info", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		codes = append(codes, res.StatusCode)
	}
	if want := []int{200, 200, 200, 429}; !slices.Equal(codes, want) {
		t.Errorf("status codes %v, want %v", codes, want)
	}
}

func live(path string) bool {
	return slices.ContainsFunc(api.Routes(), func(r api.Route) bool { return r.Path == path })
}

var charset = regexp.MustCompile(`;charset=utf-8$`)

// sameType compares media types, without the charset of types that are no text.
func sameType(a, b string) bool {
	return charset.ReplaceAllString(a, "") == charset.ReplaceAllString(b, "") &&
		!strings.HasPrefix(a, "text/html")
}

// patience ends waits that would never end: a program starts within it even on a busy machine.
const patience = 2 * time.Minute
