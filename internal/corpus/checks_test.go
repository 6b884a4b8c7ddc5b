package corpus

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// checkDocument checks the properties of every document, whatever the file contains.
func checkDocument(t *testing.T, name string, doc *markdown.Document) {
	t.Helper()
	var joined strings.Builder
	ids := map[string]bool{}
	for _, s := range doc.Sections {
		joined.WriteString(s.Markdown)
		if ids[s.ID] || !strings.HasPrefix(s.ID, "s-") || len(s.ID) < 3 {
			t.Errorf("%s: section id %q is used twice or not prefixed", name, s.ID)
		}
		ids[s.ID] = true
		if strings.ContainsAny(s.ID, " \t\n\"'<>&") {
			t.Errorf("%s: section id %q needs escaping", name, s.ID)
		}
		if !utf8.ValidString(s.Title) || !utf8.ValidString(s.Markdown) {
			t.Errorf("%s: section %q is not UTF-8", name, s.ID)
		}
	}
	if joined.String() != string(doc.Body) {
		t.Errorf("%s: %d bytes of sections for %d bytes of body", name, joined.Len(), len(doc.Body))
	}
	if doc.Sections == nil {
		t.Errorf("%s: nil sections", name)
	}
	if _, at := mip.Printable(string(doc.Body)); at >= 0 {
		t.Errorf("%s: the body holds characters that XML forbids", name)
	}
	if diff := cmp.Diff(doc.Sections, markdown.Parse(string(doc.Body)).Sections); diff != "" {
		t.Errorf("%s: parsed twice (-first +second):\n%s", name, diff)
	}
}

func checkSummary(t *testing.T, p *Proposal) {
	t.Helper()
	b, err := json.Marshal(p.Metadata)
	if err != nil {
		t.Errorf("%s: %v", p.File, err)
		return
	}
	for _, field := range []string{"authors", "requires", "requiredBy", "replaces", "supersededBy",
		"inferred", "frontmatter"} {
		if strings.Contains(string(b), `"`+field+`":null`) && p.Frontmatter[field] == nil &&
			!strings.Contains(string(b), `"frontmatter":{`) {
			t.Errorf("%s: %s is null", p.File, field)
		}
	}
	if p.Title == "" || !utf8.Valid(b) {
		t.Errorf("%s: title %q in %s", p.File, p.Title, b)
	}
	if !plain(map[string]any(p.Frontmatter), 0) {
		t.Errorf("%s: frontmatter %#v holds more than strings, null, lists and objects",
			p.File, p.Frontmatter)
	}
}

// plain reports whether v consists of the types that a Frontmatter may have.
func plain(v any, depth int) bool {
	const mostDepth = 33 // levels of lists and maps
	if depth > mostDepth {
		return false
	}
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v != "" && strings.TrimSpace(v) == v
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !plain(e, depth+1) })
	case map[string]any:
		for _, e := range v {
			if !plain(e, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}
