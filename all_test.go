// Package mipwatch_test holds the rules of the repository: what may import what, that no file is
// ignored, that the samples are sound and that documents tell the same routes as the code.
package mipwatch_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/testenv"
	"github.com/mipwatch/mipwatch/internal/upstreamtest"
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/api"
	"github.com/mipwatch/mipwatch/sidecar/knowledge"
)

const module = "github.com/mipwatch/mipwatch/"

// imports is the whole table of what a package may import, the standard library and tests aside.
var imports = map[string][]string{
	"build":           {"render", "render/card", "internal/companion", "internal/entity", "internal/figures", "internal/mip", "internal/corpus", "internal/site", "sidecar/api", "sidecar/assist", "github.com/gofrs/flock"},
	"examples/deploy": {}, // tests only
	"cmd/mipwatch": {"build", "internal/companion", "internal/corpus", "internal/figures", "internal/folder", "internal/mip", "internal/mirror", "internal/release", "internal/scribe", "internal/site", "internal/upstreamtest",
		"sidecar", "sidecar/api", "sidecar/assist", "sidecar/assistant", "sidecar/knowledge",
		"github.com/fsnotify/fsnotify", "github.com/spf13/cobra", "golang.org/x/term"},
	"cmd/sidecar":           {"internal/mip", "internal/release", "internal/site", "sidecar", "sidecar/environment", "sidecar/follow", "sidecar/knowledge", "sidecar/metrics"},
	"internal/aimocktest":   {"internal/testenv"}, // for tests only
	"internal/browsertest":  {},                   // tests only
	"internal/companion":    {"internal/corpus", "internal/folder", "internal/mip", "sidecar/api", "sidecar/assist"},
	"internal/corpora":      {"internal/testenv"}, // for tests only
	"internal/corpus":       {"internal/folder", "internal/formula", "internal/git", "internal/mip", "internal/provenance", "github.com/yuin/goldmark", "github.com/yuin/goldmark-meta"},
	"internal/entity":       {},
	"internal/figures":      {"internal/mip", "sidecar/api"},
	"internal/folder":       {},
	"internal/formula":      {"github.com/yuin/goldmark"},
	"internal/git":          {},
	"internal/graph":        {},
	"internal/mip":          {},
	"internal/mirror":       {"internal/folder", "internal/git", "internal/mip", "internal/provenance", "github.com/gofrs/flock"},
	"internal/openapitest":  {"github.com/santhosh-tekuri/jsonschema/v6"}, // for tests only
	"internal/redistest":    {"internal/testenv"},                         // for tests only
	"internal/release":      {},
	"internal/provenance":   {"internal/mip"},
	"internal/scribe":       {"internal/companion", "internal/corpus", "internal/folder", "internal/mip", "sidecar/api", "sidecar/assist"},
	"internal/site":         {"internal/mip", "go.yaml.in/yaml/v3"},
	"internal/strictjson":   {},
	"internal/testenv":      {}, // for tests only
	"internal/tex":          {},
	"internal/upstreamtest": {"internal/mip"},
	"internal/webtest":      {}, // for tests only
	"render": {"internal/figures", "internal/formula", "internal/graph", "internal/mip", "internal/tex", "render/card", "sidecar/api", "github.com/alecthomas/chroma/v2", "github.com/gorilla/feeds",
		"github.com/microcosm-cc/bluemonday", "github.com/rogpeppe/go-internal/diff", "github.com/yuin/goldmark", "golang.org/x/net"},
	"render/card": {"internal/mip", "golang.org/x/image"},
	"sidecar": {"internal/entity", "internal/mip", "internal/strictjson", "sidecar/api", "sidecar/assistant", "sidecar/cache", "sidecar/chain", "sidecar/forum", "sidecar/knowledge", "sidecar/metrics", "sidecar/upstream",
		"github.com/sethvargo/go-limiter"},
	"sidecar/api":           {"internal/mip"},
	"sidecar/assist":        {"internal/mip", "internal/strictjson", "sidecar/api"},
	"sidecar/assist/budget": {"sidecar/assist"},
	"sidecar/assist/model":  {"sidecar/assist", "sidecar/upstream", "github.com/tmc/langchaingo"},
	"sidecar/assistant":     {"internal/mip", "sidecar/api", "sidecar/assist", "sidecar/assist/budget", "sidecar/assist/model", "sidecar/cache", "sidecar/knowledge", "sidecar/upstream"},
	"sidecar/cache":         {},
	"sidecar/chain":         {"internal/mip", "sidecar/api", "sidecar/cache", "sidecar/upstream"},
	"sidecar/environment":   {"internal/mip", "internal/site", "sidecar", "sidecar/assist/budget", "sidecar/assistant", "sidecar/knowledge", "sidecar/shared"},
	"sidecar/follow":        {"sidecar/knowledge"},
	"sidecar/event":         {"sidecar/api"},
	"sidecar/forum":         {"internal/mip", "sidecar/api", "sidecar/cache", "sidecar/upstream"},
	"sidecar/knowledge":     {"internal/mip", "sidecar/api", "sidecar/cache"},
	"sidecar/metrics":       {},
	"sidecar/shared":        {"sidecar/cache", "github.com/redis/go-redis/v9", "github.com/sethvargo/go-limiter"},
	"sidecar/upstream":      {"sidecar/metrics"},
	"sidecar/function/api": {"internal/release", "sidecar", "sidecar/api", "sidecar/environment", "sidecar/event", "sidecar/follow", "sidecar/knowledge",
		"github.com/aws/aws-lambda-go/lambda"},
}

