package openapitest_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/render/agent"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// publish builds a site of folders of proposals, and its OpenAPI document.
func publish(t *testing.T, s *site.Site, folders ...string) (*build.Published, []byte) {
	t.Helper()
	plan, err := buildtest.Plan(t.Context(), s, folders...)
	if err != nil {
		t.Fatal(err)
	}
	published := plan.Publish()
	w := httptest.NewRecorder()
	published.ServeHTTP(w,
		httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/openapi.json", nil))
	return published, w.Body.Bytes()
}

// samples returns the site of the sample proposals.
func samples(t *testing.T) (*site.Site, *build.Published, []byte) {
	t.Helper()
	s, err := site.Load("../../samples/site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	published, document := publish(t, s, "../../samples/proposals")
	return s, published, document
}

// bare is the document of a site with another prefix and only texts.
func bare(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"eip-1.md": "---\neip: 1\ntitle: Purpose\nstatus: Living\ntype: Meta\n" +
			"author: A. Author\n---\n\n## Abstract\n\nWords.\n",
		"eip-2.md": "---\neip: 2\ntitle: \"<b>&lt; 100 %\"\n---\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, document := publish(t,
		&site.Site{Title: "EIPs", BaseURL: "https://eips.example.org", Prefix: "EIP"}, dir)
	if bytes.Contains(document, []byte("MIP-")) ||
		!bytes.Contains(document, []byte("such as EIP-7")) {
		t.Error("the document of EIPs names MIPs")
	}
	return document
}

// documents are files with the documents of several sites, by name.
func documents(t *testing.T) map[string]string {
	t.Helper()
	_, _, full := samples(t)
	info := mip.Site{Title: "T", BaseURL: "https://example.org/path", Prefix: "MIP",
		Kinds: []mip.Kind{}, Statuses: mip.Process{}, Networks: []mip.Network{},
		Locales: []string{}}
	empty, err := agent.Describe(info, nil, nil).JSON()
	if err != nil {
		t.Fatal(err)
	}
	dir, files := t.TempDir(), map[string]string{}
	for name, document := range map[string][]byte{"samples": full, "bare": bare(t),
		"empty": empty} {
		files[name] = filepath.Join(dir, name+".json")
		if err := os.WriteFile(files[name], document, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// run runs a program in a folder and returns its output. A failure of the program fails the test.
func run(t *testing.T, dir string, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	// Disable network access and telemetry.
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly "+os.Getenv("GOFLAGS"),
		"GOWORK=off", "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%.8000s\n%.8000s", filepath.Base(program), err, out, stderr.Bytes())
	}
	return out
}

// TestLinters checks the documents by the recommended rules of two linters. A warning counts.
func TestLinters(t *testing.T) {
	t.Run("redocly", func(t *testing.T) {
		program := testenv.Program(t, "redocly", "redocly")
		run(t, ".", program,
			append([]string{"lint", "--config=testdata/redocly.yaml"},
				slices.Sorted(maps.Values(documents(t)))...)...)
	})
	t.Run("spectral", func(t *testing.T) {
		program := testenv.Program(t, "spectral", "spectral")
		run(t, ".", program,
			append([]string{"lint", "--ruleset=testdata/spectral.yaml", "--fail-severity=hint"},
				slices.Sorted(maps.Values(documents(t)))...)...)
	})
}

// transport fails every request.
type transport struct{ err error }

func (f transport) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// torn is a site whose search index and summaries cannot be read.
type torn struct {
	fs.FS
	err error
}

func (s torn) Open(name string) (fs.File, error) {
	if name == "api/v1/search.json" || strings.HasSuffix(name, "/summary.json") {
		return nil, s.err
	}
	return s.FS.Open(name)
}

// world is the samples' site, and copies of it with one fault each.
type world struct {
	document []byte
	// Bases and Examples are the input of the walkers: addresses by name, and the parameters of the
	// document's examples.
	Bases    map[string]string `json:"bases"`
	Examples map[string]any    `json:"examples"`
}

// serve serves the world until the test ends.
func serve(t *testing.T) *world {
	t.Helper()
	s, published, document := samples(t)
	read := func(files fs.FS) *catalog.Catalog {
		x, err := catalog.FromFS(files).Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		x.Endpoints = s.Networks
		return x
	}
	x := read(published)
	demo := demo.NewNetwork()
	t.Cleanup(demo.Close)
	demo.Demo(time.Now, x.Site.Site, x.List.MIPs, s.Networks)
	w := &world{document: document, Bases: map[string]string{}, Examples: map[string]any{}}
	add := func(name string, x *catalog.Catalog, static http.Handler,
		c sidecar.Config) *sidecar.Sidecar {
		live := sidecar.New(c)
		t.Cleanup(func() { live.Close() })
		if err := live.Update(x); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if slices.ContainsFunc(api.Routes(), func(route api.Route) bool {
				return route.Path == r.URL.Path
			}) && name != "empty" {
				live.ServeHTTP(w, r)
				return
			}
			static.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		w.Bases[name] = server.URL
		return live
	}
	const many = 1_000_000
	add("sound", x, published,
		sidecar.Config{Transport: demo, RequestsPerMinute: many, AIRequestsPerMinute: many})
	add("busy", x, published,
		sidecar.Config{Transport: demo, RequestsPerMinute: 1, AIRequestsPerMinute: 1})
	for name, err := range map[string]error{"down": http.ErrServerClosed,
		"late": context.DeadlineExceeded} {
		const model = "lantern-large"
		client, e := ai.NewClient(ai.ClientConfig{Provider: "openai", Name: model,
			BaseURL: "https://model.example.org/v1", Key: "sk-of-nobody",
			Transport: transport{err}})
		if e != nil {
			t.Fatal(e)
		}
		add(name, read(torn{published, err}), published, sidecar.Config{
			Transport: transport{err}, RequestsPerMinute: many, AIRequestsPerMinute: many,
			AI: ai.Configured{Model: ai.NewBudget(client, ai.Limits{}), Name: model},
		})
	}
	add("closed", x, published,
		sidecar.Config{Transport: demo, RequestsPerMinute: many, AIRequestsPerMinute: many}).Close()
	// A client of another edition finds nothing published.
	add("empty", x, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = strings.Replace(r.URL.Path, "/", "/nothing/", 1)
		if rest, ok := strings.CutPrefix(r.URL.Path, "/nothing/api/"); ok {
			r.URL.Path = "/api/nothing/" + rest
		}
		published.ServeHTTP(w, r)
	}), sidecar.Config{Transport: demo})
	for _, op := range w.operations(t) {
		for _, p := range op.Parameters {
			// A list of values has the same name as a value in a path.
			if _, list := p.Example.([]any); !list {
				w.Examples[p.Name] = p.Example
			}
		}
	}
	return w
}

