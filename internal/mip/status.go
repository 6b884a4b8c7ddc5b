package mip

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// Status is where a proposal stands. The zero value means that the header has none and encodes
// as null. Words outside [Statuses] are kept as written: a list must never lose a proposal
// because of them.
type Status string

// The statuses of the process, in the order of a proposal's life.
const (
	Draft     Status = "Draft"
	Review    Status = "Review"
	LastCall  Status = "Last Call"
	Final     Status = "Final"
	Living    Status = "Living"
	Stagnant  Status = "Stagnant"
	Withdrawn Status = "Withdrawn"
)

// Statuses returns the known statuses in the order of a proposal's life.
func Statuses() []Status {
	return []Status{Draft, Review, LastCall, Final, Living, Stagnant, Withdrawn}
}

// ParseStatus reads a header's status: a known one in any case and with any run of blanks,
// hyphens or underscores, or nothing, between its words, any other as written with outer blanks
// removed.
func ParseStatus(s string) Status {
	s = strings.TrimSpace(s)
	if Status(s).Known() {
		return Status(s)
	}
	words := statusWords(s)
	for _, known := range Statuses() {
		if slices.EqualFunc(words, statusWords(string(known)), strings.EqualFold) || strings.EqualFold(s, strings.ReplaceAll(string(known), " ", "")) {
			return known
		}
	}
	return Status(s)
}

// statusWords splits a status at blanks, hyphens and underscores.
func statusWords(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t-_", r) })
}

// Known reports whether s is one of [Statuses].
func (s Status) Known() bool { return slices.Contains(Statuses(), s) }

// Slug is the status in an address: /status/last-call/. The zero Status has the slug "none".
func (s Status) Slug() string {
	if s == "" {
		return "none"
	}
	return Slug(string(s))
}

// String is the status for people.
func (s Status) String() string {
	if s == "" {
		return "No status"
	}
	return string(s)
}

// MarshalJSON encodes the zero Status as null.
func (s Status) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(s))
}

// Slug turns a name into a path segment: lower case, letters and digits of any script kept,
// everything between them one hyphen. A name without a letter or digit becomes "other". A slug
// has at most [slugBytes].
func Slug(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(s) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		default:
			gap = true
		}
	}
	if b.Len() == 0 {
		return "other"
	}
	return boundedSlug(b.String())
}

// slugBytes is the longest slug: a file name has at most 255 bytes, and some file systems have
// less.
const slugBytes = 80

// boundedSlug cuts a slug that is too long. A hash of the whole at its end keeps two such slugs
// apart.
func boundedSlug(slug string) string {
	if len(slug) <= slugBytes {
		return slug
	}
	sum := sha256.Sum256([]byte(slug))
	tail := "-" + hex.EncodeToString(sum[:4])
	return strings.TrimRight(cut(slug, slugBytes-len(tail)), "-") + tail
}
