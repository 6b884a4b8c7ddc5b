package search

import (
	"regexp"
	"slices"
	"strings"
)

// Query is a question taken apart. The zero value asks for nothing.
type Query struct {
	words []asked
	// phrases are those of several words, with blanks between their terms.
	phrases []string
	// filters are the terms of filters: of one name any will do, of several names each is needed.
	filters []string
	// key is that of the proposal whose number or id the question is; empty for none.
	key string
	// ignored are the words and phrases beyond those that count.
	ignored []string
}

const (
	// mostWords is how many words of a question count.
	mostWords = 16
	// mostPhrases is how many phrases of a question count.
	mostPhrases = 4
)

// asked is one word of a question, with its parts.
type asked struct {
	term  string
	parts []string
	// begun says that it may be the beginning of a word, and quoted that it is asked for as it is.
	begun, quoted bool
}

// star is a term in an [Answer]: what it begins with is enough.
func (a asked) star() string {
	if a.begun {
		return a.term + "*"
	}
	return a.term
}

// special is a word such as status:final or author:"Ada Lovelace", or a phrase in quotes. One without an end goes to the end of
// the text.
var special = regexp.MustCompile(`(?i)(?:^|\s)(status|type|category|kind|author|upgrade):(?:"([^"]*)"?|(\S+))|"([^"]*)("?)`)

// quotes are those that texts have from word processors.
var quotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`)

// number is a question for one proposal, perhaps with other words: its number alone, or its id.
var number = regexp.MustCompile(`(?i)^\s*0*(\d{1,9})\s*$|\b([a-z]+)[-_ ]?0*(\d{1,9})\b`)

// Facet is the term of a filter: its name and the value in lower case, with hyphens between its words.
func Facet(name, value string) string {
	return name + ":" + strings.Join(strings.FieldsFunc(fold(value), func(c rune) bool { return !inWord(c) }), "-")
}

// longestQuestion is in bytes. The rest of a longer one is not read.
const longestQuestion = 400

// Parse takes a question apart, for proposals of these kinds, of which the first has its numbers for keys and the others have
// their ids in lower case. Everything is a question, the empty text too.
func Parse(text string, kinds ...string) (q Query) {
	text = special.ReplaceAllStringFunc(quotes.Replace(cut(text, longestQuestion)), func(m string) string {
		of := special.FindStringSubmatch(m)
		if of[1] != "" {
			q.filters = append(q.filters, Facet(strings.ToLower(of[1]), of[2]+of[3]))
			return " "
		}
		quoted := words(of[4], of[5] == "")
		var phrase []string
		for i := range quoted {
			quoted[i].quoted = true
			phrase = append(phrase, quoted[i].star())
		}
		if len(quoted) < 2 {
			q.ignored = append(q.ignored, q.ask(quoted)...)
			return " "
		}
		switch asked := strings.Join(phrase, " "); {
		case slices.Contains(q.phrases, asked):
		case len(q.phrases) == mostPhrases:
			q.ignored = append(q.ignored, asked)
		default:
			q.phrases = append(q.phrases, asked)
			q.ask(quoted) // the phrase stands for words beyond those that count
		}
		return " "
	})
	for _, m := range number.FindAllStringSubmatch(text, -1) {
		i := slices.IndexFunc(kinds, func(k string) bool { return strings.EqualFold(k, m[2]) })
		switch {
		case q.key != "":
		case m[1] != "" || i == 0:
			q.key = m[1] + m[3]
		case i > 0:
			q.key = strings.ToLower(m[2]) + "-" + m[3]
		}
	}
	q.ignored = append(q.ignored, q.ask(words(text, true))...)
	return q
}

// words are those of a text. The last one may be the beginning of one, unless the text has an end.
func words(text string, open bool) (out []asked) {
	for _, w := range terms(text) {
		if w.part {
			last := &out[len(out)-1]
			last.parts = append(last.parts, w.term)
		} else {
			out = append(out, asked{term: w.term})
		}
	}
	if len(out) > 0 && open && strings.TrimRight(text, "\t\n ") == text {
		out[len(out)-1].begun = true
	}
	return out
}

// ask adds words, each once, and returns those beyond the ones that count.
func (q *Query) ask(words []asked) (beyond []string) {
	for _, w := range words {
		switch {
		case slices.ContainsFunc(q.words, func(a asked) bool { return a.term == w.term }):
		case len(q.words) < mostWords:
			q.words = append(q.words, w)
		case !slices.Contains(beyond, w.term):
			beyond = append(beyond, w.term)
		}
	}
	return beyond
}

// Filter adds a filter to a question, as if it stood in its text.
func (q *Query) Filter(name, value string) { q.filters = append(q.filters, Facet(name, value)) }

// Empty reports a question that asks for nothing.
func (q *Query) Empty() bool { return len(q.words) == 0 && len(q.filters) == 0 && q.key == "" }

// cut is the beginning of a text, in whole letters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
