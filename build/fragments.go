package build

import (
	"bytes"
	"context"
	"slices"
	"strings"

	html "github.com/mipwatch/mipwatch/render/markdown"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// DeadFragments reports, as warnings, links of the proposals to places that do not exist: a page shows the
// text of such a link without the link, or opens at its top. It parses every text, which is why a build
// does not ask. The error is ctx's.
func (c *Content) DeadFragments(ctx context.Context) ([]mip.Problem, error) {
	md := html.New(false)
	ids := map[mip.ID]map[string]bool{} // of the proposals that others link into
	var out []mip.Problem
	for _, p := range c.Proposals {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d := c.Read(p)
		there := func(path, fragment string) bool {
			target, ok := linkedID(c.Corpus, linkedFile(path))
			if !ok {
				return true
			}
			if ids[target] == nil {
				ids[target] = c.ids(md, target)
			}
			return ids[target][fragment]
		}
		header := strings.Count(p.Raw, "\n") - bytes.Count(d.Body, []byte("\n"))
		for _, f := range md.DeadFragments(d.Root, d.Body, there) {
			out = append(out, mip.Problem{
				Level: mip.Warning, Code: "dead-fragment", File: p.File, Line: header + bytes.Count(d.Body[:f.Offset], []byte("\n")) + 1,
				Message: "the link to " + f.Dest + " leads to no heading and no id; ids are those of GitHub: lower case, a hyphen for each blank",
			})
		}
	}
	return out, nil
}

// ids are those on the page of a published proposal.
func (c *Content) ids(md *html.Renderer, id mip.ID) map[string]bool {
	i := slices.IndexFunc(c.Proposals, func(p *corpus.Proposal) bool { return p.ID == id })
	d := c.Read(c.Proposals[i])
	return md.IDs(d.Root, d.Body)
}
