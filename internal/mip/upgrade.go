package mip

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Inclusion is the stage of a proposal in a hard fork.
type Inclusion string

// Stages of proposals, named after the lists of EIP-7723.
const (
	Included   Inclusion = "included"
	Scheduled  Inclusion = "scheduled"
	Considered Inclusion = "considered"
	Proposed   Inclusion = "proposed"
	Declined   Inclusion = "declined"
	// Unlisted is the stage of a proposal that left the lists or is struck through.
	Unlisted Inclusion = "withdrawn"
)

// Inclusions returns the stages in the order in which lists and pages have them.
func Inclusions() []Inclusion {
	return []Inclusion{Included, Scheduled, Considered, Proposed, Declined, Unlisted}
}

// Bundled reports whether a proposal at the stage is a part of its hard fork.
func (i Inclusion) Bundled() bool { return i == Included || i == Scheduled }

// ForkProposal is a proposal in a hard fork: an element of [HardFork.Proposals].
type ForkProposal struct {
	ID     ID         `json:"id" doc:"Such as MIP-7; it may be of another kind or site."`
	Stage  Inclusion  `json:"stage" doc:"included, scheduled, considered, proposed, declined or withdrawn: by the meta proposal's text; of one that site.yaml alone bundles scheduled, or included once the fork was active."`
	Since  Date       `json:"since" doc:"The day on which the text got it at this stage, UTC; null where the history does not show it."`
	Commit *string    `json:"commit" doc:"The commit of that day; null like since."`
	Before *Inclusion `json:"before" doc:"Its stage before that commit, withdrawn included; null where it was in no list, or like since."`
}

// ForkStage is the stage of a proposal in a hard fork, by its name.
type ForkStage struct {
	Fork string
	ForkProposal
}

// StageChange is a move of a proposal within a hard fork.
type StageChange struct {
	From *Inclusion `json:"from" doc:"The stage before; null for a proposal that was in no list of the fork yet."`
	To   Inclusion  `json:"to" doc:"The stage after; withdrawn of one that left the lists."`
}

// ForkActivation is a network's activation of a hard fork by its text: an element of
// [HardFork.Schedule].
type ForkActivation struct {
	Network   string  `json:"network" doc:"As the text names it, such as Sepolia."`
	ID        *string `json:"id" doc:"The network's id, null for one that the site does not list."`
	Block     *int64  `json:"block" doc:"The block number, null where the text gives none."`
	Epoch     *int64  `json:"epoch" doc:"The epoch, null where the text gives none."`
	Timestamp *int64  `json:"timestamp" doc:"Unix seconds, null where the text gives neither them nor a time with its zone."`
	Time      *Time   `json:"time" doc:"The same moment, RFC 3339."`
	Text      string  `json:"text" doc:"The time as written, such as 1773153000, 19 March 2026 or TBD; may be empty."`
}

// HasNetworks reports whether the hard fork has an activation on any network of the site, even one
// without a time.
func (h HardFork) HasNetworks() bool { return len(h.Activation) > 0 }

// Happened reports whether a text lists proposals as included in a hard fork of which no time is
// known.
func (h HardFork) Happened() bool {
	return len(h.times()) == 0 && slices.ContainsFunc(h.Proposals, func(p ForkProposal) bool {
		return p.Stage == Included
	})
}

// times returns the activations of the hard fork's networks. If there are none, it returns the
// activations in its text that have a time.
func (h HardFork) times() (out []Activation) {
	out = slices.Collect(maps.Values(h.Activation))
	for _, a := range h.Schedule {
		if !h.HasNetworks() && a.Timestamp != nil {
			out = append(out, Activation{Timestamp: a.Timestamp, Time: a.Time})
		}
	}
	return out
}

// statusByText returns the status of a hard fork without networks of the site. now is as in
// [HardFork.StatusAt].
func (h HardFork) statusByText(now func(id string) time.Time) string {
	var active []string
	for _, a := range h.Schedule {
		if (Activation{Timestamp: a.Timestamp}).Reached(now(Deref(a.ID))) {
			active = append(active, a.Network)
		}
	}
	switch {
	case h.Happened():
		return string(Included)
	case len(h.times()) == 0:
		return "planned"
	case len(active) == 0:
		return "scheduled"
	case len(active) == len(h.Schedule):
		return "active"
	}
	return "active on " + strings.Join(active, ", ")
}

// Lists reports whether a proposal is at some stage in the hard fork.
func (h HardFork) Lists(id ID) bool {
	return slices.ContainsFunc(h.Proposals, func(p ForkProposal) bool { return p.ID == id })
}

// Judge sets the status of hard forks as of a time, which may be nil, and adds the bundled
// proposals that no text lists. kind is the kind of the bundled numbers.
func Judge(forks []HardFork, kind ID, networks []Network, asOf *Time) {
	var now time.Time
	if asOf != nil {
		now = asOf.UTC()
	}
	for i := range forks {
		f := &forks[i]
		f.Status = f.StatusAt(networks, func(string) time.Time { return now })
		f.StatusAsOf = asOf
		stage := Included
		if f.Status == "planned" || f.Status == "scheduled" {
			stage = Scheduled
		}
		for _, id := range kind.Siblings(f.BundledMIPs) {
			if !f.Lists(id) {
				f.Proposals = append(f.Proposals, ForkProposal{ID: id, Stage: stage})
			}
		}
		f.Proposals = append([]ForkProposal{}, f.Proposals...)
		f.Schedule = append([]ForkActivation{}, f.Schedule...)
		f.Releases = append([]Release{}, f.Releases...)
	}
}

// Pending reports whether some network has yet to get the fork, at a known or unknown time.
func (h HardFork) Pending(now time.Time) bool {
	times := h.times()
	if len(times) == 0 {
		return !h.Happened()
	}
	timed, ahead, open := false, false, false
	for _, a := range times {
		timed = timed || a.Timestamp != nil
		ahead = ahead || a.Timestamp != nil && !a.Reached(now)
		open = open || !a.Passed(now)
	}
	return ahead || !timed && open
}

// Last returns the time at which the last network switches, in Unix seconds. It is the largest
// number for a future fork without a time, and the smallest for a past one.
func (h HardFork) Last() int64 {
	if h.Happened() {
		return math.MinInt64
	}
	last := int64(-1)
	for _, a := range h.times() {
		if a.Timestamp != nil {
			last = max(last, *a.Timestamp)
		}
	}
	if last < 0 {
		return math.MaxInt64
	}
	return last
}