// operation is a part of an operation in the document.
type operation struct {
	OperationID string
	Parameters  []struct {
		Name    string
		Example any
	}
	Responses map[string]any
}

// operations are the document's operations by method and path, such as "get /api/v1/mips".
func (w *world) operations(t *testing.T) map[string]operation {
	t.Helper()
	var document struct {
		Paths map[string]map[string]operation
	}
	if err := json.Unmarshal(w.document, &document); err != nil {
		t.Fatal(err)
	}
	all := map[string]operation{}
	for path, methods := range document.Paths {
		for method, op := range methods {
			all[method+" "+path] = op
		}
	}
	return all
}

// compare checks that the decoded answers, operations with statuses, cover everything that the
// document describes. Only a defect of the sidecar, a 500, cannot be provoked.
func (w *world) compare(
	t *testing.T, name func(key string, op operation) string, decoded map[string]bool,
) {
	t.Helper()
	want := map[string]bool{}
	for key, op := range w.operations(t) {
		for status := range op.Responses {
			if status != "500" {
				want[name(key, op)+" "+status] = true
			}
		}
	}
	for _, missing := range slices.Sorted(maps.Keys(want)) {
		if !decoded[missing] {
			t.Errorf("%s was never decoded", missing)
		}
	}
	for _, unknown := range slices.Sorted(maps.Keys(decoded)) {
		if !want[unknown] {
			t.Errorf("%s is not in the document", unknown)
		}
	}
}

