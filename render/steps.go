package render

import (
	"slices"
	"strings"

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

// way describes the path of a proposal through the process, for each kind if kinds differ. It is
// empty if named has no status of the process.
func way(site mip.Site, named []mip.Standing) string {
	if !slices.ContainsFunc(named, func(s mip.Standing) bool { return s.Stage != "" }) {
		return ""
	}
	var ways []string
	for _, k := range site.Kinds {
		ways = append(ways, course(site.Statuses.Way(k.Prefix)))
	}
	if len(slices.Compact(slices.Clone(ways))) == 1 && ways[0] != "" {
		return "A proposal goes" + ways[0]
	}
	var out []string
	for i, k := range site.Kinds {
		if ways[i] != "" {
			out = append(out, k.Name+" go"+ways[i])
		}
	}
	return strings.Join(out, " ")
}

// course describes the path through statuses, empty for fewer than two.
func course(way []mip.Standing) string {
	var words []string
	for _, s := range way {
		words = append(words, string(s.Status))
	}
	last := len(words) - 1
	if last < 1 {
		return ""
	}
	through := ""
	if last > 1 {
		through = " through " + strings.Join(words[1:last], " and ")
	}
	return " from " + words[0] + through + " to " + words[last] + "."
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
