package header

import (
	"regexp"
	"slices"
	"strings"
)

// maxDepth bounds the nesting of lists and maps in a value. A deeper value is kept as text.
const maxDepth = 32

// mark is inserted before each plain text that YAML 1.1 would interpret, and removed from the
// decoded value. It is a private-use character: a value that contains it is kept as text.
const mark = "\U0010FFFD"

var (
	// special matches the beginning of such a text: a number, a word for true or false, a character
	// reserved by YAML, a Markdown link, or a # at the beginning of an item or of a map's value.
	special = regexp.MustCompile(`(?im)(^|[\s,\[{:])([-+.]?[\d.]|[&*!?@%` + "`" +
		`]|<<|\[[^\[\]\n]*\]\(|(?:y|n|yes|no|on|off|true|false)\b)` +
		`|((?:[\[{,]|:\s|(?:^|\s)-\s)\s*)(#\S)`)
	// emptyItem is a hyphen on a separate line. goldmark-meta treats a line of hyphens as the end
	// of the header wherever it occurs.
	emptyItem = regexp.MustCompile(`(?m)^([ \t]*-)[ \t]*$`)
	hyphens   = regexp.MustCompile(`(?m)^[ \t]*-+[ \t]*$`)
	// tabs matches tabs where YAML refuses them: before a line and before a value.
	tabs = regexp.MustCompile(`(?m)(?:^|[-:])[ \t]*\t`)
	// unmark removes what yaml inserted.
	unmark = strings.NewReplacer(" #"+mark, "", mark, "")
)

// isComment reports a text that is only a comment.
func isComment(s string) bool { return s == "#" || strings.HasPrefix(s, "# ") }

// cutComment returns a line without the comment at its end.
func cutComment(s string) string {
	if isComment(s) {
		return ""
	}
	before, _, _ := strings.Cut(s, " #")
	return strings.TrimSpace(before)
}

// withoutComments returns the lines that are neither blank nor a comment.
func withoutComments(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		line = strings.TrimSpace(line)
		return line == "" || isComment(line)
	})
}

// blockScalar reports whether s is the head of a literal or folded block, such as |, >- or |2+.
func blockScalar(s string) bool {
	return (s[0] == '|' || s[0] == '>') && strings.Trim(cutComment(s[1:]), "+-123456789") == ""
}

// quotedText matches a quoted scalar at the beginning of a text. A backslash escapes within double
// quotes, a second quote within single ones.
var quotedText = regexp.MustCompile(`(?s)^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')`)

// closing returns the length of the quoted text, the list or the map in brackets at the beginning
// of s, or -1 if it is never closed or too deep.
func closing(s string) int {
	var open []byte // expected closing brackets
	for i := 0; i < len(s); {
		n := 1
		switch c := s[i]; c {
		case '[', '{':
			open = append(open, c+2) // in ASCII the closing bracket is two after the opening one
		case ']', '}':
			if len(open) == 0 || c != open[len(open)-1] {
				return -1
			}
			open = open[:len(open)-1]
		case '"', '\'':
			if n = len(quotedText.FindString(s[i:])); n == 0 {
				return -1
			}
		case ',', ':', ' ', '\t', '\n':
		default: // plain text, possibly with quotes and opening brackets
			if n = strings.IndexAny(s[i:], ",:]}"); n < 0 {
				return -1
			}
		}
		if i += n; len(open) == 0 {
			return i
		} else if len(open) > maxDepth {
			return -1
		}
	}
	return -1
}

// itemText returns the text of a line that begins a list item.
func itemText(line string) (string, bool) {
	text, ok := strings.CutPrefix(line, "-")
	if !ok || text != "" && text[0] != ' ' && text[0] != '\t' {
		return "", false
	}
	return strings.TrimSpace(text), true
}
