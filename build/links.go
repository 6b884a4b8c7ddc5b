package build

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

// Link implements [html.Links]. A destination leads to the page of the proposal that it names, else to the file in the
// repository, and nowhere when neither is known.
func (l links) Link(dest string) (href string, ok bool) {
	file, id, ok := l.linked(l.from, dest)
	if ok {
		return l.options.Site.Path(id.Page()), true
	}
	if href, ok := l.elsewhere(file); ok {
		return href, true
	}
	if id, _ := l.deadLink(l.from, dest); id != "" {
		return "", false
	}
	found, _ := l.Locate(l.from, path.Join(path.Dir(l.from.RepoPath), file))
	return sourceLink(l.options.Site, l.from, "", found)
}

// viewed is the path of a file or folder below a repository's address, as hosts show it.
var viewed = regexp.MustCompile(`^(?:-/)?(?:blob|tree|raw|src/branch)/([^/]+)/(.+)$`)

// aCommit is a commit in the place of a branch: who links to a version means that one.
var aCommit = regexp.MustCompile(`^[0-9a-f]{7,40}$`)

// Own implements [html.Links]: an address below that of the site, its repository or its upstream may be a proposal's.
func (l links) Own(address string) (href string, ok bool) {
	for _, base := range l.options.Site.Addresses() {
		rest, below := mip.Below(address, base)
		// No picture is a proposal.
		if base == "" || !below || !slices.Contains([]string{"", ".md", ".html"}, path.Ext(rest)) {
			continue
		}
		id, published := mip.ID{}, false
		switch m := viewed.FindStringSubmatch(rest); {
		case m != nil && !aCommit.MatchString(m[1]) && !strings.Contains("/"+m[2], "/assets/"):
			if id, published = l.At(m[2]); !published {
				id, published = l.Named(address)
			}
		case m == nil && base == l.options.Site.BaseURL:
			id, published = l.Named(address)
		}
		if published {
			return l.options.Site.Path(id.Page()), true
		}
	}
	return "", false
}

// linked is the path of the file that a relative destination in a text names, and the published proposal whose file, or folder
// of its own, it is.
func (c *Content) linked(from *corpus.Proposal, dest string) (file string, id mip.ID, published bool) {
	file, err := url.PathUnescape(dest)
	if err != nil {
		file = dest
	}
	// A link to GitHub's view of a file may end in ?raw=true.
	file, _, _ = strings.Cut(file, "?")
	if id, ok := c.At(path.Join(path.Dir(from.RepoPath), file)); ok && !path.IsAbs(file) {
		return file, id, true
	}
	if path.IsAbs(file) {
		// As on the site of a static generator: /sips/sip-305.
		if id, published = c.Named("https://" + c.options.Site.Prefix + path.Clean(file)); published {
			return file, id, true
		}
	}
	name := path.Base(file)
	if path.Clean(file) == name && path.Ext(name) == "" {
		// As in [MIP-3](MIP-3). In another folder such a name is a folder's: ../assets/MIP-3.
		name += ".md"
	}
	if strings.HasSuffix(file, "/") || path.Ext(name) == "" {
		return file, mip.ID{}, false
	}
	id, published = c.ID(name)
	return file, id, published
}

// otherNumber is the name of a proposal's file, with its prefix and its number.
var otherNumber = regexp.MustCompile(`^([A-Za-z]+)[-_]?([0-9]+)(?:\.md)?$`)

// elsewhere is the address of a proposal of another site that the site knows, by the name of its file.
func (c *Content) elsewhere(file string) (address string, ok bool) {
	if m := otherNumber.FindStringSubmatch(path.Base(file)); m != nil {
		if n, err := strconv.Atoi(m[2]); err == nil {
			_, address, ok = c.options.Site.References.Find(m[1], n)
		}
	}
	return address, ok
}

// mostShown is how much of a destination a message shows, in characters.
const mostShown = 120

