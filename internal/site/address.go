package site

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseBaseURL validates an address that routes are appended to: absolute, http or https,
// without user, query and fragment. It returns it without slashes at the end.
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
	// Scheme and host are the same in any case, the path is not.
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

// webAddress parses an absolute http or https address. Its errors do not repeat the address,
// which may hold a key.
func webAddress(s string) (*url.URL, error) {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			char, _ := utf8.DecodeRuneInString(s[i:])
			return nil, fmt.Errorf("want an address in plain ASCII (names as xn--…, other characters as %%XX), got %s", strconv.QuoteRuneToASCII(char))
		}
	}
	// A relative address could lead anywhere, and another scheme nowhere that a browser goes.
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return nil, errors.New("want an absolute address starting with http:// or https://")
	}
	// net/url takes any digits for a port.
	if port := u.Port(); port != "" {
		if n, ok := decimal(port); !ok || n < 1 || n > 65535 {
			return nil, errors.New("want a port from 1 to 65535")
		}
	}
	return u, nil
}

// baseURL reads an address for [ParseBaseURL].
func (v value) baseURL() (string, bool) {
	s, ok := v.text()
	if !ok {
		return "", false
	}
	base, err := ParseBaseURL(s)
	return base, err == nil || v.bad("%v", err)
}

// webAddress reads an absolute http or https address and returns it as written.
func (v value) webAddress() (string, bool) {
	s, ok := v.text()
	if !ok {
		return "", false
	}
	_, err := webAddress(s)
	return s, err == nil || v.bad("%v", err)
}

// sourceURL reads a template that becomes an address once {path} and {commit} are filled in.
func (v value) sourceURL() (string, bool) {
	s, ok := v.text()
	if !ok {
		return "", false
	}
	// The address is checked as it will be.
	filled := strings.NewReplacer("{path}", "p", "{commit}", "c").Replace(s)
	if i := strings.IndexAny(filled, "{}"); i >= 0 {
		return "", v.bad("only {path} and {commit} are filled in, got %s", show(filled[i:]))
	}
	if !strings.Contains(s, "{path}") {
		return "", v.bad("want {path} where the file's path goes")
	}
	_, err := webAddress(filled)
	return s, err == nil || v.bad("%v", err)
}

// RPCVariable is the name of the environment variable with the addresses of a network's nodes.
func RPCVariable(id string) string {
	return "RPC_" + strings.ToUpper(strings.ReplaceAll(id, "-", "_"))
}

// RPCAddresses returns the addresses that the environment has for a network, separated by
// commas; nil when it has none. They may hold keys, so the error shows none.
func RPCAddresses(id string, lookup func(string) (string, bool)) ([]string, error) {
	name := RPCVariable(id)
	value, _ := lookup(name)
	if value = strings.TrimSpace(value); value == "" {
		return nil, nil
	}
	addresses := strings.Split(value, ",")
	for i, a := range addresses {
		a = strings.TrimSpace(a)
		addresses[i] = a
		u, err := url.Parse(a)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || strings.ContainsAny(a, " \t") {
			return nil, fmt.Errorf("%s: address %d of %d is no http(s) address; want such as https://rpc.example.org/KEY, with commas between several",
				name, i+1, len(addresses))
		}
	}
	return addresses, nil
}
