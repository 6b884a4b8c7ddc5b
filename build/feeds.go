package build

import (
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/feed"
	"github.com/mipwatch/mipwatch/render/plain"
)

// feeds adds the feeds of the site and of each proposal.
func (p *planner) feeds() {
	site := plain.SiteTitle(p.info.Site)
	for _, format := range feed.Formats() {
		p.addFeed(format, "/", "/", siteList, feed.Feed{
			Title: site, Page: "/",
			Description: strings.TrimSpace(mip.OneLine(p.info.Description) +
				" What happened to the proposals, but for changes of their texts."),
		})
		p.addFeed(format, "/changes/", "/changes/", changesList, feed.Feed{
			Title: site + ": all changes", Page: "/changes/",
			Description: "What happened to the proposals, with all changes of their texts.",
		})
	}
	for _, m := range p.Metadata {
		pattern := strings.Replace(pageRoute, "{kind}", strings.ToLower(m.ID.Kind), 1)
		p.addFeed(feed.ListFormat(), pattern, m.ID.Page(), m.ID.String(), feed.Feed{
			Title: plain.ProposalTitle(m), Page: m.ID.Page(),
			Description: "What happened to " + m.ID.String() + ", changes of its text included. " +
				site,
		})
	}
}

// addListFeed adds the feed of a list and enters the list for the proposals at these positions.
func (p *planner) addListFeed(pattern string, l plain.Listing, at []int) {
	list := l.Kind + "/" + l.Slug
	for _, i := range at {
		p.listed[i] = append(p.listed[i], list)
	}
	heading, meaning := l.Explain()
	if l.Kind == "status" {
		meaning += " What happened to a proposal while it had this status," +
			" with its entering and leaving."
	}
	p.addFeed(feed.ListFormat(), pattern, "/"+list+"/", list, feed.Feed{
		Title: plain.SiteTitle(p.info.Site) + ": " + mip.OneLine(heading),
		Page:  l.Route(), Description: mip.OneLine(meaning),
	})
}

// addFeed adds the feed of a list in the folder at a route.
func (p *planner) addFeed(format feed.Format, pattern, route, list string, f feed.Feed) {
	body := func() ([]byte, error) {
		n, err := p.timeline()
		if err != nil {
			return nil, err
		}
		whole := f
		whole.Folder, whole.Items = route, n.items(list)
		return format.Write(p.info.Site, whole)
	}
	p.add(Artifact{
		Route: route + format.File, Pattern: pattern + format.File, index: true, Body: body,
	})
}
