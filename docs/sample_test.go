package docs_test

import (
	"encoding/json"
	"html"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/render/agent"
)

// load reads the site of this repository and its proposals.
func load(t *testing.T) (*build.Content, *site.Site) {
	t.Helper()
	s, err := site.Load("internal/samples/site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := build.Load(t.Context(),
		build.Options{Site: buildtest.In(s, "internal/samples/proposals")})
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

// sample plans the site of this repository.
func sample(t *testing.T) (*build.Plan, *site.Site) {
	t.Helper()
	c, s := load(t)
	for _, p := range c.Problems {
		if !strings.HasPrefix(p.Code, "history-") {
			t.Errorf("sample proposals: %s", p)
		}
	}
	p, err := build.NewPlan(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// TestSampleCompanions checks that the samples' summaries and translations are of the present
// texts.
func TestSampleCompanions(t *testing.T) {
	t.Chdir(top)
	c, _ := load(t)
	if sum := c.Committed[4]; sum == nil || sum.Stale {
		t.Error("proposals/summaries/MIP-5.json is not of the present text of its proposal: make " +
			"it again with go run ./cmd/mipwatch build --summaries, and keep only that one")
	}
	if all := c.Proposals[4].Translations; len(all) != 1 || all[0].Locale != "ja" || all[0].Stale {
		t.Errorf("proposals/translations/ja/MIP-5.md is not of the present text of its proposal: "+
			"update it and set translation-of to %s", c.Proposals[4].ContentHash)
	}
}

func TestSampleProposals(t *testing.T) {
	t.Chdir(top)
	p, _ := sample(t)
	have := map[string]bool{}
	for _, a := range p.Artifacts {
		have[a.Route] = true
	}
	for route := range strings.FieldsSeq("/status/draft/ /status/review/ /status/last-call/ " +
		"/status/final/ /status/living/ /status/stagnant/ /status/withdrawn/ /category/core/ " +
		"/category/networking/ /category/interface/ /category/mrc/ /category/process/ " +
		"/category/hardfork/ /category/meta/ /type/standards-track/ /type/meta/ " +
		"/type/informational/ /mip/12/") {
		if !have[route] {
			t.Errorf("the sample site has no %s", route)
		}
	}
}

// TestRoutesAgree checks that the plan, the table of static routes, openapi.json, llms.txt and the
// documents have the same machine-readable routes. docs/integrators.md has all of them, and no
// document has others.
func TestRoutesAgree(t *testing.T) {
	t.Chdir(top)
	p, _ := sample(t)
	inPlan := map[string]bool{}
	for _, a := range p.Artifacts {
		if a.Route != "" && !forPeople(a) && !strings.HasPrefix(a.Route, "/assets/") {
			inPlan[a.Pattern] = true
		}
	}
	static := map[string]bool{}
	for _, r := range agent.StaticRoutes(mip.Site{Prefix: "MIP"}) {
		static[r.Pattern] = true
	}
	// A copy of this repository without its history has no changes.
	if out, err := exec.CommandContext(t.Context(), "git", "log", "-1", "--format=%H", "--",
		"internal/samples").Output(); err != nil || len(out) == 0 {
		inPlan["/mip/{n}/feed.atom"] = true
	}
	if d := diff.Diff(inPlan, static); d != "" {
		t.Errorf("routes of the plan and of agent.StaticRoutes (-plan +table):\n%s", d)
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
	pages := map[string]bool{}
	for _, a := range p.Artifacts {
		if forPeople(a) {
			pages[a.Pattern] = true
		}
	}
	documentedRoutes(t, want, pages)
	got = map[string]bool{}
	for route := range routesIn(string(body(t, p, "/llms.txt"))) {
		if !page(route) {
			got[route] = true
		}
	}
	if d := diff.Diff(want, got); d != "" {
		t.Errorf("routes of the code and of llms.txt (-code +document):\n%s", d)
	}
}

// TestAboutAgrees compares the site's statements about itself with their sources: the minimal
// severities and the words of the rules with their tables, and the formula of heat with
// docs/integrators.md.
func TestAboutAgrees(t *testing.T) {
	t.Chdir(top)
	p, _ := sample(t)
	source, err := os.ReadFile("internal/ai/summary/kinds.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(source), "[floors of severity]\n")
	table, _, _ = strings.Cut(table, "\n\n")
	want := slices.DeleteFunc(strings.Split(table, "\n"), func(row string) bool {
		return strings.HasPrefix(row, "#")
	})
	var got []string
	page := string(body(t, p, "/about/ai/"))
	cell := regexp.MustCompile(`(?s)<td>(.*?)</td>`)
	for _, m := range regexp.MustCompile(
		`(?s)<th scope="row">([^<]*)<br>.*?</th>(.*?)</tr>`).FindAllStringSubmatch(page, -1) {
		var row strings.Builder
		row.WriteString(m[1])
		for _, c := range cell.FindAllStringSubmatch(m[2], -1) {
			row.WriteString(" | " + c[1])
		}
		got = append(got, row.String())
	}
	if d := diff.Diff(want, got); d != "" || len(want) < 8 {
		t.Errorf("floors of severity (-table +page):\n%s", d)
	}
	var listed, shown []string
	list, err := os.ReadFile("internal/ai/summary/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^[^#:]+: (.*)$`).FindAllStringSubmatch(string(list),
		-1) {
		listed = append(listed, strings.NewReplacer(" ", ", ", "_", " ", "ID", "MIP").Replace(m[1]))
	}
	_, words, _ := strings.Cut(page, `<table id="words">`)
	words, _, _ = strings.Cut(words, "</table>")
	for _, m := range cell.FindAllStringSubmatch(words, -1) {
		shown = append(shown, strings.Join(strings.Fields(m[1]), " "))
	}
	if d := diff.Diff(listed, shown); d != "" || len(listed) < 10 {
		t.Errorf("words of the rules (-list +page):\n%s", d)
	}
	formulas := regexp.MustCompile(
		`L\(x, c\) = [^:]*?\)\)|E = [^=]*5000\)|R = [^=]* / 14\)`).FindAllString(
		documents(t)["docs/integrators.md"], -1)
	if len(formulas) != 3 {
		t.Fatalf("docs/integrators.md has the formulas %q, want three", formulas)
	}
	for _, f := range formulas {
		if !strings.Contains(html.UnescapeString(string(body(t, p, "/about/"))), f) {
			t.Errorf("/about/ does not say %q", f)
		}
	}
}

// routeInText matches a route in code quotes, optionally after a method, or as a link's text.
var routeInText = regexp.MustCompile("(?:`(?:GET |POST )?|\\[)(/[^` ?\\]]*)")

// forPeople reports whether an artifact is a page or a page's picture.
func forPeople(a build.Artifact) bool {
	return strings.HasPrefix(a.Type(), "text/html") || strings.HasPrefix(a.Type(), "image/")
}

// page reports whether a route is for people.
func page(route string) bool {
	return strings.HasSuffix(route, "/") || strings.HasSuffix(route, ".png") ||
		strings.HasSuffix(route, ".html") || strings.HasPrefix(route, "/assets")
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
