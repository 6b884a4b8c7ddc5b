package summary

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what is taken for a sentence, in runes. A shorter one says nothing by itself, and a longer
// one is an argument.
const (
	minSentence = 25
	maxSentence = 330
)

// readable reports whether a text is one sentence of prose: it begins and ends like one, is of a
// sensible length, and is neither a formula nor a placeholder.
func readable(text string) bool {
	n := utf8.RuneCountInString(text)
	if n < minSentence || n > maxSentence || hidden(text) || isLive(text) || !balanced(text) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "\"“‘'(`"))
	if !unicode.IsLetter(first) && !unicode.IsDigit(first) || unicode.IsLower(first) && text[0] != '`' {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "\"”’')`"))
	if !strings.ContainsRune(".!。", last) {
		return false
	}
	if unicode.IsDigit(first) && strings.Contains(text[:min(len(text), 25)], ": ") {
		return false // 32 bytes: the output
	}
	if strings.HasPrefix(text, "To ") && !strings.Contains(text, ",") || strings.HasPrefix(text, "Let ") {
		return false // a purpose without a sentence; a name for a formula
	}
	letters, ideographs := 0, false
	for _, c := range text {
		if unicode.IsLetter(c) || c == ' ' {
			letters++
		}
		ideographs = ideographs || unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana)
	}
	return letters*100 >= n*70 && (len(strings.Fields(text)) >= 5 || ideographs) && !boilerplate(text)
}

// boilerplate reports whether a text holds a phrase that is in every proposal (key words, notes, licences), that points
// at a figure or table nearby, or that no finished proposal has.
func boilerplate(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc(list("boilerplate"), func(s string) bool { return strings.Contains(lower, s) }) ||
		slices.ContainsFunc(list("unfinished"), func(s string) bool { return strings.Contains(text, s) })
}

// pointsBack reports whether a sentence cannot be understood without the one before it: by its first words, or by a
// pronoun in front. "This proposal" and the like point at the document itself, which a reader knows.
func pointsBack(text string) bool {
	text = strings.ToLower(strings.TrimLeft(connective(text), "\"“("))
	if slices.ContainsFunc(list("back references"), func(start string) bool { return strings.HasPrefix(text, start) }) {
		return true
	}
	first, rest, _ := strings.Cut(text, " ")
	second, _, _ := strings.Cut(rest, " ")
	first = strings.TrimSuffix(strings.TrimRight(first, ",:"), "'s")
	if first == "there" {
		return second != "is" && second != "are" && second != "will"
	}
	return slices.Contains(list("pronouns"), first) && !proposes(second)
}

// endsBack reports whether a sentence ends with a word for something named before.
func endsBack(text string) bool {
	return slices.ContainsFunc(list("back references at the end"), func(end string) bool { return strings.HasSuffix(text, end) })
}

// connective removes the word that ties a sentence to the one before it, such as "However,". Without it the sentence
// says the same.
func connective(text string) string {
	for _, w := range list("connectives") {
		if rest, ok := strings.CutPrefix(text, w); ok {
			return rest
		}
	}
	return text
}

// standalone is the sentence without its connective, beginning with a capital.
func standalone(text string) string {
	rest := connective(text)
	if rest == text {
		return text
	}
	first, n := utf8.DecodeRuneInString(rest)
	return string(unicode.ToUpper(first)) + rest[n:]
}

// hasVerb reports whether a text holds one of the verbs by which a requirement or a fact differs from
// a heading.
func hasVerb(text string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		if slices.Contains(list("verbs"), w) {
			return true
		}
	}
	return false
}

// balanced reports whether brackets, backticks and double quotes come in pairs.
func balanced(text string) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0 && strings.Count(text, "`")%2 == 0 && strings.Count(text, `"`)%2 == 0 &&
		strings.Count(text, "“") == strings.Count(text, "”")
}

// announces reports whether a sentence begins with the proposal itself: "This proposal …", "We propose …". Sentences
// before the first one of these say how things are.
func announces(text string) bool {
	first, rest, _ := strings.Cut(text, " ")
	second, _, _ := strings.Cut(rest, " ")
	return first == "This" && proposes(second) || first == "We" && strings.HasPrefix(second, "propose")
}

// proposes reports whether a word names the document at hand, as proposals name themselves: proposal, EIP, standard.
func proposes(word string) bool {
	return slices.Contains(list("documents"), strings.ToLower(strings.Trim(word, ",.'’")))
}
