package build

import (
	"math"
	"sync"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/calendar"
)

// roles adds a page, a calendar and a document for each group.
func (p *planner) roles() {
	p.forRoles = sync.OnceValue(p.makeRoles)
	for i, name := range api.Roles() {
		role := func() api.Role { return p.forRoles()[i] }
		p.add(Artifact{
			Route: "/for/" + name + "/", Pattern: roleRoute, index: true,
			Body: func() ([]byte, error) {
				return p.pages.Role(render.RolePage{Role: role(), All: p.Metadata,
					Roles: p.rolesWithClaims(), Titles: p.titlesOf(role().Claims)})
			},
		})
		p.addCalendar(roleRoute, "/for/"+name+"/", func() calendar.Calendar {
			return p.roleCalendar(role())
		})
		p.add(Artifact{
			Route: "/api/v1/for/" + name, Pattern: claimsRoute, index: true,
			Body: func() ([]byte, error) { return api.JSON(role()) },
		})
	}
}

// rolesWithClaims returns the groups whose pages have something, which pages link.
func (p *planner) rolesWithClaims() (out []string) {
	for _, r := range p.forRoles() {
		if !r.Empty() {
			out = append(out, r.Role)
		}
	}
	return out
}

// claims returns the meaning of the i-th proposal for each group.
func (p *planner) claims(i int) []api.Claim {
	m := p.Metadata[i]
	return p.summary(i).Claims(m, summary.ForkOf(p.info.Prefix, m, p.Forks), p.info.Networks)
}

// titlesOf returns the titles of the sections that claims quote, by the id of the proposal and the
// name in evidence, such as "MIP-7#s-layout" and "MIP-8#MIP-7#s-layout".
func (p *planner) titlesOf(claims []api.Claim) map[string]string {
	out := map[string]string{}
	for _, c := range claims {
		i, _ := mip.Search(p.Metadata, c.ID)
		titles := p.titles[i]
		if p.Committed[i] == nil {
			titles = p.ruled(i).titles
		}
		for section, title := range titles {
			out[c.ID.String()+"#"+section] = title
		}
	}
	return out
}

// makeRoles collects the claims about each group. Withdrawn and superseded proposals are left out.
// Coming dates are judged as of the newest change.
func (p *planner) makeRoles() (out []api.Role) {
	var claims []api.Claim
	for _, m := range mip.ActiveFirst(p.Metadata) {
		if i, _ := mip.Search(p.Metadata, m.ID); !m.Over() {
			claims = append(claims, p.claims(i)...)
		}
	}
	now := int64(math.MinInt64)
	if newest := mip.NewestChange(p.Metadata, p.CommittedAt); newest != nil {
		now = newest.UTC().Unix()
	}
	for _, name := range api.Roles() {
		out = append(out, api.NewRole(name, claims, p.Forks, p.info.Networks, now))
	}
	return out
}
