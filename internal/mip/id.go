package mip

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxNumber is the largest number of a proposal: it fits the integers of every reader.
const maxNumber = 999_999_999

// ID names a proposal: MIP-7 is number 7 of the kind MIP. Numbers count within a kind, so a
// bare number names no proposal. The zero value is no proposal's. Encoded as text, in JSON too,
// it is its String.
type ID struct {
	// The prefix, as site.yaml spells it.
	Kind   string
	Number int // 0 or above
}

// ParseID reads the form that [ID.String] writes. The kind may be in any case and is kept as it
// is.
func ParseID(s string) (ID, error) {
	kind, digits, _ := strings.Cut(s, "-")
	n, err := strconv.Atoi(digits)
	if kind == "" || err != nil || n < 0 || n > maxNumber || strconv.Itoa(n) != digits {
		return ID{}, fmt.Errorf("%q is no id of a proposal, want a kind, a hyphen and a number, such as MIP-7", s)
	}
	return ID{kind, n}, nil
}

// String is kind and number: MIP-7.
func (id ID) String() string { return id.Kind + "-" + strconv.Itoa(id.Number) }

// PageFolder is the path of the folder in which the pages of a kind's proposals lie: /mip/.
func PageFolder(kind string) string { return "/" + strings.ToLower(kind) + "/" }

// Page is the path of the proposal's page below the site's address: /mip/7/.
func (id ID) Page() string { return PageFolder(id.Kind) + strconv.Itoa(id.Number) + "/" }

// Sibling is proposal n of the same kind.
func (id ID) Sibling(n int) ID { return ID{id.Kind, n} }

// Siblings are the proposals of the same kind with these numbers, in their order.
func (id ID) Siblings(numbers []int) []ID {
	out := make([]ID, len(numbers))
	for i, n := range numbers {
		out[i] = id.Sibling(n)
	}
	return out
}

// Compare orders ids by kind and then by number.
func (id ID) Compare(other ID) int {
	return cmp.Or(cmp.Compare(id.Kind, other.Kind), cmp.Compare(id.Number, other.Number))
}

// MarshalText returns the form of [ID.String].
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the form of [ID.String].
func (id *ID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseID(string(text))
	return err
}

// Search returns the position of the proposal with this id. all must be in the order of
// [ID.Compare], as a [List] is.
func Search(all []Summary, id ID) (int, bool) {
	return slices.BinarySearchFunc(all, id, func(s Summary, id ID) int { return s.ID.Compare(id) })
}

// Find returns the proposal with this id. all must be as for [Search].
func Find(all []Summary, id ID) (Summary, bool) {
	i, ok := Search(all, id)
	if !ok {
		return Summary{}, false
	}
	return all[i], true
}
