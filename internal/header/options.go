package header

import (
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Options configures how the headers of a site's proposals are read.
type Options struct {
	// Prefix is the prefix of ids and, in lower case, the number's key. It must not be empty.
	Prefix string
	// Others are the prefixes of further kinds of proposals, each with its own numbering.
	Others []string
	// Addresses are the addresses of the site, its repository and the upstream: an address below
	// one of them may be a proposal's.
	Addresses []string
	// Keys maps names of [mip.HeaderKeys] to further header keys, tried after the usual ones.
	Keys map[string][]string
	// Statuses is the process; empty means the statuses of EIP-1.
	Statuses mip.Process
	// Show lists header keys that are shown unchanged.
	Show []string
	// References has the addresses of other sites' proposals.
	References mip.References
	// Dates is the order of the parts of ambiguous dates: mdy or dmy. Empty means the order of the
	// other dates of the folder, if nine in ten of them have one.
	Dates string
}

// Kinds returns the prefixes, the main one first.
func (o Options) Kinds() []string { return append([]string{o.Prefix}, o.Others...) }

// kind returns the prefix, as it is spelled, that matches letters in any case, or its plural.
func (o Options) kind(letters string) (string, bool) {
	for _, k := range o.Kinds() {
		if strings.EqualFold(letters, k) || strings.EqualFold(letters, k+"s") {
			return k, true
		}
	}
	return "", false
}
