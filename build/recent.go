package build

import (
	"fmt"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/render"
)

// recentPast is what git knows of the newest changes of the proposals that changed last, in that order: what
// [planner.recentChanges] follows from.
func (p *planner) recentPast() []corpus.Past {
	var out []corpus.Past
	for _, m := range render.Recent(p.all) {
		if past := p.corpus.Proposals[p.index[m.Number]].Past; past != nil {
			out = append(out, newest(past))
		}
	}
	return out
}

// newest is a past with its newest change alone.
func newest(past *corpus.Past) corpus.Past {
	short := *past
	short.Versions, short.Texts = past.Versions[:1], past.Texts[:min(len(past.Texts), 2)]
	return short
}

// recentChanges reads what the newest commits of the proposals that changed last did to them.
func (p *planner) recentChanges() (map[int]render.Revision, error) {
	var texts corpus.Texts
	defer texts.Close()
	out := map[int]render.Revision{}
	for _, m := range render.Recent(p.all) {
		c := *p.corpus.Proposals[p.index[m.Number]]
		if c.Past == nil || m.Updated == nil || !m.Updated.UTC().Equal(c.Past.Versions[0].When.UTC()) {
			continue
		}
		c.Past = new(newest(c.Past))
		bodies, err := texts.Read(&c)
		if err != nil {
			return nil, fmt.Errorf("recent changes: %w", err)
		}
		r := render.Revision{After: bodies[0], Is: corpus.StatusOf(bodies[0]), First: len(bodies) == 1 && c.Past.Before == "nothing"}
		if len(bodies) > 1 {
			r.Before, r.Was = bodies[1], corpus.StatusOf(bodies[1])
		}
		out[m.Number] = r
	}
	return out, nil
}
