package markdown

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/render/rendertest"
)

func nameOf(info string) string {
	name, _ := languageOf(info)
	return name
}

func TestFenceName(t *testing.T) {
	for _, tt := range []struct{ info, want string }{
		{"", ""}, {"solidity", "Solidity"}, {"Python", "Python"}, {"solidity=", "Solidity"},
		{"rust,ignore", "Rust"}, {"go x", "Go"}, {"{.python}", "Python"}, {"{.python", "Python"},
		{"c++", "C++"}, {"C#", "C#"}, {"csl-json", "CSL JSON"}, {"js:line", "JavaScript"},
		{"-->", ""}, {"1", ""}, {"<b>", ""}, {"\"x", ""}, {"日本", ""}, {strings.Repeat("a", 33), ""},
		{"..", ""},
	} {
		if got := nameOf(tt.info); got != tt.want {
			t.Errorf("languageOf(%q) = %q, want %q", tt.info, got, tt.want)
		}
	}
}

func TestLanguageNames(t *testing.T) {
	for _, tt := range []struct {
		word, want string
		lexer      bool
	}{
		{"", "", false}, {"text", "", false}, {"TXT", "", false}, {"solidity", "Solidity", true},
		{"sol", "Solidity", true}, {"py", "Python", true}, {"js", "JavaScript", true},
		{"ts", "TypeScript", true}, {"json", "JSON", true}, {"golang", "Go", true},
		{"rs", "Rust", true}, {"c++", "C++", true}, {"sh", "Bash", true},
		{"yml", "YAML", true}, {"markdown", "Markdown", true}, {"csv", "CSV", false},
		{"mermaid", "Diagram", false}, {"math", "Math", false},
		{"pseudocode", "Pseudocode", false}, {"nosuch", "nosuch", false},
	} {
		if name, lexer := languageOf(tt.word); name != tt.want || (lexer != nil) != tt.lexer {
			t.Errorf("languageOf(%q) = %q, lexer %v, want %q, lexer %v", tt.word, name,
				lexer != nil, tt.want, tt.lexer)
		}
	}
}

// highlighted returns a block's text as HTML.
func highlighted(word, code string) string {
	if _, lexer := languageOf(word); lexer != nil && highlightable(code) {
		return highlightCode(lexer, code)
	}
	return escape(code)
}

// Code for which a lexer would take seconds or minutes stays plain, for reasons that do not depend
// on time.
func TestHighlightGuard(t *testing.T) {
	honest := "def f(x):\n    return x + 1  # one more\n"
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, "x%d = f(%d)\n", i*i*7919, i*104729)
	}
	for _, tt := range []struct {
		name, word, code string
		want             bool
	}{
		{"honest", "python", honest, true},
		{"long", "python", long.String()[:highlightMaxBlock], true},
		{"too long", "python", long.String()[:highlightMaxBlock+1], false},
		{"a long line", "python", honest + "x = '" + long.String()[:3000] + "'", true},
		{"too long a line", "python", honest + "x = '" +
			strings.ReplaceAll(long.String()[:3000], "\n", " ") + "'", false},
		{"blanks", "python", honest + strings.Repeat(" ", 99) + "\n", false},
		{"empty lines", "python", honest + strings.Repeat("\n", 99), false},
		{"fewer blanks", "python", honest + strings.Repeat(" ", 90) + "# end\n", true},
		{"not of the language", "json",
			strings.Repeat("the quick brown fox <jumps> over ; it\n", 5), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := highlighted(tt.word, tt.code)
			if plain := escape(tt.code); (got != plain) != tt.want {
				t.Errorf("%s of %d bytes highlighted: %v, want %v", tt.word, len(tt.code),
					got != plain, tt.want)
			}
			admitted := highlightable(tt.code)
			if admitted != tt.want && tt.name != "not of the language" {
				t.Errorf("highlightable(%d bytes of %s) = %v, want %v", len(tt.code), tt.word,
					admitted, tt.want)
			}
		})
	}
}

