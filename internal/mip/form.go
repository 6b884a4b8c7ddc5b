package mip

import "strings"

// IsContentHash reports whether a text has the form of [Summary.ContentHash]: 64 hexadecimal
// digits in lower case.
func IsContentHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// IsLocale reports whether a text has the form of a language tag, in short (RFC 5646, sections
// 2.1 and 4.4.1): letters, digits and hyphens, at most 35 of them. It may stand in a path.
func IsLocale(s string) bool {
	const longest, longestPart = 35, 8
	if len(s) > longest {
		return false
	}
	for i, part := range strings.Split(s, "-") {
		if part == "" || len(part) > longestPart || i == 0 && len(part) < 2 {
			return false
		}
		for _, c := range []byte(part) {
			letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
			if !letter && (i == 0 || c < '0' || c > '9') {
				return false
			}
		}
	}
	return true
}
