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
	f := flow{isMap: s[0] == '{'}
	f.b.WriteByte(s[0])
	for i := 1; i < len(s); {
		c := s[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n':
			i++
		case c == closing:
			f.finish()
			f.b.WriteByte(closing)
			return f.b.String(), i + 1, true
		case c == ',':
			f.finish()
			f.state = between
			i++
		case c == ':' && f.isMap && f.state == keyed:
			f.b.WriteString(": ")
			f.state = valued
			i++
		case f.state == keyed || f.state == done || c == ']' || c == '}' || strings.IndexByte("&*!", c) >= 0 || strings.HasPrefix(s[i:], "? "):
			return "", 0, false
		case c == '[' || c == '{':
			inner, n, ok := rewriteFlow(s[i:], depth+1)
			if !ok || f.isMap && f.state != valued { // a list or map cannot be a key
				return "", 0, false
			}
			f.item(inner)
			i += n
		case c == '"' || c == '\'':
			n := quotedEnd(s[i:])
			if n == 0 {
				return "", 0, false
			}
			f.item(strings.ReplaceAll(s[i:i+n], "\n", "\n  "))
			i += n
		default:
			n := plainEnd(s[i:], f.isMap && f.state != valued)
			if n == 0 {
				return "", 0, false
			}
			f.item(strconv.QuoteToASCII(foldBlanks(s[i : i+n])))
			i += n
		}
	}
	return "", 0, false
}

// flow is a flow list or map while it is written.
type flow struct {
	b     strings.Builder
	isMap bool
	state flowState
	items int
}

// flowState says what has been written of the current item.
type flowState int

const (
	between flowState = iota // nothing
	keyed                    // a map's key
	valued                   // a map's key and colon
	done                     // all of it
)

// item writes a scalar or a nested value: of a map, a key and then a value.
func (f *flow) item(yaml string) {
	if f.state == between && f.items > 0 {
		f.b.WriteString(", ")
	}
	f.b.WriteString(yaml)
	switch {
	case f.isMap && f.state == between:
		f.state = keyed
	default:
		f.state = done
	}
	f.items++
}

// finish completes a key without a value.
func (f *flow) finish() {
	switch f.state {
	case keyed:
		f.b.WriteString(`: ""`)
	case valued:
		f.b.WriteString(`""`)
	}
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
