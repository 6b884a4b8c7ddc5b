package corpus

import (
	"strconv"
	"strings"
)

// maxDepth bounds nested lists and maps of a header; deeper ones are kept as text.
const maxDepth = 32

// rewrite turns a field's value into YAML that says the same with every plain scalar quoted, so that
// YAML 1.1 typing (0161 is 113, no is false, " #" begins a comment) cannot change it. ok is false
// when the value uses what is not accepted (anchors, aliases, tags, too deep) or is not YAML at all:
// then the value as written is the value.
func rewrite(f *field, freeText bool) (yaml string, ok bool) {
	value, more := f.lines()
	switch {
	case value == "":
		return rewriteBlock(more, freeText, 0)
	case value[0] == '|' || value[0] == '>':
		if blockScalar(value) {
			return strings.Join(append([]string{cutComment(value)}, f.more...), "\n"), true
		}
	}
	return rewriteScalar(value, more, freeText)
}

// lines are a value's first line, without a comment, and what follows it.
func (f *field) lines() (value string, more []string) {
	if !isComment(f.value) {
		value = f.value
	}
	return value, trimBlankLines(f.more)
}

// plainValue is the text of a value that has no structure of YAML: no quotes, list, map, block, anchor
// or tag.
func plainValue(f *field, freeText bool) (text string, ok bool) {
	value, more := f.lines()
	if value == "" {
		return "", len(more) == 0
	}
	switch value[0] {
	case '"', '\'', '&', '*', '!':
		return "", false
	case '[', '{':
		if !freeText {
			return "", false
		}
	case '|', '>':
		if blockScalar(value) {
			return "", false
		}
	}
	return foldPlain(joinLines(value, more), freeText), true
}

func joinLines(value string, more []string) string {
	var whole strings.Builder
	whole.WriteString(value)
	for _, line := range more {
		whole.WriteString("\n" + strings.TrimSpace(line))
	}
	return whole.String()
}

// rewriteScalar handles what begins on the key's own line: quoted text, a flow list or map, or plain
// text that may be folded over several lines.
func rewriteScalar(value string, more []string, freeText bool) (string, bool) {
	whole := joinLines(value, more)
	switch value[0] {
	case '"', '\'':
		end := quotedEnd(whole)
		if end == 0 {
			return "", false
		}
		if restIsComment(whole[end:]) {
			return strings.ReplaceAll(whole[:end], "\n", "\n  "), true
		}
	case '[', '{':
		if freeText { // [Meta] is a word of a title
			break
		}
		yaml, end, ok := rewriteFlow(whole, 0)
		if !ok {
			return "", false
		}
		if restIsComment(whole[end:]) {
			return yaml, true
		}
	case '&', '*', '!':
		return "", false
	}
	return strconv.QuoteToASCII(foldPlain(whole, freeText)), true
}

// foldPlain makes one line of plain text. Free text keeps what looks like a comment: real titles
// hold " #".
func foldPlain(s string, freeText bool) string {
	var folded []string
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimSpace(line)
		if !freeText {
			line = cutComment(line)
		}
		if line != "" {
			folded = append(folded, line)
		}
	}
	text := strings.Join(folded, " ")
	if !freeText && (text == "~" || text == "null" || text == "Null" || text == "NULL") {
		text = ""
	}
	return text
}

func isComment(s string) bool { return s == "#" || strings.HasPrefix(s, "# ") }

func restIsComment(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || s[0] == '#'
}

func cutComment(s string) string {
	if isComment(s) {
		return ""
	}
	if before, _, ok := strings.Cut(s, " #"); ok {
		return strings.TrimSpace(before)
	}
	return s
}

// blockScalar reports whether s is the head of a literal or folded block: |, >-, |2+ and the like.
func blockScalar(s string) bool {
	return strings.Trim(cutComment(s[1:]), "+-123456789") == ""
}

// quotedEnd returns the offset after the closing quote of the quoted scalar that s begins with, or 0.
func quotedEnd(s string) int {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case quote == '"' && s[i] == '\\':
			i++
		case s[i] != quote:
		case quote == '\'' && i+1 < len(s) && s[i+1] == '\'':
			i++
		default:
			return i + 1
		}
	}
	return 0
}

func trimBlankLines(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	return lines
}
