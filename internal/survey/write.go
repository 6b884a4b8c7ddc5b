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
	"address": func(prefix string) string { return known[prefix] },
}).Parse(siteYAML))

// YAML is a site.yaml with all that was found, each guess with the count that speaks for it.
// [site.Parse] takes it: a line that it refuses is a comment which says why.
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
			at := &lines[max(p.Line, 1)-1] // what is wrong with the whole file has no line
			if line := strings.TrimSpace(*at); !strings.HasPrefix(line, "#") {
				*at, left = "# Left out, "+p.Message+": "+line, true
			}
		}
		if !left {
			return nil, err
		}
	}
}

// refusal is why site.yaml does not take a value of the repository under a key, or reads another
// one; nil: it takes it.
func refusal(key, value string) error {
	keys := map[string]string{"title": "T", "base_url": example, key: quote(value)}
	if key == "proposals" {
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
		return fmt.Errorf("proposals: the name is read as %s; want UTF-8 without blanks at its ends", read)
	}
	return err
}

// Others reports several kinds.
func (s *Survey) Others() bool { return len(s.Kinds) > 1 }

// Texts is how many a kind has.
func (k Kind) Texts() (n int) {
	for _, p := range k.Places {
		n += p.Texts
	}
	return n
}

// example is the address of a site that has none yet.
const example = "https://proposals.example.org"

// Address is where the site will be: that of Pages, else one to replace.
func (s *Survey) Address() string { return cmp.Or(s.Pages(), example) }

// Pages is the address of the repository's site on GitHub Pages; empty for another host.
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

// Source is where the repository's files are shown, in the form of site.yaml; empty for a host whose addresses are not known.
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

// plain is text that YAML reads as it stands.
var plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9 ./_+-]*[A-Za-z0-9./_+-]$`)

// words are plain texts that YAML takes for something else.
var words = []string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}

// quote writes a text as YAML, in quotation marks where it needs them.
func quote(s string) string {
	if plain.MatchString(s) && !slices.Contains(words, strings.ToLower(s)) {
		return s
	}
	return strconv.Quote(s)
}

// list writes words as a list of YAML.
func list(all []Count) string {
	var out []string
	for _, c := range all {
		out = append(out, quote(c.Word))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// counted are the texts of words, in their order.
func counted(all []Count) string {
	var out []string
	for _, c := range all {
		out = append(out, texts(c.Texts))
	}
	return strings.Join(out, ", ")
}

// texts is a number of them.
func texts(n int) string {
	if n == 1 {
		return "1 text"
	}
	return strconv.Itoa(n) + " texts"
}
