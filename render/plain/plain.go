// Package plain says what a site and its proposals are called where there is no markup: in one line of text,
// in sentences and in addresses. It knows no format; what a format escapes, the format's package escapes.
package plain

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// SiteTitle is the site's title; a site without one is called by its address.
func SiteTitle(info mip.SiteInfo) string { return cmp.Or(OneLine(info.Title), info.BaseURL) }

// ProposalTitle is "ID: title".
func ProposalTitle(s mip.Summary) string {
	return strings.TrimSpace(s.ID.String() + ": " + OneLine(s.Title))
}

// Facts is the description followed by the facts of the header, as plain text.
func Facts(info mip.SiteInfo, s mip.Summary) string {
	var b strings.Builder
	if text := Description(s); text != "" {
		b.WriteString(Sentence(text) + " ")
	}
	b.WriteString(headerFacts(info, s))
	return b.String()
}

// Sentence ends a text that is not empty.
func Sentence(s string) string {
	if strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// headerFacts says status, type, category and requirements in sentences, whatever of them is known.
func headerFacts(info mip.SiteInfo, s mip.Summary) string {
	status := "Status: none."
	if s.Status != "" {
		status = "Status: " + OneLine(string(s.Status)) + "."
	}
	out := []string{status}
	for _, f := range []struct {
		name  string
		value *string
	}{{"Type", s.Type}, {"Category", s.Category}, {"Hard fork", s.Hardfork}} {
		if f.value != nil && *f.value != "" {
			out = append(out, f.name+": "+OneLine(*f.value)+".")
		}
	}
	if len(s.Requires) > 0 {
		out = append(out, "Requires "+IDs(info, s.Requires)+".")
	}
	return strings.Join(out, " ")
}

// IDs is "MIP-3, MIP-4".
func IDs(info mip.SiteInfo, numbers []int) string {
	out := make([]string, 0, len(numbers))
	for _, n := range numbers {
		out = append(out, info.Prefix+"-"+strconv.Itoa(n))
	}
	return strings.Join(out, ", ")
}

// Description is the proposal's own, empty where its header states none.
func Description(s mip.Summary) string { return OneLine(Deref(s.Description)) }

// Deref is the empty string for nil.
func Deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// OneLine drops what XML 1.0 cannot hold and puts one blank in place of line ends and tabs. Blanks
// of every other kind stay as written.
func OneLine(s string) string {
	if plain(s) {
		return strings.Trim(s, " ")
	}
	s = printable(s)
	if strings.ContainsFunc(s, endsLine) {
		parts := strings.FieldsFunc(s, endsLine)
		for i := range parts {
			parts[i] = strings.Trim(parts[i], " ")
		}
		s = strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
	}
	return strings.Trim(s, " ")
}

// plain reports whether s is nothing but printable ASCII, as most of it is.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func endsLine(r rune) bool {
	return r >= '\t' && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// printable drops the characters outside XML 1.0's Char production, and the C1 controls, which it
// discourages. Line ends stay.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case endsLine(r):
			return r
		case r < 0x20 || r >= 0x7f && r <= 0x9f:
			return -1
		case r == 0xfffe || r == 0xffff:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// Address is the absolute address of a route as a URI: what a URI may not hold (the letters of a
// slug in another script) is percent-encoded, what is encoded already stays.
func Address(info mip.SiteInfo, route string) string {
	const keep = "-._~!$&'()*+,;=:@/%?#"
	var b strings.Builder
	b.WriteString(info.BaseURL)
	for i := range len(route) {
		c := route[i]
		if c < 0x80 && (IsAlphanumeric(rune(c)) || strings.IndexByte(keep, c) >= 0) {
			b.WriteByte(c)
			continue
		}
		b.WriteString(url.PathEscape(string([]byte{c})))
	}
	return b.String()
}

// IsAlphanumeric reports whether r is a letter or digit of ASCII.
func IsAlphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// Profile is the address of a GitHub account.
func Profile(login string) string { return "https://github.com/" + url.PathEscape(login) }
