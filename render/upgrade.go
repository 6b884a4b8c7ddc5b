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

type upgradeView struct {
	Head       head
	Fork       mip.HardFork
	Path       string
	Feed       string
	Meta       *ref
	Bundled    []ref
	Missing    []ref // bundled but not published
	Table      table
	HeatAt     *mip.Time // of the heat in the table
	Activation []activationRow
	reached    func(network string) bool // whether it is active there, for the dashboard
}

type upgradesView struct {
	Head     head
	Upgrades []upgradeView
}

// Upgrade renders a hard fork's page. All must be ascending by number.
func (p *Pages) Upgrade(f mip.HardFork, all []mip.Summary) ([]byte, error) {
	v := p.upgrade(f, all)
	heading, _ := plain.Explain("upgrade", f.Name)
	route := plain.Listing{Kind: "upgrade", Slug: mip.Slug(f.Name)}.Route()
	v.Feed = p.path(route + "feed.xml")
	v.Head = p.head(head{
		Section:     "/upgrade/",
		Title:       heading,
		Description: "The " + f.Name + " network upgrade: the proposals that it activates, and when each network switches.",
		Route:       route,
		Alternates:  []alternate{p.feedOf(route, heading)},
	})
	return p.execute("upgrade", v)
}

// Upgrades renders the overview of all hard forks, the newest first.
func (p *Pages) Upgrades(all []mip.Summary) ([]byte, error) {
	return p.execute("upgrades", upgradesView{
		Head: p.head(head{
			Section: "/upgrade/",

			Title:       "Network upgrades",
			Description: "Which proposals each network upgrade activates, and when each network switches.",
			Route:       "/upgrade/",
		}),
		Upgrades: p.upgrades(all),
	})
}

// upgrades are all forks, the newest first: those without a time, then by the last network's.
func (p *Pages) upgrades(all []mip.Summary) []upgradeView {
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
	out := make([]upgradeView, 0, len(p.forks))
	for _, f := range slices.Backward(p.forks) {
		out = append(out, p.upgrade(f, all))
	}
	slices.SortStableFunc(out, func(a, b upgradeView) int { return cmp.Compare(last(b.Fork), last(a.Fork)) })
	return out
}

func (p *Pages) upgrade(f mip.HardFork, all []mip.Summary) upgradeView {
	main := mip.ID{Kind: p.info.Prefix}
	v := upgradeView{Fork: f, Path: p.slugPath("upgrade", mip.Slug(f.Name)), Activation: p.activation(f)}
	if f.MetaMIP != nil {
		r := p.ref(all, main.Sibling(*f.MetaMIP))
		v.Meta = &r
	}
	var bundled []mip.Summary
	for _, r := range p.refs(all, main, f.BundledMIPs) {
		v.Bundled = append(v.Bundled, r)
		if !r.Published {
			v.Missing = append(v.Missing, r)
			continue
		}
		s, _ := mip.Find(all, r.ID)
		s.Hardfork = nil // the page is about it
		bundled = append(bundled, s)
	}
	v.Table, v.HeatAt = p.table(bundled, false), p.snapshot.ForumAt()
	return v
}

// activation lists every network of the site and of the fork.
func (p *Pages) activation(f mip.HardFork) []activationRow {
	ids := make([]string, 0, len(p.info.Networks))
	for _, n := range p.info.Networks {
		ids = append(ids, n.ID)
	}
	for _, id := range f.SortedNetworks(p.info.Networks) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	out := make([]activationRow, 0, len(ids))
	for _, id := range ids {
		r := activationRow{Name: id}
		for _, n := range p.info.Networks {
			if n.ID == id {
				r.Name, r.ChainID = n.Name, strconv.FormatUint(n.ChainID, 10)
			}
		}
		if ts := f.Activation[id].Timestamp; ts != nil {
			t := time.Unix(*ts, 0).UTC()
			r.Scheduled, r.Genesis = true, *ts == 0
			r.Time, r.ISO, r.Unix = t.Format("2 Jan 2006, 15:04:05 UTC"), t.Format(time.RFC3339), strconv.FormatInt(*ts, 10)
		}
		out = append(out, r)
	}
	return out
}
