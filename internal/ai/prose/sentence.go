package prose

import (
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Patterns at the end of a sentence.
var (
	// behindMark are quotes, brackets, further marks and footnotes behind a full stop. They belong
	// to the sentence.
	behindMark = Lazily("^(?:[\"'”’»」）)*_.!?]|\\[\\^[^\\]]{1,18}\\])*")
	// nextSentence is the beginning of a sentence. Only names, such as eth_call, begin one in lower
	// case.
	nextSentence = Lazily("^ +(?:[\"'“‘«`(\\[*_<\\p{Nd}\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}]|[^ ]*[_(])")
	// noEnd is an abbreviation or an initial, whose full stop ends no sentence.
	noEnd = Lazily(`^(?:[eE]\.g|[iI]\.e|eg|ie|[cC]f|vs|approx|resp|[fF]igs?|[sS]ec|No|St|Mrs?|` +
		`Ms|Dr|Prof|al|Inc|Ltd|` +
		`w\.r\.t|a\.k\.a|incl|viz|ca|[eE]q|[rR]ef|[vV]ol|pp|Ch|\p{Lu})$`)
	// itemNumber is the number of an item, whose full stop ends no sentence.
	itemNumber = Lazily(`^[0-9]{1,9}$`)
)

// isSentenceMark reports whether a character can end a sentence.
func isSentenceMark(c rune) bool {
	switch c {
	case '.', '!', '?', '。', '！', '？':
		return true
	}
	return false
}

// Split cuts a block's text into sentences, at full stops, question and exclamation marks. A full
// stop in code, in a link's target, in brackets or after an abbreviation ends no sentence. The
// parts are parts of the text as it stands.
func Split(text string) []string {
	// The mark at the end of the text cuts nothing.
	if text != "" && !strings.ContainsFunc(text[:len(text)-1], isSentenceMark) {
		return []string{text}
	}
	var out []string
	// start is the beginning of the sentence, and depth the number of its open brackets.
	start, depth := 0, 0
	cut := func(end int) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			out = append(out, s)
		}
		start, depth = end, 0
	}
	hidden := masked(text)
	for i, c := range text {
		if hidden[i] || i < start {
			continue
		}
		switch {
		case c == '(' || c == '[':
			// A bracket that does not close soon is a slip, and must not hide the full stops of the
			// whole rest.
			const soon = 300 // bytes
			if depth > 0 || strings.ContainsAny(text[i:min(len(text), i+soon)], ")]") {
				depth++
			}
		case c == ')' || c == ']':
			depth = max(0, depth-1)
		case isSentenceMark(c):
			end, ok := sentenceEnd(text, start, i)
			// A mark within brackets ends a sentence only if the brackets close right behind it.
			if ok && depth <= strings.Count(text[i:end], ")")+strings.Count(text[i:end], "]") {
				cut(end)
			}
		}
	}
	cut(len(text))
	return out
}

// sentenceEnd returns the end of the sentence that begins at start, if the mark at i ends it. In
// scripts without blanks a mark is enough.
func sentenceEnd(text string, start, i int) (end int, ok bool) {
	// Patterns are matched at each mark, so they see only the text that they need.
	const longest, far = 20, 100 // bytes of an abbreviation, and behind the mark
	near := func(at int) string { return text[at:min(len(text), at+far)] }
	_, width := utf8.DecodeRuneInString(text[i:])
	end = i + width
	if end < len(text) && text[end] != ' ' {
		end += len(behindMark().FindString(near(end)))
	}
	if end == len(text) || width > 1 {
		return end, true
	}
	before := text[max(start, i-longest):i]
	word := before[strings.LastIndexAny(before, ` ("“[*_`)+1:]
	abbreviates := text[i] == '.' && (noEnd().MatchString(word) || itemNumber().MatchString(before))
	return end, !abbreviates && nextSentence().MatchString(near(end))
}

