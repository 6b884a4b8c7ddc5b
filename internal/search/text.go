package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Texts are some sections of one proposal that stand side by side, as readers see them.
type Texts struct {
	Version  int           `json:"version" doc:"3."`
	Sections []SectionText `json:"sections" doc:"Of each section the id, the title and the plain text without the heading, in their order."`
}

// SectionText is the id, the title and the text of a section.
type SectionText [3]string

// ID is that of the heading on the page.
func (s SectionText) ID() string { return s[0] }

// Title is empty of a text before the first heading.
func (s SectionText) Title() string { return s[1] }

// Text is plain and without the heading.
func (s SectionText) Text() string { return s[2] }

const (
	// longestText is in bytes. Excerpts and phrases are found in so much of a section; its words are found in all of it.
	longestText = 24 << 10
	// textsOf is how many bytes the texts of a part have, if it has more than one.
	textsOf = 4 << 10
)

// Cut are the texts of a proposal in parts of bounded size. The first section is what a reader is shown of the proposal as a
// whole: its description or, without one, how its text begins.
func (p *Proposal) Cut() (parts []Texts) {
	texts := []SectionText{{"", "", visible(p.Description)}}
	for _, s := range p.Sections {
		text := visible(body(s))
		if texts[0].Text() == "" {
			texts[0][2] = cut(text, 4*excerptSize)
		}
		texts = append(texts, SectionText{s.ID, s.Title, text})
	}
	p.parts = nil
	size := 0
	for i, s := range texts {
		if i == 0 || size+len(s.Text()) > textsOf {
			p.parts, parts, size = append(p.parts, i), append(parts, Texts{Version: Version}), 0
		}
		last := &parts[len(parts)-1]
		last.Sections = append(last.Sections, s)
		size += len(s.Text())
	}
	return parts
}

// has reports that all phrases are in the title or the text.
func (s SectionText) has(phrases []string) bool {
	return !slices.ContainsFunc(phrases, func(p string) bool {
		asked := []string{p}
		return len(places(s.Title(), asked)) == 0 && len(places(s.Text(), asked)) == 0
	})
}

// Best is the section with most of the terms of an [Answer]; of several the one that has more in its title, more places, or an
// address. It is the first where none has any.
func (t *Texts) Best(asked []string) (best SectionText) {
	most := -1
	for _, s := range t.Sections {
		in := map[string]bool{}
		titled, all := places(s.Title(), asked), places(s.Text(), asked)
		for _, p := range slices.Concat(titled, all) {
			in[p.term] = true
		}
		score := 0
		if len(in) > 0 {
			score = 1_000_000*len(in) + 100_000*len(titled) + 2*len(all)
			if s.ID() != "" {
				score++
			}
		}
		if score > most {
			best, most = s, score
		}
	}
	return best
}

// underline is the second line of a heading of two.
var underline = regexp.MustCompile(`(?m)^ {0,3}(=+|-+)[ \t]*\r?$`)

// body is the Markdown of a section below its heading.
func body(s Section) string {
	if s.Title == "" {
		return s.Markdown
	}
	heading, rest, _ := strings.Cut(strings.TrimLeft(s.Markdown, " \t\r\n"), "\n")
	if end := underline.FindStringIndex(rest); end != nil && !strings.HasPrefix(heading, "#") {
		return rest[end[1]:]
	}
	return rest
}

// visible is the beginning of a Markdown text as readers see it.
func visible(markdown string) string {
	// What marks it up is at most as much again.
	return cut(unmarked(Text(unlinked(cut(markdown, 2*longestText)))), longestText)
}

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

// unlinked is a text with the words of links and pictures in place of these, and where they lead behind "](".
func unlinked(text string) string {
	var b strings.Builder
	last := 0 // up to which the text is written
	for at := 0; ; {
		i := strings.Index(text[at:], "](")
		if i < 0 {
			b.WriteString(text[last:])
			return b.String()
		}
		end := at + i
		at = end + len("](")
		open := last + strings.LastIndexAny(text[last:end], "[]\n")
		if open < last || text[open] != '[' {
			continue
		}
		b.WriteString(strings.TrimSuffix(text[last:open], "!"))
		b.WriteString(text[open+1 : at])
		last = at
	}
}

// rule is how long the line at the beginning of a text is if it is that of a table under its heads, or one that parts a text,
// and 0 for any other.
func rule(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	if strings.Trim(line, " \t\r|:-=_*>") != "" {
		return 0
	}
	return len(line)
}

// unmarked is a text in one line, without the marks of Markdown for code, emphasis, tables, headings, quotes, rules and lists.
func unmarked(text string) string {
	var b strings.Builder
	begins, blank := true, false // of a line; before a word
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		ruled := 0
		if begins && !isBlank(c) {
			ruled = rule(text[i:])
		}
		switch {
		case isBlank(c):
			blank, begins = true, begins || strings.ContainsRune("\n\r\u2028\u2029", c)
			i += size
			continue
		case ruled > 0:
			blank, size = true, ruled
		case strings.ContainsRune("`*|#>", c), begins && (c == '-' || c == '+') && i+size < len(text) && isBlank(next):
			blank = true
		default:
			if blank && b.Len() > 0 {
				b.WriteByte(' ')
			}
			blank = false
			b.WriteString(text[i : i+size])
		}
		begins = false
		i += size
	}
	return b.String()
}

// isBlank reports the characters that scripts of pages count as blanks.
func isBlank(c rune) bool {
	return c == ' ' || c >= '\t' && c <= '\r' || c >= 0x80 && (unicode.Is(unicode.Z, c) || c == '\ufeff')
}
