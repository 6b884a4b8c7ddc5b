package header

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// number reads the proposal's number from the raw text of its header, because YAML 1.1 would
// make 113 of 0161, and from the file's name when the header has a placeholder. ok is false
// when the proposal has no number; r then says why. The key is the site's prefix.
func (f *fields) number(prefix, name string) (n int, fromName, ok bool) {
	key := fieldName(prefix)
	inName, named := filename.Number(name)
	v, merge := f.get(key), f.get("<<")
	// A merge key may bring a number that nobody sees here.
	if v.line == 0 && merge.line > 0 {
		f.r.Add(merge.line, "bad-number/merge", key, key)
		return 0, false, false
	}
	// Drafts often have no number yet, and files such as README.md never have one.
	text, isText := v.v.(string)
	if v.v == nil || isText && isPlaceholder(text) {
		if !named {
			f.r.Add(v.line, "unnumbered-draft")
		}
		return inName, true, named
	}
	// A list or a map has an empty text, which is no number either.
	digits, isNumber := StripPrefix(text, prefix)
	n, small := mip.ParseNumber(digits)
	if !isNumber || !small || len(digits) > mip.MaxDigits {
		f.r.Add(v.line, "bad-number", mip.Quote(v.raw()), key, mip.MaxDigits)
		return 0, false, false
	}
	// A quoted 007 is a text in YAML too.
	if len(digits) > 1 && digits[0] == '0' && strings.HasPrefix(v.value, "0") {
		f.r.Add(v.line, "leading-zeros", mip.Quote(text), n)
	}
	if named && inName != n {
		f.r.Add(v.line, "number-mismatch", n, inName)
	}
	return n, false, true
}

// mayHaveNumber reports whether a file that has no sound header may yet be a proposal: it begins
// with a header, however broken, that has the number's key for one of the kinds, or nothing can be
// seen in it, as in a binary file or UTF-16.
func mayHaveNumber(raw string, kinds []string) bool {
	if strings.IndexByte(raw, 0) >= 0 || strings.HasPrefix(raw, "\xFF\xFE") || strings.HasPrefix(raw, "\xFE\xFF") {
		return true
	}
	text := strings.TrimLeft(raw, "\uFEFF \t\r\n")
	text = text[beginning(text):]
	if !strings.HasPrefix(text, "---") {
		return false
	}
	head, _, _ := strings.Cut(text[3:min(len(text), maxHeader)], "\n---")
	return slices.ContainsFunc(kinds, func(prefix string) bool {
		return regexp.MustCompile(`(?i)[\r\n][- \t]*` + regexp.QuoteMeta(prefix) + `[ \t]*:`).MatchString(head)
	})
}

// findAlias finds another prefix under which alone the header states the proposal's number, so that
// numbers count under that one, too: eip: 721 of ERC-721.
func (f *fields) findAlias(number int) {
	for _, v := range f.order {
		text, _ := v.v.(string)
		if n, ok := mip.ParseNumber(text); ok && n == number && text != "" && onlyLetters.MatchString(v.name) && f.Alias == "" {
			f.Alias, v.used = v.name, true
		}
	}
}
