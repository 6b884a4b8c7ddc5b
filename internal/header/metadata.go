package header

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxTitle is the length in characters beyond which lists and feeds cut titles.
const maxTitle = 90

// featureGate matches the account by which a network such as Solana activates a feature: 32 bytes
// in base58.
var featureGate = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{32,44}(?:$|[^0-9A-Za-z])`)

// metadata returns the values of [mip.Fields] in the header. title is used if neither the header
// nor a heading above it has one. note is the text after the status.
func (f *Header) metadata(title string) (m mip.Metadata, note string) {
	id := f.ID
	// Warnings that concern the values of all keys, known or not.
	for _, v := range f.order {
		if _, isMap := v.v.(map[string]any); isMap && v.isShown() {
			f.r.Add(v.line, "not-text", mip.Quote(v.key))
		}
	}
	m = mip.Metadata{
		Number:            id.Number,
		ID:                id,
		RequiredBy:        []int{},
		ReplacedBy:        []int{},
		External:          []mip.External{},
		Activations:       []mip.NetworkActivation{},
		StatedActivations: []mip.StatedActivation{},
		Frontmatter:       make(mip.Frontmatter, len(f.order)),
		Inferred:          []string{},
	}
	for _, v := range f.order {
		m.Frontmatter[v.key] = v.read
	}
	m.Standing, note = f.status()
	for _, field := range mip.Fields {
		f.set(&m, field)
	}
	bySuccessor := func(e mip.External) bool { return e.Relation == mip.SupersededBy }
	if len(m.SupersededBy) == 0 && !slices.ContainsFunc(m.External, bySuccessor) {
		m.SupersededBy = append(m.SupersededBy, successorsIn(note, id.Kind)...)
	}
	m.External = append(m.External, f.pointers(id)...)
	if len(m.Discussions) > 0 {
		m.DiscussionsTo = new(m.Discussions[0])
	}
	if id := f.forumTopic("forum-topic-id", "forum-topic"); id != nil {
		m.ForumTopicID = id
	}
	if m.Status != "" && m.Stage == "" {
		f.r.Add(f.of("status").line, "unknown-status", mip.Quote(string(m.Status)),
			f.options.Statuses)
	}
	// Inferred lists the fields in the order of the struct.
	if f.FromName {
		m.Inferred = append(m.Inferred, "number")
	}
	if m.Title == "" {
		m.Title = mip.Shorten(cmp.Or(f.heading, title), maxText)
		if m.Title == "" {
			m.Title = m.ID.String()
		}
		m.Inferred = append(m.Inferred, "title")
	}
	if n := utf8.RuneCountInString(m.Title); n > maxTitle {
		f.r.Add(f.of("title").line, "long-title", n, maxTitle)
	}
	f.reportUnused()
	// A network may mark a proposal as being about process in its category alone.
	if m.Type == nil && m.Category != nil && strings.EqualFold(*m.Category, "meta") {
		m.Type = new("Meta")
		m.Inferred = append(m.Inferred, "type")
	}
	return m, note
}

// set sets a field of m to its value in the header. The status must have been set before.
func (f *fields) set(m *mip.Metadata, of mip.Field) {
	if of.In == nil {
		return
	}
	keys := f.keys[of.Key()]
	switch v := of.In(m).(type) {
	case *string:
		*v = f.shorten(f.get(keys...))
	case **string:
		*v = f.optional(keys...)
	case *mip.Date:
		*v = f.date(of.Key())
	case *[]mip.Author:
		*v = f.authors(keys...)
	case *[]int:
		var external []mip.External
		*v, external = f.references(m.ID.Kind, mip.RelationType(of.Name), keys...)
		m.External = append(m.External, external...)
	case *[]string:
		*v, m.ForumTopicID = f.discussion(keys...)
	}
}

// shown returns the feature gate and the values of the keys that the site shows, if any.
func (f *fields) shown() (out []mip.Shown) {
	gate, done := mip.Deref(f.optional("feature")), ""
	if featureGate.MatchString(gate) {
		out, done = []mip.Shown{{Key: "Feature gate", Text: gate}}, "feature"
	}
	for _, key := range f.options.Show {
		if text := f.optional(key); text != nil && !strings.EqualFold(key, done) {
			out = append(out, mip.Shown{Key: key, Text: *text})
		}
	}
	return out
}

// reportUnused warns about keys with a value that was never read.
func (d *fields) reportUnused() {
	for _, f := range d.order {
		if !f.used && f.v != nil && f.meaning == "" {
			d.r.Add(f.line, "unknown-key", mip.Quote(f.key))
		}
	}
}
