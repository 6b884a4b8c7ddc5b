package mention

import "strings"

// Patterns of numbers. Digits are folded before, so they are ASCII. A group mark joins digits of one number: a comma, a
// full stop, an apostrophe, an underscore, a narrow or fixed blank.
var (
	number       = lazily(`0[xX][0-9A-Fa-f]+|[0-9]+(?:[.,_'’\x{A0}\x{2009}\x{202F}][0-9]+)*`)
	spacedNumber = lazily(`\b[0-9]{1,3}(?: [0-9]{3})+\b`)
	numberGroups = lazily(`^[0-9]{1,3}(?:[.,][0-9]{3})+$`)
	groupMarks   = strings.NewReplacer("_", "", "'", "", "’", "", "\u00A0", "", "\u2009", "", "\u202F", "")
)

// formsOf are the ways to read a number: 9.999 can be nine and a fraction or nearly ten thousand.
func formsOf(n string) []string {
	if strings.HasPrefix(strings.ToLower(n), "0x") {
		return []string{strings.ToLower(n)}
	}
	n = strings.TrimLeft(groupMarks.Replace(n), "0")
	if n == "" || n[0] < '0' || n[0] > '9' {
		n = "0" + n
	}
	points := strings.ReplaceAll(n, ",", ".")
	out := []string{points}
	if numberGroups().MatchString(n) {
		out = append(out, strings.ReplaceAll(points, ".", ""))
	}
	whole, part := points, ""
	if i := strings.LastIndexByte(points, '.'); i >= 0 {
		whole, part = points[:i], points[i:]
	}
	if numberGroups().MatchString(whole) {
		out = append(out, strings.ReplaceAll(whole, ".", "")+part)
	}
	return out
}

// SpeltNumbers counts the numbers that an English text writes as words, each in digits. Other languages write some of
// these words in digits: "May" and "two blocks" in Chinese and Japanese.
func SpeltNumbers(text string) map[string]int {
	out := map[string]int{}
	words := strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return c < 'a' || c > 'z' })
	for word := range words {
		if n, ok := numberWords[word]; ok {
			out[n]++
		}
	}
	return out
}

// numberWords has the number of each word. It is not changed.
var numberWords = func() map[string]string {
	out := map[string]string{}
	for n, words := range map[string]string{
		"0": "zero", "1": "a an one once first single january", "2": "two twice second both pair half february",
		"3": "three thrice third march", "4": "four fourth quarter april", "5": "five fifth may",
		"6": "six sixth june", "7": "seven seventh july", "8": "eight eighth august", "9": "nine ninth september",
		"10": "ten tenth october", "11": "eleven eleventh november", "12": "twelve twelfth dozen december",
		"20": "twenty", "30": "thirty", "50": "fifty", "100": "hundred", "1000": "thousand",
	} {
		for word := range strings.FieldsSeq(words) {
			out[word] = n
		}
	}
	return out
}()
