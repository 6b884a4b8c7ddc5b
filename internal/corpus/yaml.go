package corpus

import (
	"strconv"
	"strings"
)

// rewrite turns a field's value into YAML that says the same with every plain scalar quoted, so
// that YAML 1.1 typing (0161 is 113, no is false, " #" begins a comment) cannot change it. ok
// is false when the value has parts that are not accepted (anchors, aliases, tags, too deep, a
// block scalar within a map) or is not YAML at all: then the value as written is the value.
func rewrite(f *field, freeText bool, depth int) (yaml string, ok bool) {
	value, more := f.value, trimBlankLines(f.more)
	switch {
	case value == "" || isComment(value):
		return rewriteBlock(more, freeText, depth)
	case blockScalar(value):
		return strings.Join(append([]string{cutComment(value)}, f.more...), "\n"), depth == 0
	}
	return rewriteScalar(value, more, freeText)
}

// rewriteScalar handles a value that begins on the key's own line: quoted text, a flow list or
// map, or plain text that may be folded over several lines.
func rewriteScalar(value string, more []string, freeText bool) (string, bool) {
	lines := []string{value}
	for _, line := range more {
		lines = append(lines, strings.TrimSpace(line))
	}
	whole := strings.Join(lines, "\n")
	switch value[0] {
	case '"', '\'':
		end := quotedEnd(whole)
		if end == 0 {
			return "", false
		}
		// YAML wants the lines below to be indented.
		if restIsComment(whole[end:]) {
			return strings.ReplaceAll(whole[:end], "\n", "\n  "), true
		}
	case '[', '{':
		if freeText { // [Meta] is a word of a title
			break
		}
		// [Ada](https://a.example) is no list: text follows the bracket.
		yaml, rest, ok := rewriteFlow(whole, 0)
		if !ok {
			return "", false
		}
		if restIsComment(rest) {
			return yaml, true
		}
	// Anchors, aliases and tags.
	case '&', '*', '!':
		return "", false
	}
	return strconv.QuoteToASCII(foldPlain(lines, freeText)), true
}

// foldPlain makes one line of plain text. Free text keeps the looks of a comment: real titles
// hold " #".
func foldPlain(lines []string, freeText bool) string {
	var folded []string
	for _, line := range lines {
		if !freeText {
			line = cutComment(line)
		}
		if line != "" {
			folded = append(folded, line)
		}
	}
	text := strings.Join(folded, " ")
	// The null of YAML, in its spellings.
	if !freeText && (text == "~" || text == "null" || text == "Null" || text == "NULL") {
		text = ""
	}
	return text
}

// isComment reports a text that is nothing but a comment.
func isComment(s string) bool { return s == "#" || strings.HasPrefix(s, "# ") }

// restIsComment reports whether nothing that counts follows a value.
func restIsComment(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || s[0] == '#'
}

// cutComment returns a line without the comment at its end.
func cutComment(s string) string {
	if isComment(s) {
		return ""
	}
	if before, _, ok := strings.Cut(s, " #"); ok {
		return strings.TrimSpace(before)
	}
	return s
}

// blockScalar reports whether s is the head of a literal or folded block: |, >-, |2+ and the
// like.
func blockScalar(s string) bool {
	return (s[0] == '|' || s[0] == '>') && strings.Trim(cutComment(s[1:]), "+-123456789") == ""
}

