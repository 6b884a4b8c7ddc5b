package survey

import (
	"bytes"
	"cmp"
	_ "embed" // site.yaml.tmpl
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

//go:embed site.yaml.tmpl
var siteYAML string

var siteTemplate = template.Must(template.New("site.yaml").Funcs(template.FuncMap{
	"quote": quote, "texts": texts, "list": list, "counted": counted,
	"proposals": proposals, "listed": listed, "names": names,
	"address": func(prefix string) string { return known[prefix] },
}).Parse(siteYAML))

// YAML returns a site.yaml with all that was found, each guess with the count that supports it.
// [site.Parse] accepts it: a line that it would refuse is a comment with the reason.
func (s *Survey) YAML() ([]byte, error) {
	var b bytes.Buffer
	if err := siteTemplate.Execute(&b, s); err != nil {
		return nil, err
	}
	lines := strings.Split(b.String(), "\n")
	for {
		text := []byte(strings.Join(lines, "\n"))
		_, err := site.Parse("site.yaml", text)
		invalid, ok := errors.AsType[*site.InvalidError](err)
		if !ok {
			return text, err
		}
		left := false
		for _, p := range invalid.Problems {
			at := &lines[max(p.Line, 1)-1] // a problem of the whole file has no line
			if line := strings.TrimSpace(*at); !strings.HasPrefix(line, "#") {
				*at, left = "# Left out, "+p.Message+": "+line, true
			}
		}
		if !left {
			return nil, err
		}
	}
}

// refusal returns the reason why site.yaml does not accept a value of the repository under a key,
// or reads it as another one; nil if it accepts the value.
func refusal(key, value string) error {
	keys := map[string]string{"title": "T", "base_url": example, key: quote(value)}
	if key == "proposals" || key == "show" {
		keys[key] = "[" + keys[key] + "]"
	}
	var b strings.Builder
	for key, value := range keys {
		fmt.Fprintf(&b, "%s: %s\n", key, value)
	}
	s, err := site.Parse("", []byte(b.String()))
	if invalid, ok := errors.AsType[*site.InvalidError](err); ok {
		return errors.New(invalid.Problems[0].Message)
	}
	if err == nil && key == "proposals" && s.Proposals[0] != value {
		read := mip.Quote(s.Proposals[0])
		return fmt.Errorf(
			"proposals: the name is read as %s; want UTF-8 without blanks at its ends", read)
	}
	return err
}

// Others reports whether there are several kinds.
func (s *Survey) Others() bool { return len(s.Kinds) > 1 }

// Texts returns the number of texts of the kind.
func (k Kind) Texts() (n int) {
	for _, p := range k.Places {
		n += p.Texts
	}
	return n
}

// example is the address of a site that has none yet.
const example = "https://proposals.example.org"

// Address returns the site's future address: on GitHub Pages, else a placeholder.
func (s *Survey) Address() string { return cmp.Or(s.Pages(), example) }

// Pages returns the address of the repository's site on GitHub Pages, empty for another host.
func (s *Survey) Pages() string {
	u, err := url.Parse(s.Remote)
	if err != nil || u.Host != "github.com" {
		return ""
	}
	owner, name := path.Split(strings.Trim(u.Path, "/"))
	host := strings.ToLower(strings.Trim(owner, "/")) + ".github.io"
	address := "https://" + host + "/" + name
	if strings.EqualFold(name, host) {
		address = "https://" + host
	}
	if refusal("base_url", address) != nil {
		return ""
	}
	return address
}

// Source returns the address at which the repository's files are shown, in the form of site.yaml;
// empty for an unknown host.
func (s *Survey) Source() string {
	u, err := url.Parse(s.Remote)
	switch {
	case err != nil:
		return ""
	case u.Host == "github.com":
		return s.Remote + "/blob/{commit}/{path}"
	case strings.Contains(u.Host, "gitlab"):
		return s.Remote + "/-/blob/{commit}/{path}"
	case u.Host == "codeberg.org":
		return s.Remote + "/src/commit/{commit}/{path}"
	}
	return ""
}

// plain matches text that needs no quotes in YAML.
var plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9 ./_+-]*[A-Za-z0-9./_+-]$`)

// words are plain texts that YAML reads as another type.
var words = []string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}

// quote returns a text as YAML, in quotation marks if it needs them.
func quote(s string) string {
	if plain.MatchString(s) && !slices.Contains(words, strings.ToLower(s)) {
		return s
	}
	return strconv.Quote(s)
}

// list returns words as a YAML list.
func list(all []Count) string {
	var out []string
	for _, c := range all {
		out = append(out, quote(c.Word))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// counted returns words with their numbers of texts, in order.
func counted(all []Count) string {
	var out []string
	for _, c := range all {
		out = append(out, texts(c.Texts))
	}
	return strings.Join(out, ", ")
}

// texts returns a number of texts in words.
func texts(n int) string {
	if n == 1 {
		return "1 text"
	}
	return strconv.Itoa(n) + " texts"
}
