package corpus

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

const goldens = "testdata/*.txtar"

// TestGolden loads the files of every testdata/*.txtar as one folder and compares the result with
// the archive's file "want". The first line of the comment may be "prefix: EIP".
func TestGolden(t *testing.T) {
	for path, a := range testenv.Archives(t, goldens) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			prefix := ""
			first, _, _ := strings.Cut(string(a.Comment), "\n")
			if after, ok := strings.CutPrefix(first, "prefix: "); ok {
				prefix = after
			}
			dir := t.TempDir()
			for _, f := range a.Files {
				if f.Name != "want" {
					writeFile(t, filepath.Join(dir, f.Name), f.Data)
				}
			}
			testenv.Golden(t, path, "want", outcome(t, dir, prefix))
		})
	}
}

// outcome formats the result of a load: problems as lines, then every proposal without null or
// empty fields.
func outcome(t *testing.T, dir, prefix string) []byte {
	t.Helper()
	c, err := Load(t.Context(), Options{
		Options: header.Options{Prefix: prefix, Addresses: []string{"https://example.org"}},
		Rules:   in(dir),
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, p := range c.Problems {
		p.File = strings.TrimPrefix(p.File, filepath.ToSlash(dir)+"/")
		b.WriteString(string(p.Level) + " " + strings.ReplaceAll(p.String(),
			filepath.ToSlash(dir)+"/", "") + "\n")
	}
	for _, p := range c.Proposals {
		doc := markdown.Parse(p.Body)
		checkDocument(t, p.File, doc)
		checkSummary(t, p)
		j, err := json.Marshal(p.Metadata)
		if err != nil {
			t.Fatal(err)
		}
		fields := map[string]any{}
		if err := json.Unmarshal(j, &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, "contentHash")
		fields["sections"] = doc.Sections
		for key, v := range fields {
			if e, err := json.Marshal(v); err == nil &&
				(string(e) == "null" || string(e) == "[]" || string(e) == `""`) {
				delete(fields, key)
			}
		}
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(fields); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func writeFile(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
