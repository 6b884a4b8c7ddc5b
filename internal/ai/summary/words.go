package summary

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
)

//go:embed words.txt
var wordsFile string

// wordIndex is words.txt, made for one look at each word of a sentence.
type wordIndex struct {
	// entries are the entries by how their first word begins, up to its star.
	entries map[string][]entry
	// inner are the entries whose first word begins with a star.
	inner []entry
}

// entry is one entry of a list. Each of its words may have a star at its ends.
type entry struct {
	list, text string
	words      []string
}

// lexicon reads words.txt at the first use, so that a process that makes no summary does not wait for it.
var lexicon = sync.OnceValue(func() wordIndex {
	l := wordIndex{entries: map[string][]entry{}}
	for line := range strings.Lines(wordsFile) {
		name, entries, ok := strings.Cut(line, ":")
		if !ok || line[0] == '#' {
			continue
		}
		for text := range strings.FieldsSeq(entries) {
			l.add(entry{name, text, strings.Split(text, "_")})
			if strings.Contains(text, "_") {
				l.add(entry{name, text, []string{strings.ReplaceAll(text, "_", "-")}})
			}
		}
	}
	return l
})

// add puts an entry where its first word is looked for.
func (l *wordIndex) add(e entry) {
	for i, w := range e.words {
		if w != "ID" {
			e.words[i] = strings.ToLower(w)
		}
	}
	start, _, _ := strings.Cut(e.words[0], "*")
	if start == "" {
		l.inner = append(l.inner, e)
		return
	}
	l.entries[start] = append(l.entries[start], e)
}

// hit is where a sentence has an entry: the place of its first word.
type hit struct {
	text string
	at   int
}

// hits are the entries of a sentence by their list, in its order.
type hits map[string][]hit

// has reports whether a sentence has an entry of one of the lists.
func (h hits) has(lists ...string) bool {
	return slices.ContainsFunc(lists, func(name string) bool { return len(h[name]) > 0 })
}

// drop takes from a list what is an entry of another list at the same place.
func (h hits) drop(from, of string) {
	h[from] = slices.DeleteFunc(h[from], func(x hit) bool {
		return slices.ContainsFunc(h[of], func(other hit) bool { return other.at == x.at })
	})
}

// different is how many entries of a list a sentence has, each counted once.
func (h hits) different(list string) int {
	seen := map[string]bool{}
	for _, hit := range h[list] {
		seen[hit.text] = true
	}
	return len(seen)
}

// find looks up all words of a sentence.
func (l wordIndex) find(tokens []string) hits {
	out := hits{}
	for i, token := range tokens {
		see := func(entries []entry) {
			for _, e := range entries {
				if e.matches(tokens[i:]) {
					out[e.list] = append(out[e.list], hit{e.text, i})
				}
			}
		}
		for n := range token {
			see(l.entries[token[:n]])
		}
		see(l.entries[token])
		see(l.inner)
	}
	return out
}

// matches reports whether a text begins with the entry.
func (e entry) matches(tokens []string) bool {
	if len(tokens) < len(e.words) {
		return false
	}
	for i, w := range e.words {
		if !matches(w, tokens[i]) {
			return false
		}
	}
	return true
}

// matches reports whether a word is one of the pattern's.
func matches(pattern, word string) bool {
	before, core, inner := strings.Cut(pattern, "*")
	if !inner {
		return word == pattern
	}
	letters := func(s string) bool {
		return !strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsLetter(c) })
	}
	if before != "" { // user*
		rest, ok := strings.CutPrefix(word, before)
		return ok && letters(rest)
	}
	return letters(word) && strings.Contains(word, strings.TrimSuffix(core, "*")) // *contract*
}

// tokens are the words of a sentence in lower case. A span of code is the word "c", and the prefix of the proposals is
// "ID".
func tokens(text, prefix string) []string {
	prefix = strings.ToLower(prefix)
	var out []string
	for word := range strings.FieldsFuncSeq(uncoded(text), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_'
	}) {
		switch word = strings.ToLower(strings.Trim(word, "-_")); word {
		case "":
		case prefix:
			out = append(out, "ID")
		default:
			out = append(out, word)
		}
	}
	return out
}

// uncoded is a text with a C in place of each span of code: a parameter named owner speaks of nobody.
func uncoded(text string) string {
	if !strings.Contains(text, "`") {
		return text
	}
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			part = "C"
		}
		b.WriteString(part)
	}
	return b.String()
}

// repeats reports whether two thirds of a text's longer words are in one of the others.
func repeats(text string, others ...string) bool {
	const shared = 65 // percent
	left := longer(text)
	return slices.ContainsFunc(others, func(other string) bool {
		right, same := longer(other), 0
		for w := range left {
			if right[w] {
				same++
			}
		}
		return len(left) > 0 && same*100 >= len(left)*shared
	})
}

// longer are the words of a text that carry meaning: those of four letters or more, and with digits.
func longer(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range tokens(strings.ReplaceAll(text, "`", " "), "") {
		if len(w) > 3 || strings.ContainsAny(w, "0123456789") {
			out[w] = true
		}
	}
	return out
}
