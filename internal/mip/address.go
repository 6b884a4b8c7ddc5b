package mip

import (
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Below returns the path of a web address below a base address, without a slash at its ends. ok is
// false when the address is not the base nor below it. The scheme does not count, nor does the case,
// nor the port of a scheme: a site that moved to https is the site that it was.
func Below(address, base string) (rest string, ok bool) {
	at, atPath := place(address)
	to, toPath := place(base)
	if at == "" || at != to || len(atPath) < len(toPath) || !strings.EqualFold(atPath[:len(toPath)], toPath) {
		return "", false
	}
	rest = atPath[len(toPath):]
	if toPath != "" && rest != "" && rest[0] != '/' {
		return "", false // a longer name that begins alike
	}
	return strings.Trim(rest, "/"), true
}

// WebAddress parses an absolute http or https address. ok is false for anything else, and for characters that end an
// address in a text.
func WebAddress(s string) (u *url.URL, ok bool) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.ContainsAny(s, " \t\n<>\"`") {
		return nil, false
	}
	return u, true
}

// IsPath reports whether a text is the path of an address on a site, as it stands in a rule of a host: it begins with a
// slash, has neither empty nor . or .. parts, and none of the characters that have a meaning in such a rule.
func IsPath(s string) bool {
	return strings.HasPrefix(s, "/") && path.Clean(s) == s && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("*:#%?\\{}\"", r)
	})
}

// place takes an address of the web apart: the host with a port that says something, and the path
// without a slash at its end. Both are empty for anything else.
func place(address string) (host, where string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", ""
	}
	host = strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if port := u.Port(); port != "" && port != "80" && port != "443" {
		host += ":" + port
	}
	return host, strings.TrimSuffix(path.Clean("/"+u.Path), "/")
}

// References are the addresses of proposals of other sites, by their prefix in any case, with {n} where the number goes.
type References map[string]string

// Find is the id and the address of a proposal of another site. ok is false for a prefix that is not among them.
func (r References) Find(prefix string, number int) (id ID, address string, ok bool) {
	for known, template := range r {
		if strings.EqualFold(known, prefix) {
			return ID{Kind: known, Number: number}, strings.ReplaceAll(template, "{n}", strconv.Itoa(number)), true
		}
	}
	return ID{}, "", false
}

// topicPath is the path /t/slug/399, /t/slug/399/12 (a post of it) or /t/399 of a Discourse.
var topicPath = regexp.MustCompile(`/t/(?:[^/]+/)??(\d+)(?:/|$)`)

// Topic is the number of the forum topic that an address leads to, nil when it holds none. It
// does not look at the host.
func Topic(address string) *int {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	if m := topicPath.FindStringSubmatch(u.Path); m != nil {
		if n, ok := ParseNumber(m[1]); ok && n > 0 {
			return &n
		}
	}
	return nil
}
