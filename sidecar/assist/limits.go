package assist

import "unicode"

// Bounds of a summary, lengths in runes.
const (
	minChanges  = 3
	maxChanges  = 6
	maxChange   = 400
	maxTLDR     = 400
	maxImpact   = 600
	minQuote    = 8
	maxQuote    = 300
	maxEvidence = 3 // of one axis
)

// hidden reports whether a text holds a character that a reader cannot see but a program obeys:
// controls, changes of direction, invisible blanks, or one that stands for bytes that were none.
func hidden(s string) bool {
	for _, c := range s {
		switch {
		case unicode.IsControl(c), c == 0x2028, c == 0x2029, c == unicode.ReplacementChar,
			c >= 0x202A && c <= 0x202E, c >= 0x2066 && c <= 0x2069, c == 0x200E, c == 0x200F, c == 0x061C,
			c == 0x200B, c == 0xFEFF, c >= 0x2060 && c <= 0x2064, c == 0xFFFE, c == 0xFFFF, c >= 0xE0000 && c <= 0xE007F:
			return true
		}
	}
	return false
}