func TestImports(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,IgnoredGoFiles,Dir", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir         string
			Imports, IgnoredGoFiles []string
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.IgnoredGoFiles) > 0 {
			t.Errorf("%s: Go drops %v in silence because of their names or build tags", p.Dir, p.IgnoredGoFiles)
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		if name == strings.TrimSuffix(module, "/") {
			continue // this test
		}
		allowed, ok := imports[name]
		if !ok {
			t.Errorf("package %s is not in the table of imports", name)
		}
		seen[name] = true
		for _, imp := range p.Imports {
			local, ours := strings.CutPrefix(imp, module)
			if !ours && !strings.Contains(strings.Split(imp, "/")[0], ".") {
				continue // standard library
			}
			if !slices.ContainsFunc(allowed, func(a string) bool { return local == a || !ours && (imp == a || strings.HasPrefix(imp, a+"/")) }) {
				t.Errorf("%s imports %s, which the table does not allow", name, local)
			}
		}
	}
	for name := range imports {
		if !seen[name] {
			t.Errorf("the table of imports has %s, which does not exist", name)
		}
	}
}

func TestTopLevel(t *testing.T) {
	allowed := strings.Fields("cmd build render sidecar proposals public go.mod go.sum Makefile netlify.toml README.md site.yaml examples internal all_test.go LICENSE")
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, ".") && name != "bin" && !slices.Contains(allowed, name) {
			t.Errorf("%s does not belong at the top level", name)
		}
	}
}

// TestFunctionsFolder holds what Netlify deploys: each folder in the functions folder is a function.
func TestFunctionsFolder(t *testing.T) {
	entries, err := os.ReadDir("sidecar/function")
	if err != nil || len(entries) != 1 || entries[0].Name() != "api" || !entries[0].IsDir() {
		t.Errorf("sidecar/function holds %v, %v; want the folder api alone", entries, err)
	}
	out, err := exec.CommandContext(t.Context(), "git", "ls-files", "sidecar/function/api/snapshot").Output()
	if err != nil {
		testenv.Missing(t, "git", "this is no checkout of git")
	}
	if got := strings.Fields(string(out)); !slices.Equal(got, []string{"sidecar/function/api/snapshot/README.md"}) {
		t.Errorf("of what the function carries, %v is committed; want the README alone", got)
	}
}

