package build_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// fieldValue returns the nth value of a field in a header, and the part that a page shows.
func fieldValue(t *testing.T, f mip.Field, n int) (value, known string) {
	t.Helper()
	word := fmt.Sprintf("X%s%d", f.Name, n)
	switch f.Kind {
	case mip.FieldProse, mip.FieldWord:
		return word, word
	case mip.FieldDate:
		value = fmt.Sprintf("2021-05-0%d", n)
		return value, value
	case mip.FieldPeople:
		return word + " (@" + strings.ToLower(word) + ")", word
	case mip.FieldNumbers:
		return fmt.Sprintf("MIP-90%d", n), fmt.Sprintf("90%d", n)
	case mip.FieldLinks:
		return "https://" + strings.ToLower(word) + ".example/", strings.ToLower(word) + ".example"
	}
	t.Fatalf("mip.Fields: %s has no kind", f.Name)
	return "", ""
}

// TestHeaderFields publishes two versions of a proposal for each field of a header. The value must
// be in the JSON under the field's name and on the pages for such fields, and its change in the
// history.
func TestHeaderFields(t *testing.T) {
	in := t.TempDir()
	for version := range 2 {
		for i, f := range mip.Fields {
			value, _ := fieldValue(t, f, version+1)
			text := fmt.Sprintf("---\nmip: %d\n%s: %s\n---\n\nWords.\n", i+1, f.Key(), value)
			name := filepath.Join(in, fmt.Sprintf("MIP-%d.md", i+1))
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		commit(t, in, "A version", int64(10*version))
	}
	b := buildCorpus(t, in, testSite("MIP"))
	for i, f := range mip.Fields {
		if f.In == nil {
			continue // other sources count too
		}
		was, _ := fieldValue(t, f, 1)
		is, known := fieldValue(t, f, 2)
		api := fmt.Sprintf("api/v1/mips/%d", i+1)
		var proposal map[string]json.RawMessage
		if err := json.Unmarshal(b.files[api+".json"], &proposal); err != nil {
			t.Fatal(err)
		}
		if got := proposal[f.Name]; !bytes.Contains(got, []byte(known)) {
			t.Errorf("%s: the JSON has %s of %q: want the field in mip.Metadata", f.Name, got, is)
		}
		name := fmt.Sprintf("mip/%d/index.html", i+1)
		page, err := html.Parse(bytes.NewReader(b.files[name]))
		if err != nil {
			t.Fatal(err)
		}
		shown := false
		for n := range page.Descendants() {
			if n.Type == html.ElementNode &&
				(n.Data == "h1" || n.Data == "header" || n.Data == "dd") {
				shown = shown || strings.Contains(rendertest.TextOf(n), known)
			}
			for _, a := range n.Attr {
				isValue := a.Key == "datetime" || a.Key == "href"
				shown = shown || isValue && strings.Contains(a.Val, known)
			}
		}
		if !shown {
			t.Errorf("%s: the page lacks %q: want it in render/templates/proposal.tmpl", f.Name, is)
		}
		var history mip.History
		if err := json.Unmarshal(b.files[api+"/history.json"], &history); err != nil {
			t.Fatal(err)
		}
		want := []mip.FieldChange{{Field: f.Name, From: &was, To: &is}}
		if diff := cmp.Diff(want, history.Versions[0].Changes); diff != "" {
			t.Errorf("%s: changes (-want +got):\n%s", f.Name, diff)
		}
		var wanted [][2]string // files, and what they hold
		switch f.Kind {
		case mip.FieldNumbers:
			wanted = [][2]string{{"api/v1/events.json", `"` + f.Name + " " + is + `"`}}
		case mip.FieldProse:
			wanted = [][2]string{{"llms.txt", known}}
		case mip.FieldWord:
			list := f.Key() + "/" + mip.Slug(is) + "/"
			wanted = [][2]string{
				{"llms.txt", known}, {list + "index.html", known},
				{"index.html", `"/` + list}, {"follow/index.html", "/" + list + "feed.atom"},
			}
		}
		for _, w := range wanted {
			if !bytes.Contains(b.files[w[0]], []byte(w[1])) {
				t.Errorf("%s: %s lacks %s", f.Name, w[0], w[1])
			}
		}
	}
}

// TestFiltersInScripts compares the filters in scripts with the fields by which proposals are
// listed.
func TestFiltersInScripts(t *testing.T) {
	for name, of := range map[string]string{
		"search.js": `special = /\(\?:\^\|\\s\)\(([^)]*)\)`,
		"choose.js": `\[([^\]]*)\]\.every\(k => `,
	} {
		script, err := os.ReadFile(filepath.Join("../render/assets", name))
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(of).FindSubmatch(script)
		if m == nil {
			t.Fatalf("%s has no %s", name, of)
		}
		known := regexp.MustCompile(`\w+`).FindAllString(string(m[1]), -1)
		for _, f := range mip.Words() {
			isButton := f.Key() == "status" && name == "choose.js"
			if !isButton && !slices.Contains(known, f.Key()) {
				t.Errorf("render/assets/%s lacks the filter %s", name, f.Key())
			}
		}
	}
}
