package build

import (
	"maps"
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// forkEvents returns an event for each proposal that joined or left a hard fork of the site's file,
// in the order of its commits. Its first version makes no event, and faulty versions are skipped.
func (p *planner) forkEvents() (out []mip.Event, err error) {
	var now map[mip.ID]string
	for _, v := range p.Log.Config.Versions {
		was, is, err := p.versions.Texts(p.Log.Config, v)
		if err != nil {
			return nil, err
		}
		next := bundled(is)
		if next == nil {
			continue
		}
		if now == nil || v.Edge {
			now = next
			continue
		}
		before := bundled(was)
		ids := maps.Clone(now)
		maps.Copy(ids, next)
		for _, id := range slices.SortedFunc(maps.Keys(ids), mip.ID.Compare) {
			// On a branch that began from something else, nothing counts before the merge.
			if now[id] == next[id] || before != nil && !v.Merge && before[id] != now[id] {
				continue
			}
			e := mip.Event{
				Time: v.Published(), Kind: mip.EventHardfork, MIP: id, Title: id.String(),
				From: mip.Ref(now[id]), To: mip.Ref(next[id]), Commit: v.Hash, Author: v.Author,
			}
			e.ID = mip.EventID(id, e.Kind, e.From, e.To, e.Commit)
			out = append(out, e)
			now[id] = next[id]
		}
	}
	return out, nil
}

// bundled are the names of the hard forks that a site.yaml gives proposals, nil when it is none.
func bundled(text []byte) map[mip.ID]string {
	if text == nil {
		return nil
	}
	s, err := site.Parse("site.yaml", text)
	if err != nil {
		return nil
	}
	out := map[mip.ID]string{}
	for id, name := range s.ForkOf() {
		out[id] = *name
	}
	return out
}
