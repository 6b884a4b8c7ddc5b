package ai

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// document is a proposal in the forms of the sidecar and of goldmark.
type document struct {
	file     string
	proposal *mip.Proposal
	body     []byte
	root     ast.Node
}

func load(t testing.TB, prefix, folder string) []document {
	t.Helper()
	c, err := corpus.Load(t.Context(), corpus.Options{
		Options: header.Options{Prefix: prefix},
		Rules:   filename.Rules{Sources: []filename.Source{{Folder: folder}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []document
	for _, p := range c.Proposals {
		doc := markdown.Parse(p.Body)
		out = append(out, document{p.File,
			&mip.Proposal{Metadata: p.Metadata, Sections: doc.Sections}, doc.Body, doc.Root})
	}
	return out
}

const samples = "../samples/proposals"

// kept are the parts that the models of these tests copy, found in another way than in the code.
var kept = regexp.MustCompile("(?s)`+[^`]+`+" +
	`|\{\{x*[0-9]+\}\}` +
	`|[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+(?:/[\w./-]+)?` +
	`|\b[A-Z]{2,}-[0-9]+` +
	`|\b[A-Za-z]*[0-9_][\w.,+-]*` +
	`|\b(?:MUST|SHALL|SHOULD|NOT|REQUIRED|RECOMMENDED|MAY|OPTIONAL)\b`)

// cyrillic replaces the letters of every word by others of two bytes, and joins lines.
func cyrillic(text string) string {
	var b strings.Builder
	change := func(s string) {
		for _, c := range s {
			switch {
			case 'a' <= c && c <= 'z':
				c += 'а' - 'a'
			case 'A' <= c && c <= 'Z':
				c += 'А' - 'A'
			case c == '\n':
				c = ' '
			case unicode.Is(unicode.Latin, c):
				c = 'ё'
			}
			b.WriteRune(c)
		}
	}
	at := 0
	for _, m := range kept.FindAllStringIndex(text, -1) {
		change(text[at:m[0]])
		b.WriteString(text[m[0]:m[1]])
		at = m[1]
	}
	change(text[at:])
	return b.String()
}

// TestTranslateKeepsStructure translates every word of the samples and checks by goldmark that
// nothing else has changed: blocks, code, links, tables, numbers. Tests of package build do so with
// real proposals.
func TestTranslateKeepsStructure(t *testing.T) {
	for _, d := range load(t, "MIP", samples) {
		got, err := Translate(t.Context(), uncached{each(cyrillic)}, d.proposal, "ru", nil)
		if err != nil {
			t.Errorf("%s: %v", d.file, err)
			continue
		}
		read := markdown.Parse(got.Markdown)
		after := structure(document{body: read.Body, root: read.Root})
		if diff := cmp.Diff(structure(d), after); diff != "" {
			t.Errorf("structure of %s (-source +translation):\n%s", d.file, diff)
		}
		if diff := cmp.Diff(digits(d.body), digits(read.Body)); diff != "" {
			t.Errorf("digits of %s (-source +translation):\n%s", d.file, diff)
		}
	}
}

func digits(text []byte) []string {
	return regexp.MustCompile(`[0-9]+`).FindAllString(string(text), -1)
}

// structure returns everything that goldmark finds in a document besides language.
func structure(d document) []string {
	var out []string
	var inline []string
	ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		kind := n.Kind().String()
		switch n := n.(type) {
		case *ast.Heading:
			kind += fmt.Sprint(n.Level)
		case *ast.List:
			kind += fmt.Sprint(n.Start, string(n.Marker), n.IsTight)
		case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock:
			kind += "\n" + string(n.Lines().Value(d.body))
		case *extast.Table:
			kind += fmt.Sprint(n.Alignments)
		case *ast.CodeSpan:
			var code strings.Builder
			code.WriteString("code ")
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				code.Write(c.(*ast.Text).Value(d.body))
			}
			inline = append(inline, code.String())
		case *ast.Link:
			inline = append(inline, "link "+string(n.Destination))
		case *ast.Image:
			inline = append(inline, "image "+string(n.Destination))
		case *ast.AutoLink:
			inline = append(inline, "address "+string(n.URL(d.body)))
		case *ast.RawHTML:
			inline = append(inline, "html "+string(n.Segments.Value(d.body)))
		case *extast.FootnoteLink:
			inline = append(inline, fmt.Sprint("footnote ", n.Index))
		}
		if n.Type() == ast.TypeBlock {
			out = append(out, kind)
		}
		return ast.WalkContinue, nil
	})
	slices.Sort(inline)
	return append(out, inline...)
}
