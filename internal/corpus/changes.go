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
	names := []string{"id"}
	for _, f := range mip.Fields {
		if f.In != nil {
			names = append(names, f.Name)
		}
	}
	both := maps.Clone(old)
	maps.Copy(both, next)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if !slices.Contains(names, name) {
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

// values are the fields of a header by name, as text. ok is false when there is none that can be read.
func (c *Corpus) values(p *Proposal, text []byte) (out map[string]string, ok bool) {
	x := c.readOld(p.source, string(text))
	if !x.ok || !x.read {
		return nil, false
	}
	// Whatever metadata asks for has a meaning.
	m, _ := x.metadata(x.id, x.fromName, x.heading)
	out = map[string]string{"id": m.ID.String()}
	for _, f := range mip.Fields {
		if f.In != nil {
			out[f.Name] = x.value(&m, f)
		}
	}
	for _, f := range x.order {
		key := mip.OneLine(f.key) // as free as any text
		if _, known := out[key]; !f.used && !known && f.meaning == "" {
			out[key] = mip.Shorten(mip.Collapse(mip.OneLine(f.text())), maxText)
		}
	}
	return out, true
}

// value is a field as text. A day that is none, or one of two, is what the header has.
func (x *oldHeader) value(m *mip.Metadata, of mip.Field) string {
	text := of.Text(m)
	switch {
	case of.Name == "title":
		return x.title()
	case of.Kind == mip.FieldNumbers:
		return strings.Join(x.ties(of), ", ")
	case of.Kind == mip.FieldDate && text == "":
		return x.of(of.Key()).text()
	case slices.Contains(m.Inferred, of.Name):
		return ""
	}
	return text
}
