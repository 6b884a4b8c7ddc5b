package summary

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// axis is one of the four groups that a summary speaks to.
type axis int

// The axes, in the order of the members of a summary.
const (
	developers axis = iota
	users
	validators
	foundation
)

// String is the axis as the summary's JSON names it.
func (a axis) String() string {
	return [...]string{"developers", "users", "validators", "foundation"}[a]
}

//go:embed words.txt
var wordsFile string

// wordLists are the lists of words.txt by name. A list is not changed.
var wordLists = sync.OnceValue(func() map[string][]string {
	lists, name := map[string][]string{}, ""
	for line := range strings.Lines(wordsFile) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			name = strings.Trim(line, "[]")
			continue
		}
		if quoted, err := strconv.Unquote(line); err == nil {
			line = quoted
		}
		lists[name] = append(lists[name], line)
	}
	return lists
})

// list is a list of words.txt.
func list(name string) []string { return wordLists()[name] }

// vocabulary is the words by which a sentence is seen to speak of a group. A phrase is found as a whole.
type vocabulary struct {
	group []string // the people themselves, or what they alone work with
	field []string // what they care about, and others too
}

// vocabulariesOf fits the words of the axes to a kind of proposal. Where it is about what talks to a node, a client
// is no node. Where it is about the process, authors and editors are its stewards.
func vocabulariesOf(k kind) [4]vocabulary {
	var v [4]vocabulary
	for a := range v {
		name := axis(a).String()
		v[a] = vocabulary{group: slices.Clone(list(name + " group")), field: list(name + " field")}
	}
	drop := func(a axis, terms ...string) {
		v[a].group = slices.DeleteFunc(v[a].group, func(t string) bool { return slices.Contains(terms, t) })
	}
	switch k {
	case interfaces, convention:
		v[developers].group = append(v[developers].group, "client", "subscription", "request")
		v[foundation].field = nil
		drop(validators, "client")
	case networking:
		drop(users, "sender", "recipient", "owner") // of packets
	case process:
		v[foundation].group = append(v[foundation].group, list("stewards of the process")...)
	}
	return v
}

// mentions counts the different terms of a vocabulary in a text made by [words]. subject reports whether one of the
// group is named in the first half of the text, where a sentence has its subject.
func (v vocabulary) mentions(text string) (group, field int, subject bool) {
	for _, t := range v.group {
		if i := strings.Index(text, " "+t+" "); i >= 0 {
			group++
			subject = subject || strings.Count(text[:i], " ") <= 4
		}
	}
	for _, t := range v.field {
		if strings.Contains(text, " "+t+" ") {
			field++
		}
	}
	return group, field, subject
}

// words is a text as the vocabularies have it: lower case, words in the singular, one blank around each.
func words(text string) string {
	text = uncoded(text)
	var b strings.Builder
	b.WriteByte(' ')
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_' && c != '/'
	}) {
		b.WriteString(singular(w))
		b.WriteByte(' ')
	}
	return b.String()
}

// uncoded is a text with its code left out: a parameter named owner speaks of nobody.
func uncoded(text string) string {
	if !strings.Contains(text, "`") {
		return text
	}
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}

// singular takes the s from a word's end where that makes a singular or a verb's stem.
func singular(w string) string {
	ends := func(suffixes ...string) bool {
		return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(w, s) })
	}
	switch {
	case len(w) <= 3 || !ends("s") || ends("ss", "us", "is"):
		return w
	case ends("ies"):
		return w[:len(w)-3] + "y"
	case ends("sses", "xes", "ches"):
		return w[:len(w)-2]
	}
	return w[:len(w)-1]
}

// hasAny reports whether a text made by [words] holds one of the terms.
func hasAny(text string, terms ...string) bool {
	return slices.ContainsFunc(terms, func(t string) bool { return strings.Contains(text, " "+t+" ") })
}
