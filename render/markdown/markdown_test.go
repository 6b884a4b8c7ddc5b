package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"golang.org/x/tools/txtar"

	"github.com/mipwatch/mipwatch/internal/corpora"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// parseMarkdown does what the corpus does, in short: the same extensions, an id for each heading of
// the document itself.
func parseMarkdown(source []byte) ast.Node {
	p := goldmark.New(goldmark.WithExtensions(
		extension.Table, extension.Strikethrough, extension.Linkify, extension.TaskList, extension.Footnote, markdown.Formulas{})).Parser()
	root := p.Parse(text.NewReader(source), parser.WithContext(parser.NewContext()))
	seen := map[string]int{}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		title, _ := plainText(h, source)
		slug := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r), r == '-', r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, title)
		if slug == "" {
			slug = "section"
		}
		id := "s-" + slug
		for seen[id] > 0 {
			seen["s-"+slug]++
			id = fmt.Sprintf("s-%s-%d", slug, seen["s-"+slug]-1)
		}
		seen[id]++
		h.SetAttributeString("id", []byte(id))
	}
	return root
}

// testLinks knows proposals by file name and images below assets.
func testLinks(dest string) (string, bool) {
	dest = strings.TrimPrefix(strings.TrimPrefix(dest, "./"), "../")
	switch {
	case strings.HasPrefix(dest, "mip-") && strings.HasSuffix(dest, ".md"):
		return "/base/mip/" + strings.TrimSuffix(strings.TrimPrefix(dest, "mip-"), ".md") + "/", true
	case strings.HasPrefix(dest, "assets/"):
		return "/base/" + dest, true
	case strings.HasPrefix(dest, "src/"):
		return "https://git.example/blob/main/" + dest, true
	case dest == "evil":
		return "//evil.example/", true
	}
	return "", false
}

func renderTest(t testing.TB, m *Renderer, source []byte, title string) []byte {
	t.Helper()
	out, err := m.HTML(parseMarkdown(source), source, title, testLinks)
	if err != nil {
		t.Fatalf("HTML(%.200q) = %v", source, err)
	}
	return out
}

// goldenMarkdown returns the archives of Markdown and HTML.
func goldenMarkdown(t testing.TB) map[string]*txtar.Archive {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	out := map[string]*txtar.Archive{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[path] = archive
	}
	return out
}

// TestMarkdownGolden renders each NAME.md of the archives into NAME.html; an archive's comment is the
// documents' title.
func TestMarkdownGolden(t *testing.T) {
	m := New(true)
	for path, archive := range goldenMarkdown(t) {
		for _, f := range archive.Files {
			name, ok := strings.CutSuffix(f.Name, ".md")
			if !ok {
				continue
			}
			t.Run(filepath.Base(path)+"/"+name, func(t *testing.T) {
				title := strings.TrimSpace(string(archive.Comment))
				got := renderTest(t, m, f.Data, title)
				if bytes.Contains(got, []byte("\n-- ")) {
					t.Fatal("output looks like a txtar marker")
				}
				rendertest.Golden(t, path, name+".html", append(bytes.TrimRight(got, "\n"), '\n'))
				for _, fault := range markdownFaults(got) {
					t.Errorf("HTML(%q): %s in\n%s", f.Data, fault, got)
				}
			})
		}
	}
}

func TestMarkdownTwice(t *testing.T) {
	m := New(true)
	for path, archive := range goldenMarkdown(t) {
		for _, f := range archive.Files {
			if !strings.HasSuffix(f.Name, ".md") {
				continue
			}
			root := parseMarkdown(f.Data)
			var outs [4][]byte
			var wg sync.WaitGroup
			for i := range outs {
				wg.Go(func() {
					out, err := m.HTML(root, f.Data, "", testLinks)
					if err != nil {
						t.Errorf("%s: HTML(%s) = %v", path, f.Name, err)
					}
					outs[i] = out
				})
			}
			wg.Wait()
			fresh := renderTest(t, New(true), f.Data, "")
			for i, out := range outs {
				if !bytes.Equal(out, fresh) {
					t.Errorf("%s: %s: rendering %d of the same tree gives\n%s\nwant\n%s", path, f.Name, i, out, fresh)
				}
			}
		}
	}
}

func TestMarkdownTooLarge(t *testing.T) {
	row := "|" + strings.Repeat("a|", 400) + "\n"
	table := row + "|" + strings.Repeat("-|", 400) + "\n" + strings.Repeat("|\n", 2000)
	for _, tt := range []struct {
		name, source string
		want         error
	}{
		{"a table that multiplies", table, ErrTooLarge},
		{"entities beyond 20 times", strings.Repeat("\u00a0`\"\"\"\"\"\"\"\"`\n\n", 10), nil},
		{"list items", strings.Repeat("- [ ] \n", 12_000), nil},
		{"references of one footnote", strings.Repeat("[^1]", 20_000) + "\n\n[^1]: x\n", ErrTooLarge},
		{"plain text of a megabyte", strings.Repeat("word ", 200_000), nil},
		{"quotes of a megabyte", strings.Repeat(`""""`, 250_000), ErrTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := []byte(tt.source)
			out, err := New(true).HTML(parseMarkdown(source), source, "", nil)
			if !errors.Is(err, tt.want) {
				t.Errorf("HTML of %d bytes: %d bytes, error %v, want %v", len(source), len(out), err, tt.want)
			}
		})
	}
}

func TestSameTitle(t *testing.T) {
	for _, tt := range []struct {
		heading, title string
		want           bool
	}{
		{"Token Standard", "token standard", true},
		{"EIP-20: Token Standard", "Token Standard", true},
		{"Token Standard", "ERC-20: Token Standard", true},
		{"MIP 7 – Token, Standard!", "Token Standard", true},
		{"MIP-7: Token", "MIP-8: Token", true},
		{"トークン規格", "トークン規格", true},
		{"🐇", "🐇", true},
		{"🐇", "🐢", false},
		{"", "", false},
		{"Token Standards", "Token Standard", false},
		{"EIP-20", "Token Standard", false},
		{"SHA-256 x", "x", false},
	} {
		if got := sameTitle(tt.heading, tt.title); got != tt.want {
			t.Errorf("sameTitle(%q, %q) = %v, want %v", tt.heading, tt.title, got, tt.want)
		}
	}
}

// corpusFiles returns the Markdown files of the corpora on this machine.
func corpusFiles(t testing.TB) []string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(corpora.Need(t, ""), "*", "*.md"))
	return files
}

func TestMarkdownCorpora(t *testing.T) {
	m := New(true)
	for _, file := range corpusFiles(t) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range markdownFaults(renderTest(t, m, source, "")) {
			t.Errorf("%s: %s", filepath.Base(file), fault)
		}
	}
}