// sourceFiles calls f with every Go file of ours.
func sourceFiles(t *testing.T, f func(name string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") {
			return err
		}
		b, err := os.ReadFile(p)
		f(filepath.ToSlash(p), b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFileLength(t *testing.T) {
	sourceFiles(t, func(name string, text []byte) {
		if n := bytes.Count(text, []byte("\n")); n > 400 && !strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s has %d lines; over 400 the design wants a better idea", name, n)
		}
	})
}

// TestSkips holds every skip to package testenv, where a machine can require the check. A fuzz target passes
// over inputs, which skips no check.
func TestSkips(t *testing.T) {
	skip := regexp.MustCompile(`\b[tb]\.Skip(f|Now)?\(`)
	sourceFiles(t, func(name string, text []byte) {
		inFuzz := false
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "func ") {
				inFuzz = strings.HasPrefix(line, "func Fuzz")
			}
			if skip.MatchString(line) && !inFuzz && name != "internal/testenv/testenv.go" {
				t.Errorf("%s: %s; want testenv.Missing or testenv.Long", name, strings.TrimSpace(line))
			}
		}
	})
}

// TestWorkflows holds the workflows to their language, to the fewest rights and to nobody else's code.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(".github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	uses := regexp.MustCompile(`uses: *(\S+)`)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`(?m)^permissions:( \{\}|\n  contents: read\n\n)`).Match(text) {
			t.Errorf("%s: a workflow begins with no right, or that to read", name)
		}
		for _, m := range uses.FindAllSubmatch(text, -1) {
			if action := string(m[1]); !strings.HasPrefix(action, "actions/") && !strings.HasPrefix(action, "./") {
				t.Errorf("%s uses %s; want actions of GitHub's own, or a command", name, action)
			}
		}
	}
	testenv.Program(t, "actionlint", "actionlint")
	if out, err := exec.CommandContext(t.Context(), "actionlint", "-no-color").CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, out)
	}
}

func TestModuleIsTidy(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "mod", "tidy", "-diff")
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if err != nil && bytes.Contains(out, []byte("GOPROXY=off")) {
		testenv.Missing(t, "modcache", "the module cache does not hold what go mod tidy looks at; go mod tidy -diff fetches it")
	}
	if err != nil {
		t.Errorf("go mod tidy -diff: %v\n%s", err, out)
	}
}

