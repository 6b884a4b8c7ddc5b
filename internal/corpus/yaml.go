package corpus

import (
	"strconv"
	"strings"
)

// maxDepth bounds nested lists and maps of a header; deeper ones are kept as text.
const maxDepth = 32

// rewrite turns a field's value into YAML that says the same with every plain scalar quoted, so that
// YAML 1.1 typing (0161 is 113, no is false, " #" begins a comment) cannot change it. ok is false
// when the value uses what is not accepted (anchors, aliases, tags, too deep, a block scalar within a map)
// or is not YAML at all: then the value as written is the value.
func rewrite(f *field, freeText bool, depth int) (yaml string, ok bool) {
	value, more := f.lines()
	switch {
	case value == "":
		return rewriteBlock(more, freeText, depth)
	case !blockScalar(value):
		return rewriteScalar(value, more, freeText)
	}
	return strings.Join(append([]string{cutComment(value)}, f.more...), "\n"), depth == 0
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
	}
	if blockScalar(value) {
		return "", false
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
	return (s[0] == '|' || s[0] == '>') && strings.Trim(cutComment(s[1:]), "+-123456789") == ""
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

// rewriteFlow quotes the plain scalars of the flow list or map that s begins with. end is the offset
// after it. ok is false for what must not be decoded (too deep, anchors) or is never closed.
func rewriteFlow(s string, depth int) (yaml string, end int, ok bool) {
	isMap, closing := s[0] == '{', s[0]+2 // ] and } are two after [ and {
	var items []string
	for i := skipBlanks(s, 1); depth < maxDepth && i < len(s); {
		switch s[i] {
		case closing:
			return s[:1] + strings.Join(items, ", ") + string(closing), i + 1, true
		case ',':
			i = skipBlanks(s, i+1)
			continue
		}
		item, next, ok := flowItem(s, i, isMap, depth)
		if !ok {
			return "", 0, false
		}
		if isMap {
			value := `""`
			if next < len(s) && s[next] == ':' {
				if next = skipBlanks(s, next+1); next < len(s) && s[next] != ',' && s[next] != closing {
					if value, next, ok = flowItem(s, next, false, depth); !ok {
						return "", 0, false
					}
				}
			}
			item += ": " + value
		}
		if next < len(s) && s[next] != ',' && s[next] != closing {
			return "", 0, false
		}
		items, i = append(items, item), next
	}
	return "", 0, false
}

// flowItem rewrites the item at i of a flow list or map; next is the offset of what follows it. A key is a scalar.
func flowItem(s string, i int, key bool, depth int) (yaml string, next int, ok bool) {
	rest, n := s[i:], 0
	switch c := rest[0]; {
	case strings.IndexByte("&*!]}", c) >= 0 || strings.HasPrefix(rest, "? "):
	case c == '[' || c == '{':
		if !key {
			yaml, n, _ = rewriteFlow(rest, depth+1)
		}
	case c == '"' || c == '\'':
		n = quotedEnd(rest)
		yaml = strings.ReplaceAll(rest[:n], "\n", "\n  ")
	default:
		n = plainEnd(rest, key)
		yaml = strconv.QuoteToASCII(foldBlanks(rest[:n]))
	}
	return yaml, skipBlanks(s, i+n), n > 0
}

func skipBlanks(s string, i int) int {
	return len(s) - len(strings.TrimLeft(s[i:], " \t\n"))
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

// rewriteBlock turns an indented block (a list, a map or folded text below a key) into one line of
// flow YAML with every plain scalar quoted.
func rewriteBlock(lines []string, freeText bool, depth int) (string, bool) {
	if depth >= maxDepth {
		return "", false
	}
	lines = trimBlankLines(dropComments(lines))
	if len(lines) == 0 {
		return `""`, true
	}
	first := strings.TrimSpace(lines[0])
	if _, isItem := itemText(first); isItem {
		return rewriteList(lines, depth)
	}
	if f, isKey := splitKey(first); isKey && (!freeText || oneWord.MatchString(f.key)) && first[0] != '[' && first[0] != '{' {
		return rewriteMap(lines, depth)
	}
	if first[0] == '|' || first[0] == '>' {
		return "", false // a block scalar that does not begin on the key's line
	}
	return rewriteScalar(first, lines[1:], freeText)
}

// rewriteList handles "- item" lines. Every item begins at the indentation of the first one or left
// of it; what is further right belongs to the item above.
func rewriteList(lines []string, depth int) (string, bool) {
	var items []string
	margin := indentation(lines[0])
	for i := 0; i < len(lines); {
		item, isItem := itemText(strings.TrimSpace(lines[i]))
		if !isItem {
			return "", false
		}
		from := i
		for i++; i < len(lines) && !(indentation(lines[i]) <= margin && isListItem(lines[i])); i++ {
		}
		// The item's own text is given the column at which it stands, so that the keys of a map item
		// line up with those below it.
		block := lines[from+1 : i]
		if item != "" {
			at := strings.Index(lines[from], "-") + 1
			at += len(lines[from][at:]) - len(strings.TrimLeft(lines[from][at:], " \t"))
			block = append([]string{strings.Repeat(" ", at) + item}, block...)
		}
		yaml, ok := rewriteBlock(block, false, depth+1)
		if !ok {
			return "", false
		}
		items = append(items, yaml)
	}
	return "[" + strings.Join(items, ", ") + "]", true
}

// rewriteMap handles "key: value" lines at one indentation.
func rewriteMap(lines []string, depth int) (string, bool) {
	var b strings.Builder
	b.WriteByte('{')
	margin := indentation(lines[0])
	seen := map[string]bool{}
	for i := 0; i < len(lines); {
		f, isKey := splitKey(strings.TrimSpace(lines[i]))
		if !isKey || indentation(lines[i]) != margin || f.key == "<<" {
			return "", false
		}
		from := i
		for i++; i < len(lines) && (indentation(lines[i]) > margin || strings.TrimSpace(lines[i]) == "" || isListItem(lines[i])); i++ {
		}
		f.more = lines[from+1 : i]
		yaml, ok := rewrite(&f, false, depth+1)
		if !ok {
			return "", false
		}
		if seen[f.key] {
			continue
		}
		seen[f.key] = true
		if b.Len() > 1 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.QuoteToASCII(f.key) + ": " + yaml)
	}
	b.WriteByte('}')
	return b.String(), true
}

func itemText(line string) (string, bool) {
	if line == "-" {
		return "", true
	}
	if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "-\t") {
		return strings.TrimSpace(line[2:]), true
	}
	return "", false
}

func isListItem(line string) bool {
	_, ok := itemText(strings.TrimSpace(line))
	return ok
}

func indentation(line string) int {
	return len(line) - len(strings.TrimLeft(line, " \t"))
}

func dropComments(lines []string) []string {
	kept := make([]string, 0, len(lines))
	for _, line := range lines {
		if !isComment(strings.TrimSpace(line)) {
			kept = append(kept, line)
		}
	}
	return kept
}
