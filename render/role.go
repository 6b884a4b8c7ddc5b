package render

import (
	"fmt"
	"slices"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// claimsOfPage is how many claims the page of a role shows; the document has all of them.
const claimsOfPage = 60

// roleView is the page of a role in parts.
type roleView struct {
	api.Role
	Groups []roleGroup
	Live   bool // some group has an upgrade, whose state the sidecar knows
	Rest   int  // claims that the page does not show
	Silent []ref
}

// roleGroup is the claims of one upgrade.
type roleGroup struct {
	Upgrade *upgrade // nil: of no upgrade
	Asks    bool     // the upgrade itself asks something of the group, whatever the texts say
	Claims  []api.Claim
}

// Role renders what all proposals say of a group, in the order of the document. all must be in the order of ids.
func (p *Pages) Role(role api.Role, all []mip.Metadata) ([]byte, error) {
	v := roleView{Role: role, Rest: max(0, len(role.Claims)-claimsOfPage)}
	for i, c := range role.Claims[:min(len(role.Claims), claimsOfPage)] {
		if i == 0 || mip.Deref(c.Hardfork) != mip.Deref(role.Claims[i-1].Hardfork) {
			g := roleGroup{}
			if c.Hardfork != nil {
				if f, ok := p.fork(*c.Hardfork); ok {
					g.Upgrade = new(p.upgrade(f, all))
				}
			}
			v.Groups = append(v.Groups, g)
		}
		last := &v.Groups[len(v.Groups)-1]
		last.Claims = append(last.Claims, c)
	}
	for _, id := range role.Silent {
		if m, ok := mip.Find(all, id); ok {
			v.Silent = append(v.Silent, refTo(m))
		}
	}
	if role.Role == "validators" {
		v.Groups = p.asking(v.Groups, all)
	}
	v.Live = slices.ContainsFunc(v.Groups, func(g roleGroup) bool { return g.Upgrade != nil })
	title, route := "For "+role.Role, "/for/"+role.Role+"/"
	return p.page("role", head{
		Section: "/", Title: title, Route: route, Script: upgradeScript, Alternates: []alternate{p.calendarOf(route, title)},
		Description: fmt.Sprintf("What the proposals of %s mean for %s, and what they have to do by when, each with its quote.", p.info.Title, role.Role),
	}, v)
}

// asking are the groups of validators, of whom each upgrade asks a release that knows it: what may come next is there
// without a claim too, and first. An upgrade that every network has from its first block asks nothing.
func (p *Pages) asking(groups []roleGroup, all []mip.Metadata) []roleGroup {
	for _, u := range ahead(all, p.upgrades(all)) {
		g := roleGroup{Upgrade: &u}
		if at := slices.IndexFunc(groups, func(g roleGroup) bool { return g.Upgrade != nil && g.Upgrade.Name == u.Name }); at >= 0 {
			g = groups[at]
			groups = slices.Delete(groups, at, at+1)
		}
		groups = slices.Insert(groups, 0, g)
	}
	for i, g := range groups {
		groups[i].Asks = g.Upgrade != nil && slices.ContainsFunc(g.Upgrade.Times, func(a activation) bool { return !genesis(a.Activation) })
	}
	return slices.DeleteFunc(groups, func(g roleGroup) bool { return !g.Asks && len(g.Claims) == 0 })
}