// deadLink says why a destination of a text leads nowhere: the id of a problem with its arguments. The id is empty for
// one that leads somewhere.
func (c *Content) deadLink(p *corpus.Proposal, dest string) (id string, args []any) {
	file, _, _ := c.linked(p, dest)
	shown := mip.ShortenRunes(dest, mostShown)
	target := path.Join(path.Dir(p.RepoPath), file)
	m := otherNumber.FindStringSubmatch(path.Base(file))
	if _, ok := c.elsewhere(file); ok {
		return "", nil
	}
	u, err := url.Parse(dest)
	switch {
	case strings.Contains(dest, ":") && (err != nil || u.IsAbs()):
		return "dead-link/scheme", []any{shown}
	case path.IsAbs(file):
		return "dead-link/site", []any{shown}
	case target == ".." || strings.HasPrefix(target, "../"):
		return "dead-link/outside", []any{shown}
	}
	_, missing := c.Locate(p, target)
	switch {
	case missing == target && m != nil && !c.options.Site.Publishes(m[1]):
		return "dead-link/prefix", []any{strings.ToUpper(m[1]), shown}
	case missing != "":
		return "dead-link", []any{mip.ShortenRunes(missing, mostShown), shown}
	case p.Local:
		return "source-unknown/local", []any{shown}
	case c.options.Site.SourceURL == "":
		return "source-unknown", []any{"site.yaml", shown}
	}
	return "", nil
}

// textLinks are the links of a rendered text that may lead nowhere, and what links of other texts may lead to.
type textLinks struct {
	ids       []uint64 // hashes of the page's ids, ascending: the names take ten times as much
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
		dest string
		line int
	}
)

// newTextLinks takes from an article what outlives it. last is the file's number of lines, and body ends with it.
func newTextLinks(last int, body []byte, a *html.Article) (out textLinks) {
	// Links come in the order of the text, but for those of footnotes: each is counted from the one before.
	at, n := len(body), last
	line := func(offset int) int {
		n += bytes.Count(body[min(at, offset):offset], []byte("\n")) - bytes.Count(body[min(at, offset):at], []byte("\n"))
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
		out.dropped = append(out.dropped, droppedAt{d.Dest, line(d.Offset)})
	}
	return out
}

// hashID is the hash of an id.
func hashID(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}

// LinkProblems are the warnings about links of the texts, and old addresses of the site, that lead nowhere. It renders the texts that were not rendered
// yet, so that it costs little after all artifacts are made. The caller may change the result.
func (p *Plan) LinkProblems() []mip.Problem {
	p.made.looked.Do(p.made.findDeadLinks)
	return slices.Clone(p.made.problems)
}

// findDeadLinks finds what [Plan.LinkProblems] returns. A text that cannot be rendered has none: its page fails.
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

// problemsOf are those of one text of a proposal, by line.
func (p *planner) problemsOf(file string, c *corpus.Proposal) (out []mip.Problem) {
	links := p.linksOf(file)
	for _, f := range links.fragments {
		if p.deadFragment(c, f.Fragment) {
			out = append(out, problem.New(file, f.line, "dead-fragment", mip.ShortenRunes(f.Dest, mostShown)))
		}
	}
	for _, d := range links.dropped {
		if id, args := p.deadLink(c, d.dest); id != "" {
			out = append(out, problem.New(file, d.line, id, args...))
		}
	}
	return mip.SortProblems(out)
}

// bounded keeps the first hundred problems of a text that have no cause, since a file of a mebibyte has room for fifty
// thousand links. The last one says how many more there are. Those of one cause become one problem later.
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
		out[last].Message += fmt.Sprintf(" (and %d more links of this file lead nowhere)", n-most)
	}
	return out
}

// linksOf are the links of a rendered text.
func (p *planner) linksOf(file string) textLinks {
	found, _ := p.found.Load(file)
	links, _ := found.(textLinks)
	return links
}

// deadFragment reports a link to a place that is on no page: a page shows the text of such a link without the link, or
// opens at its top. It reports no link to a path that is not a page.
func (p *planner) deadFragment(from *corpus.Proposal, f html.Fragment) bool {
	if f.Path == "" {
		return true
	}
	_, id, known := p.linked(from, f.Path)
	if !known {
		return false
	}
	i, _ := mip.Search(p.Metadata, id)
	_, alive := slices.BinarySearch(p.linksOf(p.Proposals[i].File).ids, hashID(f.ID))
	return !alive
}
