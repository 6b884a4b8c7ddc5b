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

// entry is an entry of a list in words.txt.
type entry struct {
	list  mark
	words []string
	open  bool // any letters may follow the last word
}

// lexicon returns the entries of words.txt and [things] by [key] of their first word. It is built
// at the first use.
var lexicon = sync.OnceValue(func() map[string][]*entry {
	lists := map[string]mark{}
	for m, row := range markTable {
		lists[row.list] = mark(m)
	}
	out := map[string][]*entry{}
	for line := range strings.Lines(wordsFile + things) {
		name, entries, _ := strings.Cut(line, ":")
		list, known := lists[name]
		if !known && entries != "" {
			panic("words.txt: there is no mark for the list " + name)
		}
		for text := range strings.FieldsSeq(entries) {
			if !strings.Contains(text, anyID) {
				text = strings.ToLower(text)
			}
			text, open := strings.CutSuffix(text, "*")
			blank := func(c rune) bool { return c == '_' || c == '+' }
			forms := [][]string{strings.FieldsFunc(text, blank)}
			if strings.Contains(text, "_") {
				forms = append(forms, []string{strings.ReplaceAll(text, "_", "-")})
			}
			for _, words := range forms {
				first := key(words[0])
				out[first] = append(out[first], &entry{list, words, open})
			}
		}
	}
	return out
})

// anyID stands for the prefix of the proposals.
const anyID = "ID"

// key returns the first two bytes of a word, or a shorter word.
func key(word string) string { return word[:min(len(word), 2)] }

// opens reports whether words begin with the entry.
func (e *entry) opens(words []string) bool {
	last := len(e.words) - 1
	if last >= len(words) || !slices.Equal(e.words[:last], words[:last]) {
		return false
	}
	rest, ok := strings.CutPrefix(words[last], e.words[last])
	return ok && (rest == "" || e.open && !strings.ContainsFunc(rest, isNoLetter))
}

func isNoLetter(c rune) bool { return !unicode.IsLetter(c) }

// hit is an entry in a text: words from to to-1.
type hit struct {
	*entry
	from, to int
}

// words is a text, cut into words and looked up in the lists.
type words struct {
	lower string // the text in lower case, without its code
	all   []string
	hits  []hit
	found marks // the lists of the hits
}

// wordsOf cuts a text into words and looks them up. A span of code becomes the word "c", and the
// prefix of the proposals becomes [anyID].
func wordsOf(text, prefix string) words {
	const letters, few = 5, 8 // of a word; entries in a sentence
	w := words{
		lower: strings.ToLower(uncoded(text)),
		all:   make([]string, 0, len(text)/letters),
		hits:  make([]hit, 0, few),
	}
	prefix = strings.ToLower(prefix)
	for word := range strings.FieldsFuncSeq(w.lower, isNoWord) {
		switch word = strings.Trim(word, "-_"); word {
		case "":
		case prefix:
			w.all = append(w.all, anyID)
		default:
			w.all = append(w.all, word)
		}
	}
	known := lexicon()
	for i, word := range w.all {
		for _, e := range known[key(word)] {
			if strings.HasPrefix(word, e.words[0]) && e.opens(w.all[i:]) {
				w.hits = append(w.hits, hit{e, i, i + len(e.words)})
				w.found.add(e.list)
			}
		}
	}
	return w
}

func isNoWord(c rune) bool {
	if 'a' <= c && c <= 'z' || c == ' ' {
		return c == ' '
	}
	return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_'
}

// before reports whether an entry of a list begins among the first words of a text.
func (w *words) before(list mark, end int) bool {
	return w.found.has(list) && slices.ContainsFunc(w.hits, func(h hit) bool {
		return h.list == list && h.from < end
	})
}

// open reports whether a text begins with an entry of one of the lists.
func (w *words) open(lists ...mark) bool {
	return slices.ContainsFunc(lists, func(list mark) bool { return w.before(list, 1) })
}

// several reports whether a text has two different entries of a list.
func (w *words) several(list mark) bool {
	var first *entry
	return w.found.has(list) && slices.ContainsFunc(w.hits, func(h hit) bool {
		if first == nil && h.list == list {
			first = h.entry
		}
		return h.list == list && h.entry != first
	})
}

// drop removes from a list the hits that begin where the other list has a hit.
func (w *words) drop(list, other mark) {
	if !w.found.has(list) || !w.found.has(other) {
		return
	}
	w.hits = slices.DeleteFunc(slices.Clone(w.hits), func(h hit) bool {
		return h.list == list && slices.ContainsFunc(w.hits, func(o hit) bool {
			return o.list == other && o.from == h.from
		})
	})
	w.found.put(list, slices.ContainsFunc(w.hits, func(h hit) bool { return h.list == list }))
}

// uncoded returns a text with a C in place of each span of code: a parameter named owner is no
// person.
func uncoded(text string) string {
	if !strings.Contains(text, "`") {
		return text
	}
	parts := strings.Split(text, "`")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "C"
	}
	return strings.Join(parts, "")
}

// repeats reports whether another text has two thirds of a text's words. All are results of
// [longer].
func repeats(text []string, others ...[]string) bool {
	const shared = 65 // percent
	return len(text) > 0 && slices.ContainsFunc(others, func(other []string) bool {
		same := 0
		for _, w := range text {
			if slices.Contains(other, w) {
				same++
			}
		}
		return same*100 >= len(text)*shared
	})
}

// longer returns the words of a text that carry meaning, without repetitions: words of four letters
// or more, and words with digits.
func longer(text string) (out []string) {
	text = strings.ToLower(strings.ReplaceAll(text, "`", " "))
	for w := range strings.FieldsFuncSeq(text, isNoWord) {
		w = strings.Trim(w, "-_")
		if (len(w) > 3 || strings.ContainsAny(w, "0123456789")) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// longerOf returns the longer words of each text.
func longerOf(texts []string) (out [][]string) {
	for _, text := range texts {
		out = append(out, longer(text))
	}
	return out
}