// masked reports for each byte whether a reader does not see it as text: marks, code, formulas,
// addresses, links whose brackets close.
func masked(line string) []bool {
	linked := slices.ContainsFunc([]string{"@", "://", "www."}, func(part string) bool {
		return strings.Contains(line, part)
	})
	if parts := codeSpans(line, "\\[<$"); parts != nil && !linked {
		out := make([]bool, 0, len(line))
		for i, part := range parts {
			out = append(out, slices.Repeat([]bool{i%2 == 1}, len(part))...)
			if len(out) < len(line) {
				out = append(out, true) // the backtick
			}
		}
		return out
	}
	out := slices.Repeat([]bool{true}, len(line))
	root := markdown.ParseInline(line, nil)
	// The function never returns an error.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.CodeSpan, *ast.Link, *ast.Image, *markdown.Formula:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			for i := n.Segment.Start; i < n.Segment.Stop; i++ {
				out[i] = false
			}
		}
		return ast.WalkContinue, nil
	})
	return out
}

// codeSpans returns text and code of a line in turn, nil if the text has one of the marks of other
// Markdown. Most lines have none and need no parser.
func codeSpans(line, marks string) []string {
	parts := strings.Split(line, "`")
	for i, part := range parts {
		code := i%2 == 1
		switch {
		case !code && strings.ContainsAny(part, marks), code && strings.Contains(part, "&"):
			return nil
		// A run of backticks, or code that is displayed in another form.
		case part == "" && i > 0 && i < len(parts)-1, code && mip.OneLine(part) != part:
			return nil
		}
	}
	if len(parts)%2 == 0 {
		return nil
	}
	return parts
}

// Plain returns a line of Markdown as a reader sees it: links as their text, without emphasis and
// tags, code still between backticks. labels are the link definitions of the proposal, in lower
// case.
func Plain(line string, labels map[string]bool) string {
	if codeSpans(line, "\\*_[<&~^$") != nil {
		return mip.Collapse(line)
	}
	var b strings.Builder
	source, index := []byte(line), 0 // index is where raised or lowered text begins
	root := markdown.ParseInline(line, labels)
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if value := n.Segment.Value(source); entering {
				b.Write(util.UnescapePunctuations(value))
			}
		case *ast.CodeSpan:
			if code := markdown.PlainText(n, source); entering && code != "" {
				b.WriteString("`" + code + "`")
			}
			return ast.WalkSkipChildren, nil
		case *ast.AutoLink:
			if entering {
				b.Write(n.Label(source))
			}
		case *markdown.Formula:
			if entering {
				b.WriteString("$" + n.Source(source) + "$")
			}
			return ast.WalkSkipChildren, nil
		case *ast.Image:
			return ast.WalkSkipChildren, nil
		case *ast.RawHTML:
			if entering {
				index = tag(&b, string(n.Segments.Value(source)), index)
			}
		}
		return ast.WalkContinue, nil
	})
	return mip.Collapse(html.UnescapeString(b.String()))
}

// tag writes the text of a tag: a blank for a line break, ^ and _ for raised and lowered text, as
// in 2^192 and x_n. It returns the offset of the last index in the text.
func tag(b *strings.Builder, tag string, index int) int {
	switch strings.Trim(tag, "<> /") {
	case "br":
		b.WriteByte(' ')
	case "sup", "sub":
		if mark := map[string]string{"<sup>": "^", "<sub>": "_"}[tag]; mark != "" {
			b.WriteString(mark)
			return b.Len()
		}
		before, last := b.String()[:index], b.String()[index:]
		other := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
		if index > 0 && strings.ContainsFunc(last, other) {
			b.Reset()
			b.WriteString(before + "(" + last + ")")
		}
		return 0
	}
	return index
}

// IsWord reports whether a character is part of a word.
func IsWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_' }

// isPunct reports whether Markdown may escape a character by a backslash.
func isPunct(c byte) bool { return strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", c) >= 0 }
