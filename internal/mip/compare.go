package mip

import "slices"

// StatedActivation is a network's activation time as stated in a proposal's own text.
type StatedActivation struct {
	Network   string `json:"network" doc:"The network's id."`
	Text      string `json:"text" doc:"As written, such as 1773153000, 19 March 2026 or TBD; may be empty where a table leaves it so."`
	Timestamp *int64 `json:"timestamp" doc:"Unix seconds, null where the text gives a day alone or no time."`
	Date      Date   `json:"date" doc:"The day, where the text gives no Unix seconds."`
}

// Agrees reports whether a text states the activation of the site's configuration: the same second,
// the same day in UTC, or in both no time. A fork that a later one brings along is not compared.
func (s StatedActivation) Agrees(a Activation) bool {
	switch {
	case a.FollowedBy != nil:
		return true
	case s.Timestamp != nil:
		return a.Timestamp != nil && *a.Timestamp == *s.Timestamp
	case !s.Date.IsZero():
		return a.Time != nil && a.Time.Date() == s.Date
	}
	return a.Timestamp == nil
}

// Codes of a [Disagreement].
const (
	ActiveNotFinal          = "active-not-final"
	ActiveWithoutStatus     = "active-without-status"
	FinalNotActive          = "final-not-active"
	BundledNotPublished     = "bundled-not-published"
	ActivationInTextDiffers = "activation-in-text-differs"
)

// Disagreement is a conflict between a proposal's text and a hard fork.
type Disagreement struct {
	Code string
	// ID is the proposal's id. The proposal is not published under [BundledNotPublished].
	ID     ID
	Status Status
	Fork   string
	// Network is the main one, the first of the site, or under [ActivationInTextDiffers] the one
	// that the text states. Under [BundledNotPublished] it is zero.
	Network    Network
	Activation Activation
	// Stated is the time in the text under [ActivationInTextDiffers].
	Stated string
}

// Holds reports whether the disagreement exists while the fork is active on the network, or while
// it is not.
func (d Disagreement) Holds(active bool) bool {
	switch d.Code {
	case ActiveNotFinal, ActiveWithoutStatus:
		return active
	case FinalNotActive:
		return !active
	}
	return true
}

// Compared counts the compared texts and hard forks.
type Compared struct {
	Bundled   int `json:"bundled" doc:"Proposals that hard forks bundle, each counted once."`
	Published int `json:"published" doc:"Those of them that are published here."`
	Stated    int `json:"stated" doc:"Those of the published ones whose text states a status."`
}

// Compare compares the texts with the hard forks on the main network, the first of the site, since
// test networks switch first. all must be in the order of ids; kind is the kind of the numbers that
// forks bundle. A Living proposal may stay Living in an active fork. A text that states activation
// times is compared with every network, and agrees if one of its forks matches.
//
// The disagreements are sorted by proposal, then in the order of the forks, whether they hold now
// or at another time.
func Compare(
	all []Metadata, kind ID, forks []HardFork, networks []Network,
) (c Compared, found []Disagreement) {
	bundled := map[ID]bool{}
	add := func(d Disagreement) { found = append(found, d) }
	for _, f := range forks {
		for _, id := range kind.Siblings(f.BundledMIPs) {
			m, published := Find(all, id)
			if !bundled[id] {
				bundled[id] = true
				c.Bundled++
				if published {
					c.Published++
				}
				if m.Status != "" {
					c.Stated++
				}
			}
			if !published {
				add(Disagreement{Code: BundledNotPublished, ID: id, Fork: f.Name})
				continue
			}
			// A site without networks has no chain to disagree with, and neither has a fork whose
			// activation is unknown.
			for _, n := range networks[:min(1, len(networks), len(f.Activation))] {
				d := Disagreement{ID: id, Status: m.Status, Fork: f.Name, Network: n,
					Activation: f.Activation[n.ID]}
				switch {
				case d.Activation.FollowedBy != nil:
					continue // it comes with another fork
				case m.Stage == StageFinal:
					d.Code = FinalNotActive
				case d.Activation.Timestamp == nil || m.Stage == StageLiving:
					continue
				case m.Status == "":
					d.Code = ActiveWithoutStatus
				default:
					d.Code = ActiveNotFinal
				}
				add(d)
			}
		}
	}
	for _, m := range all {
		for _, n := range networks {
			i := slices.IndexFunc(m.StatedActivations, func(s StatedActivation) bool {
				return s.Network == n.ID
			})
			if i < 0 {
				continue
			}
			of := slices.DeleteFunc(slices.Clone(forks), func(f HardFork) bool {
				return m.ID.Kind != kind.Kind || !f.Concerns(m.Number) || !f.HasNetworks()
			})
			s := m.StatedActivations[i]
			agrees := len(of) == 0 || slices.ContainsFunc(of, func(f HardFork) bool {
				return s.Agrees(f.Activation[n.ID])
			})
			if agrees {
				continue
			}
			add(Disagreement{
				Code: ActivationInTextDiffers, ID: m.ID, Status: m.Status, Fork: of[0].Name,
				Network: n, Activation: of[0].Activation[n.ID], Stated: s.Text,
			})
		}
	}
	slices.SortStableFunc(found, func(a, b Disagreement) int { return a.ID.Compare(b.ID) })
	return c, found
}
