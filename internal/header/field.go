package header

import (
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxHeader bounds the header that is decoded, in bytes. The largest real header is under 3 KiB.
const maxHeader = 64 << 10

// block is a header split into its fields, as written.
type block struct {
	fields []field
	// body is the offset of the text after the closing fence, which holds a header of plain text.
	body    int
	heading string // above a header in Markdown form
	rule    int    // the offset of the closing fence of such a header, else 0
}

// field is one top-level key of a header.
type field struct {
	key, name string   // key is as spelled, trimmed, quotes resolved; name is its fieldName
	meaning   string   // the name for which the site configures this one; see fieldMeaning
	value     string   // the text after the colon on the same line, trimmed
	more      []string // the lines below, unchanged
	line      int      // in the file, from 1
	open      bool     // the value continues below, whatever follows
	// read is the decoded value: nil, string, []any or map[string]any. v is the same until it is
	// first used; from then on its texts contain only visible characters.
	read, v any
	used    bool // the value was read
}

// raw returns the field's whole value as written.
func (f *field) raw() string {
	return strings.TrimSpace(f.value + "\n" + strings.Join(f.more, "\n"))
}

// fieldName returns the form in which keys are compared, letters and digits in lower case:
// Discussions_To, DiscussionsTo and "discussions-to (*optional)" are all discussionsto.
func fieldName(key string) string {
	return separators.Replace(strings.ToLower(withoutRemark(strings.TrimSpace(key))))
}

// withoutRemark removes a template's remark, such as (*only for Standard Track), from a key.
func withoutRemark(key string) string {
	if i := strings.Index(key, "(*"); i > 0 && strings.HasSuffix(key, ")") {
		return key[:i]
	}
	return key
}

// separators removes the separators between the words of a key.
var separators = strings.NewReplacer(" ", "", "\t", "", "_", "", "-", "")

// kindOf maps the usual keys, each as its [fieldName], to the kinds of fields.
var kindOf = func() map[string]mip.FieldKind {
	out := map[string]mip.FieldKind{}
	for _, f := range mip.Fields {
		for _, key := range f.Keys {
			out[fieldName(key)] = f.Kind
		}
	}
	return out
}()

// fieldMeaning returns the name that the site configures for the field, else its own name.
func (f *field) fieldMeaning() string {
	if f.meaning != "" {
		return f.meaning
	}
	return f.name
}

// kind returns the kind of the field that the key means, zero for an unknown key.
func (f *field) kind() mip.FieldKind { return kindOf[f.fieldMeaning()] }

// isFree reports text in which " #" and a colon are text: no comment is removed from it.
func (f *field) isFree() bool {
	return f.kind() == mip.FieldProse || f.fieldMeaning() == "abstract"
}

// isShown reports text that pages show unchanged.
func (f *field) isShown() bool { return f.kind() == mip.FieldProse || f.kind() == mip.FieldWord }

// isFolded reports a list that real files fold over lines without indentation.
func (f *field) isFolded() bool {
	return f.kind() == mip.FieldPeople || f.kind() == mip.FieldNumbers
}

// text returns the field as one line of text; lists are joined by commas.
func (f *field) text() string { return textOf(f.v) }

// textOf returns the text of a value, empty for a map.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = textOf(v[i])
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

// orNil trims a text and returns nil for an empty one.
func orNil(s string) any {
	if s = strings.TrimSpace(s); s != "" {
		return s
	}
	return nil
}
