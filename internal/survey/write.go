package survey

import (
	"bytes"
	_ "embed" // site.yaml.tmpl
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

//go:embed site.yaml.tmpl
var siteYAML string

var siteTemplate = template.Must(template.New("site.yaml").Funcs(template.FuncMap{
	"quote": quote, "texts": texts, "list": list, "counted": counted,
	"address": func(prefix string) string { return known[prefix] },
}).Parse(siteYAML))

// YAML is a site.yaml with all that was found, each guess with the count that speaks for it.
func (s *Survey) YAML() ([]byte, error) {
	var b bytes.Buffer
	err := siteTemplate.Execute(&b, s)
	return b.Bytes(), err
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

// Pages is the address of the repository's site on GitHub Pages; empty for another host.
func (s *Survey) Pages() string {
	u, err := url.Parse(s.Remote)
	if err != nil || u.Host != "github.com" {
		return ""
	}
	owner, name := path.Split(strings.Trim(u.Path, "/"))
	host := strings.ToLower(strings.Trim(owner, "/")) + ".github.io"
	if strings.EqualFold(name, host) {
		return "https://" + host
	}
	return "https://" + host + "/" + name
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
