package header

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// Normalize returns the file's text as UTF-8 with LF line ends and without a byte order mark. A
// file that is not text is reported as an error in r, with the line of the first offending byte.
func Normalize(raw string, r *problem.Report) (string, bool) {
	// These are the byte order marks of UTF-16, little endian and big endian.
	if strings.HasPrefix(raw, "\xFF\xFE") || strings.HasPrefix(raw, "\xFE\xFF") {
		r.Add(1, "not-utf8/utf-16")
		return "", false
	}
	text := strings.TrimPrefix(raw, "\uFEFF")
	if utf8.ValidString(text) && !strings.ContainsAny(text, "\x00\r") {
		return text, true // the usual case
	}
	for i, c := range text {
		switch {
		case c == 0:
			r.Add(mip.LineAt(text, i), "nul-byte")
		case c == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			r.Add(mip.LineAt(text, i), "not-utf8", text[i])
		case c == '\r' && !strings.HasPrefix(text[i:], "\r\n"):
			r.Add(mip.LineAt(text, i), "lone-cr")
		default:
			continue
		}
		return "", false
	}
	return strings.ReplaceAll(text, "\r\n", "\n"), true
}

// isMark reports a line that starts with a mark and contains nothing else.
func isMark(line, mark string) bool {
	rest, ok := strings.CutPrefix(line, mark)
	return ok && strings.TrimSpace(rest) == ""
}

// beginning returns the offset of the header, after blanks and HTML comments such as a license.
func beginning(text string) int {
	rest := strings.TrimLeft(text, " \t\n")
	for strings.HasPrefix(rest, "<!--") {
		_, after, closed := strings.Cut(rest, "-->")
		after = strings.TrimLeft(after, " \t\n")
		if !closed {
			break
		}
		rest = after
	}
	if !strings.HasPrefix(rest, "---") && !codeFence.MatchString(rest) {
		rest = strings.TrimLeft(text, " \t\n")
	}
	return len(text) - len(rest)
}

// codeFence begins a code block that may contain a header.
var codeFence = regexp.MustCompile(
	"^(`{3,}|~{3,})[ \t]*(?:ya?ml|te?xt|toml|md|markdown|mediawiki)?[ \t]*(?:\n|$)")

// fenced finds the header in a text that begins with a code block: its lines include the key title
// or status. It returns nil for another block.
func fenced(text string, start int, fence string, r *problem.Report) *block {
	lines := strings.SplitAfter(text[start:min(len(text), start+maxHeader)], "\n")
	body, end := start+len(lines[0]), 1
	for end < len(lines) && (len(strings.TrimSpace(lines[end])) < len(fence) ||
		strings.Trim(lines[end], fence[:1]+" \t\n") != "") {
		body += len(lines[end])
		end++
	}
	if end == len(lines) {
		return nil
	}
	inner := lines[1:end]
	indent := -1 // of the first line, which the others share
	for i, line := range inner {
		rest := strings.TrimLeft(line, " \t")
		switch {
		case isMark(line, "---"), strings.TrimSpace(line) == "":
			inner[i] = ""
			continue
		case indent < 0:
			indent = len(line) - len(rest)
		}
		inner[i] = strings.TrimSuffix(line[min(indent, len(line)-len(rest)):], "\n")
	}
	begin, before := mip.LineAt(text, start), len(r.Problems)
	r.Add(begin, "no-header/fence")
	s := splitter{lines: inner, first: begin + 1, r: r}
	s.split()
	if s.stop+s.list+s.scalar > 0 || !hasTitleOrStatus(s.fields) {
		r.Problems = r.Problems[:before]
		return nil
	}
	// Each author is on a separate line there.
	for i, f := range s.fields {
		if strings.HasPrefix(f.name, "author") {
			lines := append([]string{f.value}, f.more...)
			s.fields[i].value, s.fields[i].more = strings.Join(lines, ", "), nil
		}
	}
	return &block{fields: s.fields, body: body + len(lines[end])}
}

// readHeader finds the header of a normalized text. ok is false if the file cannot be published: r
// then has the error. For a file without any header, ok is true and the header is nil.
func readHeader(text string, r *problem.Report) (h *block, ok bool) {
	start := beginning(text)
	lines := strings.SplitAfter(text[start:min(len(text), start+maxHeader)], "\n")
	if start > 0 && text[start-1] != '\n' {
		return nil, true
	}
	if m := codeFence.FindStringSubmatch(text[start:]); m != nil {
		return fenced(text, start, m[1], r), true
	}
	if !isMark(lines[0], "---") {
		return nil, true
	}
	// The header ends at the first fence, unless a line before it is Markdown.
	body, end := start+len(lines[0]), 1
	for end < len(lines) && !isMark(lines[end], "---") && !isMark(lines[end], "...") {
		body += len(lines[end])
		lines[end] = strings.TrimSuffix(lines[end], "\n")
		end++
	}
	begin, before := mip.LineAt(text, start), len(r.Problems)
	s := splitter{lines: lines[1:end], first: begin + 1, r: r}
	s.split()
	fail := func(line int, id string) (*block, bool) {
		r.Problems = r.Problems[:before] // warnings about a text that is no header
		r.Add(line, id)
		return nil, false
	}
	switch closed := end < len(lines); {
	case closed && isMark(lines[end], "..."):
		return fail(begin+end, "header-dots")
	case !closed && s.stop == 0 && len(text) > start+maxHeader:
		return fail(begin, "header-too-large")
	case !closed || s.stop > 0 && len(s.fields) > 0: // it would swallow the text
		return fail(cmp.Or(s.stop, begin), "header-unterminated")
	case s.list > 0:
		return fail(s.list, "header-not-mapping/list")
	case s.scalar > 0 && !hasTitleOrStatus(s.fields):
		r.Problems = r.Problems[:before]
		return &block{body: start + len(lines[0]), rule: body}, true
	case s.scalar > 0:
		r.Add(s.scalar, "yaml-fallback/no-key")
	}
	return &block{fields: s.fields, body: body + len(lines[end])}, true
}
