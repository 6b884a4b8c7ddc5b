package header

import (
	"maps"
	"slices"

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

// mean gives the fields that the site names for something its meaning, so that their texts are read
// as those of the usual fields are.
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
