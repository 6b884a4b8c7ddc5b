package corpus

import (
	"maps"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Changes are what is another in the header of the later of two versions of a proposal's text, as [VersionReader.Read] returns
// them: fields that have a meaning, under the names that they have in [mip.Metadata], then others by their keys. What means
// the same is no change, and a header that cannot be read says nothing. The list is never nil.
func (c *Corpus) Changes(p *Proposal, before, after []byte) []mip.FieldChange {
	out := []mip.FieldChange{}
	old, wasRead := c.values(p, before)
	next, isRead := c.values(p, after)
	if !wasRead || !isRead {
		return out
	}
	names := slices.Clone(fieldOrder)
	both := maps.Clone(old)
	maps.Copy(both, next)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if !slices.Contains(fieldOrder, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		from, to := old[name], next[name]
		if from == to || name == "status" && mip.FoldStatus(from) == mip.FoldStatus(to) {
			continue
		}
		out = append(out, mip.FieldChange{Field: name, From: mip.Ref(from), To: mip.Ref(to)})
	}
	return out
}

// fieldOrder has the fields that have a meaning, in the order of [mip.Metadata].
var fieldOrder = []string{
	"id", "title", "description", "authors", "status", "type", "category", "created", "lastCallDeadline", "withdrawalReason",
	"requires", "replaces", "supersededBy", "discussionsTo",
}

// values are the fields of a header by name, as text. ok is false when there is none that can be read.
func (c *Corpus) values(p *Proposal, text []byte) (out map[string]string, ok bool) {
	x := c.readOld(p.source, string(text))
	if !x.ok || !x.read {
		return nil, false
	}
	// Whatever metadata asks for has a meaning.
	m, _ := x.metadata(x.id, x.fromName, x.heading)
	out = map[string]string{
		"id": m.ID.String(), "title": x.title(), "description": mip.Deref(m.Description), "status": string(m.Status),
		"type": mip.Deref(m.Type), "category": mip.Deref(m.Category), "withdrawalReason": mip.Deref(m.WithdrawalReason),
		"created": x.day("created", m.Created), "lastCallDeadline": x.day("last-call-deadline", m.LastCallDeadline),
		"discussionsTo": strings.Join(m.Discussions, ", "),
	}
	if slices.Contains(m.Inferred, "type") {
		out["type"] = ""
	}
	var authors []string
	for _, a := range m.Authors {
		authors = append(authors, a.String())
	}
	out["authors"] = strings.Join(authors, ", ")
	for _, relation := range headerRelations {
		out[string(relation)] = strings.Join(x.ties(relation), ", ")
	}
	for _, f := range x.order {
		key := mip.OneLine(f.key) // as free as any text
		if _, known := out[key]; !f.used && !known && f.meaning == "" {
			out[key] = mip.Shorten(mip.Collapse(mip.OneLine(f.text())), maxText)
		}
	}
	return out, true
}

// day is a date as text: what the header has where that is no day, or may be one of two.
func (x *oldHeader) day(meaning string, d mip.Date) string {
	if d.IsZero() {
		return x.of(meaning).text()
	}
	return d.String()
}
