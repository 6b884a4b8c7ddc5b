package markdown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"

	"github.com/mipwatch/mipwatch/internal/corpora"
)

type benchDocument struct {
	source []byte
	root   ast.Node
}

// benchDocuments are the parsed EIPs, or the golden pairs when there are no corpora.
func benchDocuments(b *testing.B) []benchDocument {
	var sources [][]byte
	files, _ := filepath.Glob(filepath.Join(corpora.Find("eips"), "*.md"))
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		sources = append(sources, source)
	}
	if len(files) == 0 {
		for _, archive := range goldenMarkdown(b) {
			for _, f := range archive.Files {
				if strings.HasSuffix(f.Name, ".md") {
					sources = append(sources, f.Data)
				}
			}
		}
	}
	docs := make([]benchDocument, len(sources))
	for i, source := range sources {
		docs[i] = benchDocument{source, parseMarkdown(source)}
	}
	return docs
}

func benchmarkHTML(b *testing.B, renderer func() *Renderer) {
	docs := benchDocuments(b)
	var size int64
	for _, d := range docs {
		size += int64(len(d.source))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		m := renderer()
		for _, d := range docs {
			if _, err := m.HTML(d.root, d.source, "", testLinks); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// All documents once, by a renderer that has seen none of them: what a build does.
func BenchmarkHTML(b *testing.B) {
	benchmarkHTML(b, func() *Renderer { return New(true) })
}

func BenchmarkHTMLPlain(b *testing.B) {
	benchmarkHTML(b, func() *Renderer { return New(false) })
}

// The same renderer again and again: what serve does after a change.
func BenchmarkHTMLAgain(b *testing.B) {
	m := New(true)
	for _, d := range benchDocuments(b) {
		if _, err := m.HTML(d.root, d.source, "", testLinks); err != nil {
			b.Fatal(err)
		}
	}
	benchmarkHTML(b, func() *Renderer { return m })
}
