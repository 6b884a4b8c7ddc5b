package docs_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// TestDocumentedFields compares the table of fields in docs/integrators.md with a proposal's JSON,
// and the meanings of keys in docs/reference.md with [mip.HeaderKeys].
func TestDocumentedFields(t *testing.T) {
	t.Chdir(top)
	documented := map[string]bool{}
	span := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(sectionOf(t, "docs/integrators.md", "Fields of a proposal")) {
		if cells := strings.SplitN(line, "|", 3); len(cells) == 3 {
			for _, m := range span.FindAllStringSubmatch(cells[1], -1) {
				documented[m[1]] = true
			}
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[mip.Proposal]()) {
		name := f.Tag.Get("json")
		if name != "" && !documented[name] {
			t.Errorf("docs/integrators.md lacks %s among the fields of a proposal", name)
		}
		delete(documented, name)
	}
	for name := range documented {
		t.Errorf("docs/integrators.md has the field %s, which no proposal has", name)
	}
	_, words, _ := strings.Cut(documents(t)["docs/reference.md"], "the meanings are ")
	words, _, _ = strings.Cut(words, "|")
	var meanings []string
	for _, m := range span.FindAllStringSubmatch(words, -1) {
		meanings = append(meanings, m[1])
	}
	if d := diff.Diff(mip.HeaderKeys(), meanings); d != "" {
		t.Errorf("meanings of keys in docs/reference.md (-program +document):\n%s", d)
	}
}