// quotedEnd returns the offset after the closing quote of the quoted scalar that s begins with,
// or 0.
func quotedEnd(s string) int {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		// A backslash escapes within double quotes, a second quote within single ones.
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

// trimBlankLines returns the lines without blank ones at either end.
func trimBlankLines(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	return lines
}

// trimBlanks trims the white space at the beginning of flow YAML.
func trimBlanks(s string) string { return strings.TrimLeft(s, " \t\n") }

// rewriteFlow quotes the plain scalars of the flow list or map that s begins with; rest follows
// it. ok is false for a value that must not be decoded (too deep, anchors) or is never closed.
func rewriteFlow(s string, depth int) (yaml, rest string, ok bool) {
	isMap, closing := s[0] == '{', s[0]+2 // ] and } are two after [ and {
	ends := func(s string) bool { return s == "" || s[0] == ',' || s[0] == closing }
	var items []string
	for at := trimBlanks(s[1:]); depth < maxDepth && at != ""; {
		switch at[0] {
		case closing:
			return s[:1] + strings.Join(items, ", ") + string(closing), at[1:], true
		case ',':
			at = trimBlanks(at[1:])
			continue
		}
		item, next, ok := flowItem(at, isMap, depth)
		// A key without a colon has an empty value.
		if ok && isMap {
			value := `""`
			if after, colon := strings.CutPrefix(next, ":"); colon {
				if next = trimBlanks(after); !ends(next) {
					value, next, ok = flowItem(next, false, depth)
				}
			}
			item += ": " + value
		}
		if !ok || !ends(next) {
			return "", "", false
		}
		items, at = append(items, item), next
	}
	return "", "", false
}

// flowItem rewrites the item that s begins with, of a flow list or map. A key is a scalar.
func flowItem(s string, key bool, depth int) (yaml, rest string, ok bool) {
	n := 0
	// Anchors, aliases, tags and complex keys are refused.
	switch c := s[0]; {
	case strings.IndexByte("&*!]}", c) >= 0 || strings.HasPrefix(s, "? "):
	case c == '[' || c == '{':
		if !key {
			yaml, rest, ok = rewriteFlow(s, depth+1)
			return yaml, trimBlanks(rest), ok
		}
	case c == '"' || c == '\'':
		n = quotedEnd(s)
		yaml = strings.ReplaceAll(s[:n], "\n", "\n  ")
	default:
		n = plainEnd(s, key)
		yaml = strconv.QuoteToASCII(foldBlanks(s[:n]))
	}
	return yaml, trimBlanks(s[n:]), n > 0
}

// plainEnd is the length of the plain scalar at the start of s within a flow value.
func plainEnd(s string, key bool) int {
	for i := range len(s) {
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

// rewriteBlock turns an indented block (a list, a map or folded text below a key) into one line
// of flow YAML with every plain scalar quoted.
func rewriteBlock(lines []string, freeText bool, depth int) (string, bool) {
	if depth >= maxDepth {
		return "", false
	}
	kept := make([]string, 0, len(lines))
	for _, line := range lines {
		if !isComment(strings.TrimSpace(line)) {
			kept = append(kept, line)
		}
	}
	lines = trimBlankLines(kept)
	if len(lines) == 0 {
		return `""`, true
	}
	// The first line decides the kind of the block.
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

// rewriteList handles "- item" lines. Every item begins at the indentation of the first one or
// left of it; a line further right belongs to the item above.
func rewriteList(lines []string, depth int) (string, bool) {
	var items []string
	margin := indentation(lines[0])
	for i := 0; i < len(lines); {
		line := lines[i]
		item, isItem := itemText(strings.TrimSpace(line))
		if !isItem {
			return "", false
		}
		from := i + 1
		// The lines of the item go up to the next item.
		for i++; i < len(lines) && (indentation(lines[i]) > margin || !isListItem(lines[i])); i++ {
		}
		// The item's own text is given the column at which it stands, so that the keys of a map
		// item line up with those below it.
		block := lines[from:i]
		if item != "" {
			at := strings.Index(line, "-") + 1
			at += indentation(line[at:])
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

// rewriteMap handles "key: value" lines at one indentation. Of two equal keys the first counts.
func rewriteMap(lines []string, depth int) (string, bool) {
	var items []string
	margin := indentation(lines[0])
	seen := map[string]bool{}
	for i := 0; i < len(lines); {
		f, isKey := splitKey(strings.TrimSpace(lines[i]))
		if !isKey || indentation(lines[i]) != margin || f.key == "<<" {
			return "", false
		}
		from := i + 1
		// The lines of the value go up to the next key. YAML lets a list stand below its key
		// without indentation.
		for i++; i < len(lines) && (indentation(lines[i]) > margin || strings.TrimSpace(lines[i]) == "" || isListItem(lines[i])); i++ {
		}
		f.more = lines[from:i]
		yaml, ok := rewrite(&f, false, depth+1)
		if !ok {
			return "", false
		}
		if !seen[f.key] {
			seen[f.key] = true
			items = append(items, strconv.QuoteToASCII(f.key)+": "+yaml)
		}
	}
	return "{" + strings.Join(items, ", ") + "}", true
}

// itemText is the text of a line that begins a list item.
func itemText(line string) (string, bool) {
	text, ok := strings.CutPrefix(line, "-")
	if !ok || text != "" && text[0] != ' ' && text[0] != '\t' {
		return "", false
	}
	return strings.TrimSpace(text), true
}

// isListItem reports a line that begins a list item, at any indentation.
func isListItem(line string) bool {
	_, ok := itemText(strings.TrimSpace(line))
	return ok
}

// indentation is the number of blanks and tabs that a line begins with.
func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
