package render

import (
	"path"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/feed"
	"github.com/mipwatch/mipwatch/render/plain"
)

// address is an address for subscribers. ID is unique on the page, and other pages link to it.
type address struct{ ID, Label, URL string }

// feedGroup is the feeds of the lists by one field.
type feedGroup struct {
	Name  string
	Feeds []address
}

// Follow renders the page of everything for subscribers. roles are the groups whose calendars have
// something.
func (p *Pages) Follow(all []mip.Metadata, roles []string) ([]byte, error) {
	var groups []feedGroup
	// A stated status has a feed while no proposal has it.
	stated := slices.Clone(all)
	for _, s := range p.info.Statuses {
		stated = append(stated, mip.Metadata{Standing: mip.Standing{Status: s.Name}})
	}
	for _, g := range []struct {
		name, kind string
		lists      []choice
	}{
		{"Status", "status", p.statusChoices(stated)}, {"Kind", "kind", p.kindChoices(all)},
		{"Category", "category", categories(all)}, {"Type", "type", types(all)},
		{"Network upgrade", "upgrade", p.upgradeChoices()},
	} {
		if g.lists != nil {
			groups = append(groups,
				feedGroup{g.name, p.addresses(g.kind, feed.ListFormat().File, g.lists)})
		}
	}
	return p.page("follow", head{
		Section: "/follow/", Title: "Follow", Route: "/follow/", Script: followScript,
		Description: "Feeds and calendars of " + p.info.Title + ", and how to subscribe to them.",
	}, struct {
		Groups     []feedGroup
		Roles      []string
		Upgrades   []address // calendars
		Repository string    // on GitHub; empty: none
	}{groups, roles, p.addresses("upgrade", "calendar.ics", p.upgradeChoices()), repository(all)})
}

// addresses are the addresses of a file of each list by one field.
func (p *Pages) addresses(kind, file string, lists []choice) (out []address) {
	for _, c := range lists {
		id := strings.TrimSuffix(file, path.Ext(file)) + "-" + kind + "-" + c.Slug
		route := plain.Listing{Kind: kind, Slug: c.Slug}.Route() + file
		out = append(out, address{id, c.Label, p.info.URL(route)})
	}
	return out
}

// repository is the address of the texts' repository if it is on GitHub, else empty.
func repository(all []mip.Metadata) string {
	for _, m := range all {
		at, _, ok := strings.Cut(webAddress(m.SourceURL), "/blob/")
		if ok && strings.HasPrefix(at, "https://github.com/") {
			return at
		}
	}
	return ""
}
