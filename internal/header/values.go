package header

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// Bounds of the values that pages, lists and feeds repeat from one header. The frontmatter has
// longer values in full. The longest values of real proposals are a tenth of these.
const (
	// maxText is a length in bytes. A longer text is cut.
	maxText = 1000
	// maxList is a number of entries. The rest of a longer list is left out.
	maxList = 100
	// maxLink is a length in bytes. A longer address is dropped.
	maxLink = 2000
)

// shorten returns a field's text on one line, cut to maxText.
func (f *fields) shorten(v *field) string {
	text := v.text()
	if len(text) > maxText {
		f.r.Add(v.line, "long-value", mip.Quote(v.key), len(text), maxText)
	}
	return mip.Shorten(text, maxText)
}

// shorten returns the first maxList entries of a field's list.
func shorten[T any](list []T, v *field, r *problem.Report) []T {
	if len(list) <= maxList {
		return list
	}
	r.Add(v.line, "long-list", mip.Quote(v.key), len(list), maxList)
	return slices.Clone(list[:maxList])
}

// optional returns a field's text as shown, nil if there is none.
func (f *fields) optional(names ...string) *string {
	return mip.Ref(f.shorten(f.get(names...)))
}

// onlyLetters is the form of a prefix.
var onlyLetters = regexp.MustCompile(`^[a-z]+$`)

// placeholders matches a value that stands for one to be decided later.
var placeholders = regexp.MustCompile(
	`(?is)^(?:<.*>|x*|\?*|-*|tb[dac]|n/?a|none|null|~|to be (?:assigned|determined)|unassigned)$`)

// isPlaceholder reports a text that matches [placeholders]. The empty text does.
func isPlaceholder(s string) bool { return placeholders.MatchString(strings.TrimSpace(s)) }

// StripPrefix removes prefix from MIP-7, mip_7, MIP 7 and MIP7, and reports whether digits remain.
func StripPrefix(s, prefix string) (digits string, ok bool) {
	// The prefix may be in any case, and a hyphen, underscore or blank may follow it.
	if len(s) > len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		s = s[len(prefix):]
		if len(s) > 1 && strings.IndexByte("-_ ", s[0]) >= 0 {
			s = s[1:]
		}
	}
	return s, s != "" && strings.Trim(s, "0123456789") == ""
}
