package search

import (
	"regexp"
	"strings"
)

// notText is what Markdown has beside its words: comments, tags, and where links lead.
var notText = regexp.MustCompile("(?s)<!--.*?-->|</?[A-Za-z][^<>]*>" +
	`|\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"\n]*")?\)` +
	"|https?://[^\\s<>()\\[\\]\"`]+")

// Text is the text of Markdown without what is no text in it. Marks of emphasis, code and tables stay: no word has them.
func Text(markdown string) string {
	if !strings.ContainsAny(markdown, "<]:") {
		return markdown
	}
	return notText.ReplaceAllString(markdown, " ")
}
