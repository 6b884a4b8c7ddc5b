package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// claimsOfPage bounds the claims on the page of a role. The document has all.
const claimsOfPage = 60

// RolePage is the content of /for/{role}/.
type RolePage struct {
	Role   api.Role
	All    []mip.Metadata    // every proposal, sorted by id
	Roles  []string          // the groups whose pages are linked
	Titles map[string]string // of quoted sections, by id of the proposal, # and name in evidence
}

// roleView is the page of a role in parts.
type roleView struct {
	RolePage
	Groups []roleGroup // what is to come, and what is in no upgrade
	Past   []roleGroup // what was asked
	Live   bool        // some group has an upgrade, whose state the sidecar knows
	Rest   int         // claims that the page omits
}

// roleGroup is the claims of one upgrade. Asks is the upgrade's own request.
type roleGroup struct {
	Upgrade *upgrade // nil: without an upgrade
	Asks    string   // empty: nothing
	Claims  []roleClaim
}

// roleClaim is a claim with the sentence that represents it.
type roleClaim struct {
	api.Claim
	Quote string // empty: the page shows Impact, or the sentence is at another proposal
	Place place
	As    *mip.ID // the bundled proposal that has the sentence
}

// Role renders the statements of all proposals about a group. Statements are past if every network
// had their upgrade at the newest change, or if their proposal is final and in no upgrade.
func (p *Pages) Role(page RolePage) ([]byte, error) {
	v := roleView{RolePage: page}
	// Groups are in the order of the document.
	var order []string
	groups := map[string]*roleGroup{}
	groupOf := func(fork string) *roleGroup {
		if groups[fork] == nil {
			groups[fork], order = &roleGroup{}, append(order, fork)
			if f, ok := p.fork(fork); ok {
				groups[fork].Upgrade = new(p.upgrade(f, page.All))
			}
		}
		return groups[fork]
	}
	for _, u := range page.Role.Upgrades {
		groupOf(u.Hardfork).Asks = u.Asks
	}
	past := func(c api.Claim) bool {
		g := groupOf(mip.Deref(c.Hardfork))
		return c.Past || g.Upgrade != nil && !g.Upgrade.Open
	}
	room := claimsOfPage
	for _, over := range []bool{false, true} {
		for _, g := range groups {
			g.Claims = nil
		}
		for _, c := range page.Role.Claims {
			if past(c) == over && room > 0 {
				room--
				g := groupOf(mip.Deref(c.Hardfork))
				g.Claims = append(g.Claims, p.roleClaim(page, c))
			}
		}
		for _, name := range order {
			g := *groups[name]
			switch ended := g.Upgrade != nil && !g.Upgrade.Open; {
			case g.Claims == nil && (g.Asks == "" || ended != over):
			case over:
				v.Past = append(v.Past, g)
			default:
				v.Groups = append(v.Groups, g)
			}
			v.Live = v.Live || g.Upgrade != nil
		}
	}
	v.Rest = max(0, len(page.Role.Claims)-claimsOfPage)
	title, route := "For "+page.Role.Role, "/for/"+page.Role.Role+"/"
	return p.page("role", head{
		Section: "/", Title: title, Route: route, Script: upgradeScript,
		Alternates: []alternate{p.calendarOf(route, title)},
		Description: fmt.Sprintf("What the proposals of %s mean for %s, and what they have to do "+
			"by when, each with its quote.", p.info.Title, page.Role.Role),
	}, v)
}

// roleClaim finds the sentence that represents a claim: the strongest of its quotes. The
// summary of a fork repeats sentences of the proposals that it bundles, which have them already.
func (p *Pages) roleClaim(page RolePage, c api.Claim) roleClaim {
	out := roleClaim{Claim: c}
	ranked := c.Ranked()
	if len(ranked) == 0 {
		return out
	}
	said := ranked[0]
	if of, _, copied := strings.Cut(said.Section, "#"); copied {
		id, err := mip.ParseID(of)
		if err == nil && slices.ContainsFunc(page.Role.Claims, func(other api.Claim) bool {
			return other.ID == id && slices.ContainsFunc(other.Evidence, func(e api.Evidence) bool {
				return e.Quote == said.Quote
			})
		}) {
			out.As = &id
			return out
		}
	}
	out.Quote, out.Place = said.Quote, p.cited(c.ID, said.Section, page.Titles)
	return out
}
