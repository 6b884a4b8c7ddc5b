package mip

import (
	"math"
	"slices"
	"time"
)

// Inclusion is the stage of a proposal in a hard fork.
type Inclusion string

// The stages. They are named after the lists of EIP-7723.
const (
	Included   Inclusion = "included"
	Scheduled  Inclusion = "scheduled"
	Considered Inclusion = "considered"
	Proposed   Inclusion = "proposed"
	Declined   Inclusion = "declined"
	// Unlisted is the stage of a proposal that left the lists or is struck through.
	Unlisted Inclusion = "withdrawn"
)

// Inclusions returns the stages. Of two stages in one text the one that comes first here counts.
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

// HasNetworks reports whether the activation of the hard fork is known for any network, be it that
// no time is set. It is false for a fork that a text alone defines.
func (h HardFork) HasNetworks() bool { return len(h.Activation) > 0 }

// Happened reports whether a text lists proposals as included in a hard fork of which no activation
// is known.
func (h HardFork) Happened() bool {
	if h.HasNetworks() {
		return false
	}
	for _, p := range h.Proposals {
		if p.Stage == Included {
			return true
		}
	}
	return false
}

// Judge sets the status of hard forks as of a time, which may be nil, and adds the bundled
// proposals that no text lists. kind is the kind of the numbers that forks bundle.
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
			is := func(p ForkProposal) bool { return p.ID == id }
			if !slices.ContainsFunc(f.Proposals, is) {
				f.Proposals = append(f.Proposals, ForkProposal{ID: id, Stage: stage})
			}
		}
		f.Proposals = append([]ForkProposal{}, f.Proposals...)
	}
}

// Pending reports whether some network has yet to get the fork, at a known or unknown time.
func (h HardFork) Pending(now time.Time) bool {
	if !h.HasNetworks() {
		return !h.Happened()
	}
	timed, ahead, open := false, false, false
	for _, a := range h.Activation {
		timed = timed || a.Timestamp != nil
		ahead = ahead || a.Timestamp != nil && !a.Reached(now)
		open = open || !a.Passed(now)
	}
	return ahead || !timed && open
}

// Last is the time at which the last network switches, in Unix seconds. A fork that is to come
// without a time has the largest number, and one whose times are unknown the smallest.
func (h HardFork) Last() int64 {
	if h.Happened() {
		return math.MinInt64
	}
	last := int64(-1)
	for _, a := range h.Activation {
		if a.Timestamp != nil {
			last = max(last, *a.Timestamp)
		}
	}
	if last < 0 {
		return math.MaxInt64
	}
	return last
}
