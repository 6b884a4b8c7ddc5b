package corpus

import (
	"strconv"
	"strings"
)

// rewriteFlow quotes the plain scalars of the flow list or map that s begins with. end is the offset
// after it. ok is false for what must not be decoded (too deep, anchors) or is never closed.
func rewriteFlow(s string, depth int) (yaml string, end int, ok bool) {
	if depth >= maxDepth {
		return "", 0, false
	}
	closing := byte(']')
	if s[0] == '{' {
		closing = '}'
	}
	var b strings.Builder
	b.WriteByte(s[0])
	// afterKey is set between a key's colon and its value, pending when an item has been written.
	pending, afterKey := false, false
	for i := 1; i < len(s); {
		c := s[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n':
			i++
		case c == closing:
			if afterKey {
				b.WriteString(`""`)
			} else if pending && closing == '}' {
				b.WriteString(`: ""`)
			}
			b.WriteByte(closing)
			return b.String(), i + 1, true
		case c == ',':
			if afterKey {
				b.WriteString(`""`)
			} else if pending && closing == '}' {
				b.WriteString(`: ""`)
			}
			if pending || afterKey {
				b.WriteString(", ")
			}
			pending, afterKey = false, false
			i++
		case c == ':' && pending && !afterKey && closing == '}':
			b.WriteString(": ")
			pending, afterKey = false, true
			i++
		case pending:
			return "", 0, false
		case c == ']' || c == '}':
			return "", 0, false
		case c == '[' || c == '{':
			inner, n, ok := rewriteFlow(s[i:], depth+1)
			if !ok {
				return "", 0, false
			}
			if closing == '}' && !afterKey {
				return "", 0, false // a list or map as a key
			}
			b.WriteString(inner)
			i += n
			pending, afterKey = true, false
			if closing == '}' {
				pending = false
			}
		case c == '&' || c == '*' || c == '!' || c == '?' && i+1 < len(s) && s[i+1] == ' ':
			return "", 0, false
		case c == '"' || c == '\'':
			n := quotedEnd(s[i:])
			if n == 0 {
				return "", 0, false
			}
			b.WriteString(strings.ReplaceAll(s[i:i+n], "\n", "\n  "))
			i += n
			pending, afterKey = !afterKey, false
		default:
			n := plainEnd(s[i:], closing == '}' && !afterKey)
			b.WriteString(strconv.QuoteToASCII(foldBlanks(s[i : i+n])))
			i += n
			pending, afterKey = !afterKey, false
		}
	}
	return "", 0, false
}

// plainEnd is the length of the plain scalar at the start of s within a flow value.
func plainEnd(s string, key bool) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ',', ']', '}':
			return i
		case ':':
			if key && (i+1 == len(s) || strings.IndexByte(" \t\n,]}", s[i+1]) >= 0) {
				return i
			}
		}
	}
	return len(s)
}
