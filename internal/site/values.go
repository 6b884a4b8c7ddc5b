package site

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// ParseBaseURL validates an address that routes are appended to: absolute, http or https, without
// user, query and fragment. It returns it without slashes at the end.
func ParseBaseURL(s string) (string, error) {
	u, err := webAddress(s)
	switch {
	case err != nil:
		return "", err
	case u.User != nil:
		return "", errors.New("want an address without user and password")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(s, "#"):
		return "", errors.New("want an address without query (?) and fragment (#)")
	}
	scheme, rest, _ := strings.Cut(strings.TrimRight(s, "/"), "://")
	host, rest, slash := strings.Cut(rest, "/")
	s = strings.ToLower(scheme) + "://" + strings.ToLower(host)
	if slash {
		s += "/" + rest
	}
	if p := strings.TrimRight(u.Path, "/"); p != "" && p != path.Clean(p) {
		return "", errors.New("want a path without empty, . and .. parts")
	}
	return s, nil
}

// webAddress parses an absolute http or https address. Its errors do not repeat the address, which
// may hold a key.
func webAddress(s string) (*url.URL, error) {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			char, _ := utf8.DecodeRuneInString(s[i:])
			return nil, fmt.Errorf("want an address in plain ASCII (names as xn--…, other characters as %%XX), got %s", strconv.QuoteRuneToASCII(char))
		}
	}
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return nil, errors.New("want an absolute address starting with http:// or https://")
	}
	if port := u.Port(); port != "" {
		if n, ok := decimal(port); !ok || n < 1 || n > 65535 {
			return nil, errors.New("want a port from 1 to 65535")
		}
	}
	return u, nil
}

func (r *reader) baseURL(where string, n *yaml.Node) (string, bool) {
	s, ok := r.text(where, n)
	if !ok {
		return "", false
	}
	base, err := ParseBaseURL(s)
	if err != nil {
		r.bad(n, where, err.Error())
		return "", false
	}
	return base, true
}

func (r *reader) webAddress(where string, n *yaml.Node) (string, bool) {
	s, ok := r.text(where, n)
	if !ok {
		return "", false
	}
	if _, err := webAddress(s); err != nil {
		r.bad(n, where, err.Error())
		return "", false
	}
	return s, true
}

// sourceURL reads a template that becomes an address once {path} and {commit} are filled in.
func (r *reader) sourceURL(where string, n *yaml.Node) (string, bool) {
	s, ok := r.text(where, n)
	if !ok {
		return "", false
	}
	filled := strings.NewReplacer("{path}", "p", "{commit}", "c").Replace(s)
	if i := strings.IndexAny(filled, "{}"); i >= 0 {
		r.bad(n, where, fmt.Sprintf("only {path} and {commit} are filled in, got %s", show(filled[i:])))
		return "", false
	}
	if !strings.Contains(s, "{path}") {
		r.bad(n, where, "want {path} where the file's path goes")
		return "", false
	}
	if _, err := webAddress(filled); err != nil {
		r.bad(n, where, err.Error())
		return "", false
	}
	return s, true
}

func (r *reader) prefix(where string, n *yaml.Node) (string, bool) {
	return r.matching(where, n, regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,15}$`), "a letter and then up to 15 letters and digits, such as MIP")
}

func (r *reader) networkID(where string, n *yaml.Node) (string, bool) {
	return r.matching(where, n, regexp.MustCompile(`^[a-z0-9-]{1,64}$`), "small letters, digits and hyphens, such as mainnet")
}

// gitAddress refuses what the git program would take for an option or for a command to run.
func (r *reader) gitAddress(where string, n *yaml.Node) (string, bool) {
	s, ok := r.matching(where, n, regexp.MustCompile(`^[^-\s][^\s]*$`), "the address of a git repository")
	if ok && strings.Contains(s, "::") {
		r.bad(n, where, "want the address of a git repository, without a remote helper (::)")
		return "", false
	}
	return s, ok
}

func (r *reader) gitRef(where string, n *yaml.Node) (string, bool) {
	s, ok := r.matching(where, n, regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./+-]*$`), "a branch, tag or commit")
	if ok && (strings.Contains(s, "..") || strings.HasSuffix(s, "/")) {
		r.bad(n, where, "want a branch, tag or commit, got "+show(s))
		return "", false
	}
	return s, ok
}

// locale reads a language tag as BCP 47 recommends to write it, in the part of its syntax that names
// languages, scripts and regions.
func (r *reader) locale(where string, n *yaml.Node) (string, bool) {
	s, ok := r.matching(where, n, regexp.MustCompile(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`), "a language tag such as de, zh-Hant or pt-BR")
	if ok && s == "en" {
		r.bad(n, where, "en is always there; list the languages beside it")
		return "", false
	}
	return s, ok
}

func (r *reader) matching(where string, n *yaml.Node, re *regexp.Regexp, want string) (string, bool) {
	s, ok := r.text(where, n)
	if ok && !re.MatchString(s) {
		r.bad(n, where, fmt.Sprintf("want %s, got %s", want, show(s)))
		return "", false
	}
	return s, ok
}
