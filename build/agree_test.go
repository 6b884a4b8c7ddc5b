package build_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// checkGroups checks for every proposal and group that all pages and documents have the same answer
// to what the text asks and what the upgrade asks: the first lines and the panel of the proposal's
// page, the page and the document of the group, and the page of the upgrade. None names a group of
// which nothing is known.
func checkGroups(t *testing.T, b built) {
	pages := map[string]*html.Node{}
	page := func(name string) *html.Node {
		t.Helper()
		if pages[name] == nil {
			doc, err := html.Parse(bytes.NewReader(b.files[name]))
			if err != nil || b.files[name] == nil {
				t.Fatalf("%s: %v", name, err)
			}
			pages[name] = doc
		}
		return pages[name]
	}
	decode := func(name string, to any) {
		t.Helper()
		if err := json.Unmarshal(b.files[name], to); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	roles := map[string]api.Role{}
	for _, name := range api.Roles() {
		var role api.Role
		decode("api/v1/for/"+name+".json", &role)
		roles[name] = role
		linked := strings.Contains(string(b.files["index.html"]), "/for/"+name+"/")
		if linked == role.Empty() {
			t.Errorf("the first page links /for/%s/: %t", name, linked)
		}
	}
	for _, m := range b.corpus.Metadata {
		var sum api.Summary
		decode(fmt.Sprintf("api/v1/mips/%d/summary.json", m.Number), &sum)
		groups, line := groupsOf(page(strings.Trim(m.ID.Page(), "/") + "/index.html"))
		for _, c := range sum.Claims(m, nil, nil) {
			fault := func(format string, args ...any) {
				t.Helper()
				t.Errorf("%s, %s: "+format, append([]any{m.ID, c.Group}, args...)...)
			}
			name := strings.ToUpper(c.Group[:1]) + c.Group[1:]
			got, shown := groups[name]
			if got.acts != c.ActionRequired || shown != (c.Stated || got.asked) {
				fault("the panel has %t %+v of %+v", shown, got, c.Axis)
			}
			acts := c.ActionRequired || got.asked && c.Group == "validators"
			first, _, _ := strings.Cut(line, ".")
			toAct := strings.HasPrefix(first, "Asks ") || strings.HasPrefix(first, "It asked ")
			toAct = toAct && !strings.Contains(first, "nothing") && strings.Contains(first, c.Group)
			if acts != toAct || (acts || c.Stated) != strings.Contains(line, c.Group) {
				fault("the first lines have %q of %+v", line, c.Axis)
			}
			role, listed := roles[c.Group]
			if !listed {
				continue
			}
			i := slices.IndexFunc(role.Claims, func(x api.Claim) bool { return x.ID == m.ID })
			asked := slices.ContainsFunc(role.Upgrades,
				func(r api.Request) bool { return r.Hardfork == mip.Deref(m.Hardfork) })
			if got.asked != asked {
				fault("the panel has the upgrade's request: %t; the document: %t", got.asked, asked)
			}
			if want := c.Stated && !m.Over(); want != (i >= 0) ||
				want && role.Claims[i].ActionRequired != c.ActionRequired ||
				want && (role.Claims[i].UpgradeAsks != nil) != asked {
				fault("the document has it: %t; want %+v", i >= 0, c.Axis)
			}
			if want := !c.Stated && !m.Over(); want != slices.Contains(role.Silent, m.ID) {
				fault("the document lists it as silent: %t", !want)
			}
			// A page has the first claims.
			text := rendertest.TextOf(page("for/" + c.Group + "/index.html"))
			if len(role.Claims) <= 60 && strings.Contains(text, m.ID.String()+" ") != (i >= 0) {
				fault("the page of the group has it: %t", i < 0)
			}
			if m.Hardfork == nil {
				continue
			}
			text = rendertest.TextOf(page("upgrade/" + mip.Slug(*m.Hardfork) + "/index.html"))
			if strings.Contains(text, name+": a release that knows "+*m.Hardfork) != asked {
				fault("the page of the upgrade has its request: %t", !asked)
			}
			lacks := func(quote string) bool {
				shown := strings.ReplaceAll(prose.Plain(quote, nil), "`", "")
				return !strings.Contains(text, name+": "+shown)
			}
			if c.ActionRequired && lacks(c.ActionEvidence.Quote) {
				fault("the page of the upgrade lacks the duty")
			}
		}
	}
}

// shownGroup is what the panel of a proposal's page shows of a group.
type shownGroup struct{ acts, asked bool }

// groupsOf reads the panel of a proposal's page, by the headings of the groups, and the line of
// whom the proposal touches.
func groupsOf(doc *html.Node) (groups map[string]shownGroup, line string) {
	groups = map[string]shownGroup{}
	for n := range doc.Descendants() {
		if n.Data == "p" && hasAttribute(n, "data-who") {
			line = rendertest.TextOf(n)
		}
		if !hasClass(n, "ax") {
			continue
		}
		name, got := "", shownGroup{}
		for c := range n.Descendants() {
			switch {
			case c.Data == "h3":
				name = rendertest.TextOf(c)
			case hasClass(c, "yes"):
				got.acts = true
			case hasClass(c, "asked"):
				got.asked = true
			}
		}
		groups[name] = got
	}
	return groups, line
}

// hasAttribute reports whether an element has an attribute, whatever its value.
func hasAttribute(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// hasClass reports whether an element has a class.
func hasClass(n *html.Node, class string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
		return a.Key == "class" && slices.Contains(strings.Fields(a.Val), class)
	})
}
