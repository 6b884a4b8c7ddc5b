package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// prefix skips the quote and list markers at the beginning of a line, and measures their depth.
func (s *shape) prefix(line string, number int) (rest string) {
	markers, indent := 0, 0
	for rest = line; rest != ""; {
		if rest[0] == ' ' || rest[0] == '\t' {
			indent++
			if rest[0] == '\t' {
				indent += 3
			}
			rest = rest[1:]
			continue
		}
		n := marker(rest)
		if n == 0 || rest[0] == '[' && markers >= 2*maxMarkers {
			break
		}
		markers++
		rest = rest[n:]
	}
	depth := markers + indent/2
	switch {
	case markers > 0 && rest == "" && strings.Trim(line, "> \t") != "" && depth <= maxNesting:
		rest = line[len(line)-1:] // an empty list item is not a blank line
	case markers == 0: // it opens no block to nest in
		return rest
	case strings.Trim(line, "- \t") == "", strings.Trim(line, "* \t") == "": // a thematic break
		return rest
	}
	s.depth = max(s.depth, depth)
	if s.deepest == 0 && (markers > maxMarkers || indent > maxIndent) {
		s.deepest = number
	}
	return rest
}

// marker returns the length of the quote, list item or footnote mark at the beginning of s, 0 if
// there is none.
func marker(s string) int {
	n := 1
	switch c := s[0]; {
	case c == '>':
		return n
	case c == '[': // a footnote contains blocks like a list item
		label, _, ok := strings.Cut(s, "]:")
		if ok && strings.HasPrefix(label, "[^") && !strings.Contains(label[1:], "[") {
			return len(label) + len("]:")
		}
		return 0
	case c >= '0' && c <= '9':
		const mostDigits = 10
		n = len(s) - len(strings.TrimLeft(s, "0123456789"))
		if n == len(s) || n > mostDigits || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	case c != '-' && c != '+' && c != '*':
		return 0
	}
	if n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// mayBeDeep reports whether the quotes, lists, emphasis, images and links of a text may be nested
// too deep. Emphasis takes a mark at either end, and a link contains no link except in an image.
func (s *shape) mayBeDeep() bool {
	return s.depth+s.marks/2+2*s.images+1 > maxNesting
}

// TooDeep returns the place where the text is nested too deep to be published, nil if there is
// none. It counts list items and not the lists around them, so that 64 levels of lists count like
// 64 of quotes.
func (d *Document) TooDeep() (found *Excess) {
	depth, at := 0, 0 // at is an offset in the current block
	_ = ast.Walk(d.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Type() == ast.TypeBlock && entering {
			at = max(at, n.Pos())
		}
		switch n.(type) {
		case *ast.Blockquote, *Alert, *ast.ListItem, *ast.Emphasis, *ast.Link, *ast.Image:
		default:
			return ast.WalkContinue, nil
		}
		if !entering {
			depth--
			return ast.WalkContinue, nil
		}
		if depth++; depth <= maxNesting {
			return ast.WalkContinue, nil
		}
		found = &Excess{mip.LineAt(string(d.Body), at), "too-deep",
			"quotes, lists or emphasis are nested more than 64 levels"}
		return ast.WalkStop, nil
	})
	return found
}
