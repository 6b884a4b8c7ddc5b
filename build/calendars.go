package build

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/calendar"
	"github.com/mipwatch/mipwatch/render/plain"
)

// calendarFile is a calendar's name in the folder of the page beside it.
const calendarFile = "calendar.ics"

// calendar adds that of the whole site.
func (p *planner) calendar() {
	p.addCalendar("/", "/", func() calendar.Calendar {
		return calendar.Calendar{
			Title: plain.SiteTitle(p.info.Site), Description: "When last calls for comments end, and when networks get hard forks.", All: p.Metadata, Forks: p.Forks,
		}
	})
}

// addCalendar adds a calendar to the folder at a route.
func (p *planner) addCalendar(pattern, route string, content func() calendar.Calendar) {
	p.add(Artifact{Route: route + calendarFile, Pattern: pattern + calendarFile, index: true, Body: func() ([]byte, error) {
		return calendar.Write(p.info.Site, content()), nil
	}})
}

// upgradeCalendar is when networks get a hard fork, and when last calls for its proposals end, of which at are the positions.
func (p *planner) upgradeCalendar(f mip.HardFork, at []int) calendar.Calendar {
	return calendar.Calendar{
		Title: plain.SiteTitle(p.info.Site) + ": " + mip.OneLine(f.Name), Description: "When networks get the hard fork, and when last calls for its proposals end.",
		All: p.fill(plain.Listing{}, at).Metadata, Forks: []mip.HardFork{f},
	}
}

// roleCalendar is when last calls end for the proposals that say something of a group, and when networks get them. Every hard
// fork asks validators for a release that knows it.
func (p *planner) roleCalendar(role api.Role) calendar.Calendar {
	out := calendar.Calendar{
		Title:       plain.SiteTitle(p.info.Site) + ": for " + role.Role,
		Description: "When last calls end for proposals that say something of " + role.Role + ", and when networks get them.",
	}
	for _, m := range p.Metadata {
		if slices.ContainsFunc(role.Claims, func(c api.Claim) bool { return c.ID == m.ID }) {
			out.All = append(out.All, m)
		}
	}
	for _, f := range p.Forks {
		if role.Role == "validators" || slices.ContainsFunc(role.Claims, func(c api.Claim) bool { return mip.Deref(c.Hardfork) == f.Name }) {
			out.Forks = append(out.Forks, f)
		}
	}
	return out
}
