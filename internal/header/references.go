package header

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

var (
	markdownLink = regexp.MustCompile(`\[([^\]]*)\]\(([^)\s]*)[^)]*\)`)
	// titled matches the title after the number of a reference: MIP-3: A title.
	titled = regexp.MustCompile(`(?:: | - | \(| – ).*`)
	// spaced matches a prefix and its number separated by a blank.
	spaced = regexp.MustCompile(`(?i)\b([a-z]+) +(\d+)\b`)
	// prefixed matches a proposal of any process: ERC165, FRC-0051.
	prefixed = regexp.MustCompile(`^([A-Za-z]+)[-_]?(\d+)$`)
)

// references parses the proposals that a field names: the numbers of the site's prefix, in the
// header's order without duplicates, and the external ones. Everything else is left out with a
// warning. The numbers are never nil. relation is the name of the field of Metadata.
func (f *fields) references(
	prefix string, relation mip.RelationType, names ...string,
) (numbers []int, external []mip.External) {
	l := referenceList{
		prefix: prefix, also: f.Alias, options: f.options, v: f.get(names...), r: f.r,
		numbers: []int{},
	}
	if !isPlaceholder(l.v.text()) || l.v.text() == "" {
		for _, item := range texts(l.v.v) {
			pieces := strings.FieldsFunc(item, func(c rune) bool { return c == ';' || c == '\n' })
			for _, piece := range pieces {
				for part := range strings.SplitSeq(strings.TrimRight(piece, ", \t"), ",") {
					l.read(strings.TrimSpace(part))
				}
			}
		}
	}
	for i := range l.external {
		l.external[i].Relation = relation
	}
	return shorten(l.numbers, l.v, f.r), shorten(l.external, l.v, f.r)
}

// referenceList is a field of references that is being parsed.
type referenceList struct {
	prefix, also string // the site's prefix, and another one with the same numbers
	options      Options
	v            *field
	r            *problem.Report
	numbers      []int
	external     []mip.External
}

// read parses the text between two commas: a reference, maybe with its title, or several.
func (l *referenceList) read(piece string) {
	if piece == "" {
		l.r.Add(l.v.line, "bad-reference/empty", mip.Quote(l.v.key))
		return
	}
	// Both the label of [MIP-3](./MIP-3.md) and the address of [ERC-165](https://…) count.
	link := markdownLink.FindStringSubmatch(piece)
	label := markdownLink.ReplaceAllString(piece, "$1")
	text := titled.ReplaceAllString(label, "")
	if !strings.ContainsAny(text, "0123456789") {
		text = label // the title may come first: A title (MIP-3)
	}
	found := false
	for token := range strings.FieldsSeq(spaced.ReplaceAllString(text, "$1-$2")) {
		token = strings.Trim(token, `"'<>[]().:`)
		n, ok := Reference(token, l.prefix)
		if !ok && l.also != "" {
			n, ok = Reference(token, l.also)
		}
		_, isURL := mip.WebAddress(token)
		here := !isURL || slices.ContainsFunc(l.options.Addresses, func(base string) bool {
			_, below := mip.Below(token, base)
			return below
		})
		ok = ok && here
		foreign := prefixed.FindStringSubmatch(token)
		switch {
		case !ok && isURL && here && l.across(token):
		case ok && !slices.Contains(l.numbers, n):
			l.numbers = append(l.numbers, n)
		case ok:
		case isURL && len(token) <= maxLink:
			l.external = append(l.external, mip.External{Text: token, URL: &token})
			l.r.Add(l.v.line, "bad-reference/address", mip.Quote(token), mip.Quote(l.v.key))
		case foreign != nil && len(token) <= maxText:
			e := mip.External{Text: token}
			if link != nil {
				if _, isURL := mip.WebAddress(link[2]); isURL && len(link[2]) <= maxLink {
					e.URL = &link[2]
				}
			}
			if n, small := mip.ParseNumber(foreign[2]); small {
				if id, address, known := l.options.References.Find(foreign[1], n); known {
					l.external = append(l.external,
						mip.External{Text: id.String(), URL: &address})
					break
				}
			}
			l.external = append(l.external, e)
			l.r.Add(l.v.line, "bad-reference/prefix", mip.Quote(foreign[1]), mip.Quote(token),
				mip.Quote(l.v.key), l.prefix)
		// Report a token with digits that is no number, too.
		case strings.ContainsAny(token, "0123456789"):
			l.r.Add(l.v.line, "bad-reference", mip.Quote(token), mip.Quote(l.v.key))
		default:
			continue
		}
		found = true
	}
	// Words next to a reference are its title.
	if !found {
		l.r.Add(l.v.line, "bad-reference", mip.Quote(piece), mip.Quote(l.v.key))
	}
}

// across parses the address of a proposal of another kind of the site.
func (l *referenceList) across(address string) bool {
	for _, kind := range l.options.Kinds() {
		n, ok := Reference(address, kind)
		if id, page, known := l.options.References.Find(kind, n); ok && known {
			l.external = append(l.external, mip.External{Text: id.String(), URL: &page})
			return true
		}
	}
	return false
}

// Reference parses one reference: 3, #3, MIP-3, ./MIP-3.md, or an address that ends like a
// proposal's, such as https://example.org/MIPs/MIP-3.md and https://example.org/mip/3/.
func Reference(token, prefix string) (n int, ok bool) {
	u, isURL := mip.WebAddress(token)
	if isURL {
		token = strings.Trim(strings.TrimSuffix(u.Path, path.Ext(u.Path)), "/")
	}
	folder, last := path.Split(strings.TrimSuffix(strings.TrimPrefix(token, "#"), ".md"))
	digits, ok := StripPrefix(last, prefix)
	// In an address, a number alone counts only below a folder of the kind.
	kind := path.Base(folder)
	if !ok || isURL && digits == last && !strings.EqualFold(kind, prefix) &&
		!strings.EqualFold(kind, prefix+"s") {
		return 0, false
	}
	return mip.ParseNumber(digits)
}