// Rules that are tried first change no color. <k>…</> is short for a span of a keyword, and so on.
func TestHighlightOrder(t *testing.T) {
	short := strings.NewReplacer(`<span class="kw">`, "<k>", `<span class="ty">`, "<t>",
		`<span class="fn">`, "<f>", `<span class="st">`, "<s>", `<span class="nu">`, "<n>",
		`<span class="co">`, "<c>", "</span>", "</>", "&quot;", `"`, "&gt;", ">")
	for _, tt := range []struct{ word, want string }{
		{"python", `x = f(<s>rf"{</>a + <s>'b'!r:>10} {</>c<s>}"</>, <s>b'1'</>, fr)`},
		{"python", `<k>def</> <f>fr</>(b, rb=<n>2.5</>): <c># u</>`},
		{"python", `    <k>return</> <n>.5</> -(b)`},
		{"python", "<k>class</> <t>A</>(B):\n    <s>\"\"\"Has 'x'.\"\"\"</>\n\n    <k>pass</>"},
		{"python", `<k>in</><s>"x"</>; bb<s>"y"</>`},
		{"solidity", `<k>event</> <t>E</>(<t>uint256</> <k>indexed</> id); <c>// e</>`},
		{"solidity", "<k>assembly</> {\n  <k>let</> x := <f>add</>(<n>1</>, <n>2</>)\n}"},
		{"solidity", `<k>return</> a.b[<n>0</>] /= <f>msg</>.<f>sender</>;`},
	} {
		code := regexp.MustCompile(`<[a-z]>|</>`).ReplaceAllString(tt.want, "") + "\n"
		if got := short.Replace(highlighted(tt.word, code)); got != tt.want+"\n" {
			t.Errorf("%s is colored\n%s, want\n%s", tt.word, got, tt.want)
		}
	}
}

func TestHighlightDocument(t *testing.T) {
	var block strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&block, "x%d = %d\n", i*7919, i*i*104729)
	}
	code := block.String()[:highlightMaxBlock-1] + "\n"
	source := []byte(strings.Repeat("```python\n"+code+"```\n\n", 3))
	out := string(renderTest(t, New(true), source, ""))
	blocks := strings.SplitAfter(out, "</figure>")
	for i, want := range []bool{true, true, false} {
		if got := strings.Contains(blocks[i], "<span class=\"nu\">"); got != want {
			t.Errorf("block %d of %d bytes highlighted: %v, want %v", i, len(code), got, want)
		}
	}
}

// faultyLexer misbehaves in the way that its value names.
type faultyLexer struct {
	chroma.Lexer
	fault string
}

func (f faultyLexer) Tokenise(_ *chroma.TokeniseOptions, text string) (chroma.Iterator, error) {
	switch f.fault {
	case "error":
		return nil, errors.New("no rules")
	case "panic":
		return func() chroma.Token { panic("unknown state") }, nil
	case "loses text":
		return chroma.Literator(chroma.Token{Type: chroma.Keyword, Value: text[1:]}), nil
	case "adds text":
		return chroma.Literator(chroma.Token{Type: chroma.Keyword, Value: text + "x"}), nil
	case "stops early":
		return chroma.Literator(chroma.Token{Type: chroma.Text, Value: text[:2]}), nil
	}
	panic("no such fault")
}

func TestHighlightFaultyLexer(t *testing.T) {
	for _, fault := range []string{"error", "panic", "loses text", "adds text", "stops early"} {
		got, want := highlightCode(faultyLexer{fault: fault}, "a < b\n"), "a &lt; b\n"
		if got != want {
			t.Errorf("%s: highlightCode = %q, want %q", fault, got, want)
		}
	}
}

// The text of a highlighted block is the source, whatever the lexer returns.
func TestHighlightKeepsText(t *testing.T) {
	for _, word := range []string{"python", "solidity", "json", "go", "js", "ts", "rust", "c++",
		"sh", "yaml", "diff", "html", "markdown"} {
		for _, code := range []string{
			"", "\n", "\n\n x \n\n", "a", "\ta\n", "\"unclosed", "'''", "/* never closed\n",
			"<b>&amp;</b>\n", "👩\u200d👩\u200d👧 é \u202e\n", "\x01\n",
			"if x { return 1 } // c\n\n\n", "{\"a\": [1]}\n", "+a\n-b\n", "\xff\xfe\n",
		} {
			got := highlighted(word, code)
			root, err := html.Parse(strings.NewReader("<pre><code>" + got + "</code></pre>"))
			if err != nil {
				t.Fatal(err)
			}
			if text := rendertest.TextOf(root); text != code {
				t.Errorf("%s: the text of %q became %q", word, code, text)
			}
		}
	}
}
