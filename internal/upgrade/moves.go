package upgrade

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// State has the value of each place in a version of a file. In a text it is the stage of the
// proposal in the fork. In site.yaml, whose places have no fork, it is the name of the proposal's
// fork. A nil State is unknown.
type State map[Place]string

// unstaged is the value of a proposal that is listed without a stage. Its stage stays as it was.
const unstaged = "unstaged"

// Place is a proposal in the lists of a hard fork.
type Place struct {
	Fork string
	ID   mip.ID
}

// Version is a change of a file by a commit.
type Version struct {
	Commit, Author string
	// Time is the time at which the published branch got the commit.
	Time mip.Time
	// Merge reports that the commit has several parents. Edge reports that the state before is
	// unknown, although the file looks new.
	Merge, Edge bool
	// Was is the state before the commit, empty if the file did not exist. Is is the state after
	// it.
	Was, Is State
}

// Change is a changed value of a place. An empty value means that the place has none.
type Change struct {
	Place
	From, To string
	*Version
}

// Past reads the versions of a text.
type Past struct {
	reader *Reader
	source Source
	// forks are the names of the hard forks by the slugs of the names in the text.
	forks map[string]string
}

// Past returns a reader of the versions of a text, after [Merge]. Versions are read under the
// present title, so that a new title changes no name.
func (r *Reader) Past(t Text) Past {
	p := Past{reader: r, source: t.source, forks: map[string]string{}}
	for _, u := range t.Upgrades {
		p.forks[mip.Slug(u.Name)] = u.Fork
	}
	return p
}

// State returns the stages in a version of the text, or nil if it cannot be read.
func (p Past) State(version []byte) State {
	body := strings.ReplaceAll(string(version), "\r\n", "\n")
	if _, refused := markdown.Check(body); version == nil || refused != nil {
		return nil
	}
	// The header is read as text: it names no stage.
	s := p.source
	s.Doc = markdown.Parse(body)
	out := State{}
	for _, u := range p.reader.Read(s).Upgrades {
		fork := p.forks[mip.Slug(u.Name)]
		if fork == "" {
			continue
		}
		for _, of := range u.Proposals {
			if of.Stage != mip.Unlisted {
				out[Place{fork, of.ID}] = string(of.Stage)
			}
		}
		for _, id := range u.Unread {
			out[Place{fork, id}] = unstaged
		}
	}
	return out
}

// Changes returns the changes of values, in the order of the versions, which have parents before
// their children. A version whose state is unknown is skipped.
func Changes(versions []Version) (out []Change) {
	var now State
	for i := range versions {
		v := &versions[i]
		if v.Is == nil {
			continue
		}
		if now == nil {
			now = v.Was.staged()
		}
		if now == nil || v.Edge {
			now = v.Is.staged()
			continue
		}
		both := maps.Clone(now)
		maps.Copy(both, v.Is)
		for _, at := range slices.SortedFunc(maps.Keys(both), Place.compare) {
			if v.Is[at] == unstaged {
				continue
			}
			// On a branch with another state before the commit, nothing counts until the merge.
			other := v.Was != nil && v.Was[at] != now[at] && v.Was[at] != unstaged
			if now[at] == v.Is[at] || other && !v.Merge {
				continue
			}
			out = append(out, Change{at, now[at], v.Is[at], v})
			now[at] = v.Is[at]
		}
	}
	return out
}

// staged returns a copy without the proposals that have no stage, or nil for an unknown state.
func (s State) staged() State {
	out := maps.Clone(s)
	maps.DeleteFunc(out, func(_ Place, stage string) bool { return stage == unstaged })
	return out
}

// compare orders places.
func (p Place) compare(other Place) int {
	return cmp.Or(cmp.Compare(p.Fork, other.Fork), p.ID.Compare(other.ID))
}

