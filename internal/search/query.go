package search

import (
	"regexp"
	"slices"
	"strings"
)

// Query is a parsed query. The zero value asks for nothing.
type Query struct {
	words []queryWord
	// phrases are the phrases of several words, with blanks between their terms.
	phrases []string
	// filters are the terms of filters: any of those with the same name must match, and each name
	// must.
	filters []string
	// key is the proposal's key if the query is its number or id, else empty.
	key string
	// ignored holds the words and phrases beyond the limits.
	ignored []string
}

const (
	// mostWords bounds the words of a query.
	mostWords = 16
	// mostPhrases bounds the phrases of a query.
	mostPhrases = 4
)

// queryWord is one word of a query, with its parts.
type queryWord struct {
	term  string
	parts []string
	// begun reports that it may be the beginning of a word, and quoted that it must match exactly.
	begun, quoted bool
}

// star returns the term for an [Answer]: with a star if a prefix matches.
func (a queryWord) star() string {
	if a.begun {
		return a.term + "*"
	}
	return a.term
}

// special matches a filter, such as status:final or author:"Ada Lovelace", or a phrase in quotes. A
// phrase without a closing quote extends to the end of the text.
var special = regexp.MustCompile(
	`(?i)(?:^|\s)(status|type|category|kind|author|upgrade):(?:"([^"]*)"?|(\S+))|"([^"]*)("?)`)

// quotes replaces typographic quotation marks.
var quotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`)

// number matches a query for one proposal, by its number alone, or by its id among other words.
var number = regexp.MustCompile(`(?i)^\s*0*(\d{1,9})\s*$|\b([a-z]+)[-_ ]?0*(\d{1,9})\b`)

// Facet returns the term of a filter: the name and the value in lower case, with hyphens between
// words.
func Facet(name, value string) string {
	return name + ":" + strings.Join(strings.FieldsFunc(fold(value), func(c rune) bool {
		return !inWord(c)
	}), "-")
}

// longestQuestion bounds a query in bytes. The rest is ignored.
const longestQuestion = 400

// Parse parses a query for proposals of these kinds: keys of the first kind are numbers, keys of
// the others are ids in lower case. Any text is a query, even the empty one.
func Parse(text string, kinds ...string) (q Query) {
	text = quotes.Replace(cut(text, longestQuestion))
	text = special.ReplaceAllStringFunc(text, func(m string) string {
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
			q.ignored = append(q.ignored, q.add(quoted)...)
			return " "
		}
		switch joined := strings.Join(phrase, " "); {
		case slices.Contains(q.phrases, joined):
		case len(q.phrases) == mostPhrases:
			q.ignored = append(q.ignored, joined)
		default:
			q.phrases = append(q.phrases, joined)
			q.add(quoted) // the phrase covers words beyond the limit
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
	q.ignored = append(q.ignored, q.add(words(text, true))...)
	return q
}

// words returns the words of a text. If the text is open, its last word may be the beginning of a
// word.
func words(text string, open bool) (out []queryWord) {
	for _, w := range terms(text) {
		if w.part {
			last := &out[len(out)-1]
			last.parts = append(last.parts, w.term)
		} else {
			out = append(out, queryWord{term: w.term})
		}
	}
	if len(out) > 0 && open && strings.TrimRight(text, "\t\n ") == text {
		out[len(out)-1].begun = true
	}
	return out
}

// add adds words, each once, and returns those beyond the limit.
func (q *Query) add(words []queryWord) (beyond []string) {
	for _, w := range words {
		switch {
		case slices.ContainsFunc(q.words, func(a queryWord) bool { return a.term == w.term }):
		case len(q.words) < mostWords:
			q.words = append(q.words, w)
		case !slices.Contains(beyond, w.term):
			beyond = append(beyond, w.term)
		}
	}
	return beyond
}

// Filter adds a filter to a query, as if its text contained it.
func (q *Query) Filter(name, value string) { q.filters = append(q.filters, Facet(name, value)) }

// Empty reports whether the query asks for nothing.
func (q *Query) Empty() bool { return len(q.words) == 0 && len(q.filters) == 0 && q.key == "" }

// cut returns the beginning of a text, in whole characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
