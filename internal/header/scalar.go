package header

import (
	"regexp"
	"slices"
	"strings"
)

// maxDepth bounds the lists and maps of a value, one in the other. A deeper value is kept as text.
const maxDepth = 32

// mark is put before every plain text that YAML 1.1 would take for something else, and is taken out
// of what was decoded. It is a character of private use: a value that holds it is kept as text.
const mark = "\U0010FFFD"

var (
	// special is how such a text begins: a number, a word for true or false, a sign that YAML
	// reserves, a Markdown link; # at the beginning of an item or of a map's value.
	special = regexp.MustCompile(`(?im)(^|[\s,\[{:])([-+.]?[\d.]|[&*!?@%` + "`" + `]|<<|\[[^\[\]\n]*\]\(|(?:y|n|yes|no|on|off|true|false)\b)` +
		`|((?:[\[{,]|:\s|(?:^|\s)-\s)\s*)(#\S)`)
	// emptyItem is a hyphen on a line of its own. goldmark-meta takes a line of hyphens for the end
	// of the header wherever it stands.
	emptyItem = regexp.MustCompile(`(?m)^([ \t]*-)[ \t]*$`)
	hyphens   = regexp.MustCompile(`(?m)^[ \t]*-+[ \t]*$`)
	// tabs are where YAML refuses them: before a line and before a value.
	tabs = regexp.MustCompile(`(?m)(?:^|[-:])[ \t]*\t`)
	// unmark takes out what yaml put in.
	unmark = strings.NewReplacer(" #"+mark, "", mark, "")
)

// isComment reports a text that is nothing but a comment.
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

// blockScalar reports whether s is the head of a literal or folded block: |, >-, |2+ and the
// like.
func blockScalar(s string) bool {
	return (s[0] == '|' || s[0] == '>') && strings.Trim(cutComment(s[1:]), "+-123456789") == ""
}

// quotedText is a quoted scalar at the beginning of a text. A backslash escapes within double
// quotes, a second quote within single ones.
var quotedText = regexp.MustCompile(`(?s)^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')`)

// closing is the length of the quoted text, the list or the map in brackets that s begins with; -1
// for one that is never closed or too deep.
func closing(s string) int {
	var open []byte // the closing brackets that are due
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
		default: // plain text, with quotes and opening brackets if it has some
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

// itemText is the text of a line that begins a list item.
func itemText(line string) (string, bool) {
	text, ok := strings.CutPrefix(line, "-")
	if !ok || text != "" && text[0] != ' ' && text[0] != '\t' {
		return "", false
	}
	return strings.TrimSpace(text), true
}
