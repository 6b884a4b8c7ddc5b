package render

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// upgrade is a hard fork as pages show it.
type upgrade struct {
	Fork       mip.HardFork
	Path       string
	Meta       *ref
	Bundled    []ref
	Activation []activationRow
}

// activationRow is one network's line of a fork's activation table.
type activationRow struct {
	Name      string
	ChainID   string // empty when the site does not describe the network
	Scheduled bool
	Genesis   bool // active from the first block
	Time      string
	ISO       string
	Unix      string
}

// upgradeView is a hard fork's page.
type upgradeView struct {
	Head head
	upgrade
	Feed    string
	Missing []ref // bundled but not published
	Table   table
	HeatAt  *mip.Time // of the heat in the table
}

// upgradesView is the overview of all hard forks.
type upgradesView struct {
	Head     head
	Upgrades []upgrade
}

// Upgrade renders a hard fork's page. all must be in the order of ids.
func (p *Pages) Upgrade(f mip.HardFork, all []mip.Summary) ([]byte, error) {
	heading, _ := plain.Explain("upgrade", f.Name)
	route := plain.Listing{Kind: "upgrade", Slug: mip.Slug(f.Name)}.Route()
	v := upgradeView{
		Head: p.head(head{
			Section: "/upgrade/", Title: heading, Route: route,
			Description: "The " + f.Name + " network upgrade: the proposals that it activates, and when each network switches.",
			Alternates:  []alternate{p.feedOf(route, heading)},
		}),
		upgrade: p.upgrade(f, all), Feed: p.path(route + "feed.xml"), HeatAt: p.snapshot.ForumAt(),
	}
	var bundled []mip.Summary
	for _, r := range v.Bundled {
		s, ok := mip.Find(all, r.ID)
		if !ok {
			v.Missing = append(v.Missing, r)
			continue
		}
		s.Hardfork = nil // the page is about it
		bundled = append(bundled, s)
	}
	v.Table = p.table(bundled, false)
	return p.execute("upgrade", v)
}

// Upgrades renders the overview of all hard forks, the newest first.
func (p *Pages) Upgrades(all []mip.Summary) ([]byte, error) {
	return p.execute("upgrades", upgradesView{
		Head: p.head(head{
			Section: "/upgrade/", Title: "Network upgrades", Route: "/upgrade/",
			Description: "Which proposals each network upgrade activates, and when each network switches.",
		}),
		Upgrades: p.upgrades(all),
	})
}

// upgrades are all forks, the newest first: those without a time, then by the last network's.
func (p *Pages) upgrades(all []mip.Summary) []upgrade {
	// A fork without a time is yet to be planned and counts as the newest.
	last := func(f mip.HardFork) int64 {
		t := int64(-1)
		for _, a := range f.Activation {
			if a.Timestamp != nil {
				t = max(t, *a.Timestamp)
			}
		}
		if t < 0 {
			return math.MaxInt64
		}
		return t
	}
	out := make([]upgrade, 0, len(p.forks))
	for _, f := range slices.Backward(p.forks) {
		out = append(out, p.upgrade(f, all))
	}
	slices.SortStableFunc(out, func(a, b upgrade) int { return cmp.Compare(last(b.Fork), last(a.Fork)) })
	return out
}

// upgrade resolves the references of a hard fork. They are to proposals of the main kind.
func (p *Pages) upgrade(f mip.HardFork, all []mip.Summary) upgrade {
	kind := mip.ID{Kind: p.info.Prefix}
	u := upgrade{
		Fork: f, Path: p.slugPath("upgrade", mip.Slug(f.Name)),
		Bundled: p.refs(all, kind, f.BundledMIPs), Activation: p.activation(f),
	}
	if f.MetaMIP != nil {
		u.Meta = new(p.ref(all, kind.Sibling(*f.MetaMIP)))
	}
	return u
}

// activation lists every network of the site and of the fork.
func (p *Pages) activation(f mip.HardFork) []activationRow {
	// A fork may name a network that the site does not describe.
	networks := slices.Clone(p.info.Networks)
	for _, id := range f.SortedNetworks(networks) {
		if !slices.ContainsFunc(networks, func(n mip.Network) bool { return n.ID == id }) {
			networks = append(networks, mip.Network{ID: id, Name: id})
		}
	}
	out := make([]activationRow, 0, len(networks))
	for i, n := range networks {
		r := activationRow{Name: n.Name}
		if i < len(p.info.Networks) {
			r.ChainID = strconv.FormatUint(n.ChainID, 10)
		}
		if at := f.Activation[n.ID].Timestamp; at != nil {
			t := time.Unix(*at, 0).UTC()
			r.Scheduled, r.Genesis = true, *at == 0
			r.Time, r.ISO, r.Unix = t.Format("2 Jan 2006, 15:04:05 UTC"), t.Format(time.RFC3339), strconv.FormatInt(*at, 10)
		}
		out = append(out, r)
	}
	return out
}
