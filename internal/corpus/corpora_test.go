package corpus

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/corpora"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

func loadReal(t *testing.T, folder, prefix string) *Corpus {
	t.Helper()
	c, err := Load(t.Context(), Options{Prefix: prefix, Folders: []string{corpora.Need(t, folder)}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRealCorpora(t *testing.T) {
	for _, tt := range []struct {
		folder, prefix string
		count          int
		cycles         []string
	}{
		{"eips", "EIP", 949, []string{"EIP-2780 > EIP-8037 > EIP-2780", "EIP-4750 > EIP-5450 > EIP-4750"}},
		{"simd", "SIMD", 118, nil},
		{"monad-mips", "MIP", 5, nil},
	} {
		t.Run(tt.folder, func(t *testing.T) {
			c := loadReal(t, tt.folder, tt.prefix)
			if len(c.Proposals) != tt.count {
				t.Errorf("Load(%s): %d proposals, want %d", tt.folder, len(c.Proposals), tt.count)
			}
			var cycles []string
			for _, p := range c.Problems {
				if p.Level != mip.Warning {
					t.Errorf("Load(%s): %s %v, want warnings only", tt.folder, p.Level, p)
				}
				if p.Code == "requires-cycle" {
					_, path, _ := strings.Cut(p.Message, "cycle: ")
					cycles = append(cycles, path)
				}
			}
			if diff := cmp.Diff(tt.cycles, cycles); diff != "" {
				t.Errorf("cycles of %s (-want +got):\n%s", tt.folder, diff)
			}
			for _, p := range c.Proposals {
				doc := c.Read(p)
				checkDocument(t, p.File, doc)
				checkSummary(t, p)
			}
		})
	}
}

// checkDocument holds what must be true of every document, whatever was in the file.
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
	b, err := json.Marshal(p.Summary)
	if err != nil {
		t.Errorf("%s: %v", p.File, err)
		return
	}
	for _, field := range []string{"authors", "requires", "requiredBy", "replaces", "supersededBy", "inferred", "frontmatter"} {
		if strings.Contains(string(b), `"`+field+`":null`) && p.Frontmatter[field] == nil && !strings.Contains(string(b), `"frontmatter":{`) {
			t.Errorf("%s: %s is null", p.File, field)
		}
	}
	if p.Title == "" || !utf8.Valid(b) {
		t.Errorf("%s: title %q in %s", p.File, p.Title, b)
	}
	if !plain(map[string]any(p.Frontmatter), 0) {
		t.Errorf("%s: frontmatter %#v holds more than strings, null, lists and objects", p.File, p.Frontmatter)
	}
}

// plain reports whether v is built of the types that a Frontmatter may hold.
func plain(v any, depth int) bool {
	if depth > maxDepth+1 {
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

func TestRealDetails(t *testing.T) {
	c := loadReal(t, "monad-mips", "MIP")
	six := c.Proposals[3]
	if six.Title != "Meta - `MONAD_NINE` Network Upgrade" || six.Status != "" || *six.Type != "Meta" {
		t.Errorf("MIP-6: title %q status %q type %v", six.Title, six.Status, *six.Type)
	}
	if diff := cmp.Diff([]int{3, 4, 5}, six.Requires); diff != "" {
		t.Errorf("MIP-6 requires (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{6}, c.Proposals[0].RequiredBy); diff != "" {
		t.Errorf("MIP-3 requiredBy (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"type"}, six.Inferred); diff != "" {
		t.Errorf("MIP-6 inferred (-want +got):\n%s", diff)
	}
	if id, ok := c.ID("mip-3.MD"); id.String() != "MIP-3" || !ok {
		t.Errorf("ID(mip-3.MD) = %s, %v, want MIP-3, true", id, ok)
	}
	if id, ok := c.ID("MIP-99.md"); ok {
		t.Errorf("ID(MIP-99.md) = %s, true, want false", id)
	}
}
