package tex

import (
	"strings"
	"unicode/utf8"
)

// peek returns the next token: a command with its backslash, or one character. The empty one is the end
// of the source. Blanks between tokens mean nothing.
func (p *parser) peek() string {
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
		p.at++
	}
	rest := p.src[p.at:]
	if rest == "" {
		return ""
	}
	c, n := utf8.DecodeRuneInString(rest)
	if c == utf8.RuneError && n <= 1 {
		panic(errSyntax)
	}
	if c != '\\' {
		return rest[:n]
	}
	for n < len(rest) && isLetter(rest[n]) {
		n++
	}
	if n > 1 {
		return rest[:n]
	}
	_, n = utf8.DecodeRuneInString(rest[1:])
	return rest[:1+n]
}

// next reads what peek returned. Markdown takes one of two backslashes before a brace or an underscore,
// for which some write two: where no table's row can end, both mean the one.
func (p *parser) next() string {
	t := p.peek()
	p.at += len(t)
	if t == `\\` && p.tables == 0 && p.at < len(p.src) && strings.IndexByte("{}_%&#$|", p.src[p.at]) >= 0 {
		p.at++
		return `\` + p.src[p.at-1:p.at]
	}
	return t
}

// take reads the next token if it is t.
func (p *parser) take(t string) bool {
	if t == "" || p.peek() != t {
		return false
	}
	p.at += len(t)
	return true
}

// want reads t and accepts nothing else.
func (p *parser) want(t string) {
	if !p.take(t) {
		panic(errSyntax)
	}
}

// braced reads a group as text, blanks and all; braces within it pair.
func (p *parser) braced() string {
	p.want("{")
	from, open := p.at, 1
	for ; p.at < len(p.src); p.at++ {
		switch p.src[p.at] {
		case '\\':
			p.at++
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				p.at++
				return p.src[from : p.at-1]
			}
		}
	}
	panic(errSyntax)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
