package entity

import "strings"

// Weights (RFC 9110 section 12.4.2) in thousandths.
const (
	unlisted = -1
	refused  = 0
	most     = 1000
)

// wantsGzip reports whether gzip is the coding to send, given the lines of Accept-Encoding (RFC 9110
// section 12.5.3): it is acceptable, and no less welcome than no coding at all. Without the field, or
// with neither acceptable, the answer is no: every client can read what is not coded.
func wantsGzip(lines []string) bool {
	gzip, identity, others := unlisted, unlisted, unlisted
	for _, line := range lines {
		for member := range strings.SplitSeq(line, ",") {
			coding, parameter, weighted := strings.Cut(member, ";")
			w := most
			if weighted {
				w = weight(trim(parameter))
			}
			switch coding = trim(coding); {
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				gzip = w
			case strings.EqualFold(coding, "identity"):
				identity = w
			case coding == "*":
				others = w
			}
		}
	}
	if gzip == unlisted {
		gzip = others
	}
	if identity == unlisted {
		identity = others
	}
	return gzip > refused && gzip >= identity
}

// weight reads q=0.5 as 500. What is no weight refuses the coding, which is the safe way to be wrong.
func weight(s string) int {
	if len(s) < 3 || s[0] != 'q' && s[0] != 'Q' || s[1] != '=' {
		return refused
	}
	whole, decimals, _ := strings.Cut(s[2:], ".")
	if whole != "0" && whole != "1" || len(decimals) > 3 {
		return refused
	}
	n := int(whole[0] - '0')
	for i := range 3 {
		n *= 10
		if i >= len(decimals) {
			continue
		}
		if decimals[i] < '0' || decimals[i] > '9' {
			return refused
		}
		n += int(decimals[i] - '0')
	}
	if n > most {
		return refused
	}
	return n
}

// trim takes off optional whitespace (RFC 9110 section 5.6.3).
func trim(s string) string { return strings.Trim(s, " \t") }
