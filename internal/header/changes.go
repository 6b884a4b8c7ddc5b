package header

import (
	"maps"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Changes returns the differences between the headers of two versions of a proposal's text: the
// fields of [mip.Fields] in their order, then others by their keys. Another spelling of the same
// value is no change, and a text without a header has no changes. The list is never nil.
func Changes(before, after *Header) []mip.FieldChange {
	out := []mip.FieldChange{}
	if before == nil || after == nil || !before.Written || !after.Written {
		return out
	}
	if before.ID == after.ID && before.Title() == after.Title() &&
		before.Text[:before.Body] == after.Text[:after.Body] {
		return out // as of most versions, whose fields need not be read
	}
	old, next := before.values(), after.values()
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

// values returns the fields of a header by name, as text.
func (h *Header) values() map[string]string {
	// Every key that metadata reads is a known one.
	m, _ := h.metadata("")
	out := map[string]string{"id": m.ID.String()}
	for _, f := range mip.Fields {
		if f.In != nil {
			out[f.Name] = h.value(&m, f)
		}
	}
	for _, f := range h.order {
		key := mip.OneLine(f.key) // a key may contain any text
		if _, known := out[key]; !f.used && !known && f.meaning == "" {
			out[key] = mip.Shorten(mip.Collapse(mip.OneLine(f.text())), maxText)
		}
	}
	return out
}

// value returns a field as text. A day that is invalid or ambiguous stays as written in the header.
func (h *Header) value(m *mip.Metadata, of mip.Field) string {
	text := of.Text(m)
	switch {
	case of.Name == "title":
		return h.Title()
	case of.Kind == mip.FieldNumbers:
		return strings.Join(h.relations(of), ", ")
	case of.Kind == mip.FieldDate && text == "":
		return h.of(of.Key()).text()
	case slices.Contains(m.Inferred, of.Name):
		return ""
	}
	return text
}
