package corpus

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bracketed says with a pattern what [bracketsOf] finds.
var bracketed = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)|\(([^()]*)\)|<([^<>]*)>`)

func bracketsByPattern(s string) []bracket {
	var out []bracket
	for _, m := range bracketed.FindAllStringSubmatchIndex(s, -1) {
		b := bracket{from: m[0], to: m[1]}
		switch {
		case m[2] >= 0:
			b.link, b.label, b.inner = true, s[m[2]:m[3]], s[m[4]:m[5]]
		case m[6] >= 0:
			b.inner = s[m[6]:m[7]]
		default:
			b.inner = s[m[8]:m[9]]
		}
		out = append(out, b)
	}
	return out
}

func FuzzBrackets(f *testing.F) {
	for _, s := range []string{
		"", "Ada Lovelace", "Ada (@ada), Grace <grace@example.org>", "[Ada](https://github.com/ada) (Lantern)",
		"((a)b)", "<a<b>", "[a]b](c)", "[[a](b", "[](", "[a](b(c)d)", "(<)>", "<(>)", "[a](", "ñ (é) <\n>", ")(", "][](",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if diff := cmp.Diff(bracketsByPattern(s), bracketsOf(s), cmp.AllowUnexported(bracket{})); diff != "" {
			t.Errorf("%q (-pattern +found):\n%s", s, diff)
		}
	})
}

// A hostile header costs no more than its length: if every bracket looked for its end on its own, these would
// cost the square of it, and the test would not come to its end in time.
func TestUnclosedBrackets(t *testing.T) {
	const n = 1 << 23
	for _, part := range []string{"[", "[](", "(", "<", "[a]", "(<", "[(<"} {
		if got := bracketsOf(strings.Repeat(part, n)); len(got) > 0 {
			t.Errorf("%q repeated: found %v", part, got[0])
		}
	}
}
