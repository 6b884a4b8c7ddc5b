package build_test

import (
	"bytes"
	"fmt"
	"html/template"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template/parse"

	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// untaken are the branches of templates that no generated site takes.
var untaken = map[string]string{
	"ahead: ne .Status \"planned\"":          "browsertest TestPlanned has a time in a text",
	"changes: .Left":                         "TestEventsOfOne has more changes",
	"history: .Cut":                          "render TestHistoryIsBounded has longer texts",
	"history: .Lines, else":                  "render TestHistoryIsBounded has longer texts",
	"history: (index .Versions 0).SourceURL": "render TestHistoryIsBounded has more versions",
	"history: eq .Before \"more\"":           "render TestHistoryIsBounded has more versions",
	"moved: $.Text, else":                    "render TestBoard has a version that is not shown",
	"now: .Many":                             "the samples were created together",
	"quote: .Href, else":                     "ids of proposals can be read",
	"upgrade: after 5 .":                     "render TestBoard has more moves",
	"upgrade: rest 24 .":                     "render TestHeadOfAnUpgrade has more proposals",
	"role-quote: .Quote, else":               "what a text says of a group has a quote",
}

// TestTemplates makes every page of sites with lists of every size that matters to a template, and
// of sites that lack some part. All branches of all templates must be taken: a new branch needs a
// site that takes it.
func TestTemplates(t *testing.T) {
	all := samples(sizes(t))
	b := branches{taken: map[string]bool{}, marks: map[string]parse.Node{}}
	for i, c := range generate(t, all) {
		for _, p := range c.Problems {
			if p.Level == mip.Error {
				t.Errorf("%s: %v", all[i], p)
			}
		}
		p, err := build.NewPlan(t.Context(), c)
		if err != nil {
			t.Errorf("%s: %v", all[i], err)
			continue
		}
		b.watch(p)
		failed := map[string]bool{} // patterns: one page of each is enough to read
		for _, a := range p.Artifacts {
			seen := failed[a.Pattern] || all[i].n > 2 && again.MatchString(a.File)
			if !strings.HasSuffix(a.File, ".html") || seen {
				continue
			}
			body, err := a.Bytes()
			if err == nil {
				err = leftover(body)
			}
			if failed[a.Pattern] = err != nil; err != nil {
				t.Errorf("%s: %s: %v", all[i], a.File, err)
			}
			if all[i].n > 2 && strings.Contains(a.Pattern, "{n}") {
				continue // smaller sites have such pages too
			}
			doc, err := html.Parse(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			checkPage(t, all[i].String()+": "+a.File, doc)
		}
	}
	for branch := range untaken {
		if taken, ok := b.taken[branch]; taken || !ok {
			t.Errorf("branch %q is taken, or in no template: it need not be named", branch)
		}
		delete(b.taken, branch)
	}
	for _, branch := range slices.Sorted(maps.Keys(b.taken)) {
		if !b.taken[branch] {
			t.Errorf("branch %q is taken by no page: "+
				"sites_test.go needs a site that takes it", branch)
		}
	}
}

// again matches pages of proposals that are like others of the site.
var again = regexp.MustCompile(`/[0-9]+(?:0[3-9]|[1-9][0-9])/`)

// leftover matches the output of a template for a missing value or a wrong type, and empty links.
func leftover(page []byte) error {
	for _, s := range []string{
		"&lt;no value&gt;", "<no value>", "%!", "&lt;nil&gt;", "<nil>", "ZgotmplZ",
		`href=""`, `href="#"`,
	} {
		if bytes.Contains(page, []byte(s)) {
			return fmt.Errorf("it has %s", s)
		}
	}
	return nil
}

// bound matches the bound at which a template cuts a list.
var bound = regexp.MustCompile(`\b(?:first|rest|after) ([0-9]+) `)

// sizes returns the sizes of lists: 0, 1, each bound of a template and one more, and one that is
// beyond the bounds in Go.
func sizes(t *testing.T) []int {
	t.Helper()
	const beyond = 301
	out := []int{0, 1, 2, beyond}
	files, err := filepath.Glob("../render/templates/*.tmpl")
	if err != nil || files == nil {
		t.Fatalf("no templates: %v", err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range bound.FindAllSubmatch(source, -1) {
			n, err := strconv.Atoi(string(m[1]))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, n, n+1)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// branches are the branches of if, range and with in templates, true if some page took them.
type branches struct {
	taken map[string]bool
	marks map[string]parse.Node
}

// watch makes the templates of a plan record the branches that they take.
func (b *branches) watch(p *build.Plan) {
	made := reflect.ValueOf(p).Elem().FieldByName("made").Elem()
	tmpl := made.FieldByName("pages").Elem().FieldByName("tmpl")
	all := (*template.Template)(tmpl.UnsafePointer())
	all.Funcs(template.FuncMap{"take": func(branch string) bool {
		b.taken[branch] = true
		return true
	}})
	once := []string{"site-links", "site-header", "site-footer"} // with the plan
	for _, t := range all.Templates() {
		if t.Tree != nil && !slices.Contains(once, t.Name()) {
			b.list(t.Name(), t.Tree.Root)
		}
	}
}

// list marks the branches below a list of nodes.
func (b *branches) list(name string, list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		var branch parse.BranchNode
		switch n := n.(type) {
		case *parse.IfNode:
			branch = n.BranchNode
		case *parse.RangeNode:
			branch = n.BranchNode
		case *parse.WithNode:
			branch = n.BranchNode
		default:
			continue
		}
		at := fmt.Sprintf("%s: %s", name, branch.Pipe)
		lists := map[string]*parse.ListNode{at: branch.List, at + ", else": branch.ElseList}
		for what, list := range lists {
			if b.list(name, list); list != nil {
				list.Nodes = slices.Insert(list.Nodes, 0, b.mark(what))
			}
		}
	}
}

// mark returns a node that records a branch and prints nothing.
func (b *branches) mark(branch string) parse.Node {
	if b.marks[branch] == nil {
		source := fmt.Sprintf("{{$_ := take %q}}", branch)
		trees, err := parse.Parse("mark", source, "", "", map[string]any{"take": 0})
		if err != nil {
			panic(err)
		}
		b.taken[branch], b.marks[branch] = false, trees["mark"].Root.Nodes[0]
	}
	return b.marks[branch].Copy()
}
