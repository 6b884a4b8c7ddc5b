package markdown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/test/corpora"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// benchDocuments returns the parsed EIPs, or the golden pairs without corpora.
func benchDocuments(b *testing.B) []*markdown.Document {
	var docs []*markdown.Document
	files, _ := filepath.Glob(filepath.Join(corpora.Find("eips"), "*.md"))
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		docs = append(docs, markdown.Parse(string(source)))
	}
	if len(files) == 0 {
		for _, archive := range testenv.Archives(b, goldens) {
			for _, f := range archive.Files {
				if strings.HasSuffix(f.Name, ".md") {
					docs = append(docs, markdown.Parse(string(f.Data)))
				}
			}
		}
	}
	return docs
}

// All documents once, as in a build.
func benchmarkRender(b *testing.B, m *Renderer) {
	docs := benchDocuments(b)
	var size int64
	for _, d := range docs {
		size += int64(len(d.Body))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, d := range docs {
			if _, err := m.Render(d, "", testLinks{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkRender(b *testing.B) { benchmarkRender(b, New(true)) }

func BenchmarkRenderPlain(b *testing.B) { benchmarkRender(b, New(false)) }
