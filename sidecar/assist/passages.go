package assist

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// passage is a sentence that can stand by itself: one of the text, or one with the sentence before it
// when it points back at that.
type passage struct {
	text    string // for a reader
	quote   string // for evidence: stands in the section
	section string // as evidence names it
	from    string // id of the bundled proposal that it is from; empty: the subject itself
	role    role
	first   bool // opens its section
	item    bool // of a list
	order   int  // in the subject
}

// Bounds of what is taken for a sentence, in runes. A shorter one says nothing by itself, and a longer
// one is an argument.
const (
	minSentence = 25
	maxSentence = 330
)

// passages returns what the subject's texts say, in order: the proposal's own sections, then for the
// meta proposal of a fork those of what it bundles.
func passages(s Subject) []passage {
	out := read(s.Proposal, "")
	for _, p := range s.Bundled {
		out = append(out, read(p, p.ID)...)
	}
	for i := range out {
		out[i].order = i
	}
	return out
}

// sectionID is how evidence names a section: by its id, and for a bundled proposal's by the proposal's
// id, # and the section's id.
func sectionID(from, id string) string {
	if from == "" {
		return id
	}
	return from + "#" + id
}

// read returns the passages of one proposal.
func read(p *mip.Proposal, from string) []passage {
	var out []passage
	labels := labels(p.Sections)
	for i, r := range roles(p.Sections) {
		if r == skipped {
			continue
		}
		s := p.Sections[i]
		n := len(out)
		for _, u := range units(blocks(s.Markdown), labels) {
			u.section, u.from, u.role = sectionID(from, s.ID), from, r
			out = append(out, u)
		}
		if len(out) > n {
			out[n].first = true
		}
	}
	return out
}

// labels returns the reference links that the sections define, in lower case.
func labels(sections []mip.Section) map[string]bool {
	out := map[string]bool{}
	for _, s := range sections {
		for line := range strings.Lines(s.Markdown) {
			text := strings.TrimSpace(line)
			if text != "" && isDefinition(text) && text[1] != '^' {
				out[strings.ToLower(text[1:strings.Index(text, "]:")])] = true
			}
		}
	}
	return out
}

// units turns blocks into passages that have text, quote, item and nothing else.
func units(in []block, labels map[string]bool) []passage {
	var out []passage
	for i := 0; i < len(in); i++ {
		sentences := split(in[i].text)
		for j, raw := range sentences {
			text := plain(raw, labels)
			if j == len(sentences)-1 && strings.HasSuffix(raw, ":") {
				if p, ok := enumerate(in[i:], raw, text, labels); ok {
					out = append(out, p)
				}
				continue
			}
			if pointsBack(text) {
				if j == 0 {
					continue
				}
				raw = sentences[j-1] + " " + raw
				text = plain(raw, labels)
				if n := len(out); n > 0 && strings.HasSuffix(out[n-1].quote, sentences[j-1]) {
					out = out[:n-1] // now part of this one
				}
			}
			text = standalone(text)
			if in[i].item {
				text = finish(text)
			}
			if quote := quotable(raw); readable(text) && quote != "" {
				out = append(out, passage{text: text, quote: quote, item: in[i].item})
			}
		}
	}
	return out
}

// enumerate joins a sentence that ends with a colon and the short items that follow it.
func enumerate(in []block, raw, text string, labels map[string]bool) (passage, bool) {
	const most, longest = 8, 90
	var items []string
	for i := 1; i < len(in) && in[i-1].next && in[i].item; i++ {
		item := strings.TrimRight(plain(in[i].text, labels), ".;, ")
		if item == "" || utf8.RuneCountInString(item) > longest || len(items) == most || strings.HasSuffix(item, ":") {
			return passage{}, false
		}
		items = append(items, item)
	}
	text = standalone(strings.TrimRight(text, ": ")) + ": " + strings.Join(items, "; ") + "."
	quote := quotable(strings.TrimRight(raw, ": "))
	return passage{text: text, quote: quote}, len(items) > 1 && quote != "" && !pointsBack(text) && readable(text)
}

// finish gives an item that is a whole sentence its full stop.
func finish(text string) string {
	if last, _ := utf8.DecodeLastRuneInString(text); isWord(last) || last == '`' || last == ')' {
		if hasVerb(text) {
			return text + "."
		}
	}
	return text
}

