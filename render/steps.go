package render

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// step is one stage of the process.
type step struct {
	mip.Standing
	Class string
	Now   bool
}

// steps places a proposal in the process. Past stages that neither the header nor the history shows
// are left out, since many processes skip some. A proposal of which fewer than two stages are known
// has no steps, nor has one with a status outside of the process, such as Withdrawn, or one that is
// superseded.
func steps(process mip.Process, m mip.Metadata, seen []mip.Status) (out []step) {
	way := process.Way(m.ID.Kind)
	at := slices.Index(way, m.Standing)
	if at < 0 || m.Superseded() {
		return nil
	}
	known := 0
	for i, w := range way {
		shown := slices.Contains(seen, w.Status) ||
			w.Stage == mip.StageLastCall && !m.LastCallDeadline.IsZero()
		s := step{Standing: w, Now: i == at}
		switch {
		case i < at && !shown:
			continue
		case i < at || w.Settled() && i == at:
			s.Class = "c s-final"
		case i == at:
			s.Class = "c " + statusClass(w)
		}
		if i <= at {
			known++
		}
		out = append(out, s)
	}
	if known < 2 {
		return nil
	}
	return out
}

// ended is why nobody should build on a proposal.
type ended struct {
	Withdrawn, Stopped bool
	Class              string
}

// ended returns nil for a proposal that goes on. A proposal that somebody may take up again, such
// as a stagnant one, has not ended.
func (w *proposalView) ended() *ended {
	m := w.Metadata
	out := &ended{Withdrawn: m.Status == mip.Withdrawn, Class: "s-old"}
	out.Stopped = m.Stage == mip.StageStopped && m.Status != mip.Stagnant &&
		(out.Withdrawn || !m.Superseded())
	if !out.Stopped && !m.Superseded() {
		return nil
	}
	if out.Stopped {
		out.Class = "s-withdrawn"
	}
	return out
}
