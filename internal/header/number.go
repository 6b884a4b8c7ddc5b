package header

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// number parses the proposal's number from the raw text of its header, because YAML 1.1 would turn
// 0161 into 113, and from the file's name if the header has a placeholder. ok is false if the
// proposal has no number; r then has the reason. The key is the site's prefix.
func (f *fields) number(prefix, name string) (n int, fromName, ok bool) {
	key := fieldName(prefix)
	inName, named := filename.Number(name)
	v, merge := f.get(key), f.get("<<")
	// A merge key may bring a number that is not visible here.
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
	// The text of a list or a map is empty, which is no number either.
	digits, isNumber := StripPrefix(text, prefix)
	n, small := mip.ParseNumber(digits)
	if !isNumber || !small || len(digits) > mip.MaxDigits {
		f.r.Add(v.line, "bad-number", mip.Quote(v.raw()), key, mip.MaxDigits)
		return 0, false, false
	}
	// A quoted 007 is text in YAML, too.
	if len(digits) > 1 && digits[0] == '0' && strings.HasPrefix(v.value, "0") {
		f.r.Add(v.line, "leading-zeros", mip.Quote(text), n)
	}
	if named && inName != n {
		f.r.Add(v.line, "number-mismatch", n, inName)
	}
	return n, false, true
}

// mayHaveNumber reports whether a file without a sound header may still be a proposal: it begins
// with a header, however broken, that has the number's key of one of the kinds, or it is
// unreadable, such as a binary file or UTF-16.
func mayHaveNumber(raw string, kinds []string) bool {
	if strings.IndexByte(raw, 0) >= 0 || strings.HasPrefix(raw, "\xFF\xFE") ||
		strings.HasPrefix(raw, "\xFE\xFF") {
		return true
	}
	text := strings.TrimLeft(raw, "\uFEFF \t\r\n")
	text = text[beginning(text):]
	if !strings.HasPrefix(text, "---") {
		return false
	}
	head, _, _ := strings.Cut(text[3:min(len(text), maxHeader)], "\n---")
	return slices.ContainsFunc(kinds, func(prefix string) bool {
		key := `(?i)[\r\n][- \t]*` + regexp.QuoteMeta(prefix) + `[ \t]*:`
		return regexp.MustCompile(key).MatchString(head)
	})
}

// findAlias finds another prefix under which alone the header has the proposal's number, so that
// numbers under it count, too: eip: 721 of ERC-721.
func (f *fields) findAlias(number int) {
	for _, v := range f.order {
		text, _ := v.v.(string)
		if n, ok := mip.ParseNumber(text); ok && n == number && text != "" &&
			onlyLetters.MatchString(v.name) && f.Alias == "" {
			f.Alias, v.used = v.name, true
		}
	}
}
