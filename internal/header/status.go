package header

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// noted matches a status with a note: a text in brackets that begins unlike a name, or the
// successor of the proposal.
var noted = regexp.MustCompile(
	`^(\S.*?)\s+\((\p{Ll}[^()]*)\)$|^((?i:superseded|replaced|obsoleted))\s+(by .+)$`)

// successors matches the proposals that a note of a status names.
var successors = regexp.MustCompile(`(?i)^(?:(?:superseded|replaced|obsoleted)\s+)?by\s+(.+)$`)

// status returns a header's status, and the note after it: Inactive (superseded by CIP-121).
func (f *fields) status() (s mip.Standing, note string) {
	text := f.shorten(f.of("status"))
	if m := noted.FindStringSubmatch(text); m != nil {
		text, note = m[1]+m[3], m[2]+m[4]
	}
	return f.options.Statuses.Parse(text), note
}

// successorsIn returns the proposals of a kind that, by the note of a status, superseded another.
func successorsIn(note, prefix string) (numbers []int) {
	m := successors.FindStringSubmatch(note)
	if m == nil {
		return nil
	}
	for word := range strings.FieldsSeq(m[1]) {
		word = strings.Trim(word, `,.;:"'`)
		// A number alone may be anything.
		if n, ok := Reference(word, prefix); ok && prefixed.MatchString(word) &&
			!slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}
