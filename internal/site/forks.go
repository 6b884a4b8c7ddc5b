package site

import (
	"cmp"
	"maps"
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// ForkOf has the name of the hard fork of each proposal that the file puts into one.
func (s *Site) ForkOf() map[mip.ID]*string {
	// A fork bundles proposals by number, all of the site's main kind. The first fork that bundles
	// a proposal has it, unless another fork names it as its meta proposal.
	main := mip.ID{Kind: s.Prefix}
	forkOf := map[mip.ID]*string{}
	for i := range s.HardForks {
		f := &s.HardForks[i]
		for _, id := range main.Siblings(f.BundledMIPs) {
			forkOf[id] = cmp.Or(forkOf[id], &f.Name)
		}
		if f.MetaMIP != nil {
			forkOf[main.Sibling(*f.MetaMIP)] = &f.Name
		}
	}
	for id, o := range s.Overrides {
		if o.Hardfork != nil {
			forkOf[id] = o.Hardfork
		}
	}
	return forkOf
}

// Forks returns the hard forks with all their proposals, without their status. The caller may
// change the result.
func (s *Site) Forks() []mip.HardFork {
	forks := append([]mip.HardFork{}, s.HardForks...)
	// The site's values are shared by plans, so the forks' maps and slices are copied before they
	// change.
	for i := range forks {
		forks[i].Activation = maps.Clone(forks[i].Activation)
	}
	mip.Follow(forks)
	for i := range forks {
		f := &forks[i]
		f.BundledMIPs = append([]int{}, f.BundledMIPs...)
		for id, o := range s.Overrides {
			if id.Kind == s.Prefix && mip.Deref(o.Hardfork) == f.Name && !f.Concerns(id.Number) {
				f.BundledMIPs = append(f.BundledMIPs, id.Number)
			}
		}
		slices.Sort(f.BundledMIPs)
	}
	return forks
}
