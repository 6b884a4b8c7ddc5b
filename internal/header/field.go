package header

import (
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxHeader bounds the header that is decoded, in bytes. The largest real header is under 3 KiB.
const maxHeader = 64 << 10

// block is a header key by key, as it is written.
type block struct {
	fields []field
	// body is the offset of the text after the closing fence. A header of plain text alone is a
	// part of that.
	body int
	// heading is that above a header of another form.
	heading string
	// rule is the offset of the closing fence of such a header, else 0.
	rule int
}

// field is one top-level key of a header.
type field struct {
	// key is as spelt, trimmed, quotes resolved; name is its [fieldName].
	key, name string
	// meaning is that of another name, which the site gives this one; see [field.means].
	meaning string
	// value is the text after the colon on the same line, trimmed.
	value string
	// more has the lines below, as they are.
	more []string
	// line is the number of the line in the file, from 1.
	line int
	// open says that the value goes on below, whatever stands there.
	open bool
	// read is the decoded value: nil, string, []any or map[string]any. v is the same, until
	// something asks for it: from then on a reader sees every character of its texts.
	read, v any
	// used says that something asked for the value.
	used bool
}

// raw is the field's whole value as written.
func (f *field) raw() string { return strings.TrimSpace(f.value + "\n" + strings.Join(f.more, "\n")) }

// fieldName is the form in which keys are compared, letters and digits in lower case:
// Discussions_To, DiscussionsTo and "discussions-to (*optional)" are all discussionsto.
func fieldName(key string) string {
	return separators.Replace(strings.ToLower(withoutRemark(strings.TrimSpace(key))))
}

// withoutRemark is a key without the remark of its template, such as (*only required for Standard
// Track).
func withoutRemark(key string) string {
	if i := strings.Index(key, "(*"); i > 0 && strings.HasSuffix(key, ")") {
		return key[:i]
	}
	return key
}

// separators stand between the words of a key.
var separators = strings.NewReplacer(" ", "", "\t", "", "_", "", "-", "")

// kindOf has the kinds of fields by their usual keys, each as [fieldName] has it.
var kindOf = func() map[string]mip.FieldKind {
	out := map[string]mip.FieldKind{}
	for _, f := range mip.Fields {
		for _, key := range f.Keys {
			out[fieldName(key)] = f.Kind
		}
	}
	return out
}()

// means is what the field's name stands for: the name itself unless the site names it for something
// else.
func (f *field) means() string {
	if f.meaning != "" {
		return f.meaning
	}
	return f.name
}

// kind is the kind of the field that the key stands for, zero for a key without a meaning.
func (f *field) kind() mip.FieldKind { return kindOf[f.means()] }

// isFree reports text in which " #" and a colon are text: no comment is cut from it.
func (f *field) isFree() bool { return f.kind() == mip.FieldProse || f.means() == "abstract" }

// isShown reports text that pages show as it is.
func (f *field) isShown() bool { return f.kind() == mip.FieldProse || f.kind() == mip.FieldWord }

// isFolded reports a list that real files fold over lines without indentation.
func (f *field) isFolded() bool {
	return f.kind() == mip.FieldPeople || f.kind() == mip.FieldNumbers
}

// text returns the field as one line of text; lists are joined by commas.
func (f *field) text() string { return textOf(f.v) }

// textOf is the text of a value; that of a map is empty.
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

// orNil is a text without blanks around it; nil for an empty one.
func orNil(s string) any {
	if s = strings.TrimSpace(s); s != "" {
		return s
	}
	return nil
}
