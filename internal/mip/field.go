package mip

import "strings"

// FieldKind is the form of a header field's value. The zero value is the kind of no field.
type FieldKind int

// Kinds of fields, with the types of their values in [Metadata].
const (
	// FieldProse is text that may contain a colon and " #": string or *string.
	FieldProse FieldKind = iota + 1
	// FieldWord is a name that proposals share, *string or Status; there are lists by its values.
	FieldWord
	// FieldDate is a [Date].
	FieldDate
	// FieldPeople is a list of [Author].
	FieldPeople
	// FieldNumbers is a list of proposals, []int. The field's name is a [RelationType].
	FieldNumbers
	// FieldLinks is a list of addresses, []string.
	FieldLinks
)

// Field is a field of a proposal's header.
type Field struct {
	// Name is the field's name in a proposal's JSON, and in the changes of a version.
	Name string
	// Keys are its keys in headers, in the order in which they are tried. site.yaml names the field
	// by the first.
	Keys []string
	// Rare are keys that few repositories use for it. They apply only if site.yaml names them,
	// which mipwatch init suggests.
	Rare []string
	Kind FieldKind
	// In returns a pointer to the field's value. It is nil for a field whose value has other
	// sources, too: changes name such a field by the header's own key.
	In func(m *Metadata) any
}

// Fields lists all fields of a header except the number, in the order of [Metadata].
var Fields = []Field{
	{Name: "title", Keys: []string{"title"}, Kind: FieldProse,
		In: func(m *Metadata) any { return &m.Title }},
	{Name: "description", Keys: []string{"description"}, Kind: FieldProse,
		In: func(m *Metadata) any { return &m.Description }},
	{Name: "authors", Keys: []string{"author", "authors"}, Kind: FieldPeople,
		Rare: []string{"proposer", "proposers", "editor", "editors", "champion", "contributors"},
		In:   func(m *Metadata) any { return &m.Authors }},
	{Name: "status", Keys: []string{"status"}, Kind: FieldWord,
		Rare: []string{"stage", "state"},
		In:   func(m *Metadata) any { return &m.Status }},
	{Name: "type", Keys: []string{"type"}, Kind: FieldWord,
		Rare: []string{"purpose", "kind", "track"},
		In:   func(m *Metadata) any { return &m.Type }},
	{Name: "category", Keys: []string{"category"}, Kind: FieldWord,
		Rare: []string{"layer", "area", "topic"},
		In:   func(m *Metadata) any { return &m.Category }},
	{Name: "created", Keys: []string{"created", "creation-date"}, Kind: FieldDate,
		Rare: []string{"date", "proposed", "date-created", "submitted"},
		In:   func(m *Metadata) any { return &m.Created }},
	{Name: "updated", Keys: []string{"updated", "last-updated"}, Kind: FieldDate,
		Rare: []string{"last-update", "modified", "lastmod"}},
	{Name: "lastCallDeadline", Kind: FieldDate,
		Keys: []string{"last-call-deadline", "last-call-date-time", "last-call-end-date",
			"review-period-end"},
		In: func(m *Metadata) any { return &m.LastCallDeadline }},
	{Name: "withdrawalReason", Keys: []string{"withdrawal-reason", "withdrawn-reason"},
		Kind: FieldProse,
		In:   func(m *Metadata) any { return &m.WithdrawalReason }},
	{Name: "requires", Keys: []string{"requires", "depends-on"}, Kind: FieldNumbers,
		In: func(m *Metadata) any { return &m.Requires }},
	{Name: "replaces", Keys: []string{"replaces", "supersedes", "superseeds"}, Kind: FieldNumbers,
		In: func(m *Metadata) any { return &m.Replaces }},
	{Name: "supersededBy", Kind: FieldNumbers,
		Keys: []string{"superseded-by", "superceded-by", "superseeded-by", "replaced-by"},
		In:   func(m *Metadata) any { return &m.SupersededBy }},
	{Name: "discussionsTo", Kind: FieldLinks,
		Keys: []string{"discussions-to", "discussions", "discussion", "discussion-to"},
		Rare: []string{"forum", "forum-link", "comments-uri", "discussion-link", "thread"},
		In:   func(m *Metadata) any { return &m.Discussions }},
}

// Key returns the field's name in site.yaml.
func (f Field) Key() string { return f.Keys[0] }

// FieldOf returns the field of a key of site.yaml, or the zero Field.
func FieldOf(key string) Field {
	for _, f := range Fields {
		if f.Key() == key {
			return f
		}
	}
	return Field{}
}

// HeaderKeys returns the names of all fields in site.yaml, in their order.
func HeaderKeys() []string {
	keys := make([]string, len(Fields))
	for i, f := range Fields {
		keys[i] = f.Key()
	}
	return keys
}

// Words returns the fields with lists by value, except the authors.
func Words() (words []Field) {
	for _, f := range Fields {
		if f.Kind == FieldWord {
			words = append(words, f)
		}
	}
	return words
}

// Text returns the field's value as one line, lists with commas. It is empty if there is none.
func (f Field) Text(m *Metadata) string {
	if f.In == nil {
		return ""
	}
	var list []string
	switch v := f.In(m).(type) {
	case *string:
		return *v
	case **string:
		return Deref(*v)
	case *Status:
		return string(*v)
	case *Date:
		return v.String()
	case *[]string:
		list = *v
	case *[]Author:
		for _, a := range *v {
			list = append(list, a.String())
		}
	case *[]int:
		for _, id := range m.ID.Siblings(*v) {
			list = append(list, id.String())
		}
	}
	return strings.Join(list, ", ")
}
