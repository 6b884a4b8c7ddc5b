package corpus

import (
	"maps"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxMentions bounds the proposals that a text names: a text of a mebibyte could name a hundred
// thousand.
const maxMentions = 1000

// mentions are the proposals that a text names, each once, sorted by id: of the site's kinds,
// published or not, and of other known sites. MIP-3, mip_0003.md, MIP 3 and /mip/3 are the same
// proposal.
func mentions(body string, kinds []string, sites mip.References) []mip.ID {
	// the site's own kind may be among the sites
	prefixes := slices.Concat(kinds, slices.Sorted(maps.Keys(sites)))
	seen := map[mip.ID]bool{}
	inWord := func(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }
	for at := 0; at < len(body) && len(seen) < maxMentions; {
		digits := strings.IndexAny(body[at:], "0123456789")
		if digits < 0 {
			break
		}
		from := at + digits
		at = from + len(body[from:]) - len(strings.TrimLeft(body[from:], "0123456789"))
		n, ok := mip.ParseNumber(body[from:at])
		if !ok || at < len(body) && (inWord(body[at]) || body[at] == '_') {
			continue
		}
		before := body[:from]
		if before != "" && strings.IndexByte("-_ /#", before[len(before)-1]) >= 0 {
			before = before[:len(before)-1]
		}
		for _, prefix := range prefixes {
			rest := len(before) - len(prefix)
			if rest >= 0 && strings.EqualFold(before[rest:], prefix) &&
				(rest == 0 || !inWord(before[rest-1])) {
				seen[mip.ID{Kind: prefix, Number: n}] = true
				break
			}
		}
	}
	return slices.SortedFunc(maps.Keys(seen), mip.ID.Compare)
}
