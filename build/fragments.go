package build

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/markdown"
)

// DeadFragments reports, as warnings, links of the proposals to places that do not exist: a page shows the
// text of such a link without the link, or opens at its top. It parses every text, which is why a build
// does not ask. The error is ctx's, or says that a file has changed since it was loaded.
func (c *Content) DeadFragments(ctx context.Context) ([]mip.Problem, error) {
	md := markdown.New(false)
	ids := map[int]map[string]bool{} // of the proposals that others link into
	var out []mip.Problem
	for _, p := range c.Proposals {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d, err := c.Read(p)
		if err != nil {
			return nil, err
		}
		var failed error
		there := func(path, id string) bool {
			n, ok := linkedNumber(c.Corpus, linkedFile(path))
			if !ok {
				return true
			}
			if ids[n] == nil {
				if ids[n], err = c.ids(md, n); err != nil {
					failed = errors.Join(failed, err)
				}
			}
			return ids[n][id]
		}
		header := strings.Count(d.Raw, "\n") - bytes.Count(d.Body, []byte("\n"))
		for _, f := range md.DeadFragments(d.Root, d.Body, there) {
			out = append(out, mip.Problem{
				Level: mip.Warning, Code: "dead-fragment", File: p.File, Line: header + bytes.Count(d.Body[:f.Offset], []byte("\n")) + 1,
				Message: "the link to " + f.Dest + " leads to no heading and no id; ids are those of GitHub: lower case, a hyphen for each blank",
			})
		}
		if failed != nil {
			return nil, failed
		}
	}
	return out, nil
}

// ids are those on the page of a published proposal.
func (c *Content) ids(md *markdown.Renderer, n int) (map[string]bool, error) {
	i := slices.IndexFunc(c.Proposals, func(p *corpus.Proposal) bool { return p.Number == n })
	d, err := c.Read(c.Proposals[i])
	if err != nil {
		return nil, err
	}
	return md.IDs(d.Root, d.Body), nil
}
