package corpus

import (
	"net/mail"
	"regexp"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

var (
	// login is the form of a GitHub login: up to 39 letters, digits and single hyphens; managed
	// accounts add an underscore and a short name.
	login = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?(?:_[A-Za-z0-9]{1,39})?$`)
	// bracketComma is where a list item holds several authors after all.
	bracketComma = regexp.MustCompile(`[)>]\s*[,;&]|[)>]\s+and\s`)
	// conjunction separates two authors between commas.
	conjunction = regexp.MustCompile(`(?i)^(?:and\s+|&\s*)|\s+(?:and|&)\s+`)
	// nameSuffix follows a comma and yet belongs to the name before it.
	nameSuffix = regexp.MustCompile(`(?i)^(?:[js]r\.?|i{2,3}|iv|ph\.?\s?d\.?|m\.?d\.?|esq\.?|inc\.?|ltd\.?|llc\.?)(?:[\s(<]|$)`)
	etAl       = regexp.MustCompile(`(?i)^(.*?\S)\s+(et\.? al\.?)$`)
	// bracket is a Markdown link, or a text in round or angle brackets.
	bracket = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)|\(([^()]*)\)|<([^<>]*)>`)
)

// authors reads an author field in any of its forms. The result is never nil.
func (f *fields) authors(names ...string) []mip.Author {
	v := f.get(names...)
	if v == nil {
		return []mip.Author{}
	}
	a := authorList{}
	if text, ok := v.v.(string); ok {
		a.split(text)
	} else {
		a.item(v.v)
	}
	out := shorten(a, v, f.r)
	for i := range out {
		if name := out[i].Name; name != nil && len(*name) > maxText {
			f.r.warnf(v.line, "long-value", "%s holds a name of %d bytes: at most %d are shown; the frontmatter has all", quoted(v.key), len(*name), maxText)
			out[i].Name = new(mip.Shorten(*name, maxText))
		}
	}
	return out
}

// authorList gathers authors in the header's order.
type authorList []mip.Author

// item adds an element of a list of authors.
func (a *authorList) item(item any) {
	switch item := item.(type) {
	case string:
		if bracketComma.MatchString(item) {
			a.split(item)
		} else {
			a.one(item)
		}
	case []any:
		for _, inner := range item {
			a.item(inner)
		}
	case map[string]any:
		a.mapping(item)
	}
}

// mapping adds "- name: A" with "github: a" below it. A map with one other key is a name that
// holds a colon.
func (a *authorList) mapping(m map[string]any) {
	var found mip.Author
	for key, v := range m {
		text := strings.TrimSpace(textOf(v))
		if text == "" {
			continue
		}
		switch fieldName(key) {
		// Each value has several usual keys. A value that is none of its kind is left out.
		case "name", "author":
			found.Name = &text
		case "github", "handle", "login", "username":
			if l, ok := asLogin(text); ok {
				found.GitHub = &l
			}
		case "email", "mail", "e-mail":
			if e, ok := asEmail(text); ok {
				found.Email = &e
			}
		}
	}
	if found != (mip.Author{}) {
		*a = append(*a, found)
		return
	}
	// - Twelve: The Movie
	for key, v := range m {
		if len(m) == 1 {
			a.one(strings.TrimSpace(key + ": " + textOf(v)))
		}
	}
}

// split adds the authors of a line, which commas, semicolons, "and" and "&" outside brackets
// separate.
func (a *authorList) split(s string) {
	var parts []string
	// depth counts open brackets; from is where the part at hand begins.
	depth, from := 0, 0
	cut := func(to int) {
		part := strings.TrimSpace(s[from:to])
		from = to + 1
		// "Ada, Jr." is one name.
		if n := len(parts); n > 0 && nameSuffix.MatchString(part) {
			parts[n-1] += ", " + part
			return
		}
		for _, piece := range conjunction.Split(part, -1) {
			if m := etAl.FindStringSubmatch(piece); m != nil {
				parts = append(parts, m[1], m[2])
			} else if piece != "" {
				parts = append(parts, piece)
			}
		}
	}
	for i := range len(s) {
		switch s[i] {
		case '(', '<', '[':
			depth++
		case ')', '>', ']':
			depth = max(depth-1, 0)
		// A line break ends an author even where a bracket was never closed.
		case ',', ';', '\n':
			if depth == 0 || s[i] == '\n' {
				cut(i)
				depth = 0
			}
		}
	}
	cut(len(s))
	for _, part := range parts {
		a.one(part)
	}
}

