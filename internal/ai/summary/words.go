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

// entry is one entry of a list of words.txt, as it stands in the words of a sentence: with a blank
// before it and, where any letters may follow, none behind it.
type entry struct {
	list, text string
	open       bool
}

// lexicon is words.txt by the first two bytes of each entry's first word, read at the first use, so
// that a process that makes no summary does not wait for it.
var lexicon = sync.OnceValue(func() map[string][]entry {
	out := map[string][]entry{}
	for line := range strings.Lines(wordsFile) {
		name, entries, _ := strings.Cut(line, ":")
		for text := range strings.FieldsSeq(entries) {
			if !strings.Contains(text, "ID") {
				text = strings.ToLower(text)
			}
			text, open := strings.CutSuffix(text, "*")
			for _, text := range slices.Compact([]string{strings.ReplaceAll(text, "_", " "), strings.ReplaceAll(text, "_", "-")}) {
				if !open {
					text += " "
				}
				out[text[:2]] = append(out[text[:2]], entry{name, " " + text, open})
			}
		}
	}
	return out
})

// hit is where an entry stands in the words of a sentence.
type hit struct {
	entry    string
	from, to int // bytes, from the blank before it
}

// hits are the entries of a sentence by their list.
type hits map[string][]hit

// find looks up words as [tokens] gives them.
func find(words string) hits {
	out, known := hits{}, lexicon()
	for from := 0; from+3 <= len(words); {
		for _, e := range known[words[from+1:from+3]] {
			if !strings.HasPrefix(words[from:], e.text) {
				continue
			}
			to := from + len(e.text) - 1
			if e.open {
				rest, _, _ := strings.Cut(words[to+1:], " ")
				to += 1 + len(rest)
				if strings.ContainsFunc(rest, func(c rune) bool { return !unicode.IsLetter(c) }) {
					continue
				}
			}
			out[e.list] = append(out[e.list], hit{e.text, from, to})
		}
		next := strings.IndexByte(words[from+1:], ' ')
		if next < 0 {
			break
		}
		from += 1 + next
	}
	return out
}

// has reports whether a sentence has an entry of one of the lists.
func (h hits) has(lists ...string) bool {
	return slices.ContainsFunc(lists, func(name string) bool { return len(h[name]) > 0 })
}

// opens reports whether a sentence begins with an entry of one of the lists.
func (h hits) opens(lists ...string) bool {
	return slices.ContainsFunc(lists, func(name string) bool { return h.before(name, 1) })
}

// before reports whether a sentence has an entry of a list among its first bytes.
func (h hits) before(list string, end int) bool {
	return slices.ContainsFunc(h[list], func(x hit) bool { return x.from < end })
}

// different is how many entries of a list a sentence has, each counted once.
func (h hits) different(list string) int {
	seen := map[string]bool{}
	for _, x := range h[list] {
		seen[x.entry] = true
	}
	return len(seen)
}

// without takes from a list what another list has at the same place.
func (h hits) without(list, other string) {
	h[list] = slices.DeleteFunc(h[list], func(x hit) bool {
		return slices.ContainsFunc(h[other], func(y hit) bool { return x.from == y.from })
	})
}

// begin is where the first five words end, which say what a sentence is about.
func begin(words string) (end int) {
	const first = 5
	for range first {
		if i := strings.IndexByte(words[end+1:], ' '); i >= 0 {
			end += 1 + i
		}
	}
	return end
}

// tokens are the words of a sentence in lower case, with a blank before and behind each of them. A
// span of code is the word "c", and the prefix of the proposals is "ID".
func tokens(text, prefix string) string {
	words := strings.FieldsFunc(uncoded(text), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_'
	})
	out := []string{""}
	for _, word := range words {
		switch word = strings.Trim(word, "-_"); {
		case strings.EqualFold(word, prefix) && prefix != "":
			out = append(out, "ID")
		case word != "":
			out = append(out, strings.ToLower(word))
		}
	}
	return strings.Join(append(out, ""), " ")
}

// uncoded is a text with a C in place of each span of code: a parameter named owner speaks of
// nobody.
func uncoded(text string) string {
	parts := strings.Split(text, "`")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "C"
	}
	return strings.Join(parts, "")
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

// longer are the words of a text that carry meaning: those of four letters or more, and with
// digits.
func longer(text string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(tokens(strings.ReplaceAll(text, "`", " "), "")) {
		if len(w) > 3 || strings.ContainsAny(w, "0123456789") {
			out[w] = true
		}
	}
	return out
}
