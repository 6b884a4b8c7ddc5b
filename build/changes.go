package build

import (
	"slices"
	"strconv"

	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
)

// changes adds the pages of events: the newest ones, and each year.
func (p *planner) changes() {
	years := slices.Clone(p.years)
	slices.Reverse(years)
	add := func(route, pattern string, year int) {
		p.add(Artifact{Route: route, Pattern: pattern, index: true, Body: func() ([]byte, error) {
			h, err := p.allEvents()
			if err != nil {
				return nil, err
			}
			return p.pages.Changes(render.ChangesPage{
				Year: year, Years: years, Changes: p.shown(h.events),
				Complete: h.complete, Left: h.truncated(year),
			})
		}})
	}
	add("/changes/", "", 0)
	for _, year := range years {
		name := strconv.Itoa(year)
		route := routeOf(p.info.Prefix, changesYearRoute, mip.ID{}, "{year}", name)
		add(route, changesYearRoute, year)
	}
}

// shown returns events, marked where a history page shows their version.
func (p *planner) shown(events []mip.Event) []render.Change {
	out := make([]render.Change, len(events))
	for i, e := range events {
		out[i].Event = e
		if at, ok := mip.Search(p.Metadata, e.MIP); ok {
			out[i].Shown = slices.ContainsFunc(p.versionsKnown(at), func(v history.Version) bool {
				return v.Hash == e.Commit
			})
		}
	}
	return out
}

// home makes the first page.
func (p *planner) home() ([]byte, error) {
	h, err := p.allEvents()
	if err != nil {
		return nil, err
	}
	return p.pages.Home(p.Metadata, p.shown(h.events), p.rolesWithClaims())
}
