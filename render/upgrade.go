package render

import (
	"cmp"
	"math"
	"slices"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/board"
	"github.com/mipwatch/mipwatch/render/plain"
)

// upgrade is a hard fork on a page. Pages contain its times and not its Status, which time makes
// false: the script shows what is active.
type upgrade struct {
	mip.HardFork
	Times   []activation
	Meta    []ref // the proposal that defines it, if it is recorded
	Bundled []ref
	Open    bool // some network had yet to get it at the newest change
}

// Stages returns the stages of its proposals.
func (u upgrade) Stages() []board.Stage { return board.New(u.HardFork, board.Texts{}).Stages() }

// upgrade resolves the references of a hard fork, to proposals of the main kind. all must be sorted
// by id.
func (p *Pages) upgrade(f mip.HardFork, all []mip.Metadata) upgrade {
	kind := mip.ID{Kind: p.info.Prefix}
	u := upgrade{HardFork: f, Times: p.activation(f), Bundled: refs(all, kind, f.BundledMIPs)}
	u.Open = f.Pending(p.present(all).UTC())
	if f.MetaMIP != nil {
		u.Meta = refs(all, kind, []int{*f.MetaMIP})
	}
	return u
}

// upgrades returns forks, newest first.
func (p *Pages) upgrades(forks []mip.HardFork, all []mip.Metadata) []upgrade {
	out := make([]upgrade, 0, len(forks))
	for _, f := range slices.Backward(forks) {
		out = append(out, p.upgrade(f, all))
	}
	slices.SortStableFunc(out, func(a, b upgrade) int { return cmp.Compare(b.Last(), a.Last()) })
	return out
}

// ahead returns the upgrades that may come next, newest first. The next one at build time differs
// from the next one at reading time, so a page has all that were not over at the newest change, and
// always the newest. A script shows the next one. Without a script the newest is shown. Forks are
// newest first.
func (p *Pages) ahead(all []mip.Metadata, forks []upgrade) (out []upgrade) {
	for i, u := range forks {
		if i == 0 || u.Open {
			u.Times = inOrder(u.Times)
			out = append(out, u)
		}
	}
	return out
}

// inOrder sorts networks by the time at which they switch. Networks without a time come after the
// others, and the site's first, which is the main network, comes last.
func inOrder(networks []activation) []activation {
	startsAt := func(a activation) int64 {
		if a.Timestamp == nil {
			return math.MaxInt64
		}
		return *a.Timestamp
	}
	// The sort is stable, so networks with equal times stay in this reversed order.
	out := slices.Clone(networks)
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b activation) int {
		return cmp.Compare(startsAt(a), startsAt(b))
	})
	return out
}

// activation is one network's line of a fork's activation table. Both values of the Activation are
// nil if no time is set. A timestamp of 0 is the first block.
type activation struct {
	Fork        string
	mip.Network // the chain id is 0 if the site does not describe the network
	mip.Activation
}

// genesis reports whether a network has a fork from its first block.
func genesis(a mip.Activation) bool { return a.Genesis() }

// activation lists the networks of a fork: the site's networks first, in their order. It is nil if
// no activation is known.
func (p *Pages) activation(f mip.HardFork) (out []activation) {
	for _, id := range f.SortedNetworks(p.info.Networks) {
		n := mip.Network{ID: id, Name: id}
		if i := p.network(id); i >= 0 {
			n = p.info.Networks[i]
		}
		out = append(out, activation{f.Name, n, f.Activation[id]})
	}
	return out
}

// network returns the index of a network of the site, or a negative number for another network.
func (p *Pages) network(id string) int {
	return slices.IndexFunc(p.info.Networks, func(n mip.Network) bool { return n.ID == id })
}

// leading lists the networks of a fork for one line, the leader first.
func (p *Pages) leading(f mip.HardFork) []activation {
	out := p.activation(f)
	if i := leader(out); i > 0 {
		return slices.Concat(out[i:i+1], out[:i], out[i+1:])
	}
	return out
}

// leader is the index of the network that a line about a fork names first: the main network or,
// while that has no time of its own or of a later fork, the first network with a time.
func leader(of []activation) int {
	if len(of) == 0 || of[0].FollowedBy != nil {
		return 0
	}
	return max(0, slices.IndexFunc(of, func(a activation) bool { return a.Timestamp != nil }))
}

// networks are the site's networks with their times of a hard fork, by its name.
func (p *Pages) networks(fork string) []activation {
	f, _ := p.fork(fork)
	foreign := func(a activation) bool { return p.network(a.ID) < 0 }
	return slices.DeleteFunc(p.activation(f), foreign)
}

