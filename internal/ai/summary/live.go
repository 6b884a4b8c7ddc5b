package summary

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// leading finds addresses and links, each in two parts that are harmless apart. It is compiled at its first use.
var leading = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(:)(//)|(www)(\.)|(\])(\()|(javascript)(:)`)
})

// isLive reports whether a program can make a link of a part of a text: an address, a link of Markdown or a tag
// outside of code. The summary's own words need none of them.
func isLive(text string) bool {
	return leading().MatchString(text) || hasTag(uncoded(text))
}

// hasTag reports whether a text holds a tag of HTML.
func hasTag(text string) bool {
	for i, c := range text {
		if c != '<' || i+1 == len(text) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+1:])
		if (unicode.IsLetter(next) || strings.ContainsRune("/!?", next)) && strings.IndexByte(text[i:], '>') > 0 {
			return true
		}
	}
	return false
}

// hidden reports whether a text holds a character that a reader cannot see but a program obeys. Among these are the
// invisible tags of Unicode, and the character that stands for bytes that were none.
func hidden(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool {
		return mip.ClassOf(c) != mip.Visible || c == unicode.ReplacementChar || 0xE0000 <= c && c <= 0xE007F
	})
}

// fit makes of a header's text one that [checkText] accepts, at most n runes long, cut between words. Addresses and
// links are taken apart, so that nothing makes a link of them, and stay readable.
func fit(s string, n int) string {
	s = strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' {
			return ' '
		}
		if hidden(string(c)) {
			return -1
		}
		return c
	}, s)
	s = prose.Collapse(s)
	for leading().MatchString(s) { // javascript:// takes two turns
		s = leading().ReplaceAllString(s, "$1$3$5$7 $2$4$6$8")
	}
	if hasTag(uncoded(s)) {
		s = strings.ReplaceAll(s, "<", "‹")
	}
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	cut := string([]rune(s)[:n-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}
