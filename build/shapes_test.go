package build_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/search"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// shaped returns a proposal with 1 MiB of text of each shape.
func shaped() map[string]string {
	header := strings.TrimSuffix(proposalText("", "T"), "\n")
	texts := testenv.Shapes(1<<20 - len(header) - 1)
	for name, text := range texts {
		texts[name] = header + "\n" + text
	}
	return texts
}

// TestShapes checks the size of the search index's parts for extreme texts.
func TestShapes(t *testing.T) {
	for name, text := range shaped() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			texts := 0
			p, err := buildtest.Plan(t.Context(), testSite("MIP"), folderOf(t, "MIP-1.md", text))
			if err != nil {
				t.Fatal(err)
			}
			files, err := p.Index()
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range files {
				body, err := a.Bytes()
				if err != nil {
					t.Fatal(err)
				}
				for _, data := range unpacked(body) {
					var part struct {
						Sections []search.SectionText
						Terms    string
					}
					if err := json.Unmarshal(data, &part); err != nil {
						t.Fatal(err)
					}
					most := 16 << 10 // titles of some proposals
					switch {
					case part.Sections != nil:
						most = 8 << 10
						texts++
					case part.Terms != "":
						most = 36 << 10
					}
					if len(data) > most {
						t.Errorf("a part of %s has %d bytes, want %d at most: %.100s",
							a.File, len(data), most, data)
					}
				}
			}
			if texts == 0 {
				t.Error("no part has texts")
			}
		})
	}
}
