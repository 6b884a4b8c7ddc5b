package build

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/calendar"
	"github.com/mipwatch/mipwatch/render/plain"
)

// calendarFile is the name of a calendar, which is in the folder of its page.
const calendarFile = "calendar.ics"

// calendar adds the calendar of the whole site.
func (p *planner) calendar() {
	p.addCalendar("/", "/", func() calendar.Calendar {
		return calendar.Calendar{
			Title:       plain.SiteTitle(p.info.Site),
			Description: "When last calls end, networks get hard forks, and releases are due.",
			All:         p.Metadata, Forks: p.Forks,
		}
	})
}

// addCalendar adds a calendar to the folder at a route.
func (p *planner) addCalendar(pattern, route string, content func() calendar.Calendar) {
	body := func() ([]byte, error) { return calendar.Write(p.info.Site, content()), nil }
	route, pattern = route+calendarFile, pattern+calendarFile
	p.add(Artifact{Route: route, Pattern: pattern, index: true, Body: body})
}

// upgradeCalendar returns the calendar of a hard fork: its activations, its releases, and the ends
// of the last calls of its proposals, whose positions are at.
func (p *planner) upgradeCalendar(f mip.HardFork, at []int) calendar.Calendar {
	return calendar.Calendar{
		Title:       plain.SiteTitle(p.info.Site) + ": " + mip.OneLine(f.Name),
		Description: "When networks get the hard fork, its releases are due, and last calls end.",
		All:         p.fill(plain.Listing{}, at).Metadata, Forks: []mip.HardFork{f},
	}
}

// roleCalendar returns the calendar of a group: the ends of the last calls of the proposals that
// concern it, and their activations. Validators get all hard forks, with the releases.
func (p *planner) roleCalendar(role api.Role) calendar.Calendar {
	out := calendar.Calendar{
		Title: plain.SiteTitle(p.info.Site) + ": for " + role.Role,
		Description: "When last calls end for proposals that say something of " + role.Role +
			", and when networks get them.",
	}
	for _, m := range p.Metadata {
		if slices.ContainsFunc(role.Claims, func(c api.Claim) bool { return c.ID == m.ID }) {
			out.All = append(out.All, m)
		}
	}
	for _, f := range p.Forks {
		bundled := func(c api.Claim) bool { return mip.Deref(c.Hardfork) == f.Name }
		switch {
		case role.Role == "validators":
			out.Forks = append(out.Forks, f)
		case slices.ContainsFunc(role.Claims, bundled):
			f.Releases = nil
			out.Forks = append(out.Forks, f)
		}
	}
	return out
}
