// Package plain says what a site and its proposals are called where there is no markup: in one line of text,
// in sentences and in addresses. It knows no format; what a format escapes, the format's package escapes.
package plain

import (
	"cmp"
	"net/url"
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

// Facts is the description followed by the facts of the header in sentences: status, type, category, hard fork and
// requirements, as far as they are known.
func Facts(info mip.SiteInfo, s mip.Summary) string {
	var out []string
	if text := Description(s); text != "" {
		out = append(out, Sentence(text))
	}
	if s.Status == "" {
		out = append(out, "Status: none.")
	}
	// Facts that the header does not state are left out, but for the status.
	for _, f := range [][2]string{
		{"Status", string(s.Status)}, {"Type", Deref(s.Type)}, {"Category", Deref(s.Category)}, {"Hard fork", Deref(s.Hardfork)},
	} {
		if f[1] != "" {
			out = append(out, f[0]+": "+OneLine(f[1])+".")
		}
	}
	if len(s.Requires) > 0 {
		out = append(out, "Requires "+IDs(info, s.Requires)+".")
	}
	return strings.Join(out, " ")
}

// Sentence ends a text with a full stop unless it has an end. The text must not be empty.
func Sentence(s string) string {
	if strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
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

// OneLine drops the characters that XML 1.0 cannot hold, and puts one blank in place of line ends and tabs. Blanks of
// every other kind stay as written.
func OneLine(s string) string {
	var parts []string
	for part := range strings.FieldsFuncSeq(strings.ToValidUTF8(s, "\ufffd"), endsLine) {
		if part = strings.Trim(strings.Map(printable, part), " "); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

// endsLine reports whether r is a tab or ends a line, in the sense of Unicode (UAX 14).
func endsLine(r rune) bool {
	return r >= '\t' && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// printable is -1 for control characters, and for the two that are no characters of XML. XML 1.0 allows the C1 controls
// and discourages them.
func printable(r rune) rune {
	if mip.ClassOf(r) == mip.Control || r == 0xfffe || r == 0xffff {
		return -1
	}
	return r
}

// Address is the absolute address of a route as a URI (RFC 3986). Characters that a URI cannot hold, such as the letters
// of a slug in another script, are percent-encoded. A percent sign stays: the route may be encoded already.
func Address(info mip.SiteInfo, route string) string {
	const keep = "-._~!$&'()*+,;=:@/%?#"
	var b strings.Builder
	b.WriteString(info.BaseURL)
	for i := range len(route) {
		c := route[i]
		// These characters have a place in a path, a query or a fragment.
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

// Backticks is the length of the run of backticks that s begins with.
func Backticks(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// CodeSpan is the length in bytes of the Markdown code span that s begins with, its backticks included (CommonMark
// 6.1). It is 0 when there is none.
func CodeSpan(s string) int {
	run := Backticks(s)
	if run == 0 {
		return 0
	}
	for i := run; i < len(s); i++ {
		n := Backticks(s[i:])
		if n == run {
			return i + n
		}
		i += n
	}
	return 0
}
