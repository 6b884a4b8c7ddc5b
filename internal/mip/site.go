package mip

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// HardForks is the body of GET /api/v1/hardforks.
type HardForks struct {
	HardForks []HardFork `json:"hardforks" doc:"In the order of site.yaml, then those that meta proposals alone define, by number."`
}

// HardFork is a network upgrade: the proposals that it bundles, and its activation on each network.
type HardFork struct {
	Name        string                `json:"name" doc:"As in site.yaml, such as MONAD_NINE, or in the meta proposal's text."`
	Status      string                `json:"status" doc:"At statusAsOf: planned, scheduled, active on ID, ID, active, or not on its own: see followedBy. Without activation: by the times in activations, with their names of networks; without any, included where the text lists included proposals, else planned."`
	StatusAsOf  *Time                 `json:"statusAsOf" doc:"When status was judged: static, the newest change, null without any; live, the chains' time."`
	MetaMIP     *int                  `json:"metaMIP" doc:"The meta proposal."`
	BundledMIPs []int                 `json:"bundledMIPs" doc:"The proposals of the main kind that it activates, ascending: of site.yaml, or else those that the text lists as scheduled or included."`
	Proposals   []ForkProposal        `json:"proposals,omitzero" doc:"All proposals that the meta proposal's text lists, in its order, then the others that site.yaml bundles."`
	Activation  map[string]Activation `json:"activation" doc:"By network id; both values are null where no time is set. Of site.yaml, or else the times in activations; may be empty."`
	Schedule    []ForkActivation      `json:"activations,omitzero" doc:"When networks get it by the meta proposal's text, in its order."`
	Releases    []Release             `json:"releases,omitzero" doc:"What nodes run to know it: by site.yaml, or else by a table of clients in the text."`
	Source      *string               `json:"source" doc:"Where the times were read."`
}

// Activation is the time at which a network switches. Timestamp and Time are both null, or neither
// is.
type Activation struct {
	Timestamp  *int64    `json:"timestamp" doc:"Unix seconds; 0 means from the first block."`
	Time       *Time     `json:"time" doc:"The same moment, RFC 3339."`
	FollowedBy *Follower `json:"followedBy" doc:"Without a time: the next fork that has one here. Once it is active, this one does not come on its own."`
}

// Follower is a later fork on a network on which an earlier one has no time.
type Follower struct {
	HardFork  string `json:"hardfork" doc:"Its name."`
	Timestamp int64  `json:"timestamp" doc:"Unix seconds; 0 means from the first block."`
	Time      Time   `json:"time" doc:"The same moment, RFC 3339."`
}

// Follow sets FollowedBy of each activation without a time. The forks must be sorted oldest first,
// and a network runs them in this order: a fork without a time came with the later one.
func Follow(forks []HardFork) {
	for i, f := range forks {
		for id, a := range f.Activation {
			a.FollowedBy = nil
			for _, later := range forks[i+1:] {
				b := later.Activation[id]
				if a.Timestamp == nil && b.Time != nil &&
					(a.FollowedBy == nil || *b.Timestamp < a.FollowedBy.Timestamp) {
					a.FollowedBy = &Follower{later.Name, *b.Timestamp, *b.Time}
				}
			}
			f.Activation[id] = a
		}
	}
}

// NetworkActivation is the time at which a network activates the hard fork of a proposal.
type NetworkActivation struct {
	Network   string `json:"network" doc:"The network's id."`
	HardFork  string `json:"hardfork" doc:"The proposal's, or where that has no time of its own there, the later one that brings it."`
	Timestamp int64  `json:"timestamp" doc:"Unix seconds; 0 means from the first block."`
	Time      Time   `json:"time" doc:"The same moment, RFC 3339."`
}