// WithoutUndone leaves out changes of a place that are undone on the same day, UTC.
func WithoutUndone(changes []Change) (out []Change) {
	// open are the positions of the changes of each place on its last day.
	open := map[Place][]int{}
	undone := map[int]bool{}
	for i, c := range changes {
		at := open[c.Place]
		if len(at) > 0 && changes[at[0]].Time.Date() != c.Time.Date() {
			at = nil
		}
		back := slices.IndexFunc(at, func(k int) bool { return changes[k].From == c.To })
		if back < 0 {
			open[c.Place] = append(at, i)
			continue
		}
		undone[i] = true
		for _, k := range at[back:] {
			undone[k] = true
		}
		open[c.Place] = at[:back]
	}
	for i, c := range changes {
		if !undone[i] {
			out = append(out, c)
		}
	}
	return out
}

// WithDeclined leaves out the changes by which a declined proposal leaves the lists, as all do
// before an upgrade: it stays declined.
func WithDeclined(changes []Change) (out []Change) {
	declined := map[Place]bool{}
	for _, c := range changes {
		if declined[c.Place] {
			c.From = string(mip.Declined)
		}
		declined[c.Place] = c.From == string(mip.Declined) && c.To == ""
		if !declined[c.Place] && c.From != c.To {
			out = append(out, c)
		}
	}
	return out
}

// Events returns the changes as events. A proposal that leaves the lists of a fork is withdrawn
// from it.
func Events(changes []Change) (out []mip.Event) {
	left := map[Place]bool{}
	for _, c := range changes {
		e := mip.Event{
			Time: c.Time, Kind: mip.EventHardfork, MIP: c.ID, Title: c.ID.String(),
			From: mip.Ref(c.From), To: mip.Ref(c.To), Commit: c.Commit, Author: c.Author,
		}
		e.ID = mip.EventID(c.ID, e.Kind, e.From, e.To, e.Commit)
		if c.Fork != "" {
			stage := mip.StageChange{To: cmp.Or(mip.Inclusion(c.To), mip.Unlisted)}
			if left[c.Place] {
				stage.From = new(mip.Unlisted)
			} else if c.From != "" {
				stage.From = new(mip.Inclusion(c.From))
			}
			left[c.Place] = c.To == ""
			value := c.Fork + " " + string(stage.To)
			e.ID = mip.EventID(c.ID, e.Kind, nil, &value, e.Commit)
			e.Stage = &stage
			if e.From != nil {
				e.From = &c.Fork
			}
			if e.To != nil {
				e.To = &c.Fork
			}
		}
		out = append(out, e)
	}
	return out
}

// Date returns forks with the day on which each proposal got its stage, and with the proposals that
// left the lists. events are the events of the forks' texts, in their order.
func Date(forks []mip.HardFork, texts []Text, events []mip.Event) []mip.HardFork {
	listed := map[Place]bool{}
	for _, t := range texts {
		for _, u := range t.Upgrades {
			for _, id := range u.Unread {
				listed[Place{u.Fork, id}] = true
			}
		}
	}
	last := map[Place]mip.Event{}
	var places []Place
	for _, e := range events {
		at := Place{cmp.Or(mip.Deref(e.To), mip.Deref(e.From)), e.MIP}
		if _, met := last[at]; !met {
			places = append(places, at)
		}
		last[at] = e
	}
	out := slices.Clone(forks)
	for i := range out {
		f := &out[i]
		f.Proposals = slices.Clone(f.Proposals)
		for _, at := range places {
			if at.Fork != f.Name {
				continue
			}
			e := last[at]
			k := slices.IndexFunc(f.Proposals, func(p mip.ForkProposal) bool {
				return p.ID == at.ID
			})
			left := e.Stage.To == mip.Unlisted || e.Stage.To == mip.Declined
			if k < 0 && left && !listed[at] {
				k = len(f.Proposals)
				f.Proposals = append(f.Proposals,
					mip.ForkProposal{ID: at.ID, Stage: e.Stage.To})
			}
			if k >= 0 && f.Proposals[k].Stage == e.Stage.To {
				p := &f.Proposals[k]
				p.Since, p.Commit, p.Before = e.Time.Date(), &e.Commit, e.Stage.From
			}
		}
	}
	return out
}
