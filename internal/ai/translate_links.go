package ai

import (
	"strings"
)

// bracketEnd reads a ]: the end of a link's text, or nothing.
func (r *inlineReader) bracketEnd(rest string) {
	if len(r.open) == 0 {
		r.at++
		return
	}
	opening := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	inner := strings.TrimLeft(r.text[opening.at:r.at], "!")[1:]
	if n := linkTarget(rest[1:]); n > 0 {
		class := targetToken
		if r.text[opening.at] == '!' {
			class = imageToken
		}
		r.add(class, 1+n)
		if t := &r.out[len(r.out)-1]; t.to-t.from > len("]()") {
			t.hide = span{t.from + len("]("), t.to - len(")")}
		}
		return
	}
	if m := linkLabel().FindStringSubmatch(rest[1:]); m != nil && m[1] != "" && r.labels[foldLabel(m[1])] {
		r.add(referenceToken, 1+len(m[0]))
		t := &r.out[len(r.out)-1]
		t.hide = span{t.from + len("]["), t.to - len("]")}
		return
	}
	if len(inner) > longestLabel || !r.labels[foldLabel(inner)] {
		r.at++
		return
	}
	// The text is the label, too: it stays as it is.
	end := r.at + len("]")
	if strings.HasPrefix(r.text[end:], "[]") {
		end += len("[]")
	}
	r.out = r.out[:opening.tokens]
	r.at = opening.at
	r.hidden(referenceToken, end-opening.at)
}

var (
	linkLabel = lazily(`^\[([^\[\]]{0,999})\]`)
	linkTitle = lazily(`^\s+(?:"(?:[^"\\]|\\.){0,999}"|'(?:[^'\\]|\\.){0,999}'|\((?:[^()\\]|\\.){0,999}\))`)
	linkAngle = lazily(`^<(?:[^<>\n\\]|\\.)*>`)
)

// longestLabel is what CommonMark allows, in bytes.
const longestLabel = 999

// linkTarget is the length of the target and title in parentheses that a text begins with, or 0.
func linkTarget(text string) int {
	if !strings.HasPrefix(text, "(") {
		return 0
	}
	at := len(text) - len(strings.TrimLeft(text[1:], " \t\n"))
	if m := linkAngle().FindString(text[at:]); m != "" {
		at += len(m)
	} else {
		at += targetLength(text[at:])
	}
	if m := linkTitle().FindString(text[at:]); m != "" {
		at += len(m)
	}
	at = len(text) - len(strings.TrimLeft(text[at:], " \t\n"))
	if !strings.HasPrefix(text[at:], ")") {
		return 0
	}
	return at + 1
}

// targetLength is the length of the address that a text begins with: no blanks, parentheses in pairs.
func targetLength(text string) int {
	const deepest = 32
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c <= ' ':
			return i
		case c == '\\' && i+1 < len(text) && isPunct(text[i+1]):
			i++
		case c == '(':
			if depth++; depth > deepest {
				return i
			}
		case c == ')':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return len(text)
}

// definedLabel finds lines that could define a reference link, in code and elsewhere: one too many
// only leaves a link's text in English.
var definedLabel = lazily(`(?m)^[ \t>]*\[([^\^\[\]][^\[\]]*)\]:`)

// foldLabel is the form in which labels are compared.
func foldLabel(label string) string { return strings.ToLower(collapse(label)) }
