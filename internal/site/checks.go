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
	// maxUnix is the last second of the year 9999, the last that RFC 3339 can express. Milliseconds
	// given as seconds exceed it.
	maxUnix = 253402300799
	// maxChainID is the largest integer that every JSON parser keeps exact.
	maxChainID = 1<<53 - 1
	// maxBlockTime exceeds the block time of any chain.
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

// match returns an error if a text does not match a pattern. want describes a valid text.
func match(s, pattern, want string) error {
	if !regexp.MustCompile(pattern).MatchString(s) {
		return fmt.Errorf("want %s, got %s", want, mip.Quote(s))
	}
	return nil
}

// between returns an error if a number is out of range. what names the number.
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
	// ParseInt fails if the number does not fit.
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

var plainSeconds = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// blockTime parses seconds (0.4) or a duration with a unit (400ms), and returns seconds.
func blockTime(s string) (float64, error) {
	unit := ""
	if plainSeconds.MatchString(s) {
		unit = "s"
	}
	d, err := time.ParseDuration(s + unit)
	if err != nil || d <= 0 || d > maxBlockTime {
		return 0, fmt.Errorf("want seconds such as 0.4, or a duration such as 400ms, more than 0 "+
			"and at most 1h, got %s", mip.Quote(s))
	}
	return d.Seconds(), nil
}

// folders are the first path segments of the site that have no pages of proposals, in addition to
// the keys of [mip.Words].
var folders = []string{
	"about", "accessibility", "api", "assets", "author", "changes", "dashboard", "feeds",
	"graph", "kind",
	"upgrade",
}

// checkPrefix checks the prefix of a kind of proposals. Its lower-case form is a folder of the
// site.
func checkPrefix(s string) error {
	folder := strings.ToLower(s)
	isList := func(f mip.Field) bool { return f.Key() == folder }
	if slices.Contains(folders, folder) || slices.ContainsFunc(mip.Words(), isList) {
		return fmt.Errorf("/%s/ holds other pages of the site; want another word", folder)
	}
	return match(s, `^[A-Za-z][A-Za-z0-9]{0,15}$`,
		"a letter and then up to 15 letters and digits, such as MIP")
}

// checkLocale checks a language tag in the recommended form of BCP 47, with only language, script
// and region. English is always present and must not be listed.
func checkLocale(s string) error {
	if s == "en" {
		return errors.New("en is always included; list only other languages")
	}
	return match(s, `^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`,
		"a language tag such as de, zh-Hant or pt-BR")
}

// checkInside checks a clean path that does not leave its base folder. A backslash separates
// folders on some systems only.
func checkInside(s, want string) error {
	if !fs.ValidPath(s) || strings.Contains(s, `\`) {
		return fmt.Errorf("want %s, got %s", want, mip.Quote(s))
	}
	return nil
}

// ParseBaseURL validates the address of a site: absolute, http or https, without user, query and
// fragment. It returns the address without trailing slashes.
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
	// Scheme and host are case-insensitive, and the path is not.
	u.Host = strings.ToLower(u.Host)
	return u.String(), nil
}

// checkAddress checks an absolute http or https address. Its errors do not repeat the address,
// which may contain a key.
func checkAddress(s string) error {
	for _, c := range s {
		if c <= ' ' || c >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", c) {
			return fmt.Errorf("want an address in plain ASCII (names as xn--…, other characters "+
				"as %%XX), got %+q", c)
		}
	}
	// A relative address could lead anywhere, and browsers do not open other schemes.
	u, ok := mip.WebAddress(s)
	if !ok {
		return errors.New("want an absolute address starting with http:// or https://")
	}
	// net/url accepts any digits as a port.
	if port := u.Port(); port != "" {
		if n, ok := decimal(port); !ok || n < 1 || n > 65535 {
			return errors.New("want a port from 1 to 65535")
		}
	}
	return nil
}

// checkRedirect checks an old path: either the pattern of all proposals with {n} for the number, or
// any path followed by a blank and its target.
func checkRedirect(s string) error {
	from, to, other := strings.Cut(s, " ")
	to = strings.TrimSpace(to)
	switch {
	case !other && strings.Count(from, "{n}") != 1:
		return fmt.Errorf("want {n} once, where the number goes, or such as /faq /about/, got %s",
			mip.Quote(s))
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

// checkProposals checks a folder of proposals or a pattern of files.
func checkProposals(s string) error {
	if _, err := path.Match(s, ""); err != nil {
		return fmt.Errorf("want a folder, or a pattern of files such as CIP-*/README.md, got %s",
			mip.Quote(s))
	}
	return nil
}

// checkKey checks a header key.
func checkKey(s string) error {
	return match(s, `^[A-Za-z0-9][\w -]{0,63}$`, "a key of a header, such as network")
}

// checkPattern checks a pattern of names of files or folders. It must not contain a slash.
func checkPattern(s string) error {
	if _, err := path.Match(s, ""); err != nil || strings.ContainsAny(s, `/\`) {
		return fmt.Errorf("want a pattern of file names such as *template*, with * for any "+
			"letters and ? for one, got %s", mip.Quote(s))
	}
	return nil
}

// checkSource checks a template of an address with the variables {path} and {commit}.
func checkSource(s string) error {
	// Check the address with example values.
	filled := strings.NewReplacer("{path}", "p", "{commit}", "c").Replace(s)
	if i := strings.IndexAny(filled, "{}"); i >= 0 {
		return fmt.Errorf("only {path} and {commit} are filled in, got %s", mip.Quote(filled[i:]))
	}
	if !strings.Contains(s, "{path}") {
		return errors.New("want {path} where the file's path goes")
	}
	return checkAddress(filled)
}

// checkReference checks a template of an address with the variable {n}.
func checkReference(s string) error {
	filled := strings.ReplaceAll(s, "{n}", "1")
	if filled == s || strings.ContainsAny(filled, "{}") {
		return fmt.Errorf("want an address with {n} where the number goes, got %s", mip.Quote(s))
	}
	return checkAddress(filled)
}

// RPCVariable is the name of the environment variable with the RPC addresses of a network.
func RPCVariable(id string) string {
	return "RPC_" + strings.ToUpper(strings.ReplaceAll(id, "-", "_"))
}

// RPCAddresses returns the comma-separated RPC addresses of a network from the environment, or nil
// if there are none. The error repeats no address, which may contain a key.
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
			return nil, fmt.Errorf("%s: address %d of %d is no http(s) address; want such as "+
				"https://rpc.example.org/KEY, with commas between several",
				name, i+1, len(addresses))
		}
	}
	return addresses, nil
}
