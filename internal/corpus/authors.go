package corpus

import (
	"net/mail"
	"regexp"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// login is the form of a GitHub login: up to 39 letters, digits and single hyphens; managed accounts
// add an underscore and a short name.
var login = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?(?:_[A-Za-z0-9]{1,39})?$`)

// authors reads an author field in any of its forms. The result is never nil.
func authors(v *value) []mip.Author {
	out := []mip.Author{}
	if v == nil {
		return out
	}
	switch v := v.v.(type) {
	case string:
		out = appendAuthors(out, v)
	case []any:
		for _, item := range v {
			out = appendItem(out, item)
		}
	case map[string]any:
		out = appendItem(out, v)
	}
	return out
}

// bracketComma is where a list item holds several authors after all.
var bracketComma = regexp.MustCompile(`[)>]\s*[,;&]|[)>]\s+and\s`)

func appendItem(out []mip.Author, item any) []mip.Author {
	switch item := item.(type) {
	case string:
		if bracketComma.MatchString(item) {
			return appendAuthors(out, item)
		}
		return appendAuthor(out, item)
	case []any:
		for _, inner := range item {
			out = appendItem(out, inner)
		}
	case map[string]any:
		return appendMap(out, item)
	}
	return out
}

// appendMap handles "- name: A" with "github: a" below it. A map with one other key is a name that
// holds a colon.
func appendMap(out []mip.Author, m map[string]any) []mip.Author {
	var a mip.Author
	for key, v := range m {
		text := strings.TrimSpace(textOf(v))
		if text == "" {
			continue
		}
		switch fieldName(key) {
		case "name", "author":
			a.Name = &text
		case "github", "handle", "login", "username":
			if l, ok := asLogin(text); ok {
				a.GitHub = &l
			}
		case "email", "mail", "e-mail":
			if e, ok := asEmail(text); ok {
				a.Email = &e
			}
		}
	}
	if a == (mip.Author{}) {
		if len(m) == 1 {
			for key, v := range m {
				return appendAuthor(out, strings.TrimSpace(key+": "+textOf(v)))
			}
		}
		return out
	}
	return append(out, a)
}

func appendAuthors(out []mip.Author, s string) []mip.Author {
	for _, part := range splitAuthors(s) {
		out = appendAuthor(out, part)
	}
	return out
}

// conjunction separates two authors within what commas separate.
var conjunction = regexp.MustCompile(`(?i)^(?:and\s+|&\s*)|\s+(?:and|&)\s+`)

// nameSuffix is what follows a comma and yet belongs to the name before it.
var nameSuffix = regexp.MustCompile(`(?i)^(?:[js]r\.?|i{2,3}|iv|ph\.?\s?d\.?|m\.?d\.?|esq\.?|inc\.?|ltd\.?|llc\.?)(?:[\s(<]|$)`)

var etAl = regexp.MustCompile(`(?i)^(.*?\S)\s+(et\.? al\.?)$`)

// splitAuthors cuts a line at commas, semicolons, "and" and "&" outside brackets.
func splitAuthors(s string) []string {
	var parts []string
	depth, from := 0, 0
	cut := func(to int) {
		part := strings.TrimSpace(s[from:to])
		from = to + 1
		if n := len(parts); n > 0 && nameSuffix.MatchString(part) {
			parts[n-1] += ", " + part
			return
		}
		// The patterns are costly, and most names hold nothing of the kind.
		lower := strings.ToLower(part)
		if strings.Contains(lower, "and") || strings.Contains(lower, "&") {
			part = conjunction.ReplaceAllString(part, "\x00")
		}
		for piece := range strings.SplitSeq(part, "\x00") {
			var m []string
			if strings.Contains(lower, " al") {
				m = etAl.FindStringSubmatch(piece)
			}
			if m != nil {
				parts = append(parts, m[1], m[2])
			} else if piece != "" {
				parts = append(parts, piece)
			}
		}
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '<', '[':
			depth++
		case ')', '>', ']':
			depth = max(depth-1, 0)
		case ',', ';', '\n':
			if depth == 0 || s[i] == '\n' {
				cut(i)
				depth = 0
			}
		}
	}
	cut(len(s))
	return parts
}

// appendAuthor takes one author apart. Text in brackets that is neither a handle nor an address is
// part of the name: Jacob Creech (Solana Foundation).
func appendAuthor(out []mip.Author, s string) []mip.Author {
	if len(s) > maxText { // nobody's name; what follows compares every word with every bracket
		return append(out, mip.Author{Name: &s})
	}
	var a person
	brackets := bracketsOf(s)
	outside := strings.Fields(strings.ToLower(replaced(s, brackets, func(bracket) string { return " " })))
	rest := replaced(s, brackets, func(b bracket) string {
		if b.link {
			a.take(b.inner)
			return " " + b.label + " "
		}
		var kept []string
		for part := range strings.SplitSeq(b.inner, ",") {
			part = strings.TrimSpace(part)
			if part != "" && !a.take(part) && !a.takeHandle(part, outside) {
				kept = append(kept, part)
			}
		}
		if len(kept) == 0 {
			return " "
		}
		return " " + s[b.from:b.from+1] + strings.Join(kept, ", ") + s[b.to-1:b.to] + " "
	})
	if a == (person{}) && !strings.Contains(s, "](") {
		rest = s // all brackets are part of the name
	}
	var words []string
	for word := range strings.FieldsSeq(rest) {
		if !strings.Contains(word, "@") && !strings.Contains(word, "github.com/") || !a.take(word) {
			words = append(words, word)
		}
	}
	if name := strings.TrimRight(strings.Join(words, " "), ",;"); name != "" {
		a.Name = &name
	}
	if a == (person{}) {
		return out
	}
	return append(out, mip.Author(a))
}

// person is an author while its text is taken apart.
type person mip.Author

// take reads a piece of an author as a marked handle or an address and reports whether it was one.
func (a *person) take(s string) bool {
	s = strings.TrimSpace(s)
	if e, ok := asEmail(s); ok && a.Email == nil {
		a.Email = &e
		return true
	}
	if strings.HasPrefix(s, "@") || strings.Contains(s, "github.com/") {
		if l, ok := asLogin(s); ok && a.GitHub == nil {
			a.GitHub = &l
			return true
		}
	}
	return isURL(s)
}

// takeHandle reads a handle without its @. A word in brackets may as well be an employer, and a link
// to a stranger's account is worse than none, so the handle must hold a word of the person's name.
func (a *person) takeHandle(s string, name []string) bool {
	const significant = 3 // bytes of a word that are no coincidence
	if a.GitHub != nil || !login.MatchString(s) {
		return false
	}
	for _, word := range name {
		if len(word) >= significant && strings.Contains(strings.ToLower(s), word) {
			a.GitHub = &s
			return true
		}
	}
	return false
}

// asLogin accepts a login, @login and an address of a GitHub profile.
func asLogin(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if _, path, ok := strings.Cut(s, "github.com/"); ok {
		s = strings.TrimSuffix(path, "/")
	}
	s = strings.TrimSpace(strings.TrimPrefix(s, "@"))
	return s, login.MatchString(s)
}

func asEmail(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if len(s) >= len("mailto:") && strings.EqualFold(s[:len("mailto:")], "mailto:") {
		s = s[len("mailto:"):]
	}
	const longest = 254 // bytes: RFC 5321, section 4.5.3.1.3
	if len(s) > longest || strings.ContainsAny(s, " \t<>()\"") || strings.HasPrefix(s, "@") {
		return "", false
	}
	a, err := mail.ParseAddress(s)
	if err != nil {
		return "", false
	}
	return a.Address, true
}

func isURL(s string) bool {
	_, ok := webAddress(s)
	return ok
}

// bracket is a part of an author field in round or angle brackets, or a Markdown link.
type bracket struct {
	from, to int    // with the brackets
	link     bool   // a link
	label    string // of a link
	inner    string // within the brackets; of a link, its address
}

// bracketsOf finds the brackets, in order and without nesting. Round ones hold no round ones, angle ones no
// angle ones. It takes time in proportion to s, whatever that is.
func bracketsOf(s string) []bracket {
	if !strings.ContainsAny(s, "(<") { // a link has round ones as well
		return nil
	}
	var out []bracket
	square, round := nextByte{s: s, c: ']'}, nextByte{s: s, c: ')'}
	for i := 0; i < len(s); {
		b, ok := bracket{}, false
		switch s[i] {
		case '[':
			label := square.from(i + 1)
			if label+1 < len(s) && s[label+1] == '(' {
				end := round.from(label + 2)
				if ok = end < len(s); ok {
					b = bracket{from: i, to: end + 1, link: true, label: s[i+1 : label], inner: s[label+2 : end]}
				}
			}
		case '(':
			b, ok = simple(s, i, "()")
		case '<':
			b, ok = simple(s, i, "<>")
		}
		if !ok {
			i++
			continue
		}
		out = append(out, b)
		i = b.to
	}
	return out
}

// simple is the bracket that begins at i, if the next one of its pair ends it.
func simple(s string, i int, pair string) (bracket, bool) {
	for k := i + 1; k < len(s); k++ {
		switch s[k] {
		case pair[0]:
			return bracket{}, false
		case pair[1]:
			return bracket{from: i, to: k + 1, inner: s[i+1 : k]}, true
		}
	}
	return bracket{}, false
}

// replaced is s with what by returns in the place of each bracket, in order.
func replaced(s string, brackets []bracket, by func(bracket) string) string {
	if len(brackets) == 0 {
		return s
	}
	var out strings.Builder
	at := 0
	for _, b := range brackets {
		out.WriteString(s[at:b.from])
		out.WriteString(by(b))
		at = b.to
	}
	out.WriteString(s[at:])
	return out.String()
}

// nextByte finds the next c of s again and again without looking at any part twice.
type nextByte struct {
	s  string
	c  byte
	at int // where it was found; looked at up to here
}

// from is where the next one is, at i or after it; len(s) or more when there is none. i must not fall.
func (n *nextByte) from(i int) int {
	if n.at < i {
		if n.at = len(n.s); i < len(n.s) {
			if k := strings.IndexByte(n.s[i:], n.c); k >= 0 {
				n.at = i + k
			}
		}
	}
	return n.at
}
