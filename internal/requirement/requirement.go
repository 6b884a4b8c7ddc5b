// Package requirement finds the requirements of a text for implementers: its sentences with an RFC
// 2119 key word in capitals.
//
// It recognizes the key words and not the meaning: a requirement in other words ("has to", "must")
// is none, as in RFC 8174.
package requirement

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Find returns the requirements of a text, never nil, in its order. Code, headings and HTML have
// none, nor have sentences that only name key words. The id of a requirement is made from its
// letters and digits: it stays the same while these do, wherever the sentence moves.
func Find(sections []mip.Section) []mip.Requirement {
	out, taken := []mip.Requirement{}, map[string]int{}
	silent := func(s mip.Section) bool { return !Mentioned(s.Markdown) }
	speaking := slices.DeleteFunc(slices.Clone(sections), silent)
	if len(speaking) == 0 {
		return out
	}
	labels := prose.Labels(sections)
	for _, s := range speaking {
		before := "" // the preceding sentence, in a paragraph
		for _, p := range passages(s.Markdown, labels) {
			previous := cmp.Or(p.above, before)
			if !p.within {
				before = p.last()
			}
			for i, sentence := range p.sentences {
				if i > 0 {
					previous = p.sentences[i-1].text
				}
				if len(sentence.words) == 0 || explains(sentence.text) {
					continue
				}
				r := mip.Requirement{
					ID: id(sentence.text), Level: level(sentence.words), KeyWords: sentence.words,
					Section: s.ID, Context: p.lead, Text: sentence.text, Items: []string{},
				}
				if pointsBack.MatchString(sentence.text) && (i > 0 || p.lead == "") {
					r.Context = previous
				}
				if i+1 == len(p.sentences) {
					r.Items = append(r.Items, p.items...)
				}
				if taken[r.ID]++; taken[r.ID] > 1 {
					r.ID = fmt.Sprintf("%s-%d", r.ID, taken[r.ID])
				}
				out = append(out, r)
			}
		}
	}
	return out
}

// stems are words of which each key word contains exactly one.
var stems = []string{"MUST", "SHALL", "SHOULD", "REQUIRED", "RECOMMENDED"}

// hasStem reports whether a text contains the letters of a stem.
func hasStem(text string) bool {
	return slices.ContainsFunc(stems, func(word string) bool {
		return strings.Contains(text, word)
	})
}

// Mentioned reports whether a text has a key word at all, also where Find ignores it, such as in
// code. It is fast.
func Mentioned(text string) bool {
	for _, word := range stems {
		for at := 0; ; {
			i := strings.Index(text[at:], word)
			if i < 0 {
				break
			}
			from, to := at+i, at+i+len(word)
			if (from == 0 || !isWord(text[from-1])) && (to == len(text) || !isWord(text[to])) {
				return true
			}
			at = to
		}
	}
	return false
}

// isWord reports a byte of a word, as \b in an expression does.
func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// Patterns of key words, longer ones first, and of their context.
var (
	keyWord = regexp.MustCompile(`\b(?:MUST NOT|MUST|SHALL NOT|SHALL|REQUIRED|` +
		`SHOULD NOT|SHOULD|NOT RECOMMENDED|RECOMMENDED)\b`)
	code = regexp.MustCompile("```.*?```|``.*?``|`[^`]*`")
	// quoted matches a key word that a sentence mentions.
	quoted = regexp.MustCompile(`["'“‘«„]\s?(?:[A-Z]+ ?)+,?\s?["'”’»“]`)
	// explanation matches texts that explain key words instead of using them (RFC 2119, abstract;
	// RFC 8174, section 2).
	explanation = regexp.MustCompile(`(?i)\bRFC[ -]?(?:2119|8174)\b|\bBCP[ -]?14\b`)
	ofKeyWords  = regexp.MustCompile(
		`(?i)\bkey[ -]?words?\b|\binterpreted\b|\bin (?:all )?capitals\b`)
	// pointsBack matches the beginning of a sentence that needs the one before.
	pointsBack = regexp.MustCompile(`^(?:This|That|These|Those|It|They|Its|Their|Both|Neither|` +
		`Such|Otherwise|Else|In (?:this|that|such|either) |MUST|SHALL|SHOULD|Doing so|` +
		`If (?:so|not|it|they|this)\b|The (?:former|latter|same)\b|` +
		`Then|Therefore|Thus|Hence)\b`)
)

// keyWords returns the key words of a sentence of the source, in order. Key words in code and in
// quotes are names.
func keyWords(sentence string, labels map[string]bool) []string {
	// Most sentences have none, and need no expression and no parser.
	if !hasStem(sentence) {
		return nil
	}
	const name = "-" // which separates words as the code does
	text := prose.Plain(code.ReplaceAllString(sentence, name), labels)
	return keyWord.FindAllString(quoted.ReplaceAllString(text, name), -1)
}

// explains reports whether a sentence explains how to read key words.
func explains(sentence string) bool {
	return explanation.MatchString(sentence) && ofKeyWords.MatchString(sentence)
}

// level returns the level of the strongest key word.
func level(words []string) mip.RequirementLevel {
	isMust := func(w string) bool {
		return !strings.HasPrefix(w, "SHOULD") && !strings.HasSuffix(w, "RECOMMENDED")
	}
	if slices.ContainsFunc(words, isMust) {
		return mip.Must
	}
	return mip.Should
}

// id returns an id from the letters and digits of a sentence: a new comma or a link does not change
// it.
func id(sentence string) string {
	letters := strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, sentence)
	sum := sha256.Sum256([]byte(letters))
	return "r-" + hex.EncodeToString(sum[:4])
}
