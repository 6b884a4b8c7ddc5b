package build

import (
	"io"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
)

// api adds the JSON documents that speak of the whole corpus.
func (p *planner) api() error {
	list := mip.List{Count: len(p.all), MIPs: p.all}
	if newest := updatedAt(p.all); !newest.UTC().IsZero() {
		list.UpdatedAt = &newest
	}
	problems := p.problems()
	problemsKey, err := keyOf(p.Producer, problems)
	if err != nil {
		return err
	}
	p.add(Artifact{
		Route: "/api/v1/mips", File: "api/v1/mips.json", Type: typeJSON, phase: index, key: p.wholeKey,
		Stream: func(w io.Writer) error { return render.List(w, list) },
	})
	p.json("/api/v1/hardforks", mip.HardForks{HardForks: p.forks}, p.wholeKey)
	p.json("/api/v1/site", p.info, p.wholeKey)
	p.json("/api/v1/diagnostics", mip.Diagnostics{Problems: problems}, problemsKey)
	return nil
}

func (p *planner) json(route string, v any, key string) {
	p.add(Artifact{
		Route: route, File: route[1:] + ".json", Type: typeJSON, phase: index, key: key,
		Body: func(to []byte) ([]byte, error) { return api.AppendJSON(to, v) },
	})
}
