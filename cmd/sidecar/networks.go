package main

import (
	"fmt"
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// reach says how the published networks are reached.
type reach struct {
	file []mip.Endpoints // of site.yaml; nil: there is none
	env  environment
}

// endpoints are the published networks with their RPC addresses: of the environment, else of site.yaml,
// else of the snapshot. The warnings, by network, say why one has none and what else is odd.
func (r reach) endpoints(published []mip.Network, snapshot []mip.Endpoints) (all []mip.Endpoints, warnings []error) {
	all = make([]mip.Endpoints, 0, len(published))
	for _, n := range published {
		e, err := r.endpoint(n, byID(snapshot, n.ID))
		if err != nil {
			warnings = append(warnings, fmt.Errorf("network %s: %w", n.ID, err))
		}
		all = append(all, e)
	}
	for _, f := range r.file {
		if !slices.ContainsFunc(published, func(n mip.Network) bool { return n.ID == f.ID }) {
			warnings = append(warnings, fmt.Errorf("network %s: it is in site.yaml, but the site does not publish it", f.ID))
		}
	}
	return all, warnings
}

func (r reach) endpoint(n mip.Network, snapshot mip.Endpoints) (mip.Endpoints, error) {
	e := mip.Endpoints{Network: n}
	file := byID(r.file, n.ID)
	if file.ID != "" && file.ChainID != n.ChainID {
		return e, fmt.Errorf("site.yaml has the chain id %d and the published site %d; it is not asked until they agree", file.ChainID, n.ChainID)
	}
	e.RPC, e.BlockTime = snapshot.RPC, snapshot.BlockTime
	if file.BlockTime != 0 {
		e.BlockTime = file.BlockTime
	}
	if len(file.RPC) > 0 {
		e.RPC = file.RPC
	}
	given, err := r.env.rpc(n.ID)
	switch {
	case err != nil:
		return e, err
	case given != nil:
		e.RPC = given
	case len(e.RPC) == 0:
		return e, fmt.Errorf("no RPC address; want some in site.yaml or in %s", site.RPCVariable(n.ID))
	}
	return e, nil
}

// byID is the network of that id, the zero value when there is none.
func byID(all []mip.Endpoints, id string) mip.Endpoints {
	if i := slices.IndexFunc(all, func(e mip.Endpoints) bool { return e.ID == id }); i >= 0 {
		return all[i]
	}
	return mip.Endpoints{}
}
