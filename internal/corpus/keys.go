package corpus

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
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
	"created":            {"created", "creation-date"},
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
	return f.process.Parse(text), note
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
		if n, ok := reference(word, prefix); ok && prefixed.MatchString(word) && !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// of is the first field of a meaning that has a value; see [fields.get].
func (f *fields) of(meaning string) *field { return f.get(f.keys[meaning]...) }
