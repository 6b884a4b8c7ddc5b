package environment

import (
	"fmt"
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/knowledge"
)

// Endpoints are the published networks with their RPC addresses: of the environment, else of site.yaml,
// else of the snapshot; file and snapshot are nil where there is none. The warnings, by network, say why
// one has no address and what else is odd.
func (e Environment) Endpoints(published []mip.Network, file, snapshot []mip.Endpoints) (all []mip.Endpoints, warnings []error) {
	all = make([]mip.Endpoints, 0, len(published))
	for _, n := range published {
		reached, err := e.endpoint(n, byID(file, n.ID), byID(snapshot, n.ID))
		if err != nil {
			warnings = append(warnings, fmt.Errorf("network %s: %w", n.ID, err))
		}
		all = append(all, reached)
	}
	for _, f := range file {
		if !slices.ContainsFunc(published, func(n mip.Network) bool { return n.ID == f.ID }) {
			warnings = append(warnings, fmt.Errorf("network %s: it is in site.yaml, but the site does not publish it", f.ID))
		}
	}
	return all, warnings
}

func (e Environment) endpoint(n mip.Network, file, snapshot mip.Endpoints) (mip.Endpoints, error) {
	out := mip.Endpoints{Network: n}
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
	given, err := e.RPC(n.ID)
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

// byID is the network of that id, the zero value when there is none.
func byID(all []mip.Endpoints, id string) mip.Endpoints {
	if i := slices.IndexFunc(all, func(e mip.Endpoints) bool { return e.ID == id }); i >= 0 {
		return all[i]
	}
	return mip.Endpoints{}
}

// Know returns what hands a state of the site to a sidecar, with the networks as [Environment.Endpoints]
// has them. The sidecar's log is told of each warning.
func (e Environment) Know(s *sidecar.Sidecar, file []mip.Endpoints) func(*knowledge.Knowledge) error {
	return func(k *knowledge.Knowledge) error {
		with := *k
		var warnings []error
		with.Endpoints, warnings = e.Endpoints(k.Site.Networks, file, k.Endpoints)
		for _, w := range warnings {
			s.Log.Warn("network not as configured", "error", w.Error())
		}
		return s.Know(&with)
	}
}
