package upgrade

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Patterns for the heads of the columns in a table of clients.
var (
	ofClients  = regexp.MustCompile(`(?i)^(?:client|software|node|implementation)`)
	ofVersions = regexp.MustCompile(`(?i)\b(?:version|release)s?\b`)
	ofNetworks = regexp.MustCompile(`(?i)\bnetworks?\b`)
	ofDues     = regexp.MustCompile(`(?i)\b(?:required|deadline|upgrade|until|before|by)\b`)
	// between matches the words between the names of networks.
	between = regexp.MustCompile(`\s*(?:[,;/]|\band\b)\s*`)
)

// releases adds the rows of a table of clients: its first column names clients, and another column
// their versions. A link of the version, or else of the client, leads to the release.
func (t *text) releases(s scope, table ast.Node) {
	var heads []string
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []ast.Node
		var words []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells, words = append(cells, cell), append(words, markdown.PlainText(cell, t.doc.Body))
		}
		if row.Kind() == extension.KindTableHeader {
			heads = words
			if len(heads) == 0 || !ofClients.MatchString(heads[0]) {
				return
			}
			continue
		}
		column := func(of *regexp.Regexp) int { return slices.IndexFunc(heads, of.MatchString) }
		at := column(ofVersions)
		if at < 1 || words[0] == "" || noTime.MatchString(words[at]) {
			continue
		}
		r := mip.Release{Client: words[0], Version: words[at], Networks: []string{},
			URL: cmp.Or(secureLink(cells[at]), secureLink(cells[0]))}
		if i := column(ofNetworks); i > 0 {
			r.Networks = t.networksIn(words[i])
		}
		if i := column(ofDues); i > 0 && i != at {
			r.RequiredBy = dueIn(words[i], heads[i])
		}
		f := &t.forks[s.fork]
		f.releases = append(f.releases, r)
	}
}

// secureLink returns the https address of the link that a cell begins with, or nil.
func secureLink(cell ast.Node) *string {
	link, ok := cell.FirstChild().(*ast.Link)
	if !ok {
		return nil
	}
	address := string(link.Destination)
	if _, valid := mip.WebAddress(address); !valid || !strings.HasPrefix(address, "https://") {
		return nil
	}
	return &address
}

// networksIn returns the networks that a cell names: the site's by id, and others by name. It is
// empty for all networks.
func (t *text) networksIn(cell string) []string {
	out := []string{}
	for _, name := range between.Split(cell, -1) {
		n, ours := networkOf(name, t.networks)
		switch {
		case ours:
			out = append(out, n.ID)
		case name != "" && !strings.EqualFold(name, "all"):
			out = append(out, name)
		}
	}
	return out
}

// dueIn returns the day or the moment in a cell below a head, or nil.
func dueIn(cell, head string) *string {
	var a Activation
	a.read(cell, head+" time") // not the number of a block
	switch {
	case a.Time != nil:
		return mip.Ref(a.Time.String())
	case !a.Date.IsZero():
		return mip.Ref(a.Date.String())
	}
	return nil
}
