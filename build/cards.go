package build

import (
	"fmt"

	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/card"
)

// cards adds the pictures that other sites show beside a link: one for each proposal, and one for every
// other page. What a card shows is all that its key holds, so new words in a text leave it alone.
func (p *planner) cards() error {
	painter := card.NewPainter()
	add := func(route, pattern, source string, c card.Card) error {
		key, err := keyOf(p.Producer, c)
		if err != nil {
			return err
		}
		p.add(Artifact{Route: route, Pattern: pattern, Type: card.Type, key: key, source: source, Body: func(to []byte) ([]byte, error) {
			b, err := painter.AppendPNG(to, c)
			if err != nil {
				return nil, fmt.Errorf("draw %s: %w", route, err)
			}
			return b, nil
		}})
		return nil
	}
	for i, m := range p.all {
		if err := add(render.ProposalCardRoute(m.Number), "/mip/{n}/og.png", p.corpus.Proposals[i].File, render.ProposalCard(p.stableInfo, m)); err != nil {
			return err
		}
	}
	return add(render.SiteCardRoute, render.SiteCardRoute, "", render.SiteCard(p.stableInfo))
}
