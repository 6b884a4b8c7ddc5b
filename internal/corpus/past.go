package corpus

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/event"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// Past is what git and the records of mipwatch sync know. It reads no text.
func (c *Corpus) Past() *Past {
	h := c.history
	o := c.options
	of := fmt.Appendln(nil, o.Prefix, o.Others, o.KindOf, o.Keys, o.Dates, o.Statuses, o.References)
	out := &Past{texts: c, of: of, whole: c.History == "full"}
	if h.epoch != nil {
		return out
	}
	for _, top := range slices.Sorted(maps.Keys(h.repositories)) {
		r := h.repositories[top]
		out.whole = out.whole && !r.lacks
		out.histories = append(out.histories, r.pastFiles)
	}
	for _, p := range c.Proposals {
		if from, ok := h.records[p.source.Folder].File(p.source.Name); ok && p.Upstream {
			past := pastFiles{
				lacks: true, commits: synced(from), texts: map[string]folder.File{from.Path: p.source},
			}
			if r := h.repositories[h.places[p.source.Folder].Top]; r != nil {
				past.top, past.lacks = r.top, r.lacks
			}
			if !from.Whole() {
				past.cut = map[string]bool{past.commits[0].Hash: true}
				out.whole = false
			}
			out.histories = append(out.histories, past)
		}
	}
	return out
}

// version reads what a text says above its body.
func (c *Corpus) version(file folder.File, text string) version {
	var r problem.Report
	h := c.options.Parse(c.options.place(file), text, &r)
	if h == nil {
		return version{unread: r.Failed}
	}
	t := &event.Text{ID: h.ID, Read: h.Written}
	if !t.Read {
		return version{text: t, body: h.Body}
	}
	t.Status, t.Title = mip.Status(strings.Clone(string(h.Status()))), strings.Clone(h.Title())
	if deadline, known := h.Deadline(); known {
		t.Deadline = &deadline
	}
	t.Ties = h.Ties()
	return version{text: t, body: h.Body}
}
