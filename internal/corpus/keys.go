package corpus

import (
	"maps"
	"slices"
)

// keys are the names of the fields that have a meaning, in the order in which they are tried: the first with a value counts.
type keys map[string][]string

// usual are the names that real repositories have, by meaning.
var usual = keys{
	"title":              {"title"},
	"description":        {"description"},
	"author":             {"author", "authors"},
	"status":             {"status"},
	"type":               {"type"},
	"category":           {"category"},
	"created":            {"created"},
	"updated":            {"updated", "last-updated"},
	"last-call-deadline": {"last-call-deadline", "last-call-date-time", "last-call-end-date", "review-period-end"},
	"withdrawal-reason":  {"withdrawal-reason", "withdrawn-reason"},
	"requires":           {"requires", "depends-on"},
	"replaces":           {"replaces", "supersedes", "superseeds"},
	"superseded-by":      {"superseded-by", "superceded-by", "superseeded-by", "replaced-by"},
	"discussions-to":     {"discussions-to", "discussions", "discussion", "discussion-to"},
}

// keysOf are the usual names, and behind them those of a site.
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
func (h *header) mean(site map[string][]string) {
	for meaning, names := range site {
		for i := range h.fields {
			f := &h.fields[i]
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

// of is the first field of a meaning that has a value; see [fields.get].
func (f *fields) of(meaning string) *field { return f.get(f.keys[meaning]...) }
