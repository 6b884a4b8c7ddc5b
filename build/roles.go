package build

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/calendar"
)

// roles adds a page, a calendar and a document for each group that texts speak of: what all of them say of it.
func (p *planner) roles() {
	for _, name := range api.Roles() {
		role := sync.OnceValue(func() api.Role { return p.role(name) })
		p.add(Artifact{Route: "/for/" + name + "/", Pattern: roleRoute, index: true, Body: func() ([]byte, error) { return p.pages.Role(role(), p.Metadata) }})
		p.addCalendar(roleRoute, "/for/"+name+"/", func() calendar.Calendar { return p.roleCalendar(role()) })
		p.add(Artifact{Route: "/api/v1/for/" + name, Pattern: claimsRoute, index: true, Body: func() ([]byte, error) { return api.JSON(role()) }})
	}
}

// role collects what the texts say of a group: what comes next first, then what came last, then what is in no upgrade, the
// latest change first. What comes next is judged at the newest change. What is over, such as a withdrawn proposal, says
// nothing to anybody any more.
func (p *planner) role(name string) api.Role {
	out := api.Role{Role: name, Claims: []api.Claim{}, Silent: []mip.ID{}}
	now := int64(math.MinInt64)
	if newest := mip.NewestChange(p.Metadata); newest != nil {
		now = newest.UTC().Unix()
	}
	for _, m := range mip.ActiveFirst(p.Metadata) {
		if m.Over() {
			continue
		}
		i, _ := mip.Search(p.Metadata, m.ID)
		for _, c := range p.summary(i).Claims(m) {
			switch {
			case c.Group != name:
			case c.Stated || c.ActionRequired:
				out.Claims = append(out.Claims, c)
			default:
				out.Silent = append(out.Silent, m.ID)
			}
		}
	}
	slices.SortStableFunc(out.Claims, func(a, b api.Claim) int {
		return cmp.Or(
			cmp.Compare(distance(a, now), distance(b, now)), cmp.Compare(mip.Deref(a.Hardfork), mip.Deref(b.Hardfork)),
			-compareBool(a.ActionRequired, b.ActionRequired))
	})
	slices.SortFunc(out.Silent, mip.ID.Compare)
	out.Count = len(out.Claims)
	return out
}

// distance orders claims by when their upgrade comes, in seconds: to its next time; then an upgrade without a time; then,
// from its last time on, what has come; then what is in no upgrade.
func distance(c api.Claim, now int64) int64 {
	const undated, past, none = 1 << 40, 1 << 41, 1 << 42
	next, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, a := range c.Activations {
		if a.Timestamp > now {
			next = min(next, a.Timestamp-now)
		}
		last = max(last, a.Timestamp)
	}
	switch {
	case c.Hardfork == nil:
		return none
	case next < undated:
		return next
	case len(c.Activations) == 0:
		return undated
	}
	return past + now - last
}

// compareBool has false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
