package markdown

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/render/rendertest"
)

// hostileTokens are tokens for which lexers look far ahead, that begin something, or that can be
// split in more than one way.
func hostileTokens() []string {
	return []string{
		`"`, `'`, "`", `\`, `\"`, `\'`, "\\\n", `"""`, `'''`, `r#"`, `r##"`, `f"{`, `/`, `//`, `/*`,
		"/* ", "(* ", "a /* b\n", `*/`, "*", "#", "#!", "--", "<!--", "<![CDATA[", "<?", "<!", "</",
		"<a ", "<script>", "<script>\n", "<style>", "<<A", "<<A\n", "<", ">", "&", "$", "${", "$(",
		"$((", "@", "[@", "[@\n", "[[", "!", "%", "%0", "(", ")", "[", "]", "{", "}", ":", "::",
		";", ",", ".", "=", "-", "- ", "+", "~", "^", "|", "|-\n ", "> ", "?", "_", "0", "0.", "1e",
		"0x", "a", "A", "A_", "a ", "a\n", "a.", "a(", "a:", "a: ", "a=", "a,b ", "A1 ", "ab12 ",
		"é", "日", "\n", " ", "\t", " \n", "\x00", "```a\n", "**", "[a](", "$ ", "if ", "def ",
		"assembly (", "super(a ", "#if 0\n", "RUN ", "'[", "'(", "\n\n",
	}
}

// mustKeep highlights a text and checks that the output contains it.
func mustKeep(t testing.TB, lexer chroma.Lexer, text string) string {
	t.Helper()
	out := highlightCode(lexer, text)
	mustBeWhole(t, lexer, text, out)
	return out
}

// mustBeWhole checks that the text of the output is the source.
func mustBeWhole(t testing.TB, lexer chroma.Lexer, text, out string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader("<pre><code>\n" + out + "</code></pre>"))
	if err != nil {
		t.Fatal(err)
	}
	got, want := rendertest.TextOf(root),
		strings.NewReplacer("\x00", "\ufffd", "\r\n", "\n", "\r", "\n").Replace(text)
	if strings.TrimPrefix(got, "\n") != want {
		t.Errorf("%s: the text of %.99q became %.99q", lexer.Config().Name, text, got)
	}
}

// Three of chroma's lexers find empty tokens without end.
func TestHighlightEmptyTokens(t *testing.T) {
	none := func() chroma.Token { return chroma.Token{Type: chroma.Keyword} }
	if got := highlightCode(endless{next: none}, "a < b\n"); got != "a &lt; b\n" {
		t.Errorf("highlightCode with a lexer that never ends = %q", got)
	}
	for word, text := range map[string]string{"jsonata": "é\n", "jungle": "é\n",
		"squid": "a ::,{&_=&(-`\n"} {
		if got := highlighted(word, text); got != escape(text) || nameOf(word) != word {
			t.Errorf("%s: %q became %q, want it plain and named", word, text, got)
		}
	}
}

type endless struct {
	chroma.Lexer
	next chroma.Iterator
}

func (e endless) Tokenise(*chroma.TokeniseOptions, string) (chroma.Iterator, error) {
	return e.next, nil
}

// A release of chroma may change a pattern, which is then no longer patched.
func TestHighlightMendsApply(t *testing.T) {
	var have []string
	for name := range strings.FieldsSeq(highlightOffered) {
		for _, rules := range lexers.Get(name).(*chroma.RegexLexer).MustRules() {
			for _, rule := range rules {
				have = append(have, rule.Pattern)
			}
		}
	}
	for pattern := range highlightMends() {
		if !slices.Contains(have, pattern) {
			t.Errorf("no offered lexer has the pattern %s any more", pattern)
		}
	}
}

// caught receives the compiled rules of a lexer.
type caught struct{ rules *chroma.CompiledRules }

func (caught) Mutate(*chroma.LexerState) error { return nil }

func (c caught) MutateLexer(rules chroma.CompiledRules, state string, rule int) error {
	*c.rules = rules
	rules[state] = slices.Concat(rules[state][:rule], rules[state][rule+1:])
	return nil
}

// compiled returns the compiled rules of a lexer.
func compiled(t testing.TB, lexer chroma.Lexer) (out []*chroma.CompiledRule) {
	t.Helper()
	raw := lexer.(*chroma.RegexLexer).MustRules().Clone()
	var got chroma.CompiledRules
	raw["root"] = append(raw["root"], chroma.Rule{Mutator: caught{&got}})
	if _, err := chroma.MustNewLexer(lexer.Config(), func() chroma.Rules {
		return raw
	}).Tokenise(nil, ""); err != nil {
		t.Fatal(err)
	}
	for _, rules := range got {
		out = append(out, rules...)
	}
	if len(out) == 0 {
		t.Fatal("no rules")
	}
	return out
}

// mustMatch tries patterns on texts. A match takes microseconds. It reaches the program's limit of
// ten seconds only if the pattern tries 2^n ways.
func mustMatch(t testing.TB, rule *chroma.CompiledRule, texts iter.Seq[string]) {
	t.Helper()
	rule.Regexp.MatchTimeout = 10 * time.Second
	for text := range texts {
		if _, err := rule.Regexp.FindRunesMatchStartingAt([]rune(text), 0); err != nil {
			t.Fatalf("%s is cut off at %.60q: %v", rule.Pattern, text, err)
		}
	}
}

// No pattern backtracks without end: chroma's own patterns do at these heads and bodies.
func TestHighlightPatterns(t *testing.T) {
	texts := func(pattern string) iter.Seq[string] {
		return func(yield func(string) bool) {
			for _, head := range []string{"", `"`, "'", `$"`, "$'", "r#", patternHead(pattern, 2)} {
				for _, body := range []string{`\`, `\"`, "^", "A", "a ", "0"} {
					for _, tail := range []string{"|", "a"} {
						if !yield(head + strings.Repeat(body, 80) + tail) {
							return
						}
					}
				}
			}
		}
	}
	for _, lexer := range offeredLexers().Lexers {
		for _, rule := range compiled(t, lexer) {
			mustMatch(t, rule, texts(rule.Pattern))
		}
	}
}

// patternHead returns the first letters and signs of a pattern.
func patternHead(pattern string, n int) string {
	pattern = strings.NewReplacer(`(?s)`, "", `\b`, "", `\`, "", "(", "", "^", "", "?", "", ":",
		"").Replace(pattern)
	return pattern[:min(len(pattern), n)]
}

// shortTexts yields texts of up to ten tokens.
func shortTexts(n int) iter.Seq[string] {
	tokens, r := hostileTokens(), rand.New(rand.NewPCG(3, 4))
	return func(yield func(string) bool) {
		for range n {
			var text strings.Builder
			for range 1 + r.IntN(10) {
				text.WriteString(tokens[r.IntN(len(tokens))])
			}
			if !yield(text.String()) {
				return
			}
		}
	}
}

// repeatedText repeats a token in lines of a width, after a line of another kind.
func repeatedText(token string, width, size int) string {
	line := strings.Repeat(token, max(1, width/len(token))) + "\n"
	return strings.ToValidUTF8(("x\n" + strings.Repeat(line, size/len(line)+1))[:size], "")
}

// Each lexer gets a few texts: it ends, the text is complete, and the output is the same each time.
// BenchmarkAuditLexers has many.
func TestHighlightHostile(t *testing.T) {
	tokens := hostileTokens()
	for i, lexer := range offeredLexers().Lexers {
		for text := range shortTexts(40) {
			if first := mustKeep(t, lexer, text); highlightCode(lexer, text) != first {
				t.Errorf("%s: %q: not the same bytes twice", lexer.Config().Name, text)
			}
		}
		for j := i % 16; j < len(tokens); j += 16 {
			if text := repeatedText(tokens[j], 60, 2<<10); highlightable(text) {
				mustKeep(t, lexer, text)
			}
		}
	}
}

// These were found on chroma's unpatched lexers.
func TestHighlightBombs(t *testing.T) {
	for i := range 40 {
		for _, word := range []string{"json", "js", "ts", "go", "toml", "css", "graphql", "sh",
			"make", "docker", "yaml", "rust"} {
			text := fmt.Sprintf("\"%s%d\n'%[1]s\n%[3]sa\n", strings.Repeat(`\`, 36), i,
				strings.Repeat("A", 60))
			highlighted(word, text)
		}
	}
	for _, word := range []string{"groovy", "java", "ceylon", "d", "ballerina", "hlsl", "minizinc",
		"fish", "luau"} {
		highlighted(word, strings.Repeat("ab c\n", highlightMaxBlock/5))
	}
}

// FuzzHighlight takes a lexer and a text.
func FuzzHighlight(f *testing.F) {
	offered := offeredLexers().Lexers
	for i := range offered {
		for _, text := range []string{`"\\\\`, "a\n/* b", "<script>\n", "def f(x): return 1\n",
			"é"} {
			f.Add(uint8(i), text)
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, text string) {
		if !highlightable(text) {
			t.Skip("plain text")
		}
		lexer := offered[int(i)%len(offered)]
		ended := time.AfterFunc(30*time.Second, func() {
			panic(fmt.Sprintf("%s does not end: %q", lexer.Config().Name, text))
		})
		defer ended.Stop()
		first := highlightCode(lexer, text)
		if again := highlightCode(lexer, text); again != first {
			t.Errorf("%s: %q: not the same bytes twice", lexer.Config().Name, text)
		}
	})
}
