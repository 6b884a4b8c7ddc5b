package upgrade

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// Merge adds the upgrades of texts to the hard forks of a site, and returns the problems of the
// texts and the differences. A text and a fork are about one upgrade if the fork names the text as
// its meta proposal, or if both have one name. The fork takes precedence: the text adds the stages
// of proposals, the bundled proposals if the fork has none, and the times of networks if the fork
// has no time. texts must be in the order of ids, and of the kind of the numbers that forks bundle.
// Merge sets their [Upgrade.Fork].
func Merge(forks []mip.HardFork, texts []Text) ([]mip.HardFork, []mip.Problem) {
	m := merger{forks: slices.Clone(forks), by: make([]*Text, len(forks))}
	for i := range texts {
		t := &texts[i]
		m.report.File = t.File
		m.report.Problems = append(m.report.Problems, t.Problems...)
		for k := range t.Upgrades {
			t.Upgrades[k].Fork = m.merge(t, t.Upgrades[k])
		}
	}
	mip.Follow(m.forks[:len(forks)]) // forks of texts alone are in no order
	return m.forks, m.report.Problems
}

// merger is an unfinished list of hard forks. by has their texts, nil for none.
type merger struct {
	forks  []mip.HardFork
	by     []*Text
	report problem.Report
}

// merge adds an upgrade of a text and returns the name of its fork, or "" if it is left out.
func (m *merger) merge(t *Text, u Upgrade) string {
	named := func(f mip.HardFork) bool { return mip.Slug(f.Name) == mip.Slug(u.Name) }
	i := slices.IndexFunc(m.forks, named)
	if i < 0 && len(t.Upgrades) == 1 {
		i = slices.IndexFunc(m.forks, func(f mip.HardFork) bool {
			return f.MetaMIP != nil && *f.MetaMIP == t.Meta.Number
		})
	}
	if i < 0 {
		m.by = append(m.by, t)
		f := mip.HardFork{Name: u.Name, MetaMIP: new(t.Meta.Number), BundledMIPs: []int{},
			Activation: map[string]mip.Activation{}}
		u.bundleInto(&f, t.Meta)
		m.schedule(&f, u)
		m.forks = append(m.forks, f)
		return f.Name
	}
	f := &m.forks[i]
	if m.by[i] != nil {
		m.report.Add(0, "upgrade-taken", mip.Quote(u.Name), m.by[i].Meta)
		return ""
	}
	m.by[i] = t
	if !named(*f) {
		m.report.Add(0, "upgrade-differs/name", mip.Quote(u.Name), mip.Quote(f.Name))
	}
	if len(f.BundledMIPs) == 0 {
		u.bundleInto(f, t.Meta)
	} else {
		m.compare(f, t.Meta, u)
	}
	m.schedule(f, u)
	return f.Name
}

// bundleInto adds the proposals of an upgrade to a fork that bundles none. meta is the proposal of
// the text.
func (u Upgrade) bundleInto(f *mip.HardFork, meta mip.ID) {
	for _, p := range u.Proposals {
		f.Proposals = append(f.Proposals, mip.ForkProposal{ID: p.ID, Stage: p.Stage})
		if p.Stage.Bundled() && p.ID.Kind == meta.Kind {
			f.BundledMIPs = append(f.BundledMIPs, p.ID.Number)
		}
	}
	slices.Sort(f.BundledMIPs)
}

// compare adds the proposals of an upgrade to a fork, and reports the differences. It leaves out a
// proposal that the fork bundles and the text does not.
func (m *merger) compare(f *mip.HardFork, meta mip.ID, u Upgrade) {
	listed := map[mip.ID]bool{}
	for _, p := range u.Proposals {
		listed[p.ID] = true
		bundled := p.ID.Kind == meta.Kind && slices.Contains(f.BundledMIPs, p.ID.Number)
		switch {
		case bundled && !p.Stage.Bundled():
			m.report.Add(p.Line, "upgrade-differs", p.ID, f.Name, "lists it as "+string(p.Stage))
			continue
		case !bundled && p.Stage.Bundled() && p.ID.Kind == meta.Kind:
			m.report.Add(p.Line, "upgrade-differs/unbundled", p.ID, p.Stage, f.Name)
		}
		f.Proposals = append(f.Proposals, mip.ForkProposal{ID: p.ID, Stage: p.Stage})
	}
	for _, id := range meta.Siblings(f.BundledMIPs) {
		if !listed[id] && id != meta {
			m.report.Add(0, "upgrade-differs", id, f.Name, "does not list it")
		}
	}
}
