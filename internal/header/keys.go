package header

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// keys are the keys of fields in headers by [mip.Field.Key], in the order in which they are tried:
// the first with a value counts.
type keys map[string][]string

// usual are the keys that real repositories have.
var usual = func() keys {
	out := keys{}
	for _, f := range mip.Fields {
		out[f.Key()] = f.Keys
	}
	return out
}()

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

// keysOf are the usual keys, and behind them those of a site.
func keysOf(site map[string][]string) keys {
	if len(site) == 0 {
		return usual
	}
	out := maps.Clone(usual)
	for meaning, names := range site {
		out[meaning] = slices.Concat(out[meaning], names)
	}
	return out
}

// mean gives the fields that the site names for something its meaning, so that their texts are read as those of the usual
// fields are.
func (b *block) mean(site map[string][]string) {
	for meaning, names := range site {
		for i := range b.fields {
			f := &b.fields[i]
			if slices.ContainsFunc(names, func(name string) bool { return fieldName(name) == f.name }) {
				f.meaning = fieldName(meaning)
			}
		}
	}
}

// means is what the field's name stands for: the name itself unless the site names it for something else.
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

// noted is a status with a note: what is in brackets and begins as no name does, or who took the proposal's place.
var noted = regexp.MustCompile(`^(\S.*?)\s+\((\p{Ll}[^()]*)\)$|^((?i:superseded|replaced|obsoleted))\s+(by .+)$`)

// successors are the proposals that a note of a status names.
var successors = regexp.MustCompile(`(?i)^(?:(?:superseded|replaced|obsoleted)\s+)?by\s+(.+)$`)

// status is a header's status, and what is noted behind it: Inactive (superseded by CIP-121).
func (f *fields) status() (s mip.Standing, note string) {
	text := f.shorten(f.of("status"))
	if m := noted.FindStringSubmatch(text); m != nil {
		text, note = m[1]+m[3], m[2]+m[4]
	}
	return f.options.Statuses.Parse(text), note
}

// successorsIn are the proposals of a kind that a note of a status says took the place of another.
func successorsIn(note, prefix string) (numbers []int) {
	m := successors.FindStringSubmatch(note)
	if m == nil {
		return nil
	}
	for word := range strings.FieldsSeq(m[1]) {
		word = strings.Trim(word, `,.;:"'`)
		// A number alone may be one of anything.
		if n, ok := Reference(word, prefix); ok && prefixed.MatchString(word) && !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// of is the first field of a meaning that has a value; see [fields.get].
func (f *fields) of(meaning string) *field { return f.get(f.keys[meaning]...) }
