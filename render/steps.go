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
	Since mip.Date // zero if unknown
}

// steps places a proposal in the process. Past stages that neither the header nor the history shows
// are left out, since many processes skip some. A proposal of which fewer than two stages are known
// has no steps, nor has one with a status outside of the process, such as Withdrawn, or one that is
// superseded.
func steps(process mip.Process, m mip.Metadata, entered map[mip.Status]mip.Date) (out []step) {
	way := process.Way(m.ID.Kind)
	at := slices.Index(way, m.Standing)
	if at < 0 || m.Superseded() {
		return nil
	}
	for i, w := range way[:at+1] {
		since, shown := entered[w.Status]
		shown = shown || w.Stage == mip.StageLastCall && !m.LastCallDeadline.IsZero()
		if i < at && !shown {
			continue
		}
		s := step{Standing: w, Class: "c s-final", Now: i == at, Since: since}
		if s.Now && !w.Settled() {
			s.Class = "c " + statusClass(w)
		}
		out = append(out, s)
	}
	if len(out) < 2 {
		return nil
	}
	for _, w := range way[at+1:] {
		out = append(out, step{Standing: w})
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
