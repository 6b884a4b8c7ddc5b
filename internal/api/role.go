package api

import (
	"cmp"
	"math"
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Request is what a hard fork itself asks of a group.
type Request struct {
	Hardfork    string                  `json:"hardfork" doc:"The hard fork."`
	Asks        string                  `json:"asks" doc:"As upgradeAsks of its claims."`
	Activations []mip.NetworkActivation `json:"activations" doc:"When networks get it, as far as times are set."`
	Releases    []mip.Release           `json:"releases" doc:"What nodes run to know it, where that is named."`
}

// Role is the body of GET /api/v1/for/{role}: the meaning of all proposals for one group.
type Role struct {
	Role     string    `json:"role" doc:"validators, developers or users."`
	Count    int       `json:"count" doc:"How many claims there are."`
	Claims   []Claim   `json:"claims" doc:"What comes next first, then what came last, then what is in no upgrade; nothing of a withdrawn proposal."`
	Upgrades []Request `json:"upgrades" doc:"What hard forks themselves ask of the group, apart from their texts, in the order of claims."`
	Silent   []mip.ID  `json:"silent" doc:"Proposals in which no sentence about the group was found, ascending. They may still concern it: read the text."`
}

// Roles returns the groups with a page and a document of their own.
func Roles() []string { return []string{"validators", "developers", "users"} }

// NewRole returns the document of a group: its part of the claims, and what the forks ask. Claims
// that are equally near keep their order. now is in Unix seconds.
func NewRole(
	name string, claims []Claim, forks []mip.HardFork, networks []mip.Network, now int64,
) Role {
	out := Role{Role: name, Claims: []Claim{}, Upgrades: []Request{}, Silent: []mip.ID{}}
	for _, c := range claims {
		switch {
		case c.Group != name:
		case c.Stated:
			out.Claims = append(out.Claims, c)
		default:
			out.Silent = append(out.Silent, c.ID)
		}
	}
	for _, f := range forks {
		if asks := Asks(name, &f, networks); asks != nil {
			out.Upgrades = append(out.Upgrades, Request{f.Name, *asks, f.Activations(networks),
				append([]mip.Release{}, f.Releases...)})
		}
	}
	slices.SortStableFunc(out.Claims, func(a, b Claim) int {
		return cmp.Or(
			cmp.Compare(a.distance(now), b.distance(now)),
			cmp.Compare(mip.Deref(a.Hardfork), mip.Deref(b.Hardfork)),
			compareBool(b.ActionRequired, a.ActionRequired))
	})
	slices.SortStableFunc(out.Upgrades, func(a, b Request) int {
		return cmp.Compare(distance(a.Activations, now), distance(b.Activations, now))
	})
	slices.SortFunc(out.Silent, mip.ID.Compare)
	out.Count = len(out.Claims)
	return out
}

// Empty reports whether there is nothing for the group.
func (r Role) Empty() bool { return len(r.Claims) == 0 && len(r.Upgrades) == 0 }

// distance is the place of a claim by when its upgrade comes. A claim without one comes last.
func (c Claim) distance(now int64) int64 {
	if c.Hardfork == nil {
		return math.MaxInt64
	}
	return distance(c.Activations, now)
}

// distance orders by when an upgrade comes, in seconds: by its next time; then an upgrade without a
// time; then, from its last time on, what has come.
func distance(activations []mip.NetworkActivation, now int64) int64 {
	const undated, past = 1 << 40, 1 << 41
	next, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, a := range activations {
		if a.Timestamp > now {
			next = min(next, a.Timestamp-now)
		}
		last = max(last, a.Timestamp)
	}
	switch {
	case next < undated:
		return next
	case len(activations) == 0:
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
