// Package mip defines the values of an improvement proposal: the loader produces them, the
// generator publishes them, and the sidecar reads them back. It does not know where a proposal
// comes from, how Markdown is parsed or where anything is served. It imports only the standard
// library and Unicode's tables, so that the sidecar can share it without linking a Markdown parser.
package mip

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxNumber is the largest number of a proposal. It fits the integers of every reader.
const MaxNumber = 999_999_999

// ID identifies a proposal: MIP-7 is number 7 of the kind MIP. Numbers are unique within a kind
// only. The zero value identifies no proposal. It is encoded as its String, also in JSON.
type ID struct {
	// The prefix, as site.yaml spells it.
	Kind   string
	Number int // 0 or above
}

// ParseID parses the form of [ID.String]. The kind may be in any case and is kept as written.
func ParseID(s string) (ID, error) {
	kind, digits, _ := strings.Cut(s, "-")
	n, err := strconv.Atoi(digits)
	if kind == "" || err != nil || n < 0 || n > MaxNumber || strconv.Itoa(n) != digits {
		return ID{}, fmt.Errorf(
			"%q is no id of a proposal, want a kind, a hyphen and a number, such as MIP-7", s)
	}
	return ID{kind, n}, nil
}

// String returns kind and number: MIP-7.
func (id ID) String() string { return id.Kind + "-" + strconv.Itoa(id.Number) }

// Key returns the proposal's key in addresses of the API: its number or, for a kind other than
// main, its id in lower case, such as mrc-14.
func (id ID) Key(main string) string {
	if id.Kind == main {
		return strconv.Itoa(id.Number)
	}
	return strings.ToLower(id.String())
}

// PageFolder returns the path of the folder with the pages of a kind's proposals: /mip/.
func PageFolder(kind string) string { return "/" + strings.ToLower(kind) + "/" }

// Page returns the path of the proposal's page below the site's address: /mip/7/.
func (id ID) Page() string { return PageFolder(id.Kind) + strconv.Itoa(id.Number) + "/" }

// Sibling returns proposal n of the same kind.
func (id ID) Sibling(n int) ID { return ID{id.Kind, n} }

// Siblings returns the proposals of the same kind with these numbers, in the same order.
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

// UnmarshalText parses the form of [ID.String].
func (id *ID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseID(string(text))
	return err
}

// Search returns the position of the proposal with this id. all must be in the order of
// [ID.Compare], as a [List] is.
func Search(all []Metadata, id ID) (int, bool) {
	return slices.BinarySearchFunc(all, id, func(m Metadata, id ID) int { return m.ID.Compare(id) })
}

// Find returns the proposal with this id. all must be as for [Search].
func Find(all []Metadata, id ID) (Metadata, bool) {
	i, ok := Search(all, id)
	if !ok {
		return Metadata{}, false
	}
	return all[i], true
}

// NewestChange returns the time of the latest change of all, or of the newest commit, which may be
// an import and later than all changes. It is nil if neither is known. A build uses it as the
// current time, since it reads no clock.
func NewestChange(all []Metadata, commit *Time) *Time {
	newest := commit
	for i := range all {
		if u := all[i].Updated; u != nil && (newest == nil || u.UTC().After(newest.UTC())) {
			newest = u
		}
	}
	return newest
}

// Level is the effect of a problem on publication.
type Level string

// The levels, gravest first.
const (
	Error   Level = "error"   // the proposal is not published
	Warning Level = "warning" // published, but something was dropped or read leniently
	// no fault: a file that is no proposal was skipped, or history is incomplete
	Notice Level = "notice"
)

// Problem is a problem in a proposal's file: an element of Diagnostics.Problems.
type Problem struct {
	Level   Level  `json:"level" doc:"error (not published), warning (published) or notice (skipped)."`
	Code    string `json:"code" doc:"Stable, kebab-case, such as duplicate-number."`
	File    string `json:"file" doc:"Slash-separated path as given to the program."`
	Line    int    `json:"line" doc:"From 1; 0 when the problem concerns the whole file."`
	Message string `json:"message" doc:"What is wrong and what would be right."`
	Cause   string `json:"cause" doc:"What problems of one mistake have in common, such as a word; else empty."`
}

// Diagnostics is the body of GET /api/v1/diagnostics.
type Diagnostics struct {
	Problems []Problem `json:"problems" doc:"Sorted by file, line and code."`
}

// String returns "file:line: code: message"; the line is left out if it is 0.
func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s: %s", p.File, p.Code, p.Message)
	}
	return fmt.Sprintf("%s:%d: %s: %s", p.File, p.Line, p.Code, p.Message)
}

// SortProblems orders by file, line, code and message, and drops exact duplicates.
func SortProblems(ps []Problem) []Problem {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(ps)
}

// mostOfCause bounds the problems with one cause that are shown individually.
const mostOfCause = 5

// FoldProblems merges many sorted problems with one cause: the first of them gets the number of the
// others.
func FoldProblems(ps []Problem) []Problem {
	type key struct{ code, cause string }
	count, files := map[key]int{}, map[key]map[string]bool{}
	for _, p := range ps {
		k := key{p.Code, p.Cause}
		if count[k]++; files[k] == nil {
			files[k] = map[string]bool{}
		}
		files[k][p.File] = true
	}
	out := []Problem{}
	for _, p := range ps {
		k := key{p.Code, p.Cause}
		if n := count[k]; p.Cause != "" && n > mostOfCause {
			where := "in this file"
			if in := len(files[k]); in > 1 {
				where = fmt.Sprintf("in %d files in all", in)
			}
			p.Message += fmt.Sprintf(" (and %d more of this cause, %s)", n-1, where)
			count[k] = -1
		} else if n < 0 {
			continue
		}
		out = append(out, p)
	}
	return out
}
