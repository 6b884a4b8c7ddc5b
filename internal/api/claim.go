package api

import (
	"regexp"
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Claim is a proposal's meaning for one group: by its text, which is the Axis, and by its upgrade,
// which is UpgradeAsks. Every page and document about a proposal and a group is made of it.
type Claim struct {
	Axis
	Group string `json:"group" doc:"developers, users, validators or foundation."`
	ID    mip.ID `json:"id" doc:"The proposal."`
	Title string `json:"title" doc:"Of the proposal; may hold Markdown backticks."`
	mip.Standing
	LastCallDeadline *mip.Date `json:"lastCallDeadline" doc:"The last day for comments in a last call, null for others."`

	Hardfork *string `json:"hardfork" doc:"The hard fork that bundles the proposal or whose meta proposal it is."`

	Activations []mip.NetworkActivation `json:"activations" doc:"When networks get that hard fork, as far as times are set: compare with the present."`

	UpgradeAsks *string `json:"upgradeAsks" doc:"What that hard fork itself asks of the group: of validators, a release that knows it. Null for nothing."`

	Past bool `json:"past" doc:"The proposal is final and in no hard fork whose activation is known, or given up or replaced. Otherwise compare activations with the present."`

	Source string `json:"source" doc:"Who said so: a model's name, or extractive for rules."`
	URL    string `json:"url" doc:"The proposal's page."`
}

// Silent reports whether neither the text nor the upgrade has anything for the group. Pages omit
// such a group: silence is no fact.
func (c Claim) Silent() bool { return !c.Stated && c.UpgradeAsks == nil }

// Acts reports whether the text or the upgrade asks the group to act. The foundation makes the
// upgrade, and is asked by the text alone.
func (c Claim) Acts() bool {
	return c.ActionRequired || c.UpgradeAsks != nil && c.Group == "validators"
}

// Asks returns what a hard fork itself asks of a group, nil for nothing. A fork that all networks
// have from their first block asks for nothing.
func Asks(group string, f *mip.HardFork, networks []mip.Network) *string {
	what := map[string]string{"validators": "a release that knows ",
		"foundation": "the date and the releases of "}[group]
	if what == "" || f == nil || !f.Switches(networks) {
		return nil
	}
	return new(what + f.Name)
}

// Claims returns the meaning of a proposal for each group, in the order of the summary, including
// groups of which nothing is known. f is the hard fork that bundles the proposal or whose meta
// proposal it is, nil for none; networks are the site's.
func (s Summary) Claims(m mip.Metadata, f *mip.HardFork, networks []mip.Network) (out []Claim) {
	past := m.Over() || m.Stage == mip.StageFinal && (f == nil || !f.HasNetworks())
	for _, of := range []struct {
		group string
		axis  Axis
	}{{"developers", s.Developers}, {"users", s.Users}, {"validators", s.Validators},
		{"foundation", s.Foundation}} {
		out = append(out, Claim{of.axis, of.group, m.ID, m.Title, m.Standing, m.CommentsUntil(),
			m.Hardfork, m.Activations, Asks(of.group, f, networks), past, s.Source, m.URL})
	}
	return out
}

// demand matches a key word of RFC 2119 that leaves no choice.
var demand = regexp.MustCompile(`\b(?:MUST|SHALL|REQUIRED)\b`)

// Ranked returns the evidence with the strongest quotes first: the one about a duty, then demands
// in key words, then the others, each in the order of the text.
func (a Axis) Ranked() []Evidence {
	strength := func(e Evidence) int {
		switch {
		case a.ActionEvidence != nil && e == *a.ActionEvidence:
			return 2
		case demand.MatchString(e.Quote):
			return 1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(a.Evidence), func(x, y Evidence) int {
		return strength(y) - strength(x)
	})
}
