package ai

import (
	"strings"
)

// The forms of raw HTML (CommonMark 0.31, section 6.6) but for comments and the like.
const (
	htmlAttribute = `\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\s*=\s*(?:[^\s"'=<>` + "`" + `]+|'[^']*'|"[^"]*"))?`
	htmlTag       = `<(?:[A-Za-z][A-Za-z0-9-]*(?:` + htmlAttribute + `)*\s*/?|/[A-Za-z][A-Za-z0-9-]*\s*)>`
)

var (
	inlineTag = lazily(`^` + htmlTag)
	loneTag   = lazily(`^` + htmlTag + `[ \t]*$`)
	blockTag  = lazily(`(?i)^</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|` +
		`details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|` +
		`legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|` +
		`tfoot|th|thead|title|tr|track|ul)(?:[ \t]|/?>|$)`)
	rawTag    = lazily(`(?i)^<(?:script|pre|style|textarea)(?:[ \t]|>|$)`)
	rawTagEnd = lazily(`(?i)</(?:script|pre|style|textarea)>`)
)

// enclosed are the forms of HTML that end with a text and not with a blank line. A longer opening
// stands before one that it begins with.
var enclosed = []struct{ opening, closing string }{
	{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}, {"<!", ">"},
}

// closingOf returns the text that ends the form of HTML that a text begins with, or the empty string.
func closingOf(text string) string {
	for _, e := range enclosed {
		if strings.HasPrefix(text, e.opening) && (e.closing != ">" || len(text) > 2 && isLetter(text[2])) {
			return e.closing
		}
	}
	return ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// htmlBlock returns what ends the block of HTML (CommonMark 0.31, section 4.6) that a line begins, and
// nil when it begins none. within says that the line follows a paragraph, which a tag of any name does
// not end.
func htmlBlock(line string, within bool) func(line string, indent int) bool {
	if rawTag().MatchString(line) {
		return func(line string, _ int) bool { return rawTagEnd().MatchString(line) }
	}
	if closing := closingOf(line); closing != "" {
		return func(line string, _ int) bool { return strings.Contains(line, closing) }
	}
	if blockTag().MatchString(line) || !within && loneTag().MatchString(line) {
		return func(line string, _ int) bool { return line == "" }
	}
	return nil
}

// fenceOf returns the run of backticks or tildes with which a line begins a block of code, or the
// empty string.
func fenceOf(line string) string {
	if line[0] != '`' && line[0] != '~' {
		return ""
	}
	rest := strings.TrimLeft(line, line[:1])
	fence := line[:len(line)-len(rest)]
	if len(fence) < 3 || line[0] == '`' && strings.Contains(rest, "`") {
		return ""
	}
	return fence
}

// thematicBreak reports a line of three or more hyphens, underscores or asterisks.
func thematicBreak(line string) bool {
	mark := line[:1]
	return strings.Contains("-_*", mark) && strings.Count(line, mark) >= 3 && strings.Trim(line, mark+" \t") == ""
}
