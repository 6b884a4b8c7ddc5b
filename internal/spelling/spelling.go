// Package spelling finds the form of a word that its spellings share. It does not know what words
// mean.
package spelling

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a text in lower case without the accents of Latin letters, so that Holešky and
// Holesky are one word. Marks of other scripts stay: there they make another letter.
func Fold(s string) string {
	s = strings.ToLower(s)
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return s
	}
	var b strings.Builder
	latin := false
	for _, r := range norm.NFD.String(s) {
		if accent := unicode.Is(unicode.Mn, r); !accent {
			latin = unicode.Is(unicode.Latin, r)
		} else if latin {
			continue
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}