// Activations returns a fork's times, after [Follow], in the order of networks, then by id.
// Networks without a time of this fork or of a later one are left out. The list is never nil.
func (h HardFork) Activations(networks []Network) []NetworkActivation {
	out := []NetworkActivation{}
	for _, id := range h.SortedNetworks(networks) {
		switch a := h.Activation[id]; {
		case a.Timestamp != nil:
			out = append(out, NetworkActivation{id, h.Name, *a.Timestamp, *a.Time})
		case a.FollowedBy != nil:
			out = append(out, NetworkActivation{id, a.FollowedBy.HardFork, a.FollowedBy.Timestamp,
				a.FollowedBy.Time})
		}
	}
	return out
}

// Site is the description of a site, independent of its proposals. It never contains an RPC
// address.
type Site struct {
	Title       string    `json:"title" doc:"The site's name."`
	Description string    `json:"description" doc:"One sentence, may be empty."`
	Prefix      string    `json:"prefix" doc:"What ids of the main kind start with, such as MIP."`
	Kinds       []Kind    `json:"kinds" doc:"The kinds of proposals, each with numbers of its own, the main one first."`
	Statuses    Process   `json:"statuses" doc:"The process in the order of a proposal's life, as far as the site states it; empty: the words of EIP-1 are known."`
	BaseURL     string    `json:"baseUrl" doc:"The address that all others start with, no slash at the end."`
	Networks    []Network `json:"networks" doc:"In the order of site.yaml."`
	Forum       *string   `json:"forum" doc:"The forum's address."`
	Locales     []string  `json:"locales" doc:"Languages other than English, BCP 47."`
	// Host is never published; published addresses already follow it.
	Host Host `json:"-"`
	// FullText reports whether llms-full.txt is published.
	FullText bool `json:"-"`
}

// URL returns the absolute address of a route, which starts with a slash.
func (s Site) URL(route string) string { return s.BaseURL + s.Host.Route(route) }

// Kind is a kind of proposals.
type Kind struct {
	Prefix string `json:"prefix" doc:"What its ids start with, such as MIP."`
	Name   string `json:"name" doc:"For people, in the plural, such as MIPs."`
}

// Main returns an id of the main kind, of which hard forks bundle numbers.
func (s Site) Main(number int) ID { return ID{s.Prefix, number} }

// Several reports whether the site has more than one kind of proposals.
func (s Site) Several() bool { return len(s.Kinds) > 1 }

// ParseKey parses a proposal's number, for the main kind, or its id, of any kind of the site in any
// case. The number may have leading zeros.
func (s Site) ParseKey(text string) (ID, error) {
	kind, digits := s.Prefix, text
	for _, k := range append([]Kind{{Prefix: s.Prefix}}, s.Kinds...) {
		if before, after, ok := strings.Cut(text, "-"); ok && strings.EqualFold(before, k.Prefix) {
			kind, digits = k.Prefix, after
			break
		}
	}
	for len(digits) > 1 && digits[0] == '0' {
		digits = digits[1:]
	}
	return ParseID(kind + "-" + digits)
}

// SiteInfo is the body of GET /api/v1/site: the site's description and current counts.
type SiteInfo struct {
	Site
	Counts      SiteCounts `json:"counts" doc:"How many proposals there are."`
	Commit      *string    `json:"commit" doc:"The newest commit that touched a proposal."`
	CommittedAt *Time      `json:"committedAt" doc:"The time of that commit: what is published here is as of then."`
	History     string     `json:"history" doc:"Source of times: full or shallow history, none (header dates), fixed (SOURCE_DATE_EPOCH)."`
}

// Network is a chain on which proposals activate.
type Network struct {
	ID        string  `json:"id" doc:"Key of the network in every answer, such as mainnet."`
	Name      string  `json:"name" doc:"For people."`
	ChainID   uint64  `json:"chainId" doc:"EIP-155 chain id."`
	BlockTime float64 `json:"blockTime" doc:"Seconds between blocks, as declared; 0 when that is not known."`
}

