// Package forks reads the history of hard forks: from the versions of site.yaml, which bundle
// proposals, and from the versions of the texts of upgrades, which list proposals at stages. It
// does not know which proposals are published.
package forks

import (
	"cmp"
	"slices"

	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/upgrade"
)

// Past is the history of hard forks.
type Past struct {
	// Forks are the hard forks with the days of the proposals' stages.
	Forks []mip.HardFork
	// Events are the changes in each text, in the order of its commits.
	Events []mip.Event
	// Stages has the stages of each proposal that its page shows beside the activation of the hard
	// fork.
	Stages map[mip.ID][]mip.ForkStage
}

// Moves returns the changes of stages in a hard fork, the newest first. Changes by one commit are
// in the order of the stages.
func (p Past) Moves(fork string) (out []mip.ForkProposal) {
	events := slices.DeleteFunc(slices.Clone(p.Events), func(e mip.Event) bool {
		return cmp.Or(mip.Deref(e.To), mip.Deref(e.From)) != fork
	})
	slices.Reverse(events)
	slices.SortStableFunc(events, func(a, b mip.Event) int {
		return cmp.Or(b.Time.UTC().Compare(a.Time.UTC()), cmp.Compare(a.Commit, b.Commit),
			slices.Index(mip.Inclusions(), a.Stage.To)-slices.Index(mip.Inclusions(), b.Stage.To),
			a.MIP.Compare(b.MIP))
	})
	for _, e := range events {
		out = append(out, mip.ForkProposal{ID: e.MIP, Stage: e.Stage.To, Since: e.Time.Date(),
			Commit: &e.Commit, Before: e.Stage.From})
	}
	return out
}

// Text is a text of an upgrade with the history of its file.
type Text struct {
	upgrade.Text
	Metadata mip.Metadata
	File     history.FilePast
}

// Bundled reads the versions of site.yaml. It returns an event for each proposal that joined or
// left a hard fork, in the order of the commits.
func Bundled(r *history.Reader, config history.FilePast) ([]mip.Event, error) {
	changes, err := follow(r, config, map[string]upgrade.State{}, bundles{})
	return upgrade.Events(changes), err
}

// TextReader returns the reader of the texts of upgrades.
func TextReader(s *site.Site) *upgrade.Reader {
	return upgrade.NewReader(s.Prefixes(), s.Upgrades.Stages, s.PublicNetworks())
}

// Read reads the versions of texts that are not in the cache. forks are the present hard forks.
func (c *Cache) Read(
	r *history.Reader, s *site.Site, texts []Text, forks []mip.HardFork,
) (out Past, err error) {
	var present []upgrade.Text
	for _, t := range texts {
		present = append(present, t.Text)
		k := c.kept(s, t)
		changes, err := follow(r, t.File, k.states, TextReader(s).Past(t.Text))
		if err != nil {
			return out, err
		}
		c.keep(t, k)
		changes = upgrade.WithDeclined(upgrade.WithoutUndone(changes))
		out.Events = append(out.Events, upgrade.Events(changes)...)
	}
	out.Forks = upgrade.Date(forks, present, out.Events)
	out.Stages = map[mip.ID][]mip.ForkStage{}
	for _, f := range out.Forks {
		for _, of := range f.Proposals {
			moved := !of.Since.IsZero() && (of.Before != nil || !f.HasNetworks())
			if moved || !of.Stage.Bundled() {
				s := mip.ForkStage{Fork: f.Name, ForkProposal: of}
				out.Stages[of.ID] = append(out.Stages[of.ID], s)
			}
		}
	}
	return out, nil
}

// stateReader reads the values of proposals in a version of a file. The state is nil if the version
// cannot be read.
type stateReader interface {
	State(version []byte) upgrade.State
}

// follow returns the changes of values in the versions of a file. It reads those that states lacks,
// each once, and adds them.
func follow(
	r *history.Reader, file history.FilePast, states map[string]upgrade.State, in stateReader,
) ([]upgrade.Change, error) {
	states[""] = nil
	var versions []upgrade.Version
	for _, v := range file.Versions {
		for _, blob := range []string{v.Before, v.After} {
			if _, known := states[blob]; !known {
				text, err := r.Text(file, blob)
				if err != nil {
					return nil, err
				}
				states[blob] = in.State(text)
			}
		}
		was := states[v.Before]
		if v.Before == "" {
			was = upgrade.State{}
		}
		versions = append(versions, upgrade.Version{
			Commit: v.Hash, Author: v.Author, Time: v.Published(), Merge: v.Merge, Edge: v.Edge,
			Was: was, Is: states[v.After],
		})
	}
	return upgrade.Changes(versions), nil
}

// bundles reads the hard fork of each proposal from a site.yaml.
type bundles struct{}

// State implements stateReader.
func (bundles) State(text []byte) upgrade.State {
	s, err := site.Parse("site.yaml", text)
	if text == nil || err != nil {
		return nil
	}
	out := upgrade.State{}
	for id, name := range s.ForkOf() {
		out[upgrade.Place{ID: id}] = *name
	}
	return out
}
