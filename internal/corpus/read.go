package corpus

import (
	"path"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Read parses a proposal's text. The caller owns the result.
func (c *Corpus) Read(p *Proposal) *Document {
	doc := parseWords([]byte(p.body), p.body)
	doc.Raw = p.Raw
	return doc
}

// Changed is when a file in a folder of the corpus, or below one, changed: the time of the newest commit
// that touched it, or the fixed time of [Options.Epoch]. Nil when git does not know.
func (c *Corpus) Changed(f folder.File) *mip.Time { return c.history.changed(f) }

// Source is the proposal's file.
func (p *Proposal) Source() folder.File { return p.source }

// Number returns the published proposal that a link to a file of that name (MIP-3.md, in any case)
// means.
func (c *Corpus) Number(file string) (int, bool) {
	name := strings.ToLower(path.Base(file))
	if n, ok := c.files[name]; ok {
		return n, n >= 0
	}
	digits, ok := stripPrefix(strings.TrimSuffix(name, ".md"), c.prefix)
	if !ok || digits == strings.TrimSuffix(name, ".md") {
		return 0, false
	}
	n, ok := smallNumber(digits)
	if !ok {
		return 0, false
	}
	_, published := slices.BinarySearchFunc(c.Proposals, n, func(p *Proposal, n int) int { return p.Number - n })
	return n, published
}

// fileNumbers maps file names to numbers. A name that two folders share means neither.
func fileNumbers(proposals []*Proposal) map[string]int {
	files := make(map[string]int, len(proposals))
	for _, p := range proposals {
		name := strings.ToLower(p.source.Name)
		if _, twice := files[name]; twice {
			files[name] = -1
			continue
		}
		files[name] = p.Number
	}
	return files
}
