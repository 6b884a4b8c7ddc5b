package markdown

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// testLinks knows proposals by file name and images below assets.
type testLinks struct{}

func (testLinks) Own(address string) (string, bool) {
	return "/mip/3/", address == "https://own.example/MIP-3.md"
}

func (testLinks) Link(dest string) (string, bool) {
	dest = strings.TrimPrefix(strings.TrimPrefix(dest, "./"), "../")
	switch {
	case strings.HasPrefix(dest, "mip-") && strings.HasSuffix(dest, ".md"):
		return "/base/mip/" + strings.TrimSuffix(strings.TrimPrefix(dest, "mip-"), ".md") + "/",
			true
	case strings.HasPrefix(dest, "assets/"):
		return "/base/" + dest, true
	case strings.HasPrefix(dest, "src/"):
		return "https://git.example/blob/main/" + dest, true
	case dest == "evil":
		return "//evil.example/", true
	}
	return "", false
}

func (testLinks) Picture(dest string) (Picture, bool) {
	at, ok := strings.CutPrefix(dest, "pictures/")
	return Picture{Href: "/base/assets/" + at, Width: 400, Height: 300}, ok
}

func renderTest(t testing.TB, m *Renderer, source []byte, title string) []byte {
	t.Helper()
	out, err := m.Render(markdown.Parse(string(source)), title, testLinks{})
	if err != nil {
		t.Fatalf("Render(%.200q) = %v", source, err)
	}
	return out.HTML
}

const goldens = "testdata/*.txtar" // Markdown and HTML

// TestMarkdownGolden renders each NAME.md of the archives into NAME.html; an archive's comment is
// the documents' title.
func TestMarkdownGolden(t *testing.T) {
	m := New(true)
	for path, archive := range testenv.Archives(t, goldens) {
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
				testenv.Golden(t, path, name+".html", append(bytes.TrimRight(got, "\n"), '\n'))
				for _, fault := range markdownFaults(got) {
					t.Errorf("Render(%q): %s in\n%s", f.Data, fault, got)
				}
			})
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
		{"references of one footnote", strings.Repeat("[^1]", 20_000) + "\n\n[^1]: x\n",
			ErrTooLarge},
		{"plain text of a megabyte", strings.Repeat("word ", 200_000), nil},
		{"quotes of a megabyte", strings.Repeat(`""""`, 250_000), ErrTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(true).Render(markdown.Parse(tt.source), "", nil)
			if !errors.Is(err, tt.want) {
				t.Errorf("Render of %d bytes: error %v, want %v", len(tt.source), err, tt.want)
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
