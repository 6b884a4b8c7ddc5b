package render

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/card"
)

func TestCards(t *testing.T) {
	info := mip.SiteInfo{Title: "Example proposals", Description: "All of them."}
	draft, none := mip.Draft, mip.Status("")
	track, core := "Standards Track", "Core"
	for _, c := range []struct {
		name string
		got  card.Card
		want card.Card
		text string
	}{
		{"proposal", ProposalCard(info, mip.Summary{ID: mip.ID{Kind: "MIP", Number: 3}, Title: "A `B` <C>", Status: draft, Type: &track, Category: &core}),
			card.Card{Site: "Example proposals", ID: "MIP-3", Title: "A B <C>", Status: &draft, Kind: "Standards Track, Core"},
			"MIP-3: A B <C>. Draft. Standards Track, Core. Example proposals"},
		{"without title and status", ProposalCard(info, mip.Summary{ID: mip.ID{Kind: "MIP", Number: 3}, Title: "MIP-3"}),
			card.Card{Site: "Example proposals", ID: "MIP-3", Status: &none}, "MIP-3. No status. Example proposals"},
		{"site", SiteCard(info), card.Card{Title: "Example proposals", Kind: "All of them."}, "Example proposals. All of them"},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
		if got := cardText(c.got); got != c.text {
			t.Errorf("%s: in words %q, want %q", c.name, got, c.text)
		}
	}
}
