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

	"go.yaml.in/yaml/v3"

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

// checks read a value that is no mapping and no list, by the name in a field's check tag. One
// that returns false has added a problem.
var checks = map[string]func(value) (any, bool){
	"":       text(func(s string) (string, error) { return s, nil }),
	"base":   text(baseURL),
	"bool":   value.boolean,
	"chain":  integer("a whole number", "a decimal number", 1, maxChainID),
	"folder": text(func(s string) (string, error) { return path.Clean(s), nil }),
	// The git program would take a hyphen for an option, and ext::sh for a command to run.
	"git":      matching(`^[^-:\s](:?[^:\s])*$`, "the address of a git repository, without a remote helper (::)"),
	"inside":   text(insideFolder),
	"locale":   text(locale),
	"network":  matching(`^[a-z0-9-]{1,64}$`, "small letters, digits and hyphens, such as mainnet"),
	"number":   integer("a whole number", "a decimal number", 0, mip.MaxNumber),
	"prefix":   text(prefix),
	"redirect": text(redirect),
	// Ranges (a..b) are refused as well.
	"ref":     matching(`^\w((\.?[\w/+-])*\.?[\w+-])?$`, "a branch, tag or commit"),
	"seconds": value.seconds,
	"source":  text(sourceURL),
	"topic":   integer("a whole number", "a decimal number", 1, mip.MaxNumber),
	"unix":    integer("unix seconds, or null when no time is set", "unix seconds", 0, maxUnix),
	"web":     text(webAddress),
}

// text reads one line of text that is not empty, without outer blanks.
func text(check func(string) (string, error)) func(value) (any, bool) {
	return func(v value) (any, bool) {
		if v.Kind != yaml.ScalarNode || v.ShortTag() != "!!str" {
			return nil, v.wrong("text")
		}
		s := strings.TrimSpace(v.Value)
		if s == "" {
			return nil, v.bad("empty")
		}
		if c, class := mip.Hidden(s); class != mip.Visible {
			return nil, v.bad("holds %s, %U; want one line of plain text", class, c)
		}
		s, err := check(s)
		return s, err == nil || v.bad("%v", err)
	}
}

// matching reads a text of a pattern.
func matching(pattern, want string) func(value) (any, bool) {
	return text(func(s string) (string, error) { return s, match(s, pattern, want) })
}

// match reports a text that is not of a pattern.
func match(s, pattern, want string) error {
	if !regexp.MustCompile(pattern).MatchString(s) {
		return fmt.Errorf("want %s, got %s", want, show(s))
	}
	return nil
}

// integer reads a plain decimal number from least to most. YAML's other spellings are refused:
// 010 would be eight. want and unit name the value in messages about its type and its range.
func integer(want, unit string, least, most int64) func(value) (any, bool) {
	return func(v value) (any, bool) {
		if v.Kind != yaml.ScalarNode || v.ShortTag() != "!!int" {
			return nil, v.wrong(want)
		}
		n, ok := decimal(v.Value)
		if !ok || n < least || n > most {
			return nil, v.bad("want %s from %d to %d, got %s", unit, least, most, show(v.Value))
		}
		return n, true
	}
}

