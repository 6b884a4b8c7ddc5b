package assist

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// ForkOf is the hard fork of a [Subject]: the one that bundles a proposal or whose meta proposal it is,
// nil when there is none. Of several it is the one that the proposal's own hardfork names, else the first.
func ForkOf(p mip.Summary, forks []mip.HardFork) *mip.HardFork {
	var found *mip.HardFork
	for i := range forks {
		f := &forks[i]
		if !IsMeta(p, f) && !slices.Contains(f.BundledMIPs, p.Number) {
			continue
		}
		if p.Hardfork != nil && *p.Hardfork == f.Name {
			return f
		}
		if found == nil {
			found = f
		}
	}
	return found
}

// IsMeta reports whether a proposal is the meta proposal of a fork, whose [Subject] has the bundled
// proposals. A nil fork has none.
func IsMeta(p mip.Summary, f *mip.HardFork) bool {
	return f != nil && f.MetaMIP != nil && *f.MetaMIP == p.Number
}
