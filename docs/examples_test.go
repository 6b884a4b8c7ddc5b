package docs_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// TestExamplesWork runs every curl line of the documents against its site.
func TestExamplesWork(t *testing.T) {
	t.Chdir(top)
	p, s := sample(t)
	h := withSidecar(t, p, s)
	type example struct {
		text []byte
		base string
	}
	examples := map[string]example{
		"llms.txt": {body(t, p, "/llms.txt"), s.BaseURL},
		"skill.md": {body(t, p, "/skill.md"), s.BaseURL},
		"/api/":    {[]byte(html.UnescapeString(string(body(t, p, "/api/")))), s.BaseURL},
	}
	for name, text := range documents(t) {
		examples[name] = example{[]byte(text), "http://127.0.0.1:8080"}
	}
	needed := strings.Fields("docs/integrators.md docs/agents.md skill.md /api/")
	for name, doc := range examples {
		lines := curlLine.FindAllSubmatch(doc.text, -1)
		if slices.Contains(needed, name) && len(lines) == 0 {
			t.Errorf("%s has no curl line", name)
		}
		for _, m := range lines {
			line := string(m[0])
			if err := try(h, doc.base, line); err != nil {
				t.Errorf("%s: %s: %v", name, line, err)
			}
		}
	}
	for _, m := range regexp.MustCompile(
		`\]\((`+regexp.QuoteMeta(s.BaseURL)+`[^)\s]*)\)`).FindAllSubmatch(body(t, p, "/llms.txt"),
		-1) {
		if err := try(h, s.BaseURL, string(m[1])); err != nil {
			t.Errorf("llms.txt: %s: %v", m[1], err)
		}
	}
}

// TestExampleWorkflow compares the workflow in docs/operators.md with the file, except for its top,
// and the inputs and outputs of the action with the documented ones.
func TestExampleWorkflow(t *testing.T) {
	t.Chdir(top)
	section := sectionOf(t, "docs/operators.md", "A repository as it is")
	_, shown, _ := strings.Cut(section, "```yaml\n")
	shown, _, _ = strings.Cut(shown, "```\n")
	file, err := os.ReadFile("examples/pages.yml")
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(file), "name:")
	if d := diff.Diff(strings.TrimPrefix(string(file), comment), shown); d != "" {
		t.Errorf("examples/pages.yml and docs/operators.md (-file +document):\n%s", d)
	}
	text, err := os.ReadFile(".github/actions/publish/action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct{ Inputs, Outputs map[string]any }
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	var named []string
	_, tables, _ := strings.Cut(section, "| Input ")
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)`").FindAllStringSubmatch(tables, -1) {
		named = append(named, m[1])
	}
	have := slices.AppendSeq(slices.Sorted(maps.Keys(action.Inputs)), maps.Keys(action.Outputs))
	slices.Sort(have)
	if slices.Sort(named); !slices.Equal(named, have) {
		t.Errorf("docs/operators.md names %v; the action has the inputs and outputs %v",
			named, have)
	}
}

// TestExampleBodies posts the example bodies of openapi.json, and compares the members of the
// answers with the example answers.
func TestExampleBodies(t *testing.T) {
	t.Chdir(top)
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
		r := httptest.NewRequest(http.MethodPost, path,
			bytes.NewReader(value(op.RequestBody.Content)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		var want, got map[string]any
		if err := json.Unmarshal(value(op.Responses["200"].Content), &want); err != nil {
			t.Fatalf("%s: the example: %v", path, err)
		}
		err := json.Unmarshal(w.Body.Bytes(), &got)
		if w.Code != http.StatusOK || err != nil ||
			!slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
			t.Errorf("POST %s %s: %d %s (%v), want the members of %v",
				path, value(op.RequestBody.Content), w.Code, w.Body, err, want)
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

// withSidecar serves the site with a sidecar that has invented hosts.
func withSidecar(t *testing.T, p *build.Plan, s *site.Site) http.Handler {
	t.Helper()
	static := p.Publish()
	k, err := catalog.FromFS(static).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	k.Endpoints = s.Networks
	hosts := demo.NewNetwork()
	t.Cleanup(hosts.Close)
	hosts.Demo(time.Now, k.Site.Site, k.List.MIPs, k.Endpoints)
	live := sidecar.New(sidecar.Config{Transport: hosts, AIRequestsPerMinute: 1000})
	t.Cleanup(func() { live.Close() })
	if err := live.Update(k); err != nil {
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

// try sends the request of a line and checks the answer.
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
