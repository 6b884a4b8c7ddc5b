//go:build linux

package markdown

import (
	"maps"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/chroma/v2"

	"github.com/mipwatch/mipwatch/internal/testenv"
)

// Sixteen times the text is not much more than sixteen times the work, whatever is repeated. Work is the time that the
// test's own thread was given: what else the machine does is not in it. A text that seems to be much more work
// than others of its length is measured anew, several times over.
func TestHighlightGrowth(t *testing.T) {
	testenv.Long(t, "the growth of work over all lexers")
	const attempts, most, suspect, least = 4, 3, 2, 50 * time.Millisecond
	forAll(t, func(t *testing.T, lexer chroma.Lexer) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		once := map[string]time.Duration{}
		for _, token := range growthTokens() {
			if text := repeatedText(token, 60, 4<<10); highlightable(text) {
				once[token] = work(t, lexer, text, 1)
			}
		}
		usual := slices.Sorted(maps.Values(once))[len(once)/2]
		for token, took := range once {
			if took < suspect*usual {
				continue
			}
			for n := range attempts {
				few, many := work(t, lexer, repeatedText(token, 60, 1<<10), 16), work(t, lexer, repeatedText(token, 60, 16<<10), 1)
				if many < least || many < most*few {
					break
				}
				if n == attempts-1 {
					t.Errorf("%q: a text of 16 KiB is %v of work, sixteen of 1 KiB %v", token, many, few)
				}
			}
		}
	})
}

// growthTokens are what chroma's own patterns look far ahead for.
func growthTokens() []string {
	return []string{`\"`, `"`, "/* ", "<!--", "<script>\n", "<<A\n", "[@\n", "'[", "-", ":", "a\n", "a ", "super(a ", "assembly (", `r#"`}
}

// work is the processor time that this thread spends on a text.
func work(t *testing.T, lexer chroma.Lexer, text string, times int) time.Duration {
	t.Helper()
	before := threadTime(t)
	for range times {
		highlightCode(lexer, text)
	}
	return threadTime(t) - before
}

func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