// quotable is the longest beginning of a sentence that evidence may hold, cut where a clause ends.
// It is empty when there is none.
func quotable(raw string) string {
	if n := utf8.RuneCountInString(raw); n < minQuote || hidden(raw) {
		return ""
	} else if n <= maxQuote {
		return raw
	}
	masked := mask(raw)
	best, runes := 0, 0
	for i, c := range raw {
		if runes++; runes > maxQuote {
			break
		}
		if !masked[i] && strings.ContainsRune(",;:.–—", c) && i+1 < len(raw) && raw[i+utf8.RuneLen(c)] == ' ' && balanced(raw[:i]) {
			best = i
		}
	}
	if utf8.RuneCountInString(raw[:best]) < minQuote {
		return ""
	}
	return raw[:best]
}

// readable reports whether a text is one sentence of prose: it begins and ends like one, is of a
// sensible length, and is neither a formula nor a placeholder.
func readable(text string) bool {
	n := utf8.RuneCountInString(text)
	if n < minSentence || n > maxSentence || hidden(text) || !balanced(text) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "\"“‘'(`"))
	last := strings.TrimRight(text, "\"”’')`")
	if !unicode.IsLetter(first) && !unicode.IsDigit(first) || unicode.IsLower(first) && text[0] != '`' || !strings.HasSuffix(last, ".") && !strings.HasSuffix(last, "!") && !strings.HasSuffix(last, "。") {
		return false
	}
	letters, words := 0, len(strings.Fields(text))
	for _, c := range text {
		if unicode.IsLetter(c) || c == ' ' {
			letters++
		}
	}
	ideographs := strings.IndexFunc(text, func(c rune) bool { return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) }) >= 0
	return letters*100 >= n*70 && (words >= 5 || ideographs) && !boilerplate(text)
}

// boilerplate reports what stands in every proposal, or in none that is done.
func boilerplate(text string) bool {
	lower := strings.ToLower(text)
	for _, s := range []string{"rfc 2119", "rfc-2119", "rfc2119", "bcp 14", "key words", "words in capitals", "to be done", "to be completed", "lorem ipsum", "copyright", "see below", "as follows",
		"the following figure", "following diagram", "the table below", "shown below", "non-normative", "\\", "$", "http://", "https://", "screenshot", "this section", "click here", "table above", "following table", "this document describes how to"} {
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
	text = strings.TrimLeft(connective(text), "\"“(")
	first, rest, _ := strings.Cut(text, " ")
	second, _, _ := strings.Cut(rest, " ")
	switch strings.ToLower(strings.TrimRight(first, ",:'’s")) {
	case "it", "they", "these", "those", "such", "he", "she", "thi", "that", "its", "their", "there", "here", "both", "otherwise", "likewise", "similarly", "instead", "conversely", "then",
		"one", "neither", "either", "another", "same", "so", "else", "if":
	default:
		return strings.HasPrefix(strings.ToLower(text), "the same ") || strings.HasPrefix(strings.ToLower(text), "the latter") || strings.HasPrefix(strings.ToLower(text), "the former") ||
			strings.HasPrefix(strings.ToLower(text), "in this case") || strings.HasPrefix(strings.ToLower(text), "in that case") || strings.HasPrefix(strings.ToLower(text), "for example") ||
			strings.HasPrefix(strings.ToLower(text), "for instance") || strings.HasPrefix(strings.ToLower(text), "in other words")
	}
	switch strings.ToLower(strings.Trim(second, ",.'’")) {
	case "eip", "erc", "mip", "simd", "proposal", "document", "change", "standard", "specification", "upgrade", "update", "extension", "convention", "interface", "meta", "fork":
		return false // this proposal
	case "is", "are", "will":
		return strings.ToLower(first) != "there" // there is
	}
	return strings.ToLower(first) != "if"
}

// connective removes the word that ties a sentence to the one before it.
func connective(text string) string {
	for _, w := range []string{"However, ", "Therefore, ", "Thus, ", "Thus ", "Furthermore, ", "Additionally, ", "Moreover, ", "Also, ", "Finally, ", "Hence, ", "Consequently, ", "In addition, ",
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
