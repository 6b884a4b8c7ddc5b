package ai

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/mipwatch/mipwatch/internal/corpora"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// document is a proposal as the sidecar has it and as goldmark reads it.
type document struct {
	file     string
	proposal *mip.Proposal
	body     []byte
	root     ast.Node
}

func load(t testing.TB, prefix, folder string) []document {
	t.Helper()
	c, err := corpus.Load(t.Context(), corpus.Options{Prefix: prefix, Folders: []string{folder}})
	if err != nil {
		t.Fatal(err)
	}
	var out []document
	for _, p := range c.Proposals {
		doc := c.Read(p)
		out = append(out, document{p.File, &mip.Proposal{Summary: p.Summary, Sections: doc.Sections}, doc.Body, doc.Root})
	}
	return out
}

const samples = "../samples/proposals"

// collections are the real proposals and the samples.
func collections(t *testing.T, f func(t *testing.T, prefix string, all []document)) {
	for _, tt := range []struct {
		name, prefix string
		count        int
	}{{"eips", "EIP", 949}, {"monad-mips", "MIP", 5}, {"simd", "SIMD", 118}, {"samples", "MIP", 15}} {
		t.Run(tt.name, func(t *testing.T) {
			folder := samples
			if tt.name != "samples" {
				folder = corpora.Need(t, tt.name)
			}
			all := load(t, tt.prefix, folder)
			if len(all) != tt.count {
				t.Errorf("%s: %d proposals, want %d", tt.name, len(all), tt.count)
			}
			f(t, tt.prefix, all)
		})
	}
}

// TestTranslateIdentity holds that a model which repeats what it is given gives the proposal back, byte
// for byte, under all checks.
func TestTranslateIdentity(t *testing.T) {
	m := each(echo)
	collections(t, func(t *testing.T, _ string, all []document) {
		for _, d := range all {
			got, err := Translate(t.Context(), m, d.proposal, "de", nil, askAll)
			if err != nil {
				t.Errorf("%s: %v", d.file, err)
				continue
			}
			if diff := cmp.Diff(string(d.body), got.Markdown); diff != "" {
				t.Errorf("%s (-source +got):\n%s", d.file, diff)
			}
			if diff := cmp.Diff(d.proposal.Title, got.Title); diff != "" {
				t.Errorf("title of %s (-source +got):\n%s", d.file, diff)
			}
			if diff := cmp.Diff(d.proposal.Description, got.Description); diff != "" {
				t.Errorf("description of %s (-source +got):\n%s", d.file, diff)
			}
		}
	})
}

// kept is what the models of these tests copy, told by other means than the code's own.
var kept = regexp.MustCompile("(?s)`+[^`]+`+|\\{\\{x*[0-9]+\\}\\}|[A-Za-z][\\w-]*(?:\\.[A-Za-z][\\w-]*)+(?:/[\\w./-]+)?|\\b[A-Z]{2,}-[0-9]+|\\b[A-Za-z]*[0-9_][\\w.,+-]*|\\b(?:MUST|SHALL|SHOULD|NOT|REQUIRED|RECOMMENDED|MAY|OPTIONAL)\\b")

// cyrillic writes every word of a text in other letters, two bytes each, and joins its lines.
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

// Of more than mostStructured proposals, every eighth and those of longText bytes are enough.
const (
	mostStructured = 50
	longText       = 50_000
)

// TestTranslateKeepsStructure translates every word, and lets goldmark judge that nothing else has
// changed: blocks, code, links, tables, numbers.
func TestTranslateKeepsStructure(t *testing.T) {
	collections(t, func(t *testing.T, prefix string, all []document) {
		all = slices.DeleteFunc(all, func(d document) bool {
			return len(all) > mostStructured && d.proposal.Number%8 != 0 && len(d.body) < longText
		})
		dir := t.TempDir()
		for _, d := range all {
			got, err := Translate(t.Context(), each(cyrillic), d.proposal, "ru", nil, askAll)
			if err != nil {
				t.Errorf("%s: %v", d.file, err)
				continue
			}
			text := fmt.Sprintf("---\n%s: %d\ntitle: x\n---\n%s", strings.ToLower(prefix), d.proposal.Number, got.Markdown)
			name := filepath.Join(dir, filepath.Base(d.file))
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		translated := load(t, prefix, dir)
		if len(all) != len(translated) {
			t.Fatalf("%d of %d translations are sound", len(translated), len(all))
		}
		for i, d := range all {
			want, got := structure(d), structure(translated[i])
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("structure of %s (-source +translation):\n%s", d.file, diff)
			}
			levels := func(s mip.Section) int { return s.Level }
			if diff := cmp.Diff(project(d.proposal.Sections, levels), project(translated[i].proposal.Sections, levels)); diff != "" {
				t.Errorf("levels of %s (-source +translation):\n%s", d.file, diff)
			}
			if diff := cmp.Diff(digits(d.body), digits(translated[i].body)); diff != "" {
				t.Errorf("digits of %s (-source +translation):\n%s", d.file, diff)
			}
		}
	})
}

func project[T, U any](in []T, f func(T) U) []U {
	out := make([]U, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}

func digits(text []byte) []string {
	return regexp.MustCompile(`[0-9]+`).FindAllString(string(text), -1)
}

// structure is what goldmark finds in a document besides language.
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