// SiteCounts counts the published proposals.
type SiteCounts struct {
	Total      int            `json:"total" doc:"All."`
	ByKind     map[string]int `json:"byKind" doc:"By kind, as the ids have it."`
	ByStatus   map[string]int `json:"byStatus" doc:"By status as written; proposals without one are under the empty string."`
	ByCategory map[string]int `json:"byCategory" doc:"By category as written; proposals without one are under the empty string."`
}

// StatusAt returns the status of the fork: "planned" if no network has a time, "scheduled" if no
// time has come, "active" if every network of the list has switched, else "active on" and the ids
// of those that have, in the order of the list. A fork without any time is "not on its own" if
// every network runs a later one. now returns the time of a network by its id. An active fork stays
// active; a scheduled one does not stay scheduled, so a publisher of the status sets StatusAsOf. A
// fork without activation is judged by the times of its text, with the text's names of networks.
// Without any it is "included" if the text lists included proposals, else "planned".
func (h HardFork) StatusAt(networks []Network, now func(id string) time.Time) string {
	var active []string
	timed, passed := false, 0
	for _, id := range h.SortedNetworks(networks) {
		a := h.Activation[id]
		timed = timed || a.Timestamp != nil
		if a.Reached(now(id)) {
			active = append(active, id)
		}
		if a.Passed(now(id)) {
			passed++
		}
	}
	switch {
	case !h.HasNetworks():
		return h.statusByText(now)
	case !timed && passed > 0 && passed == len(h.Activation):
		return "not on its own"
	case !timed:
		return "planned"
	case len(active) == 0:
		return "scheduled"
	case len(active) >= len(networks) && len(active) == len(h.Activation):
		return "active"
	}
	return "active on " + strings.Join(active, ", ")
}

// Concerns reports whether the fork bundles, or is defined by, the proposal with a number of the
// main kind.
func (h HardFork) Concerns(number int) bool {
	return slices.Contains(h.BundledMIPs, number) || h.MetaMIP != nil && *h.MetaMIP == number
}

// Switches reports whether some network gets the fork behind its first block, now or at a time that
// is not known. networks are the site's.
func (h HardFork) Switches(networks []Network) bool {
	for _, n := range networks {
		if !h.Activation[n.ID].Genesis() {
			return true
		}
	}
	for _, a := range h.Activation {
		if !a.Genesis() {
			return true
		}
	}
	return false
}

// Genesis reports whether a network has a fork from its first block, by itself or through a later
// fork.
func (a Activation) Genesis() bool {
	return a.Timestamp != nil && *a.Timestamp == 0 ||
		a.FollowedBy != nil && a.FollowedBy.Timestamp == 0
}

// Reached reports whether the time has come. It is false without a time, and true for a fork active
// from the first block.
func (a Activation) Reached(now time.Time) bool {
	return a.Timestamp != nil && *a.Timestamp <= max(0, now.Unix())
}

// Passed reports whether the network runs a later fork and never activated this one separately.
func (a Activation) Passed(now time.Time) bool {
	return a.FollowedBy != nil && Activation{Timestamp: &a.FollowedBy.Timestamp}.Reached(now)
}

// SortedNetworks returns the keys of an activation table in the order of networks, then the others
// by name.
func (h HardFork) SortedNetworks(networks []Network) []string {
	place := func(id string) int {
		if i := slices.IndexFunc(networks, func(n Network) bool { return n.ID == id }); i >= 0 {
			return i
		}
		return len(networks)
	}
	return slices.SortedFunc(maps.Keys(h.Activation), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
}

// SidecarConfig is sidecar.json of a snapshot: the sidecar's configuration in addition to the
// published tree. It is never published.
type SidecarConfig struct {
	Networks []Endpoints `json:"networks"`
}

// Endpoints is a network with its RPC addresses.
type Endpoints struct {
	Network
	// RPC lists addresses in order of preference. They may contain keys, so nothing prints or
	// publishes them.
	RPC []string `json:"rpc"`
}
