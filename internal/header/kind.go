package header

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// kind returns the prefix of the kind of proposals that a file belongs to. ok is false for a kind
// that the site does not publish, which r reports.
func (f *fields) kind(at Place) (prefix string, ok bool) {
	o := f.options
	prefix = cmp.Or(at.Kind, o.Prefix)
	other, byName := f.otherKind(prefix, filename.Own(at.Name))
	if other == "" {
		return prefix, true
	}
	if known, ok := o.kind(other); ok {
		return known, true
	}
	*f.r = problem.Report{File: f.r.File} // its problems concern the sites of that kind
	if kinds := strings.Join(o.Kinds(), ", "); byName {
		f.r.Add(0, "other-kind", other, kinds)
	} else {
		f.r.Add(0, "other-kind/header", other, kinds)
	}
	return "", false
}

// ordinary are short header keys that are not kinds of proposals.
var ordinary = []string{
	"title", "author", "status", "type", "date", "tags", "slug", "lang", "draft", "id", "no", "nr",
	"num", "number", "pr", "issue", "order", "weight", "index", "rev", "part", "year", "layout",
	"rank", "level", "size",
}

// isKind reports a field's name that looks like the prefix of a kind: FRC, SIMD.
func isKind(name string) bool {
	const longest = 6 // letters
	return len(name) <= longest && onlyLetters.MatchString(name) && !slices.Contains(ordinary, name)
}

// kindKey reads the first field of a header as the number of a kind of proposal other than the
// site's: it returns the prefix and the number. bare reports that the value consists of digits,
// unlike MPS-0013, which is a pointer.
func (f *fields) kindKey(own string) (kind string, number int, bare bool) {
	if len(f.order) == 0 || f.order[0].name == own || !isKind(f.order[0].name) {
		return "", 0, false
	}
	v := f.order[0]
	text := v.text()
	digits, ok := StripPrefix(text, v.name)
	n, small := mip.ParseNumber(digits)
	if !ok || !small {
		return "", 0, false
	}
	return v.key, n, digits == text
}

// otherKind returns the prefix of a file's kind if it is not the site's, and whether the file name
// determines it; empty for a proposal of the site. The name takes precedence over the first field
// of the header. The number of the site's kind in such a file is a pointer: an MPS that begins with
// MPS: 3 may have MIP: MIP-0008.
func (f *fields) otherKind(prefix, name string) (kind string, byName bool) {
	inName, named := filename.Number(name)
	text := ""
	if v := f.byName[fieldName(prefix)]; v != nil {
		text = v.text()
	}
	if f.byName["<<"] != nil {
		return "", false // a merge key may bring a number, which is refused elsewhere
	}
	digits, isNumber := StripPrefix(text, prefix)
	n, small := mip.ParseNumber(digits)
	isNumber = isNumber && small
	pointer := len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
	fits := isNumber && named && n == inName
	// Several folders may share one numbering under other names: MRC-1.md with mip: 100.
	if letters := filename.Letters(name, prefix); letters != "" {
		key := fieldName(letters)
		switch _, stated := f.byName[key]; {
		case stated && isKind(key), named && (isPlaceholder(text) || pointer && !fits):
			return strings.ToUpper(letters), true
		case named:
			return "", false
		}
	}
	first, number, bare := f.kindKey(fieldName(prefix))
	switch {
	case first == "", fits, named && (name[0] < '0' || name[0] > '9'): // MIP-721.md with eip: 721
	case isPlaceholder(text), pointer && (bare || !named), isNumber && named && number == inName:
		return strings.ToUpper(first), false
	}
	return "", false
}

// pointers returns the proposals of other kinds of the site that the header names under the key of
// their kind: MIP: MIP-8 in the header of an MPS.
func (f *fields) pointers(id mip.ID) (out []mip.External) {
	for _, kind := range f.options.Kinds() {
		v := f.byName[fieldName(kind)]
		if v == nil || kind == id.Kind || v.used {
			continue
		}
		v.used = true
		for _, text := range texts(v.v) {
			n, ok := Reference(strings.TrimSpace(text), kind)
			if _, address, known := f.options.References.Find(kind, n); ok && known {
				text := mip.ID{Kind: kind, Number: n}.String()
				out = append(out, mip.External{Relation: mip.Related, Text: text, URL: &address})
			}
		}
	}
	return out
}

// ByName returns the proposal of a file by its name alone, or the zero ID if the name has no
// number, or has one of a kind that the site does not publish.
func (o Options) ByName(at Place) mip.ID {
	name := filename.Own(at.Name)
	number, numbered := filename.Number(name)
	kind, known := cmp.Or(at.Kind, o.Prefix), true
	if letters := filename.Letters(name, kind); letters != "" {
		kind, known = o.kind(letters)
	}
	if !numbered || !known {
		return mip.ID{}
	}
	return mip.ID{Kind: kind, Number: number}
}
