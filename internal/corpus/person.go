package corpus

import (
	"net/mail"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

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