// argument is the world in the form for the walkers.
func (w *world) argument(t *testing.T) string {
	t.Helper()
	b, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestGoClient walks the samples' site with a client of oapi-codegen.
func TestGoClient(t *testing.T) {
	generate := testenv.Program(t, "oapi-codegen", "oapi-codegen")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/go")); err != nil {
		t.Fatal(err)
	}
	download := exec.CommandContext(t.Context(), "go", "mod", "download")
	download.Dir, download.Env = dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	if out, err := download.CombinedOutput(); err != nil {
		testenv.Missing(t, "oapi-codegen",
			"the module cache does not hold what a client imports; .ci/run fetches it:",
			string(out))
	}
	w, files := serve(t), documents(t)
	run(t, dir, generate, "-generate=types,client", "-package=main", "-o=client.go",
		files["samples"])
	for _, name := range []string{"bare", "empty"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		run(t, dir, generate, "-generate=types,client", "-package="+name, "-o="+name+"/client.go",
			files[name])
	}
	run(t, dir, "go", "build", "-o=bin/", "./...")
	decoded := map[string]bool{}
	for line := range strings.Lines(string(run(t, dir, "bin/walk", w.argument(t)))) {
		decoded[strings.TrimSpace(line)] = true
	}
	w.compare(t, func(_ string, op operation) string { return op.OperationID }, decoded)
}

// TestTypeScriptClient walks the samples' site with openapi-fetch and the types of
// openapi-typescript, and checks every body by its type.
func TestTypeScriptClient(t *testing.T) {
	generate := testenv.Program(t, "openapi-typescript", "openapi-typescript")
	compile := testenv.Program(t, "typescript", "tsc")
	node := testenv.Program(t, "node", "node")
	modules := filepath.Dir(filepath.Dir(generate))
	if _, err := os.Stat(filepath.Join(modules, "openapi-fetch")); err != nil {
		testenv.Missing(t, "openapi-typescript",
			"there is no openapi-fetch beside openapi-typescript; .ci/run installs it")
	}
	dir := t.TempDir()
	if err := cmp.Or(os.CopyFS(dir, os.DirFS("testdata/ts")),
		os.Symlink(modules, filepath.Join(dir, "node_modules"))); err != nil {
		t.Fatal(err)
	}
	w, files := serve(t), documents(t)
	run(t, dir, generate, files["samples"], "--output=api.ts")
	for _, name := range []string{"bare", "empty"} {
		run(t, dir, generate, files[name], "--output="+name+".ts")
	}
	strict := []string{"--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes",
		"--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--lib",
		"es2022,dom,dom.iterable"}
	run(t, dir, compile, append(strict, "walk.ts", "bare.ts", "empty.ts")...)
	var answers bytes.Buffer
	fmt.Fprint(&answers, `import type { paths } from "./api.js";
type Answer<P extends keyof paths, M extends keyof paths[P], S extends number, T extends string> =
  paths[P][M] extends { responses: { [s in S]: { content: { [t in T]: infer Body } } } } ? Body : never;
`)
	decoded, seen := map[string]bool{}, map[string]bool{}
	for line := range bytes.Lines(run(t, dir, node, "walk.js", w.argument(t))) {
		var a struct {
			Method, Path string
			Status       int
			Media        *string
			Body         json.RawMessage
		}
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		decoded[fmt.Sprintf("%s %s %d", a.Method, a.Path, a.Status)] = true
		if !seen[string(line)] && a.Media != nil {
			seen[string(line)] = true
			fmt.Fprintf(&answers, "export const a%d: Answer<%q, %q, %d, %q> = %s;\n", len(seen),
				a.Path, a.Method, a.Status, *a.Media, a.Body)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "answers.ts"), answers.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, dir, compile, append(strict, "--noEmit", "answers.ts")...)
	w.compare(t, func(key string, _ operation) string { return key }, decoded)
}
