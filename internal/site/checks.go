package site

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Limits of numbers.
const (
	// maxUnix is the last second of the year 9999, the last that RFC 3339 can write.
	// Milliseconds given as seconds are beyond it.
	maxUnix = 253402300799
	// maxChainID is the largest whole number that every JSON reader keeps exact.
	maxChainID = 1<<53 - 1
	// maxBlockTime is beyond any chain's.
	maxBlockTime = time.Hour
)

// checkText refuses a text that is not one line of plain text.
func checkText(s string) error {
	if s == "" {
		return errors.New("empty")
	}
	if c, class := mip.Hidden(s); class != mip.Visible {
		return fmt.Errorf("holds %s, %U; want one line of plain text", class, c)
	}
	return nil
}

// match reports a text that is not of a pattern.
func match(s, pattern, want string) error {
	if !regexp.MustCompile(pattern).MatchString(s) {
		return fmt.Errorf("want %s, got %s", want, mip.Quote(s))
	}
	return nil
}

// between reports a number out of a range. what names the counted thing.
func between(what string, n, least, most int64) error {
	if n < least || n > most {
		return fmt.Errorf("want %s from %d to %d, got %d", what, least, most, n)
	}
	return nil
}

// decimal parses a number without sign, leading zeros or separators: in YAML, 010 is eight.
func decimal(s string) (int64, bool) {
	if s == "" || len(s) > 1 && s[0] == '0' || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	// ParseInt refuses a number that does not fit.
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

var plainSeconds = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// blockTime parses seconds (0.4) or a duration with its unit (400ms), and gives seconds.
func blockTime(s string) (float64, error) {
	unit := ""
	if plainSeconds.MatchString(s) {
		unit = "s"
	}
	d, err := time.ParseDuration(s + unit)
	if err != nil || d <= 0 || d > maxBlockTime {
		return 0, fmt.Errorf("want seconds such as 0.4, or a duration such as 400ms, more than 0 and at most 1h, got %s", mip.Quote(s))
	}
	return d.Seconds(), nil
}

// folders are the first parts of the site's addresses below which pages of no proposal lie, beside
// the keys of [mip.Words].
var folders = []string{
	"about", "accessibility", "api", "assets", "author", "changes", "dashboard", "feeds", "graph", "kind",
	"upgrade",
}

// checkPrefix checks a kind of proposals. In lower case it is a folder of the site.
func checkPrefix(s string) error {
	folder := strings.ToLower(s)
	isList := func(f mip.Field) bool { return f.Key() == folder }
	if slices.Contains(folders, folder) || slices.ContainsFunc(mip.Words(), isList) {
		return fmt.Errorf("/%s/ holds other pages of the site; want another word", folder)
	}
	return match(s, `^[A-Za-z][A-Za-z0-9]{0,15}$`, "a letter and then up to 15 letters and digits, such as MIP")
}

// checkLocale checks a language tag as BCP 47 recommends to write it, in the part of its syntax that
// names languages, scripts and regions. English is there on every site.
func checkLocale(s string) error {
	if s == "en" {
		return errors.New("en is always there; list the languages beside it")
	}
	return match(s, `^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`, "a language tag such as de, zh-Hant or pt-BR")
}

// checkInside checks a clean path that does not leave the folder it starts from. A backslash
// separates folders on some machines only.
func checkInside(s, want string) error {
	if !fs.ValidPath(s) || strings.Contains(s, `\`) {
		return fmt.Errorf("want %s, got %s", want, mip.Quote(s))
	}
	return nil
}

// ParseBaseURL validates an address that routes are appended to: absolute, http or https,
// without user, query and fragment. It returns it without slashes at the end.
func ParseBaseURL(s string) (string, error) {
	if err := checkAddress(s); err != nil {
		return "", err
	}
	u, err := url.Parse(strings.TrimRight(s, "/"))
	switch {
	case err != nil:
		return "", err
	case u.User != nil:
		return "", errors.New("want an address without user and password")
	case strings.ContainsAny(s, "?#"):
		return "", errors.New("want an address without query (?) and fragment (#)")
	case u.Path != "" && u.Path != path.Clean(u.Path):
		return "", errors.New("want a path without empty, . and .. parts")
	}
	// The host is the same in any case, as the scheme is; the path is not.
	u.Host = strings.ToLower(u.Host)
	return u.String(), nil
}

// checkAddress checks an absolute http or https address. Its errors do not repeat the address,
// which may hold a key.
func checkAddress(s string) error {
	for _, c := range s {
		if c <= ' ' || c >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", c) {
			return fmt.Errorf("want an address in plain ASCII (names as xn--…, other characters as %%XX), got %+q", c)
		}
	}
	// A relative address could lead anywhere, and another scheme nowhere that a browser goes.
	u, ok := mip.WebAddress(s)
	if !ok {
		return errors.New("want an absolute address starting with http:// or https://")
	}
	// net/url takes any digits for a port.
	if port := u.Port(); port != "" {
		if n, ok := decimal(port); !ok || n < 1 || n > 65535 {
			return errors.New("want a port from 1 to 65535")
		}
	}
	return nil
}

// checkRedirect checks an old path: one of every proposal, with a place for its number, or any, with the path or address
// that it leads to behind it.
func checkRedirect(s string) error {
	from, to, other := strings.Cut(s, " ")
	to = strings.TrimSpace(to)
	switch {
	case !other && strings.Count(from, "{n}") != 1:
		return fmt.Errorf("want {n} once, where the number goes, or such as /faq /about/, got %s", mip.Quote(s))
	case !other && !mip.IsPath(strings.Replace(from, "{n}", "1", 1)):
		return fmt.Errorf("want a path such as /EIPS/eip-{n}, got %s", mip.Quote(s))
	case other && !mip.IsPath(from):
		return fmt.Errorf("want a path such as /faq before the blank, got %s", mip.Quote(s))
	case strings.HasPrefix(to, "/") && to != "/" && !mip.IsPath(strings.TrimSuffix(to, "/")):
		return fmt.Errorf("want a path such as /about/ behind the blank, got %s", mip.Quote(to))
	case other && !strings.HasPrefix(to, "/"):
		return checkAddress(to)
	}
	return nil
}

// checkProposals checks a folder of proposals, or a pattern of their files.
func checkProposals(s string) error {
	if _, err := path.Match(s, ""); err != nil {
		return fmt.Errorf("want a folder, or a pattern of files such as CIP-*/README.md, got %s", mip.Quote(s))
	}
	return nil
}

// checkKey checks a key of a header.
func checkKey(s string) error {
	return match(s, `^[A-Za-z0-9][\w -]{0,63}$`, "a key of a header, such as network")
}

// checkPattern checks a pattern of names of files, and of folders of their own: no pattern has a slash.
func checkPattern(s string) error {
	if _, err := path.Match(s, ""); err != nil || strings.ContainsAny(s, `/\`) {
		return fmt.Errorf("want a pattern of file names such as *template*, with * for any letters and ? for one, got %s", mip.Quote(s))
	}
	return nil
}

// checkSource checks a template that becomes an address once {path} and {commit} are filled in.
func checkSource(s string) error {
	// The address is checked as it will be.
	filled := strings.NewReplacer("{path}", "p", "{commit}", "c").Replace(s)
	if i := strings.IndexAny(filled, "{}"); i >= 0 {
		return fmt.Errorf("only {path} and {commit} are filled in, got %s", mip.Quote(filled[i:]))
	}
	if !strings.Contains(s, "{path}") {
		return errors.New("want {path} where the file's path goes")
	}
	return checkAddress(filled)
}

// checkReference checks a template that becomes an address once {n} is filled in.
func checkReference(s string) error {
	filled := strings.ReplaceAll(s, "{n}", "1")
	if filled == s || strings.ContainsAny(filled, "{}") {
		return fmt.Errorf("want an address with {n} where the number goes, got %s", mip.Quote(s))
	}
	return checkAddress(filled)
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
		addresses[i] = strings.TrimSpace(a)
		if err := checkAddress(addresses[i]); err != nil {
			return nil, fmt.Errorf("%s: address %d of %d is no http(s) address; want such as https://rpc.example.org/KEY, with commas between several",
				name, i+1, len(addresses))
		}
	}
	return addresses, nil
}
