package build

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
	html "github.com/mipwatch/mipwatch/render/markdown"
)

// links are the relative links of a proposal and of its translations.
type links struct {
	*Content
	from *corpus.Proposal
}

// Link implements [html.Links]. A link to a file of the repository leads to the site's copy, or
// else to its address in the repository.
func (l links) Link(dest string) (href string, ok bool) {
	t := l.Resolve(l.from, dest)
	switch {
	case t.ID != (mip.ID{}):
		return l.options.Site.Path(t.ID.Page()), true
	case t.Address != "":
		return t.Address, true
	}
	if f := l.files.Entries(l.from.File)[dest].File; f.Hash != "" {
		return l.options.Site.Path(assetFolder + f.Path), true
	}
	return sourceLink(l.options.Site, l.from, "", t.Path)
}

// Own implements [html.Links]. An address below the address of the site, its repository or its
// upstream may be a proposal's.
func (l links) Own(address string) (href string, ok bool) {
	id, ok := l.Content.Own(address)
	if !ok {
		return "", false
	}
	return l.options.Site.Path(id.Page()), true
}

// mostShown bounds an argument of a message, in characters.
const mostShown = 120

// textLinks are the links of a rendered text that may be dead, and the possible targets of links of
// other texts.
type textLinks struct {
	ids       []uint64 // hashes of the page's ids, ascending, a tenth of their size
	fragments []fragmentAt
	dropped   []droppedAt
}

// fragmentAt and droppedAt are what a text has in a line of its file.
type (
	fragmentAt struct {
		html.Fragment
		line int
	}
	droppedAt struct {
		html.Dropped
		line int
	}
)

// newTextLinks returns the links of an article. last is the number of the file's last line, which
// is the last line of body.
func newTextLinks(last int, body []byte, a *html.Article) (out textLinks) {
	// Lines are counted from the link before. Links are in the order of the text, except in
	// footnotes.
	at, n := len(body), last
	line := func(offset int) int {
		n += bytes.Count(body[min(at, offset):offset], []byte("\n"))
		n -= bytes.Count(body[min(at, offset):at], []byte("\n"))
		at = offset
		return n
	}
	for id := range a.IDs {
		out.ids = append(out.ids, hashID(id))
	}
	slices.Sort(out.ids)
	for _, f := range a.Fragments {
		out.fragments = append(out.fragments, fragmentAt{f, line(f.Offset)})
	}
	for _, d := range a.Dropped {
		out.dropped = append(out.dropped, droppedAt{d, line(d.Offset)})
	}
	return out
}

// hashID is the hash of an id.
func hashID(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}

// LinkProblems returns warnings about dead links of the texts and refused old addresses. It renders
// the texts that were not rendered yet: it is cheap after all artifacts are made. The caller may
// change the result.
func (p *Plan) LinkProblems() []mip.Problem {
	p.made.looked.Do(p.made.findDeadLinks)
	return slices.Clone(p.made.problems)
}

// findDeadLinks sets the result of [Plan.LinkProblems]. It ignores a text that cannot be rendered,
// since its page fails.
func (p *planner) findDeadLinks() {
	for _, c := range p.Proposals {
		if _, done := p.found.Load(c.File); !done {
			p.text(c)
			p.forget(c)
		}
		for _, t := range c.Translations {
			if _, done := p.found.Load(t.File); !done {
				p.translation(c, t)
			}
		}
	}
	for _, c := range p.Proposals {
		p.problems = append(p.problems, bounded(p.problemsOf(c.File, c))...)
		for _, t := range c.Translations {
			p.problems = append(p.problems, bounded(p.problemsOf(t.File, c))...)
		}
	}
	p.problems = mip.SortProblems(p.problems)
}

// problemsOf returns the link problems of one text of a proposal, by line.
func (p *planner) problemsOf(file string, c *corpus.Proposal) (out []mip.Problem) {
	found := p.linksOf(file)
	for _, f := range found.fragments {
		if p.deadFragment(c, f.Fragment) {
			dest := mip.ShortenRunes(f.Dest, mostShown)
			out = append(out, problem.New(file, f.line, "dead-fragment", dest))
		}
	}
	for _, d := range found.dropped {
		if d.Undrawn != "" {
			out = append(out, problem.New(file, d.line, "diagram-undrawn", d.Undrawn))
			continue
		}
		t := p.Resolve(c, d.Dest)
		_, linked := links{p.Content, c}.Link(d.Dest)
		why := p.files.Entries(c.File)[d.Dest].Refused
		switch {
		case d.Picture && why != "":
			t.Problem, t.Args = "picture-refused", []string{why}
		case d.Picture && linked:
		case t.Problem == "" && why != "":
			t.Problem, t.Args = "file-refused", []string{why}
		case t.Path != "" && c.Local:
			t.Problem = "source-unknown/local"
		case t.Path != "":
			t.Problem, t.Args = "source-unknown", []string{"site.yaml"}
		}
		if t.Problem != "" {
			args := shortened(append(t.Args, d.Dest))
			out = append(out, problem.New(file, d.line, t.Problem, args...))
		}
	}
	return mip.SortProblems(out)
}

// shortened cuts the arguments of a message.
func shortened(args []string) (out []any) {
	for _, a := range args {
		out = append(out, mip.ShortenRunes(a, mostShown))
	}
	return out
}

// bounded keeps the first hundred problems of a text without a cause, since a file of 1 MiB has
// room for fifty thousand links. The last one counts the others. Problems with a cause are folded
// later.
func bounded(ps []mip.Problem) (out []mip.Problem) {
	const most = 100
	n, last := 0, 0
	for _, p := range ps {
		if p.Cause == "" {
			if n++; n > most {
				continue
			}
			last = len(out)
		}
		out = append(out, p)
	}
	if n > most {
		out[last].Message += fmt.Sprintf(" (this file has %d links that lead nowhere)", n)
	}
	return out
}

// linksOf returns the links of a rendered text.
func (p *planner) linksOf(file string) textLinks {
	found, _ := p.found.Load(file)
	links, _ := found.(textLinks)
	return links
}

// deadFragment reports whether a link to a page has a fragment that is not on it. The browser opens
// such a page at its top.
func (p *planner) deadFragment(from *corpus.Proposal, f html.Fragment) bool {
	if f.Path == "" {
		return true
	}
	t := p.Resolve(from, f.Path)
	if t.ID == (mip.ID{}) {
		return false
	}
	i, _ := mip.Search(p.Metadata, t.ID)
	_, alive := slices.BinarySearch(p.linksOf(p.Proposals[i].File).ids, hashID(f.ID))
	return !alive
}
