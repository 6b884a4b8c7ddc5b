package index

import (
	"fmt"
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// Endpoints returns the published networks with their RPC addresses: those of the variables that lookup finds, else
// those of site.yaml, else those of the snapshot. Each of the three may be nil. The warnings name the networks that
// have no address or are otherwise not as configured.
func Endpoints(lookup func(string) (string, bool), published []mip.Network, file, snapshot []mip.Endpoints) (all []mip.Endpoints, warnings []error) {
	if lookup == nil {
		lookup = func(string) (string, bool) { return "", false }
	}
	all = make([]mip.Endpoints, 0, len(published))
	for _, n := range published {
		e, err := endpoint(lookup, n, byID(file, n.ID), byID(snapshot, n.ID))
		if err != nil {
			warnings = append(warnings, fmt.Errorf("network %s: %w", n.ID, err))
		}
		all = append(all, e)
	}
	for _, f := range file {
		if !slices.ContainsFunc(published, func(n mip.Network) bool { return n.ID == f.ID }) {
			warnings = append(warnings, fmt.Errorf("network %s: it is in site.yaml, but the site does not publish it", f.ID))
		}
	}
	return all, warnings
}

// endpoint returns a network with its RPC addresses. After an error it has those that may be asked all the same.
func endpoint(lookup func(string) (string, bool), n mip.Network, file, snapshot mip.Endpoints) (mip.Endpoints, error) {
	out := mip.Endpoints{Network: n}
	// Figures of another chain would be shown under this one's name.
	if file.ID != "" && file.ChainID != n.ChainID {
		return out, fmt.Errorf("site.yaml has the chain id %d and the published site %d; it is not asked until they agree", file.ChainID, n.ChainID)
	}
	out.RPC, out.BlockTime = snapshot.RPC, snapshot.BlockTime
	if file.BlockTime != 0 {
		out.BlockTime = file.BlockTime
	}
	if len(file.RPC) > 0 {
		out.RPC = file.RPC
	}
	// A variable that cannot be read is no reason to ask other addresses than its operator has meant.
	given, err := site.RPCAddresses(n.ID, lookup)
	switch {
	case err != nil:
		return out, err
	case given != nil:
		out.RPC = given
	case len(out.RPC) == 0:
		return out, fmt.Errorf("no RPC address; want some in site.yaml or in %s", site.RPCVariable(n.ID))
	}
	return out, nil
}

// byID returns the network of an id, or the zero value.
func byID(all []mip.Endpoints, id string) mip.Endpoints {
	if i := slices.IndexFunc(all, func(e mip.Endpoints) bool { return e.ID == id }); i >= 0 {
		return all[i]
	}
	return mip.Endpoints{}
}
