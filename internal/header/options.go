package header

import (
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Options configure how the headers of a site's proposals are read.
type Options struct {
	// Prefix is the text that ids start with; in lower case it is the header key of the number.
	// It must not be empty.
	Prefix string
	// Others are the prefixes of further kinds of proposals, each with numbers of its own.
	Others []string
	// Addresses are those of the site, of its repository and of the upstream: below one of them an
	// address may be that of a proposal here.
	Addresses []string
	// Keys are further keys of headers by what they mean, in the words of [mip.HeaderKeys]: tried
	// behind the usual ones.
	Keys map[string][]string
	// Statuses is the process; without any the words of EIP-1 are known.
	Statuses mip.Process
	// Show are keys of headers that are shown as they are.
	Show []string
	// References are where proposals of other sites are.
	References mip.References
	// Dates is the order of a date's parts where its text leaves two days open: mdy or dmy. Empty:
	// that of the other dates of its folder, where nine in ten of them have one.
	Dates string
}

// Kinds are the prefixes, the main one first.
func (o Options) Kinds() []string { return append([]string{o.Prefix}, o.Others...) }

// kind is one of the prefixes, as it is spelt, by its letters in any case or its plural.
func (o Options) kind(letters string) (string, bool) {
	for _, k := range o.Kinds() {
		if strings.EqualFold(letters, k) || strings.EqualFold(letters, k+"s") {
			return k, true
		}
	}
	return "", false
}
