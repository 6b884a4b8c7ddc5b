package summary

import (
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
)

// units turns the blocks of a section into passages that have text, quote, item, first and nothing else.
func units(in []prose.Block, labels map[string]bool) []passage {
	const longest = 16 << 10 // bytes of a block; a longer one is no prose
	var out []passage
	for i, b := range in {
		if len(b.Text) > longest {
			continue
		}
		for j, group := range groups(prose.Split(b.Text), labels) {
			p, ok := joinSentences(group, b.Item, labels)
			if last := group[len(group)-1]; strings.HasSuffix(last, ":") && len(group) == 1 {
				p, ok = enumerate(in[i:], last, labels)
			}
			if ok {
				p.first = i == 0 && j == 0
				out = append(out, p)
			}
		}
	}
	return out
}

// groups puts every sentence that points back together with the one that it points at.
func groups(sentences []string, labels map[string]bool) [][]string {
	var out [][]string
	for j, raw := range sentences {
		text := prose.Plain(raw, labels)
		if j > 0 && (pointsBack(text) || endsBack(text) && strings.Count(text, " ") < 10) {
			out[len(out)-1] = append(out[len(out)-1], raw)
			continue
		}
		out = append(out, []string{raw})
	}
	return out
}

// joinSentences makes a passage of as many sentences of a group as are readable together, from the first one on. There
// is none when the first one already points back, or when what announces a list has none behind it.
func joinSentences(group []string, item bool, labels map[string]bool) (passage, bool) {
	for n := len(group); n > 0; n-- {
		raw := strings.Join(group[:n], " ")
		text := prose.Plain(raw, labels)
		if pointsBack(text) {
			return passage{}, false // at what is no sentence
		}
		text = standalone(text)
		if item {
			text = finish(text)
		}
		if quote := quotable(raw); quote != "" && readable(text) && !strings.Contains(strings.ToLower(text), "the following ") {
			return passage{text: text, quote: quote, item: item}, true
		}
	}
	return passage{}, false
}

// enumerate joins a sentence that ends with a colon and the short items that follow it. The quote is the sentence
// alone, since the items are blocks of their own. Long, nested or too many items make no sentence.
func enumerate(in []prose.Block, raw string, labels map[string]bool) (passage, bool) {
	const most, longest = 8, 90
	text := prose.Plain(raw, labels)
	var items []string
	for i := 1; i < len(in) && in[i-1].Next && in[i].Item; i++ {
		item := strings.TrimRight(prose.Plain(in[i].Text, labels), ".;, ")
		if item == "" || utf8.RuneCountInString(item) > longest || len(items) == most || strings.HasSuffix(item, ":") {
			return passage{}, false
		}
		items = append(items, item)
	}
	text = standalone(strings.TrimRight(text, ": ")) + ": " + strings.Join(items, "; ") + "."
	quote := quotable(strings.TrimRight(raw, ": "))
	return passage{text: text, quote: quote}, len(items) > 1 && quote != "" && !pointsBack(text) && readable(text)
}

// finish gives an item that is a whole sentence its full stop. Authors leave it out in lists.
func finish(text string) string {
	last, _ := utf8.DecodeLastRuneInString(text)
	if !prose.IsWord(last) && last != '`' && last != ')' || !hasVerb(text) {
		return text
	}
	switch text[strings.LastIndexByte(text, ' ')+1:] {
	case "a", "an", "and", "are", "as", "be", "by", "for", "from", "if", "is", "of", "or", "that", "the", "to", "with":
		return text // what follows is code or a formula
	}
	return text + "."
}

// quotable is the longest beginning of a sentence that evidence may hold, cut where a clause ends.
// It is empty when there is none. No cut is made within code, a target or brackets, so that marks stay in pairs.
func quotable(raw string) string {
	if n := utf8.RuneCountInString(raw); n < minQuote || hidden(raw) {
		return ""
	} else if n <= maxQuote {
		return raw
	}
	masked := prose.Mask(raw)
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
