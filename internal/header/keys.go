package header

import (
	"maps"
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// keys maps each [mip.Field.Key] to the keys of the field in headers, in the order in which they
// are tried: the first with a value counts.
type keys map[string][]string

// usual holds the keys of real repositories.
var usual = func() keys {
	out := keys{}
	for _, f := range mip.Fields {
		out[f.Key()] = f.Keys
	}
	return out
}()

// keysOf returns the usual keys, followed by the keys of a site.
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

// setMeanings gives the site's own keys the meaning of the usual ones, so that they are read alike.
func (b *block) setMeanings(site map[string][]string) {
	for meaning, names := range site {
		for i := range b.fields {
			f := &b.fields[i]
			isName := func(name string) bool { return fieldName(name) == f.name }
			if slices.ContainsFunc(names, isName) {
				f.meaning = fieldName(meaning)
			}
		}
	}
}
