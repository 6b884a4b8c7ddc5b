package render

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/card"
)

func TestCards(t *testing.T) {
	info := mip.Site{Title: "Example proposals", Description: "All of them.",
		BaseURL: "https://example.org"}
	p := newTestPages(t, mip.SiteInfo{Site: info}, nil)
	for _, c := range []struct {
		name string
		of   *mip.Metadata
		want card.Card
		text string
	}{
		{"proposal", &mip.Metadata{
			ID: mip.ID{Kind: "MIP", Number: 3}, Title: "A `B` <C>", Standing: mip.Draft.Usual(),
			Type: new("Standards Track"), Category: new("Core"),
		}, card.Card{Site: "Example proposals", ID: "MIP-3", Title: "A B <C>", Status: "Draft",
			Mark: "draft", Kind: "Standards Track, Core"},
			"MIP-3: A B <C>. Draft. Standards Track, Core. Example proposals"},
		{"without title and status",
			&mip.Metadata{ID: mip.ID{Kind: "MIP", Number: 3}, Title: "MIP-3"},
			card.Card{Site: "Example proposals", ID: "MIP-3", Status: "No status", Mark: "none"},
			"MIP-3. No status. Example proposals"},
		{"last call", &mip.Metadata{ID: mip.ID{Kind: "MIP", Number: 3}, Title: "A",
			Standing:         mip.LastCall.Usual(),
			LastCallDeadline: mip.Date{Year: 2026, Month: 12, Day: 3}, Type: new("Meta")},
			card.Card{Site: "Example proposals", ID: "MIP-3", Title: "A", Status: "Last Call",
				Mark: "last-call", Kind: "Comments until 3 December 2026, Meta"},
			"MIP-3: A. Last Call. Comments until 3 December 2026, Meta. Example proposals"},
		{"site", nil, card.Card{Title: "Example proposals", Kind: "All of them."},
			"Example proposals. All of them"},
	} {
		got, route := SiteCard(info, Brand{}), SiteCardRoute(c.want)
		if c.of != nil {
			got, route = ProposalCard(info, Brand{}, *c.of), ProposalCardRoute(c.of.ID, c.want)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
		page, err := p.Home(nil, nil, nil)
		if c.of != nil {
			page, err = p.Proposal(ProposalPage{All: []mip.Metadata{*c.of}})
		}
		if err != nil {
			t.Fatal(err)
		}
		meta := map[string]string{}
		for _, e := range pageElements(t, page) {
			meta[e.attr["property"]] = e.attr["content"]
		}
		image, alt := meta["og:image"], meta["og:image:alt"]
		if image != "https://example.org"+route || alt != c.text {
			t.Errorf("%s: image %s, %q, want %s, %q", c.name, image, alt, route, c.text)
		}
	}
}
