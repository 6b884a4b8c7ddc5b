package ai

import (
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
	last := strings.TrimRight(text, "\"”’')`")
	if !unicode.IsLetter(first) && !unicode.IsDigit(first) || unicode.IsLower(first) && text[0] != '`' || !strings.HasSuffix(last, ".") && !strings.HasSuffix(last, "!") && !strings.HasSuffix(last, "。") {
		return false
	}
	if unicode.IsDigit(first) && strings.Contains(text[:min(len(text), 25)], ": ") {
		return false // 32 bytes: the output
	}
	letters, words := 0, len(strings.Fields(text))
	for _, c := range text {
		if unicode.IsLetter(c) || c == ' ' {
			letters++
		}
	}
	ideographs := strings.IndexFunc(text, func(c rune) bool { return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) }) >= 0
	if strings.HasPrefix(text, "To ") && !strings.Contains(text, ",") || strings.HasPrefix(text, "Let ") {
		return false // a purpose without a sentence; a name for a formula
	}
	return letters*100 >= n*70 && (words >= 5 || ideographs) && !boilerplate(text)
}

// boilerplate reports what stands in every proposal, or in none that is done.
func boilerplate(text string) bool {
	lower := strings.ToLower(text)
	for _, s := range []string{"rfc 2119", "rfc-2119", "rfc2119", "bcp 14", "key words", "words in capitals", "to be done", "to be completed", "lorem ipsum", "note:", "copyright", "see below", "as follows",
		"the following figure", "following diagram", "the table below", "shown below", "non-normative", "\\", "$", "http://", "https://", "screenshot", "next, we", "this section", "below is", "below are", "click here", "table above", "following table", "defined above", "described above", "mentioned above", "shown above", "listed above", "outlined above", "noted above", "discussed above", "see above", "the above ", "described below",
		"defined below", "listed below", "given below", "discussed below", " below.", " above.", "this document describes how to"} {
		if strings.Contains(lower, s) {
			return true
		}
	}
	for _, w := range []string{"TBD", "TODO", "FIXME", "WIP", "XXX"} {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// pointsBack reports whether a sentence cannot be understood without the one before it.
func pointsBack(text string) bool {
	text = strings.ToLower(strings.TrimLeft(connective(text), "\"“("))
	for _, start := range []string{"the same ", "the latter", "the former", "in this case", "in that case", "for example", "for instance", "in other words", "in both cases", "as such", "at that point",
		"if it ", "if this ", "if that ", "if they ", "if you do", "if so", "when it ", "when this ", "when that ", "when they ", "to do so", "to do this", "because of this", "due to this", "from there", "in practice", "except "} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	first, rest, _ := strings.Cut(text, " ")
	second, _, _ := strings.Cut(rest, " ")
	switch strings.TrimSuffix(strings.TrimRight(first, ",:"), "'s") {
	case "there":
		return second != "is" && second != "are" && second != "will"
	case "it", "they", "these", "those", "such", "he", "she", "this", "that", "its", "their", "here", "both", "otherwise", "likewise", "similarly", "instead", "conversely", "then",
		"one", "neither", "either", "another", "so", "else":
		return !proposes(second)
	}
	return false
}

// endsBack reports whether a sentence ends with a word for something named before.
func endsBack(text string) bool {
	for _, w := range []string{" it.", " that.", " this.", " them.", " those.", " so."} {
		if strings.HasSuffix(text, w) {
			return true
		}
	}
	return false
}

// connective removes the word that ties a sentence to the one before it.
func connective(text string) string {
	for _, w := range []string{"However, ", "Therefore, ", "Thus, ", "Thus ", "Furthermore, ", "Additionally, ", "Additionally ", "Also ", "Note ", "Moreover, ", "Also, ", "Finally, ", "Hence, ", "Consequently, ", "In addition, ",
		"But ", "And ", "As a result, ", "Nevertheless, ", "Note that ", "Please note that ", "Lastly, ", "Firstly, ", "First, ", "Second, ", "Secondly, ", "Third, ", "Besides, ", "Accordingly, ",
		"Specifically, ", "In particular, ", "Again, ", "Similarly, ", "Therefore "} {
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

// hasVerb reports whether a text holds one of the verbs by which a requirement or a fact is told from
// a heading.
func hasVerb(text string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		switch w {
		case "is", "are", "must", "shall", "should", "may", "can", "cannot", "will", "has", "have", "be", "was", "were", "does", "do", "becomes", "remains", "returns", "need", "needs":
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
	return depth == 0 && strings.Count(text, "`")%2 == 0 && strings.Count(text, `"`)%2 == 0 && strings.Count(text, "“") == strings.Count(text, "”")
}

// announces reports whether a sentence begins with the proposal itself.
func announces(text string) bool {
	first, rest, _ := strings.Cut(text, " ")
	second, _, _ := strings.Cut(rest, " ")
	return first == "This" && proposes(second) || first == "We" && strings.HasPrefix(second, "propose")
}

// proposes reports whether a word names the document at hand.
func proposes(word string) bool {
	switch strings.ToLower(strings.Trim(word, ",.'’")) {
	case "eip", "erc", "mip", "simd", "proposal", "document", "change", "standard", "specification", "upgrade", "update", "extension", "convention", "interface", "meta", "fork", "improvement":
		return true
	}
	return false
}