// sample is the site of this repository: its plan, ready to be asked.
func sample(t *testing.T) (*build.Plan, *site.Site) {
	t.Helper()
	s, err := site.Load("site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	o := build.Options{Site: s, Folders: s.Proposals}
	c, err := build.Load(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.Problems {
		if !strings.HasPrefix(p.Code, "history-") {
			t.Errorf("sample proposals: %s", p)
		}
	}
	p, err := build.NewPlan(c, o)
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// TestSampleCompanions holds the samples beside the proposals to the present texts.
func TestSampleCompanions(t *testing.T) {
	s, err := site.Load("site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := build.Load(t.Context(), build.Options{Site: s, Folders: s.Proposals})
	if err != nil {
		t.Fatal(err)
	}
	if sum := c.Beside.Summary(5); sum == nil || sum.Stale {
		t.Error("proposals/summaries/MIP-5.json is not of the present text of its proposal: make it again with go run ./cmd/mipwatch build --summaries, and keep only that one")
	}
	if all := c.Beside.Translations(5); len(all) != 1 || all[0].Locale != "ja" || all[0].Stale {
		t.Errorf("proposals/translations/ja/MIP-5.md is not of the present text of its proposal: bring it up to date and set translation-of to %s", c.Proposals[4].ContentHash)
	}
}

func TestSampleProposals(t *testing.T) {
	p, _ := sample(t)
	have := map[string]bool{}
	for _, a := range p.Artifacts {
		have[a.Route] = true
	}
	for route := range strings.FieldsSeq("/status/draft/ /status/review/ /status/last-call/ /status/final/ /status/living/ /status/stagnant/ /status/withdrawn/ " +
		"/category/core/ /category/networking/ /category/interface/ /category/mrc/ /category/process/ /category/hardfork/ /category/meta/ " +
		"/type/standards-track/ /type/meta/ /type/informational/ /mip/12/") {
		if !have[route] {
			t.Errorf("the sample site has no %s", route)
		}
	}
}

// TestRoutesAgree holds the plan, the table of static routes, openapi.json, llms.txt and the README to
// one set of machine-readable routes.
func TestRoutesAgree(t *testing.T) {
	p, _ := sample(t)
	inPlan := map[string]bool{}
	for _, a := range p.Artifacts {
		if a.Route != "" && !forPeople(a) && !strings.HasPrefix(a.Route, "/assets/") {
			inPlan[a.Pattern] = true
		}
	}
	static := map[string]bool{}
	for _, r := range render.StaticRoutes() {
		static[r.Pattern] = true
	}
	// A copy of this repository without its history has no changes to tell.
	if out, err := exec.CommandContext(t.Context(), "git", "log", "-1", "--format=%H", "--", "proposals").Output(); err != nil || len(out) == 0 {
		inPlan["/mip/{n}/feed.xml"] = true
	}
	if d := diff.Diff(inPlan, static); d != "" {
		t.Errorf("routes of the plan and of render.StaticRoutes (-plan +table):\n%s", d)
	}
	want := maps.Clone(inPlan)
	for _, r := range api.Routes() {
		want[r.Path] = true
	}
	var doc struct {
		Paths map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(body(t, p, "/openapi.json"), &doc); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for path := range doc.Paths {
		got[path] = true
	}
	if d := diff.Diff(want, got); d != "" {
		t.Errorf("routes of the code and of openapi.json (-code +document):\n%s", d)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, named := map[string]bool{}, map[string]bool{}
	for _, a := range p.Artifacts {
		if forPeople(a) {
			pages[a.Pattern] = true
		}
	}
	for _, m := range routeInText.FindAllSubmatch(readme, -1) {
		if route := string(m[1]); page(route) && !strings.HasPrefix(route, "/t/") {
			named[route] = true
		}
	}
	if !pages["/mip/{n}/history/"] { // a checkout without git knows no versions
		delete(named, "/mip/{n}/history/")
	}
	if d := diff.Diff(pages, named); d != "" {
		t.Errorf("pages of the code and of README.md (-code +document):\n%s", d)
	}
	for name, text := range map[string][]byte{"README.md": readme, "llms.txt": body(t, p, "/llms.txt")} {
		got := map[string]bool{}
		want := maps.Clone(want)
		if name == "README.md" { // for operators: the sidecar as a plain server has them
			want["/healthz"], want["/readyz"], want["/metrics"] = true, true, true
		}
		for _, m := range routeInText.FindAllSubmatch(text, -1) {
			if route := string(m[1]); !page(route) {
				got[route] = true
			}
		}
		if d := diff.Diff(want, got); d != "" {
			t.Errorf("routes of the code and of %s (-code +document):\n%s", name, d)
		}
	}
}

// TestAboutAgrees holds what the site says of itself to what decides it: the floors of severity to the
// comment of their table, which a test there holds to the code, and the formula of heat to the README's.
func TestAboutAgrees(t *testing.T) {
	p, _ := sample(t)
	source, err := os.ReadFile("sidecar/assist/floors.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(source), "//	row ")
	table, _, _ = strings.Cut(table, "\n//\n")
	var want, got []string
	for _, row := range strings.Split(table, "\n")[1:] {
		want = append(want, strings.Join(regexp.MustCompile(`\s{2,}`).Split(strings.TrimPrefix(row, "//	"), -1), " | "))
	}
	page := string(body(t, p, "/about/ai/"))
	for _, m := range regexp.MustCompile(`<th scope="row">([^<]*)<br>.*</th><td>(.*)</td></tr>`).FindAllStringSubmatch(page, -1) {
		got = append(got, m[1]+" | "+strings.ReplaceAll(m[2], "</td><td>", " | "))
	}
	if d := diff.Diff(want, got); d != "" || len(want) < 9 {
		t.Errorf("floors of severity (-table +page):\n%s", d)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	formulas := regexp.MustCompile(`L\(x, c\) = [^:]*?\)\)|E = [^=]*5000\)|R = [^=]* / 14\)`).FindAllString(string(readme), -1)
	if len(formulas) != 3 {
		t.Fatalf("README.md has the formulas %q, want three", formulas)
	}
	for _, f := range formulas {
		if !strings.Contains(html.UnescapeString(string(body(t, p, "/about/"))), f) {
			t.Errorf("/about/ does not say %q", f)
		}
	}
}

// TestReadmeHeader checks the header that the README shows as a proposal among the samples.
func TestReadmeHeader(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, header, ok := strings.Cut(string(readme), "```yaml\n")
	header, _, ok2 := strings.Cut(header, "```")
	if !ok || !ok2 {
		t.Fatal("README.md shows no header")
	}
	dir := t.TempDir()
	if err := errors.Join(os.CopyFS(dir, os.DirFS("proposals")), os.WriteFile(filepath.Join(dir, "MIP-16.md"), []byte(header+"\n## Abstract\n\nWords.\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	c, err := build.Load(t.Context(), build.Options{Site: &site.Site{Prefix: "MIP", Locales: []string{"ja"}}, Folders: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.Problems {
		t.Errorf("the README's header: %s", p)
	}
	if last := c.Proposals[len(c.Proposals)-1]; last.Number != 16 || len(last.Authors) != 2 || len(last.Requires) != 2 || last.ForumTopicID == nil {
		t.Errorf("the README's header reads as %+v", last.Summary)
	}
}

// routeInText finds a route in code quotes, with or without a method before it, or as a link's text.
var routeInText = regexp.MustCompile("(?:`(?:GET |POST )?|\\[)(/[^` ?\\]]*)")

// forPeople reports whether an artifact is a page or a picture of one.
func forPeople(a build.Artifact) bool {
	return strings.HasPrefix(a.Type, "text/html") || strings.HasPrefix(a.Type, "image/")
}

// page reports whether a route is one for people.
func page(route string) bool {
	return strings.HasSuffix(route, "/") || strings.HasSuffix(route, ".png") || strings.HasSuffix(route, ".html") || strings.HasPrefix(route, "/assets")
}

func body(t *testing.T, p *build.Plan, route string) []byte {
	t.Helper()
	for i := range p.Artifacts {
		if p.Artifacts[i].Route == route {
			b, err := p.Artifacts[i].Bytes()
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
	}
	t.Fatalf("no route %s", route)
	return nil
}

// TestExamplesWork runs every curl line of the documents against the site that they speak of.
func TestExamplesWork(t *testing.T) {
	p, s := sample(t)
	h := withSidecar(t, p, s)
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, doc := range map[string]struct {
		text []byte
		base string
	}{
		"README.md": {readme, "http://127.0.0.1:8080"},
		"llms.txt":  {body(t, p, "/llms.txt"), s.BaseURL},
		"skill.md":  {body(t, p, "/skill.md"), s.BaseURL},
		"/api/":     {[]byte(html.UnescapeString(string(body(t, p, "/api/")))), s.BaseURL},
	} {
		lines := curlLine.FindAllSubmatch(doc.text, -1)
		if name != "llms.txt" && len(lines) == 0 {
			t.Errorf("%s has no curl line", name)
		}
		for _, m := range lines {
			line := string(m[0])
			if err := try(h, doc.base, line); err != nil {
				t.Errorf("%s: %s: %v", name, line, err)
			}
		}
	}
	for _, m := range regexp.MustCompile(`\]\((`+regexp.QuoteMeta(s.BaseURL)+`[^)\s]*)\)`).FindAllSubmatch(body(t, p, "/llms.txt"), -1) {
		if err := try(h, s.BaseURL, string(m[1])); err != nil {
			t.Errorf("llms.txt: %s: %v", m[1], err)
		}
	}
}

// TestExampleBodies posts the bodies that openapi.json gives as examples, and wants the answers that it
// gives as examples, byte for byte.
func TestExampleBodies(t *testing.T) {
	p, s := sample(t)
	h := withSidecar(t, p, s)
	type content map[string]struct {
		Examples map[string]struct{ Value json.RawMessage }
		Example  json.RawMessage
	}
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody struct{ Content content }
			Responses   map[string]struct{ Content content }
		}
	}
	if err := json.Unmarshal(body(t, p, "/openapi.json"), &doc); err != nil {
		t.Fatal(err)
	}
	value := func(c content) []byte {
		for _, e := range c["application/json"].Examples {
			return e.Value
		}
		return c["application/json"].Example
	}
	posted := 0
	for path, methods := range doc.Paths {
		op, ok := methods["post"]
		if !ok {
			continue
		}
		posted++
		r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(value(op.RequestBody.Content)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		want := value(op.Responses["200"].Content)
		if w.Code != http.StatusOK || len(want) == 0 || !bytes.Equal(bytes.TrimSpace(w.Body.Bytes()), want) {
			t.Errorf("POST %s %s: %d %s, want %s", path, value(op.RequestBody.Content), w.Code, w.Body, want)
		}
	}
	if posted != 2 {
		t.Errorf("%d routes are posted to, want 2", posted)
	}
}

var (
	curlLine = regexp.MustCompile(`(?m)(?:^\s*|<code>)curl .*$`)
	address  = regexp.MustCompile(`https?://[^\s'"|)]+`)
	sent     = regexp.MustCompile(` (?:-d|--data) '([^']*)'`)
	field    = regexp.MustCompile(` -H '([^:']+): ?([^']*)'`)
)

// withSidecar serves the site with a sidecar beside it, on invented hosts.
func withSidecar(t *testing.T, p *build.Plan, s *site.Site) http.Handler {
	t.Helper()
	static, err := p.Publish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	k, err := knowledge.FromFS(static).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	k.Endpoints = s.Networks
	hosts := upstreamtest.NewNetwork()
	t.Cleanup(hosts.Close)
	hosts.Demo(time.Now, k.Site, k.List.MIPs, k.Endpoints)
	live, err := sidecar.New(sidecar.Config{Transport: hosts, AIRequestsPerMinute: 1000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { live.Close() })
	if err := live.Know(k); err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, route := range api.Routes() {
			if route.Path == r.URL.Path {
				live.ServeHTTP(w, r)
				return
			}
		}
		static.ServeHTTP(w, r)
	})
}

// try asks for the address in a line as it says, and wants an answer.
func try(h http.Handler, base, line string) error {
	target, ok := strings.CutPrefix(address.FindString(line), base)
	if !ok {
		return fmt.Errorf("no address below %s", base)
	}
	method, body := http.MethodGet, ""
	if m := sent.FindStringSubmatch(line); m != nil {
		method, body = http.MethodPost, m[1]
	}
	r := httptest.NewRequest(method, cmp.Or(target, "/"), strings.NewReader(body))
	for _, m := range field.FindAllStringSubmatch(line, -1) {
		r.Header.Set(m[1], m[2])
	}
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusOK {
		return fmt.Errorf("status %d: %.300s", w.Code, w.Body)
	}
	return nil
}
