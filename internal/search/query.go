package search

import (
	"regexp"
	"slices"
	"strings"
)

// Query is a question taken apart. The zero value asks for nothing.
type Query struct {
	words []asked
	// begun says that the last word may be the beginning of one.
	begun bool
	// filters are the terms of filters: of one name any will do, of several names each is needed.
	filters []string
	// key is that of the proposal whose number or id the question is; empty for none.
	key string
}

// asked is one word of a question, with its parts.
type asked struct {
	term  string
	parts []string
}

// filter is a word such as status:final, or author:"Ada Lovelace".
var filter = regexp.MustCompile(`(?i)(?:^|\s)(status|type|category|kind|author|upgrade):(?:"([^"]*)"|(\S+))`)

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
	text = cut(text, longestQuestion)
	text = filter.ReplaceAllStringFunc(text, func(m string) string {
		f := filter.FindStringSubmatch(m)
		q.filters = append(q.filters, Facet(strings.ToLower(f[1]), f[2]+f[3]))
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
	for _, w := range terms(text) {
		if w.part {
			last := &q.words[len(q.words)-1]
			last.parts = append(last.parts, w.term)
		} else if !slices.ContainsFunc(q.words, func(a asked) bool { return a.term == w.term }) {
			q.words = append(q.words, asked{term: w.term})
		}
	}
	end := strings.TrimRight(text, "\t\n ")
	q.begun = end == text && text != ""
	return q
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