// decimal parses a number without sign, leading zeros or separators.
func decimal(s string) (int64, bool) {
	if s == "" || len(s) > 1 && s[0] == '0' || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	// ParseInt refuses a number that does not fit.
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// boolean reads true or false, in the spellings of YAML 1.2. Words such as yes are texts there
// and refused.
func (v value) boolean() (any, bool) {
	if v.Kind == yaml.ScalarNode && v.ShortTag() == "!!bool" {
		return strings.EqualFold(v.Value, "true"), true
	}
	return nil, v.wrong("true or false")
}

var plainSeconds = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// seconds reads seconds (0.4) or a duration with its unit (400ms), and gives seconds.
func (v value) seconds() (any, bool) {
	const want = "seconds such as 0.4, or a duration such as 400ms"
	tag, text := v.ShortTag(), v.Value
	if v.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" && tag != "!!str" {
		return nil, v.wrong(want)
	}
	// YAML has types for numbers, and a duration is text.
	if tag != "!!str" && plainSeconds.MatchString(text) {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > maxBlockTime {
		return nil, v.bad("want "+want+", more than 0 and at most 1h, got %s", show(v.Value))
	}
	return d.Seconds(), true
}

// folders are the first parts of the site's addresses below which pages of no proposal lie.
var folders = []string{
	"about", "accessibility", "api", "assets", "author", "category", "changes", "dashboard", "feeds", "graph", "status",
	"type", "upgrade",
}

// prefix checks a kind of proposals. In lower case it is a folder of the site.
func prefix(s string) (string, error) {
	if slices.Contains(folders, strings.ToLower(s)) {
		return "", fmt.Errorf("/%s/ holds other pages of the site; want another word than %s", strings.ToLower(s), show(s))
	}
	return s, match(s, `^[A-Za-z][A-Za-z0-9]{0,15}$`, "a letter and then up to 15 letters and digits, such as MIP")
}

// locale checks a language tag as BCP 47 recommends to write it, in the part of its syntax that
// names languages, scripts and regions. English is there on every site.
func locale(s string) (string, error) {
	if s == "en" {
		return "", errors.New("en is always there; list the languages beside it")
	}
	return s, match(s, `^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`, "a language tag such as de, zh-Hant or pt-BR")
}

// insideFolder checks a path that does not leave the folder it starts from. A backslash
// separates folders on some machines only.
func insideFolder(s string) (string, error) {
	clean := path.Clean(s)
	if !fs.ValidPath(clean) || strings.Contains(clean, `\`) {
		return "", fmt.Errorf("want a folder within the repository, got %s", show(s))
	}
	return clean, nil
}

// ParseBaseURL validates an address that routes are appended to: absolute, http or https,
// without user, query and fragment. It returns it without slashes at the end.
func ParseBaseURL(s string) (string, error) {
	if _, err := webAddress(s); err != nil {
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

// baseURL is [ParseBaseURL] for a value of the file. Its errors repeat the value unless that holds a password.
func baseURL(s string) (string, error) {
	u, err := ParseBaseURL(s)
	if err != nil && !strings.Contains(s, "@") {
		err = fmt.Errorf("%w, got %s", err, show(s))
	}
	return u, err
}

// webAddress checks an absolute http or https address. Its errors do not repeat the address,
// which may hold a key.
func webAddress(s string) (string, error) {
	for _, c := range s {
		if c <= ' ' || c >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", c) {
			return "", fmt.Errorf("want an address in plain ASCII (names as xn--…, other characters as %%XX), got %+q", c)
		}
	}
	// A relative address could lead anywhere, and another scheme nowhere that a browser goes.
	u, ok := mip.WebAddress(s)
	if !ok {
		return "", errors.New("want an absolute address starting with http:// or https://")
	}
	// net/url takes any digits for a port.
	if port := u.Port(); port != "" {
		if n, ok := decimal(port); !ok || n < 1 || n > 65535 {
			return "", errors.New("want a port from 1 to 65535")
		}
	}
	return s, nil
}

// redirect checks a path with a place for a number. It stands in a rule of the host as it is, where some characters have a
// meaning of their own.
func redirect(s string) (string, error) {
	if strings.Count(s, "{n}") != 1 {
		return "", fmt.Errorf("want {n} once, where the number goes, got %s", show(s))
	}
	number := strings.Replace(s, "{n}", "1", 1)
	if number != path.Clean(number) {
		return "", fmt.Errorf("want a path without empty, . and .. parts, got %s", show(s))
	}
	return s, match(s, `^/[\w./~-]*\{n\}[\w./~-]*$`, "a path such as /EIPS/eip-{n}")
}

// sourceURL checks a template that becomes an address once {path} and {commit} are filled in.
func sourceURL(s string) (string, error) {
	// The address is checked as it will be.
	filled := strings.NewReplacer("{path}", "p", "{commit}", "c").Replace(s)
	if i := strings.IndexAny(filled, "{}"); i >= 0 {
		return "", fmt.Errorf("only {path} and {commit} are filled in, got %s", show(filled[i:]))
	}
	if !strings.Contains(s, "{path}") {
		return "", errors.New("want {path} where the file's path goes")
	}
	_, err := webAddress(filled)
	return s, err
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
		if _, err := webAddress(addresses[i]); err != nil {
			return nil, fmt.Errorf("%s: address %d of %d is no http(s) address; want such as https://rpc.example.org/KEY, with commas between several",
				name, i+1, len(addresses))
		}
	}
	return addresses, nil
}
