package build

import (
	"fmt"

	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/card"
)

// cards adds the pictures that other sites show beside a link: one for each proposal, and one for every
// other page. A file's name holds a hash of what it shows: new words in a text leave it alone, and one that is
// there needs no drawing. The file of the card before is removed, as all that is no longer planned.
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
		c := render.ProposalCard(p.stableInfo, m)
		if err := add(render.ProposalCardRoute(m.Number, c), "/mip/{n}/og.{hash}.png", p.corpus.Proposals[i].File, c); err != nil {
			return err
		}
	}
	c := render.SiteCard(p.stableInfo)
	return add(render.SiteCardRoute(c), "/og.{hash}.png", "", c)
}
