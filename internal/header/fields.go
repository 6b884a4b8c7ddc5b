package header

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// Bounds of the values that pages, lists and feeds repeat of one header. The frontmatter has
// longer ones as a whole. The longest values of real proposals are a tenth of these.
const (
	// maxText is in bytes. A longer text is cut.
	maxText = 1000
	// maxList is in entries. The rest of a longer list is left out.
	maxList = 100
	// maxLink is in bytes. A longer address is dropped.
	maxLink = 2000
)

const (
	// maxTitle is where lists and feeds begin to cut titles; the network's own linter has the
	// same limit.
	maxTitle = 90 // characters
)

// metadata is what the header states of [mip.Fields]. title stands in where neither the header nor a
// heading above it has one. note is the text behind the status.
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
		f.r.Add(f.of("status").line, "unknown-status", mip.Quote(string(m.Status)), f.options.Statuses)
	}
	// Inferred names the fields in the order of the struct.
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
	// A network may state that a proposal is about process in its category alone.
	if m.Type == nil && m.Category != nil && strings.EqualFold(*m.Category, "meta") {
		m.Type = new("Meta")
		m.Inferred = append(m.Inferred, "type")
	}
	return m, note
}

// set sets a field of m to what the header states. The status is set before.
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
		var elsewhere []mip.External
		*v, elsewhere = f.references(m.ID.Kind, mip.RelationType(of.Name), keys...)
		m.External = append(m.External, elsewhere...)
	case *[]string:
		*v, m.ForumTopicID = f.discussion(keys...)
	}
}

// findAlias finds another prefix under which alone the header states the proposal's number, so that numbers count under that
// one, too: eip: 721 of ERC-721.
func (f *fields) findAlias(number int) {
	for _, v := range f.order {
		text, _ := v.v.(string)
		if n, ok := mip.ParseNumber(text); ok && n == number && text != "" && onlyLetters.MatchString(v.name) && f.Alias == "" {
			f.Alias, v.used = v.name, true
		}
	}
}

// shown are the values of the keys that the site shows, as far as there are any.
func (f *fields) shown() (out []mip.Shown) {
	for _, key := range f.options.Show {
		if text := f.optional(key); text != nil {
			out = append(out, mip.Shown{Key: key, Text: *text})
		}
	}
	return out
}

// reportUnused warns of the keys with a value that nothing asked for.
func (d *fields) reportUnused() {
	for _, f := range d.order {
		if !f.used && f.v != nil && f.meaning == "" {
			d.r.Add(f.line, "unknown-key", mip.Quote(f.key))
		}
	}
}

// optional returns a field's text as it is shown, nil when there is none.
func (f *fields) optional(names ...string) *string {
	return mip.Ref(f.shorten(f.get(names...)))
}

// shorten returns a field's text on one line, cut to maxText.
func (f *fields) shorten(v *field) string {
	text := v.text()
	if len(text) > maxText {
		f.r.Add(v.line, "long-value", mip.Quote(v.key), len(text), maxText)
	}
	return mip.Shorten(text, maxText)
}

// shorten returns the first maxList entries of a field's list.
func shorten[T any](list []T, v *field, r *problem.Report) []T {
	if len(list) <= maxList {
		return list
	}
	r.Add(v.line, "long-list", mip.Quote(v.key), len(list), maxList)
	return slices.Clone(list[:maxList])
}

// onlyLetters is the form of a prefix.
var onlyLetters = regexp.MustCompile(`^[a-z]+$`)

// placeholders stand for a value that is decided later.
var placeholders = regexp.MustCompile(`(?is)^(?:<.*>|x*|\?*|-*|tb[dac]|n/?a|none|null|~|to be (?:assigned|determined)|unassigned)$`)

// isPlaceholder reports a text of [placeholders]. The empty text is one.
func isPlaceholder(s string) bool { return placeholders.MatchString(strings.TrimSpace(s)) }

// mayHaveNumber reports whether a file that has no sound header may yet be a proposal: it begins
// with a header, however broken, that has the number's key for one of the kinds, or nothing can be seen in it, as in a
// binary file or UTF-16.
func mayHaveNumber(raw string, kinds []string) bool {
	if strings.IndexByte(raw, 0) >= 0 || strings.HasPrefix(raw, "\xFF\xFE") || strings.HasPrefix(raw, "\xFE\xFF") {
		return true
	}
	text := strings.TrimLeft(raw, "\uFEFF \t\r\n")
	text = text[beginning(text):]
	if !strings.HasPrefix(text, "---") {
		return false
	}
	head, _, _ := strings.Cut(text[3:min(len(text), maxHeader)], "\n---")
	return slices.ContainsFunc(kinds, func(prefix string) bool {
		return regexp.MustCompile(`(?i)[\r\n][- \t]*` + regexp.QuoteMeta(prefix) + `[ \t]*:`).MatchString(head)
	})
}

// number reads the proposal's number from the raw text of its header, because YAML 1.1 would
// make 113 of 0161, and from the file's name when the header has a placeholder. ok is false
// when the proposal has no number; r then says why. The key is the site's prefix.
func (f *fields) number(prefix, name string) (n int, fromName, ok bool) {
	key := fieldName(prefix)
	inName, named := filename.Number(name)
	v, merge := f.get(key), f.get("<<")
	// A merge key may bring a number that nobody sees here.
	if v.line == 0 && merge.line > 0 {
		f.r.Add(merge.line, "bad-number/merge", key, key)
		return 0, false, false
	}
	// Drafts often have no number yet, and files such as README.md never have one.
	text, isText := v.v.(string)
	if v.v == nil || isText && isPlaceholder(text) {
		if !named {
			f.r.Add(v.line, "unnumbered-draft")
		}
		return inName, true, named
	}
	// A list or a map has an empty text, which is no number either.
	digits, isNumber := StripPrefix(text, prefix)
	n, small := mip.ParseNumber(digits)
	if !isNumber || !small || len(digits) > mip.MaxDigits {
		f.r.Add(v.line, "bad-number", mip.Quote(v.raw()), key, mip.MaxDigits)
		return 0, false, false
	}
	// A quoted 007 is a text in YAML too.
	if len(digits) > 1 && digits[0] == '0' && strings.HasPrefix(v.value, "0") {
		f.r.Add(v.line, "leading-zeros", mip.Quote(text), n)
	}
	if named && inName != n {
		f.r.Add(v.line, "number-mismatch", n, inName)
	}
	return n, false, true
}

// StripPrefix removes the site's own prefix from MIP-7, mip_7, MIP 7 and MIP7, and reports
// whether only digits are left.
func StripPrefix(s, prefix string) (digits string, ok bool) {
	// The prefix may be in any case, and a hyphen, underscore or blank may follow it.
	if len(s) > len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		s = s[len(prefix):]
		if len(s) > 1 && strings.IndexByte("-_ ", s[0]) >= 0 {
			s = s[1:]
		}
	}
	return s, s != "" && strings.Trim(s, "0123456789") == ""
}
