package build

import (
	"bytes"
	"context"
	"strings"

	html "github.com/mipwatch/mipwatch/render/markdown"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// DeadFragments reports, as warnings, links of the proposals to places that do not exist: a page shows the
// text of such a link without the link, or opens at its top. It renders every text, which is why a build
// does not ask. The error is ctx's.
func (c *Content) DeadFragments(ctx context.Context) ([]mip.Problem, error) {
	type link struct {
		path, id string
		problem  mip.Problem
	}
	var links []link
	ids := map[mip.ID]map[string]bool{} // of each proposal's page
	md := html.New(false)
	for _, p := range c.Proposals {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d := c.Read(p)
		article, err := md.Render(d, "", nil)
		if err != nil {
			continue // a problem of its own
		}
		ids[p.ID] = article.IDs
		last := strings.Count(p.Raw, "\n") + 1
		for _, f := range article.Fragments {
			links = append(links, link{f.Path, f.ID, mip.Problem{
				Level: mip.Warning, Code: "dead-fragment", File: p.File, Line: last - bytes.Count(d.Body[f.Offset:], []byte("\n")),
				Message: "the link to " + f.Dest + " leads to no heading and no id; ids are those of GitHub: lower case, a hyphen for each blank",
			}})
		}
	}
	// The pages of all proposals are known only now.
	var out []mip.Problem
	for _, l := range links {
		id, known := linkedID(c.Corpus, linkedFile(l.path))
		if l.path == "" || known && ids[id] != nil && !ids[id][l.id] {
			out = append(out, l.problem)
		}
	}
	return out, nil
}
