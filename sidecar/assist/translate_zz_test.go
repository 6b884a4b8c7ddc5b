package assist

import (
	"strings"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	for _, in := range []string{"[", "]", "![", "](", "](a", "](a \"", "`", "``a`", "<!--", "<a b=\"", "<a ", "$a", "$$", "\\_", "_", "a_", "1", "1,", "https://x", "https://x)", ")", "a@", "- ", "> ", "  \n", "a\n", "| ", "|-", "[a]:", "[a]: b\n", "[^1]", "[^1]: ", "&#", "MUST ", "<x", "{{", "# ", "\t", "*a_ ", "1. "} {
		text := strings.Repeat(in, 200_000/len(in))
		for name, f := range map[string]func(){"layout": func() { layout(text) }, "tokens": func() { tokens(text, nil) }, "hide": func() { s, g := only(paragraphPart, text); s.check(g, g.asked) }} {
			start := time.Now()
			f()
			if d := time.Since(start); d > 300*time.Millisecond {
				t.Logf("%q %s %v", in, name, d)
			}
		}
	}
}
