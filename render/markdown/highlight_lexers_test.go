package markdown

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/testenv"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// hostileTokens are what lexers look far ahead for, begin something with, or can split in more than one way.
func hostileTokens() []string {
	return []string{
		`"`, `'`, "`", `\`, `\"`, `\'`, "\\\n", `"""`, `'''`, `r#"`, `r##"`, `f"{`, `/`, `//`, `/*`, "/* ", "(* ", "a /* b\n", `*/`, "*", "#", "#!",
		"--", "<!--", "<![CDATA[", "<?", "<!", "</", "<a ", "<script>", "<script>\n", "<style>", "<<A", "<<A\n", "<", ">", "&", "$", "${", "$(",
		"$((", "@", "[@", "[@\n", "[[", "!", "%", "%0", "(", ")", "[", "]", "{", "}", ":", "::", ";", ",", ".", "=", "-", "- ", "+", "~", "^", "|",
		"|-\n ", "> ", "?", "_", "0", "0.", "1e", "0x", "a", "A", "A_", "a ", "a\n", "a.", "a(", "a:", "a: ", "a=", "a,b ", "A1 ", "ab12 ", "é", "日",
		"\n", " ", "\t", " \n", "\x00", "```a\n", "**", "[a](", "$ ", "if ", "def ", "assembly (", "super(a ", "#if 0\n", "RUN ", "'[", "'(", "\n\n",
	}
}

// forAll calls f for each offered lexer, in tests of their own.
func forAll(t *testing.T, f func(*testing.T, chroma.Lexer)) {
	t.Helper()
	for _, lexer := range offeredLexers().Lexers {
		t.Run(lexer.Config().Name, func(t *testing.T) { f(t, lexer) })
	}
}

// mustKeep highlights a text and reads it back.
func mustKeep(t *testing.T, lexer chroma.Lexer, text string) string {
	t.Helper()
	out := highlightCode(lexer, text)
	root, err := html.Parse(strings.NewReader("<pre><code>\n" + out + "</code></pre>"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rendertest.TextOf(root), strings.NewReplacer("\x00", "\ufffd", "\r\n", "\n", "\r", "\n").Replace(text); strings.TrimPrefix(got, "\n") != want {
		t.Errorf("%s: the text of %.99q became %.99q", lexer.Config().Name, text, got)
	}
	return out
}

// Three of chroma's lexers find empty tokens without end.
func TestHighlightEmptyTokens(t *testing.T) {
	none := func() chroma.Token { return chroma.Token{Type: chroma.Keyword} }
	if got := highlightCode(endless{next: none}, "a < b\n"); got != "a &lt; b\n" {
		t.Errorf("highlightCode with a lexer that never ends = %q", got)
	}
	for word, text := range map[string]string{"jsonata": "é\n", "jungle": "é\n", "squid": "a ::,{&_=&(-`\n"} {
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

// A release of chroma may change a pattern: then it is mended no more.
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

// caught is given the compiled rules of a lexer.
type caught struct{ rules *chroma.CompiledRules }

func (caught) Mutate(*chroma.LexerState) error { return nil }

func (c caught) MutateLexer(rules chroma.CompiledRules, state string, rule int) error {
	*c.rules = rules
	rules[state] = slices.Concat(rules[state][:rule], rules[state][rule+1:])
	return nil
}

// compiled returns what a lexer's rules are compiled to.
func compiled(t *testing.T, lexer chroma.Lexer) (out []*chroma.CompiledRule) {
	t.Helper()
	raw := lexer.(*chroma.RegexLexer).MustRules().Clone()
	var got chroma.CompiledRules
	raw["root"] = append(raw["root"], chroma.Rule{Mutator: caught{&got}})
	if _, err := chroma.MustNewLexer(lexer.Config(), func() chroma.Rules { return raw }).Tokenise(nil, ""); err != nil {
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

// No pattern backtracks without end: a text of a head, forty or three hundred times the same and a tail takes
// microseconds. A match is cut off after a hundred milliseconds, and tried again, as the machine may be busy.
func TestHighlightPatterns(t *testing.T) {
	const attempts = 5
	tokens := hostileTokens()
	forAll(t, func(t *testing.T, lexer chroma.Lexer) {
		for _, rule := range compiled(t, lexer) {
			if !strings.ContainsAny(rule.Pattern, "*+{") {
				continue
			}
			rule.Regexp.MatchTimeout = 100 * time.Millisecond
			r := rand.New(rand.NewPCG(1, 2))
			for range 800 {
				a, b, c := tokens[r.IntN(len(tokens))], tokens[r.IntN(len(tokens))], tokens[r.IntN(len(tokens))]
				if r.IntN(3) == 0 {
					a = patternHead(rule.Pattern, 1+r.IntN(3))
				}
				text := []rune(a + strings.Repeat(b, 40) + c)
				if r.IntN(10) == 0 && !manyBlanks.MatchString(strings.Repeat(b, 300)) {
					text = []rune(a + strings.Repeat(b, 300) + c)
				}
				var err error
				for range attempts {
					if _, err = rule.Regexp.FindRunesMatchStartingAt(text, 0); err == nil {
						break
					}
				}
				if err != nil {
					t.Errorf("%s is cut off at %.60q", rule.Pattern, string(text))
					break
				}
			}
		}
	})
}

// patternHead returns the first letters and signs of a pattern.
func patternHead(pattern string, n int) string {
	pattern = strings.NewReplacer(`(?s)`, "", `\b`, "", `\`, "", "(", "", "^", "", "?", "", ":", "").Replace(pattern)
	return pattern[:min(len(pattern), n)]
}

// Short texts of all kinds: each ends, is whole, and is the same each time.
func TestHighlightShort(t *testing.T) {
	const texts = 1600
	tokens := hostileTokens()
	forAll(t, func(t *testing.T, lexer chroma.Lexer) {
		t.Parallel()
		r := rand.New(rand.NewPCG(3, 4))
		for range texts {
			var text strings.Builder
			for range 1 + r.IntN(10) {
				text.WriteString(tokens[r.IntN(len(tokens))])
			}
			if first := mustKeep(t, lexer, text.String()); highlightCode(lexer, text.String()) != first {
				t.Errorf("%q: not the same bytes twice", text.String())
			}
		}
	})
}

// repeatedText repeats a token in lines of a width, after a line of another kind.
func repeatedText(token string, width, size int) string {
	line := strings.Repeat(token, max(1, width/len(token))) + "\n"
	return strings.ToValidUTF8(("x\n" + strings.Repeat(line, size/len(line)+1))[:size], "")
}

// Every token repeated in lines, in the long tests; of longer lines and of pairs of tokens some for each lexer:
// each text ends and is whole.
func TestHighlightRepeated(t *testing.T) {
	tokens := hostileTokens()
	forAll(t, func(t *testing.T, lexer chroma.Lexer) {
		t.Parallel()
		r := rand.New(rand.NewPCG(5, 6))
		for i, a := range tokens {
			b := tokens[r.IntN(len(tokens))]
			for j, text := range []string{
				repeatedText(a, highlightMaxLine-1, 4<<10), repeatedText(a, 60, 4<<10), repeatedText(a+b, 60, 2<<10), a + repeatedText(b, 60, 2<<10),
			} {
				tried := (4*i+j)%13 == len(lexer.Config().Name)%13 || j == 1 && testenv.All()
				if tried && highlightable(text) {
					mustKeep(t, lexer, text)
				}
			}
		}
	})
}

// What was found on chroma's lexers as they are.
func TestHighlightBombs(t *testing.T) {
	for i := range 40 {
		for _, word := range []string{"json", "js", "ts", "go", "toml", "css", "graphql", "sh", "make", "docker", "yaml", "rust"} {
			text := fmt.Sprintf("\"%s%d\n'%[1]s\n%[3]sa\n", strings.Repeat(`\`, 36), i, strings.Repeat("A", 60))
			highlighted(word, text)
		}
	}
	for _, word := range []string{"groovy", "java", "ceylon", "d", "ballerina", "hlsl", "minizinc", "fish", "luau"} {
		highlighted(word, strings.Repeat("ab c\n", highlightMaxBlock/5))
	}
}

// FuzzHighlight takes a lexer and a text.
func FuzzHighlight(f *testing.F) {
	offered := offeredLexers().Lexers
	for i := range offered {
		for _, text := range []string{`"\\\\`, "a\n/* b", "<script>\n", "def f(x): return 1\n", "é"} {
			f.Add(uint8(i), text)
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, text string) {
		if !highlightable(text) {
			t.Skip("plain text")
		}
		lexer := offered[int(i)%len(offered)]
		ended := time.AfterFunc(30*time.Second, func() { panic(fmt.Sprintf("%s does not end: %q", lexer.Config().Name, text)) })
		defer ended.Stop()
		first := highlightCode(lexer, text)
		if again := highlightCode(lexer, text); again != first {
			t.Errorf("%s: %q: not the same bytes twice", lexer.Config().Name, text)
		}
	})
}
