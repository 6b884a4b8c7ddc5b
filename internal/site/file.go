package site

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/mipwatch/mipwatch/internal/day"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// file is the content of site.yaml before validation.
type file struct {
	Site
	Brand brand `yaml:"brand"`
	Forum struct {
		BaseURL string `yaml:"base_url"`
	} `yaml:"forum"`
	Networks  []network           `yaml:"networks"`
	HardForks []fork              `yaml:"hardforks"`
	Overrides map[string]Override `yaml:"overrides"` // by the proposal's number
}

// network is a chain with its RPC addresses.
type network struct {
	ID        string   `yaml:"id"`
	Name      string   `yaml:"name"`
	ChainID   int64    `yaml:"chain_id"`
	RPC       []string `yaml:"rpc"`
	BlockTime string   `yaml:"block_time"` // seconds (0.4), or a duration with its unit (400ms)
}

// fork is a hard fork.
type fork struct {
	Name string `yaml:"name"`
	MIPs []int  `yaml:"mips"`
	Meta *int   `yaml:"meta"`
	// by the network's id; nil if no time is set
	Activation map[string]*unixSeconds `yaml:"activation"`
	Source     *string                 `yaml:"source"`
	Releases   []mip.Release           `yaml:"releases"`
}

type unixSeconds int64

// site returns the site of a valid file.
func (f *file) site(lines map[string]int) *Site {
	s := &f.Site
	s.Lines, s.Forum, s.Brand = lines, f.Forum.BaseURL, f.Brand.Brand
	for i, status := range s.Statuses {
		s.Statuses[i].Aliases = append([]string{}, status.Aliases...)
		s.Statuses[i].Kinds = append([]string{}, status.Kinds...)
	}
	for _, n := range f.Networks {
		s.Networks = append(s.Networks, n.endpoints())
	}
	for _, h := range f.HardForks {
		s.HardForks = append(s.HardForks, h.hardFork(s.Networks))
	}
	for key, o := range f.Overrides {
		if s.Overrides == nil {
			s.Overrides = map[mip.ID]Override{}
		}
		id, _ := s.parseID(key)
		s.Overrides[id] = o
	}
	return s
}

// setFromKinds sets Prefix and Proposals from Kinds, if there are any.
func (s *Site) setFromKinds() {
	if len(s.Kinds) == 0 {
		return
	}
	s.Prefix, s.Proposals = s.Kinds[0].Prefix, nil
	for _, k := range s.Kinds {
		for _, dir := range k.Proposals {
			if !slices.Contains(s.Proposals, dir) {
				s.Proposals = append(s.Proposals, dir)
			}
		}
	}
}

// parseID parses a proposal's number, of the main kind, or its id.
func (s *Site) parseID(text string) (mip.ID, error) {
	id, err := mip.Site{Prefix: s.Prefix, Kinds: s.PublicKinds()}.ParseKey(text)
	if err != nil {
		return id, fmt.Errorf("want a proposal's number, or its id such as %s-7, as the key",
			s.Prefix)
	}
	return id, nil
}

// endpoints returns the network with its RPC addresses. The name defaults to the id.
func (n network) endpoints() mip.Endpoints {
	seconds, _ := blockTime(n.BlockTime)
	public := mip.Network{ID: n.ID, Name: cmp.Or(n.Name, n.ID), ChainID: uint64(n.ChainID),
		BlockTime: seconds}
	return mip.Endpoints{Network: public, RPC: n.RPC}
}

// hardFork returns the fork with an activation for each network, possibly without a time.
func (h fork) hardFork(networks []mip.Endpoints) mip.HardFork {
	out := mip.HardFork{
		Name: h.Name, MetaMIP: h.Meta, BundledMIPs: []int{}, Source: h.Source,
		Activation: map[string]mip.Activation{},
	}
	for _, n := range networks {
		out.Activation[n.ID] = mip.Activation{}
		if t := h.Activation[n.ID]; t != nil {
			out.Activation[n.ID] = mip.Activation{Timestamp: new(int64(*t)),
				Time: new(mip.NewTime(time.Unix(int64(*t), 0)))}
		}
	}
	for _, r := range h.Releases {
		r.Networks = append([]string{}, r.Networks...)
		if r.RequiredBy != nil {
			if at, hour, _ := day.Due(*r.RequiredBy); hour {
				r.RequiredBy = new(mip.NewTime(at).String())
			}
		}
		out.Releases = append(out.Releases, r)
	}
	// Leave out the meta proposal, which the file may list too: it always belongs to the fork.
	for _, n := range slices.Compact(slices.Sorted(slices.Values(h.MIPs))) {
		if h.Meta == nil || n != *h.Meta {
			out.BundledMIPs = append(out.BundledMIPs, n)
		}
	}
	return out
}
