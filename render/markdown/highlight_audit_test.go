//go:build unix

package markdown

import (
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/chroma/v2"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// BenchmarkAuditLexers runs all offered lexers on all kinds of text. They change only with the
// versions of chroma and regexp2 in go.mod. A text that does not end, is incomplete or gives
// different output the second time breaks a promise. It reports processor times: the longest for a
// text of 4 KiB, and the ratio between one text of 16 KiB and sixteen of 1 KiB.
func BenchmarkAuditLexers(b *testing.B) {
	testenv.Long(b, "all lexers on all kinds of text")
	for _, lexer := range offeredLexers().Lexers {
		b.Run(lexer.Config().Name, func(b *testing.B) {
			worst, growth := time.Duration(0), 0.0
			for b.Loop() {
				for _, rule := range compiled(b, lexer) {
					auditPattern(b, rule)
				}
				for text := range shortTexts(1600) {
					if first := mustKeep(b, lexer, text); highlightCode(lexer, text) != first {
						b.Errorf("%q: not the same bytes twice", text)
					}
				}
				worst, growth = auditRepeated(b, lexer), auditGrowth(b, lexer)
			}
			b.ReportMetric(worst.Seconds(), "worst-sec")
			b.ReportMetric(growth, "growth")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// auditPattern tries a pattern on texts of a head, eighty or three hundred repetitions and a tail.
func auditPattern(b *testing.B, rule *chroma.CompiledRule) {
	tokens, r := hostileTokens(), rand.New(rand.NewPCG(1, 2))
	any := func() string { return tokens[r.IntN(len(tokens))] }
	mustMatch(b, rule, func(yield func(string) bool) {
		for range 800 {
			head, body, tail := any(), any(), any()
			if r.IntN(3) == 0 {
				head = patternHead(rule.Pattern, 1+r.IntN(3))
			}
			times := 80
			if r.IntN(10) == 0 && strings.TrimSpace(body) != "" {
				times = 300
			}
			if !yield(head + strings.Repeat(body, times) + tail) {
				return
			}
		}
	})
}

// auditRepeated returns the longest time for texts that repeat one or two tokens.
func auditRepeated(b *testing.B, lexer chroma.Lexer) (longest time.Duration) {
	tokens, r := hostileTokens(), rand.New(rand.NewPCG(5, 6))
	for _, token := range tokens {
		other := tokens[r.IntN(len(tokens))]
		for _, text := range []string{
			repeatedText(token, highlightMaxLine-1, 4<<10), repeatedText(token, 60, 4<<10),
			repeatedText(token+other, 60, 2<<10), token + repeatedText(other, 60, 2<<10),
		} {
			if highlightable(text) {
				took, out := timeOver(b, lexer, text, 1)
				mustBeWhole(b, lexer, text, out)
				longest = max(longest, took)
			}
		}
	}
	return longest
}

// auditGrowth returns the largest growth for tokens for which chroma's own patterns look far ahead.
func auditGrowth(b *testing.B, lexer chroma.Lexer) (most float64) {
	const noise = 5 * time.Millisecond
	for _, token := range []string{`\"`, `"`, "/* ", "<!--", "<script>\n", "<<A\n", "[@\n", "'[",
		"-", ":", "a\n", "a ", "super(a ", "assembly (", `r#"`} {
		few, _ := timeOver(b, lexer, repeatedText(token, 60, 1<<10), 16)
		many, _ := timeOver(b, lexer, repeatedText(token, 60, 16<<10), 1)
		most = max(most, float64(many+noise)/float64(few+noise))
	}
	return most
}

// timeOver returns a lexer's processor time for repeated runs on a text, and the output.
func timeOver(
	b *testing.B, lexer chroma.Lexer, text string, times int,
) (took time.Duration, out string) {
	before := processorTime(b)
	for range times {
		out = highlightCode(lexer, text)
	}
	return processorTime(b) - before, out
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano())
}
