package upgrade

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// schedule adds the activations of a text to a hard fork, and its releases if the fork has none.
// Networks of the site get their times if the fork has no time at all. Otherwise each difference is
// reported.
func (m *merger) schedule(f *mip.HardFork, u Upgrade) {
	if len(f.Releases) == 0 {
		f.Releases = u.Releases
	}
	timed := func(a Activation) bool { return a.ID != nil && a.Timestamp != nil }
	open := slices.ContainsFunc(u.Schedule, timed)
	for _, a := range f.Activation {
		open = open && a.Timestamp == nil && a.FollowedBy == nil
	}
	for _, a := range u.Schedule {
		f.Schedule = append(f.Schedule, a.ForkActivation)
		switch {
		case a.ID == nil:
		case open && (a.Timestamp != nil || a.Block == nil):
			f.Activation[*a.ID] = mip.Activation{Timestamp: a.Timestamp, Time: a.Time}
		case !open && f.HasNetworks():
			m.compareTimes(*f, a)
		}
	}
}

// compareTimes reports a time of a text that differs from the time of a fork in site.yaml.
func (m *merger) compareTimes(f mip.HardFork, a Activation) {
	is, at := f.Activation[*a.ID], "no time"
	s, _ := a.stated(*a.ID)
	if s.Agrees(is) || s.Timestamp == nil && s.Date.IsZero() {
		return
	}
	if is.Time != nil {
		at = is.Time.String()
	}
	m.report.Add(a.Line, "upgrade-differs/time", mip.Quote(a.Text), *a.ID, at, f.Name)
}
