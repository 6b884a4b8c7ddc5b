package header

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// kind is the prefix of the kind of proposals that a file belongs to. ok is false for a kind that
// the site does not publish, and r says which.
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
	*f.r = problem.Report{File: f.r.File} // what is wrong in it is said to those who publish that kind
	if kinds := strings.Join(o.Kinds(), ", "); byName {
		f.r.Add(0, "other-kind", other, kinds)
	} else {
		f.r.Add(0, "other-kind/header", other, kinds)
	}
	return "", false
}

// ordinary are short keys of headers that name no kind of proposal.
var ordinary = []string{"title", "author", "status", "type", "date", "tags", "slug", "lang", "draft", "id", "no", "nr", "num", "number",
	"pr", "issue", "order", "weight", "index", "rev", "part", "year", "layout", "rank", "level", "size"}

// isKind reports a field's name that is like the prefix of a kind: FRC, SIMD.
func isKind(name string) bool {
	const longest = 6 // letters
	return len(name) <= longest && onlyLetters.MatchString(name) && !slices.Contains(ordinary, name)
}

// kindKey reads the first field of a header as that of a kind of proposal other than the site's:
// its prefix, and the number. bare says that the value is only digits, and not MPS-0013, as a
// pointer has it.
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

// otherKind is the prefix of the kind that a file belongs to where that is not the site's, and
// whether its name says so; empty for a proposal of the site. The name counts first, and what the
// header begins with. The number of the site's kind in such a file is a pointer: an MPS that begins
// with MPS: 3 may hold MIP: MIP-0008.
func (f *fields) otherKind(prefix, name string) (kind string, byName bool) {
	inName, named := filename.Number(name)
	text := ""
	if v := f.byName[fieldName(prefix)]; v != nil {
		text = v.text()
	}
	if f.byName["<<"] != nil {
		return "", false // a number may be merged in, which is refused elsewhere
	}
	digits, isNumber := StripPrefix(text, prefix)
	n, small := mip.ParseNumber(digits)
	isNumber = isNumber && small
	pointer := len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
	fits := isNumber && named && n == inName
	// Several folders may share one number space, under other names: MRC-1.md with mip: 100.
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

// pointers are the proposals of other kinds of the site that the header names under the key of
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
				out = append(out, mip.External{Relation: mip.Related, Text: mip.ID{Kind: kind, Number: n}.String(), URL: &address})
			}
		}
	}
	return out
}

// ByName returns the proposal that a file holds by its name alone, the zero ID where the name has
// no number, or one of a kind that the site does not publish.
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