// dated are the networks of [Pages.networks] with a time for the fork, in the order of the times.
func (p *Pages) dated(fork string) []activation {
	return slices.DeleteFunc(inOrder(p.networks(fork)), func(a activation) bool {
		return a.Timestamp == nil || *a.Timestamp == 0
	})
}

// UpgradePage is the content of /upgrade/{name}/.
type UpgradePage struct {
	Fork mip.HardFork
	board.Texts
	Tasks []mip.Task // of the meta proposal
	// Titles are of quoted sections, by id of the proposal, # and name in evidence.
	Titles map[string]string
}

// upgradeView is an upgrade's page in parts.
type upgradeView struct {
	upgrade
	Board         board.Board
	Ahead         []activation  // networks in the order in which they switch
	Defined       *mip.Metadata // the meta proposal, if it is published
	Description   string
	Disagreements []mip.Disagreement
	Asks          string      // what the upgrade itself asks of validators; empty: nothing
	Duties        []roleClaim // of groups with a duty in a text
	Tasks         []mip.Task
	Done          int    // of the tasks
	Markdown      string // address of the page's Markdown
}

// Upgrade renders a hard fork's page: when each network switches, the proposals by stage, and the
// duties with their deadlines and groups.
func (p *Pages) Upgrade(page UpgradePage) ([]byte, error) {
	f, all := page.Fork, page.All
	list := plain.Listing{Kind: "upgrade", Value: f.Name, Slug: mip.Slug(f.Name)}
	heading, _ := list.Explain()
	route := list.Route()
	v := upgradeView{
		upgrade: p.upgrade(f, all), Board: board.New(f, page.Texts), Tasks: page.Tasks,
		Markdown: p.path(list.Text()),
		Description: "The proposals that the " + f.Name +
			" network upgrade activates, when each network switches, and what has to be " +
			"done before.",
	}
	v.Ahead = inOrder(v.Times)
	if f.MetaMIP != nil {
		if m, ok := mip.Find(all, mip.ID{Kind: p.info.Prefix, Number: *f.MetaMIP}); ok {
			v.Defined, v.Description = &m, cmp.Or(mip.Deref(m.Description), v.Description)
		}
	}
	for _, t := range v.Tasks {
		if t.Done {
			v.Done++
		}
	}
	v.Asks = mip.Deref(api.Asks("validators", &f, p.info.Networks))
	for _, c := range page.Claims {
		// The summary of a meta proposal quotes the proposals that it bundles.
		quoted := func(d roleClaim) bool {
			return d.Group == c.Group && d.Quote == c.ActionEvidence.Quote
		}
		bundled := c.ID.Kind == p.info.Prefix && f.Concerns(c.ID.Number)
		if c.ActionRequired && bundled && !slices.ContainsFunc(v.Duties, quoted) {
			v.Duties = append(v.Duties, roleClaim{Claim: c, Quote: c.ActionEvidence.Quote,
				Place: p.cited(c.ID, c.ActionEvidence.Section, page.Titles)})
		}
	}
	// The board shows which proposals are not published.
	_, v.Disagreements = p.compare(all)
	v.Disagreements = slices.DeleteFunc(v.Disagreements, func(d mip.Disagreement) bool {
		return d.Fork != f.Name || d.Code == mip.BundledNotPublished
	})
	return p.page("upgrade", head{
		Section: "/upgrade/", Title: heading, Route: route, Description: plain.Text(v.Description),
		Script: upgradeScript,
		Alternates: []alternate{
			{Type: "text/markdown", Title: heading + " (Markdown)", Href: v.Markdown},
			p.feedOf(route, heading), p.calendarOf(route, heading),
		},
	}, v)
}

// compare compares texts with all hard forks of the site.
func (p *Pages) compare(all []mip.Metadata) (mip.Compared, []mip.Disagreement) {
	return mip.Compare(all, mip.ID{Kind: p.info.Prefix}, p.forks, p.info.Networks)
}

// Upgrades renders the overview of all hard forks, newest first. It exists on a site without any
// too, and states so.
func (p *Pages) Upgrades(forks []mip.HardFork, all []mip.Metadata) ([]byte, error) {
	return p.page("upgrades", head{
		Section: "/upgrade/", Title: "Network upgrades", Route: "/upgrade/",
		Description: "Which proposals each network upgrade activates, and when each network " +
			"switches.",
		Script: upgradeScript,
	}, p.upgrades(forks, all))
}
