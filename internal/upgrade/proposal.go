package upgrade

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// proposal adds the proposal that begins an item or a row, and reports whether there is one. The
// proposal of the text itself is left out. kind is that of a proposal without one, such as "eip".
func (t *text) proposal(n ast.Node, kind string, s scope) bool {
	if n.Kind() == ast.KindList || n.Lines().Len() == 0 {
		return false
	}
	begin := n.FirstChild()
	if begin != nil && begin.Kind() == extension.KindTaskCheckBox {
		begin = begin.NextSibling()
	}
	words := markdown.PlainText(n, t.doc.Body)
	id, ok := t.leading(words)
	if !ok {
		switch link := begin.(type) {
		case *ast.Link:
			id, ok = t.leading(path.Base(string(link.Destination)))
		case *ast.AutoLink:
			id, ok = t.leading(path.Base(string(link.URL(t.doc.Body))))
		}
	}
	if !ok && kind != "" {
		id, ok = t.leading(kind + "-" + words)
	}
	if !ok || id == t.meta {
		return ok
	}
	at := n.Lines().At(0).Start
	t.line += bytes.Count(t.doc.Body[t.offset:at], []byte("\n"))
	t.offset = at
	p := Proposal{id, s.stage, t.line}
	if struck(begin, t.doc.Body) {
		p.Stage = mip.Unlisted
	}
	if f := &t.forks[s.fork]; s.stage == "" {
		f.unread = append(f.unread, unread{p, s})
	} else {
		t.add(f, p)
	}
	return true
}

// struck reports whether an inline node begins text that is struck through.
func struck(n ast.Node, body []byte) bool {
	if tag, ok := n.(*ast.RawHTML); ok {
		name := strings.ToLower(string(tag.Segments.Value(body)))
		return strings.HasPrefix(name, "<del") || strings.HasPrefix(name, "<s>")
	}
	return n != nil && n.Kind() == extension.KindStrikethrough
}

// precedence has the stages in the order in which they count for a proposal that is listed twice. A
// proposal that is proposed and declined was declined later.
var precedence = []mip.Inclusion{mip.Included, mip.Scheduled, mip.Considered, mip.Declined,
	mip.Proposed, mip.Unlisted}

// add adds a proposal to an upgrade. If a proposal has two stages, the first of precedence counts.
// add reports stages that contradict each other. Proposed does not: its list may stay. An included
// proposal may also be in the lists through which it came.
func (t *text) add(f *fork, p Proposal) {
	i, twice := f.known[p.ID]
	if !twice {
		f.known[p.ID] = len(f.proposals)
		f.proposals = append(f.proposals, p)
		return
	}
	was, less := f.proposals[i], p
	if slices.Index(precedence, p.Stage) < slices.Index(precedence, was.Stage) {
		f.proposals[i], less = p, was
	}
	kept := f.proposals[i].Stage
	if kept != less.Stage && less.Stage != mip.Proposed && less.Stage != mip.Unlisted &&
		(kept != mip.Included || less.Stage == mip.Declined) {
		t.report.Add(p.Line, "upgrade-two-stages", p.ID, was.Stage, was.Line, p.Stage, kept)
	}
}

// includePlain adds the lists of an upgrade that has no stages.
func (t *text) includePlain(f *fork) {
	for _, u := range f.unread {
		if u.under.plain {
			u.Stage = cmp.Or(u.Stage, mip.Included)
			t.add(f, u.Proposal)
		}
	}
}

// reportUnread reports the headings of lists whose proposals have no stage, and returns them.
func (t *text) reportUnread() (out []Heading) {
	var firsts []Proposal
	for _, f := range t.forks {
		for _, u := range f.unread {
			if slices.ContainsFunc(t.forks, func(f fork) bool {
				_, known := f.known[u.ID]
				return known
			}) {
				continue
			}
			same := func(h Heading) bool { return h.Words == u.under.words }
			i := slices.IndexFunc(out, same)
			if i < 0 {
				i, out = len(out), append(out, Heading{Words: u.under.words})
				firsts = append(firsts, u.Proposal)
			}
			out[i].Proposals++
		}
	}
	for i, h := range out {
		if h.Words == "" {
			t.report.Add(firsts[i].Line, "upgrade-unread/none", h.Proposals, firsts[i].ID)
			continue
		}
		words, stage := mip.Quote(h.Words), cmp.Or(Guess(h.Words), mip.Scheduled)
		t.report.Add(firsts[i].Line, "upgrade-unread", words, h.Proposals, firsts[i].ID, stage,
			words)
	}
	return out
}
