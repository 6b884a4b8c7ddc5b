package ai

import (
	"strings"
	"unicode/utf8"
)

// numbersSurvive reports whether a translation has the numbers of its source, each as often and written
// alike. It may write a number word in digits, as Chinese and Japanese do with "two blocks" and "May";
// and a negative number must keep its sign, while "32-byte" and "Typ-2" have none.
func numbersSurvive(source, result string, in, out []token) bool {
	want, got := countNumbers(in), countNumbers(out)
	for n := range want {
		if got[n] < want[n] {
			return false
		}
	}
	spelt := speltNumbers(source)
	for n := range got {
		if got[n] > want[n]+spelt[n] {
			return false
		}
	}
	signed := map[string]int{}
	for _, t := range in {
		if sign := signBefore(source, t.from); t.class == numberToken && sign != "" {
			signed[sign+t.text]++
		}
	}
	for n, times := range signed {
		if strings.Count(result, n) < times {
			return false
		}
	}
	return true
}

func countNumbers(tokens []token) map[string]int {
	out := map[string]int{}
	for _, t := range tokens {
		if t.class == numberToken {
			out[t.text]++
		}
	}
	return out
}

// signBefore returns the minus or hyphen before a number unless it follows a word, a number or a
// closing parenthesis, or stands apart from the number.
func signBefore(text string, at int) string {
	c, n := utf8.DecodeLastRuneInString(text[:at])
	if c != '-' && c != '−' {
		return ""
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at-n])
	if isWord(before) || strings.ContainsRune(")]-−`", before) {
		return ""
	}
	return text[at-n : at]
}

// speltNumbers counts the numbers that a text writes as words.
func speltNumbers(text string) map[string]int {
	out := map[string]int{}
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return c < 'a' || c > 'z' })
	for _, word := range words {
		if n, ok := numberWords[word]; ok {
			out[n]++
		}
	}
	return out
}

// numberWords are English words that other languages write as numbers. It is not changed.
var numberWords = func() map[string]string {
	out := map[string]string{}
	for n, words := range map[string]string{
		"0": "zero", "1": "a an one once first single january", "2": "two twice second both pair half february",
		"3": "three thrice third march", "4": "four fourth quarter april", "5": "five fifth may", "6": "six sixth june",
		"7": "seven seventh july", "8": "eight eighth august", "9": "nine ninth september", "10": "ten tenth october",
		"11": "eleven eleventh november", "12": "twelve twelfth dozen december", "20": "twenty", "30": "thirty",
		"50": "fifty", "100": "hundred", "1000": "thousand",
	} {
		for word := range strings.FieldsSeq(words) {
			out[word] = n
		}
	}
	return out
}()