// one takes one author apart. Text in brackets that is neither a handle nor an address is part
// of the name: Jacob Creech (Solana Foundation).
func (a *authorList) one(s string) {
	if len(s) > maxText { // nobody's name; below, every word is compared with every bracket
		*a = append(*a, mip.Author{Name: &s})
		return
	}
	var p person
	// The words outside of brackets tell a handle from an employer.
	name := strings.Fields(strings.ToLower(bracket.ReplaceAllString(s, " ")))
	rest := bracket.ReplaceAllStringFunc(s, func(b string) string {
		// A link holds an address; its label is part of the name.
		if m := bracket.FindStringSubmatch(b); b[0] == '[' {
			p.take(m[2])
			return " " + m[1] + " "
		}
		var kept []string
		for part := range strings.SplitSeq(b[1:len(b)-1], ",") {
			part = strings.TrimSpace(part)
			if part != "" && !p.take(part) && !p.takeHandle(part, name) {
				kept = append(kept, part)
			}
		}
		if len(kept) == 0 {
			return " "
		}
		return " " + b[:1] + strings.Join(kept, ", ") + b[len(b)-1:] + " "
	})
	if p == (person{}) && !strings.Contains(s, "](") {
		rest = s // all brackets are part of the name
	}
	// Handles and addresses stand outside of brackets as well: Ada @ada.
	var words []string
	for word := range strings.FieldsSeq(rest) {
		if !strings.Contains(word, "@") && !strings.Contains(word, "github.com/") || !p.take(word) {
			words = append(words, word)
		}
	}
	// Of "Ada (@ada)," the comma stays behind.
	if name := strings.TrimRight(strings.Join(words, " "), ",;"); name != "" {
		p.Name = &name
	}
	if p != (person{}) {
		*a = append(*a, mip.Author(p))
	}
}

// person is an author while its text is taken apart.
type person mip.Author

// take reads a piece of an author as a marked handle or an address and reports whether it was
// one.
func (p *person) take(s string) bool {
	s = strings.TrimSpace(s)
	if e, ok := asEmail(s); ok && p.Email == nil {
		p.Email = &e
		return true
	}
	if strings.HasPrefix(s, "@") || strings.Contains(s, "github.com/") {
		if l, ok := asLogin(s); ok && p.GitHub == nil {
			p.GitHub = &l
			return true
		}
	}
	_, isURL := webAddress(s)
	return isURL
}

// takeHandle reads a handle without its @. A word in brackets may as well be an employer, and a
// link to a stranger's account is worse than none, so the handle must hold a word of the
// person's name.
func (p *person) takeHandle(s string, name []string) bool {
	const significant = 3 // bytes of a word that are no coincidence
	if p.GitHub != nil || !login.MatchString(s) {
		return false
	}
	for _, word := range name {
		if len(word) >= significant && strings.Contains(strings.ToLower(s), word) {
			p.GitHub = &s
			return true
		}
	}
	return false
}

// asLogin accepts a login, @login and an address of a GitHub profile.
func asLogin(s string) (string, bool) {
	s = strings.TrimSpace(s)
	// An address may lack its scheme.
	if _, path, ok := strings.Cut(s, "github.com/"); ok {
		s = strings.TrimSuffix(path, "/")
	}
	s = strings.TrimSpace(strings.TrimPrefix(s, "@"))
	return s, login.MatchString(s)
}

// asEmail accepts an address of RFC 5322 without its display name, and a mailto: link to one.
func asEmail(s string) (string, bool) {
	const longest = 254 // bytes: RFC 5321, section 4.5.3.1.3
	s = strings.TrimSpace(s)
	if scheme := "mailto:"; len(s) >= len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
		s = s[len(scheme):]
	}
	if len(s) > longest || strings.ContainsAny(s, " \t<>()\"") || strings.HasPrefix(s, "@") {
		return "", false
	}
	a, err := mail.ParseAddress(s)
	if err != nil {
		return "", false
	}
	return a.Address, true
}
