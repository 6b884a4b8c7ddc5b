package mip

import (
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Below returns the path of a web address below a base address, without a slash at its ends. ok is
// false if the address is neither the base nor below it. The scheme, letter case and a scheme's
// default port are ignored: a site that moved to https is the same site.
func Below(address, base string) (rest string, ok bool) {
	at, atPath := place(address)
	to, toPath := place(base)
	if at == "" || at != to || len(atPath) < len(toPath) ||
		!strings.EqualFold(atPath[:len(toPath)], toPath) {
		return "", false
	}
	rest = atPath[len(toPath):]
	if toPath != "" && rest != "" && rest[0] != '/' {
		return "", false // a longer name with the same beginning
	}
	return strings.Trim(rest, "/"), true
}

// WebAddress parses an absolute http or https address. ok is false for anything else, and for
// characters that end an address in running text.
func WebAddress(s string) (u *url.URL, ok bool) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		strings.ContainsAny(s, " \t\n<>\"`") {
		return nil, false
	}
	return u, true
}

// IsPath reports whether a text is a clean absolute path that can be written in a rule of a host:
// it begins with a slash, has neither empty nor . or .. parts, and none of the characters that have
// a meaning in such a rule.
func IsPath(s string) bool {
	return strings.HasPrefix(s, "/") && path.Clean(s) == s &&
		!strings.ContainsFunc(s, func(r rune) bool {
			return r <= ' ' || r > '~' || strings.ContainsRune("*:#%?\\{}\"", r)
		})
}

// place splits a web address: the host with a port that is not the default, and the path without a
// slash at its end. Both are empty for anything else.
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

// References maps prefixes in any case to the addresses of other sites' proposals, where {n} is the
// number.
type References map[string]string

// Find returns the id and the address of a proposal of another site. ok is false for an unknown
// prefix.
func (r References) Find(prefix string, number int) (id ID, address string, ok bool) {
	for known, template := range r {
		if strings.EqualFold(known, prefix) {
			return ID{Kind: known, Number: number},
				strings.ReplaceAll(template, "{n}", strconv.Itoa(number)), true
		}
	}
	return ID{}, "", false
}

// topicPath matches the path of a Discourse topic: /t/slug/399, /t/slug/399/12 (one of its posts)
// or /t/399.
var topicPath = regexp.MustCompile(`/t/(?:[^/]+/)??(\d+)(?:/|$)`)

// Topic returns the number of the forum topic that an address leads to, nil if there is none. It
// ignores the host.
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
