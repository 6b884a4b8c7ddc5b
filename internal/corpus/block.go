package corpus

import (
	"strconv"
	"strings"
)

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
		yaml, ok := rewriteItem(block, depth)
		if !ok {
			return "", false
		}
		items = append(items, yaml)
	}
	return "[" + strings.Join(items, ", ") + "]", true
}

func rewriteItem(block []string, depth int) (string, bool) {
	return rewriteBlock(block, false, depth+1)
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
		if f.value != "" && (f.value[0] == '|' || f.value[0] == '>') && blockScalar(f.value) {
			return "", false
		}
		var yaml string
		ok := true
		switch more := trimBlankLines(f.more); {
		case f.value == "" || isComment(f.value):
			yaml, ok = rewriteBlock(more, false, depth+1)
		default:
			yaml, ok = rewriteScalar(f.value, more, false)
		}
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
