package corpus

import (
	"regexp"
	"strings"
)

// bareKey is a key whose colon has no blank after it, which YAML reads as text and people as a key.
var bareKey = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]{0,39}):([^\s/].*)$`)

// splitKey splits "key: value".
func splitKey(line string) (field, bool) {
	if strings.HasPrefix(line, "? ") {
		return field{}, false
	}
	if line[0] == '"' || line[0] == '\'' {
		if i := strings.IndexByte(line[1:], line[0]); i > 0 {
			rest := strings.TrimLeft(line[i+2:], " \t")
			if rest == ":" || strings.HasPrefix(rest, ": ") || strings.HasPrefix(rest, ":\t") {
				return newField(line[1:i+1], rest[1:]), true
			}
		}
	}
	for i := 0; i < len(line); i++ {
		if line[i] != ':' {
			continue
		}
		if i > 0 && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t') {
			return newField(line[:i], line[i+1:]), keyLike(line[:i])
		}
	}
	if m := bareKey.FindStringSubmatch(line); m != nil {
		return newField(m[1], m[2]), true
	}
	return field{}, false
}

func newField(key, value string) field {
	key = strings.TrimSpace(key)
	return field{key: key, name: fieldName(key), value: strings.TrimSpace(value)}
}

// keyLike tells a key from a sentence that happens to hold a colon.
func keyLike(key string) bool {
	const maxWords, maxBytes = 5, 64
	return len(key) <= maxBytes && len(strings.Fields(key)) <= maxWords && !strings.ContainsAny(key, ";!`") && !strings.Contains(key, ". ") &&
		(!strings.ContainsAny(key, "[{") || strings.Contains(key, "(*"))
}

// oneWord is a key as nearly all are; a sentence that is folded over lines seldom begins like it.
var oneWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// isComplex reports YAML's form for keys that are lists or maps.
func isComplex(line string) bool {
	return line == "?" || line == ":" || strings.HasPrefix(line, "? ") || strings.HasPrefix(line, ": ")
}

// listLike are the fields whose lists real files fold over lines without indentation.
func listLike(name string) bool {
	switch name {
	case "author", "authors", "requires", "depends-on":
		return true
	}
	return false
}

// shown are the fields whose text pages show as it is.
func shown(name string) bool {
	switch name {
	case "title", "description", "status", "type", "category":
		return true
	}
	return false
}

// isOpen reports a value that goes on below whatever stands there: a block, or quotes, a list or a
// map that the first line does not close.
func isOpen(f *field) bool {
	switch f.value[0] {
	case '|', '>':
		return blockScalar(f.value)
	case '"', '\'':
		return quotedEnd(f.value) == 0
	case '[', '{':
		_, _, closed := rewriteFlow(f.value, 0)
		return !closed && !freeText(f.name)
	}
	return false
}
