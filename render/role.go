package render

import (
	"fmt"
	"slices"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// claimsOfPage bounds the claims on the page of a role. The document has all.
const claimsOfPage = 60

// roleView is the page of a role in parts.
type roleView struct {
	api.Role
	Groups []roleGroup
	Live   bool // some group has an upgrade, whose state the sidecar knows
	Rest   int  // claims that the page omits
	Silent []ref
}

// roleGroup is the claims of one upgrade.
type roleGroup struct {
	Upgrade *upgrade // nil: without an upgrade
	Asks    bool     // the upgrade itself has a request to the group, whatever the texts state
	Claims  []api.Claim
}

// Role renders the statements of all proposals about a group, in the order of the document. all
// must be sorted by id.
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
		Section: "/", Title: title, Route: route, Script: upgradeScript,
		Alternates: []alternate{p.calendarOf(route, title)},
		Description: fmt.Sprintf("What the proposals of %s mean for %s, and what they have to do "+
			"by when, each with its quote.", p.info.Title, role.Role),
	}, v)
}

// asking returns the groups of validators, from whom each upgrade needs a new release. An upgrade
// that may come next is included without a claim too, and comes first. An upgrade that every
// network has from its first block needs nothing.
func (p *Pages) asking(groups []roleGroup, all []mip.Metadata) []roleGroup {
	for _, u := range ahead(all, p.upgrades(all)) {
		g := roleGroup{Upgrade: &u}
		at := slices.IndexFunc(groups, func(g roleGroup) bool {
			return g.Upgrade != nil && g.Upgrade.Name == u.Name
		})
		if at >= 0 {
			g = groups[at]
			groups = slices.Delete(groups, at, at+1)
		}
		groups = slices.Insert(groups, 0, g)
	}
	for i, g := range groups {
		groups[i].Asks = g.Upgrade != nil &&
			slices.ContainsFunc(g.Upgrade.Times, func(a activation) bool {
				return !genesis(a.Activation)
			})
	}
	return slices.DeleteFunc(groups, func(g roleGroup) bool {
		return !g.Asks && len(g.Claims) == 0
	})
}
