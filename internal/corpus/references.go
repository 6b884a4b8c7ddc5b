package corpus

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

var (
	markdownLink = regexp.MustCompile(`\[([^\]]*)\]\(([^)\s]*)[^)]*\)`)
	separators   = regexp.MustCompile(`[,;\n]`)
	// spaced is a prefix and its number with a blank between them.
	spaced = regexp.MustCompile(`(?i)\b([a-z]+) +(\d+)\b`)
)

// references reads a list of proposals: the numbers that belong to this site's prefix, in the
// header's order without repetitions. Others (ERC165 on a site of MIPs) stay in the frontmatter
// alone. The result is never nil.
func (ld *loader) references(v *value, r *report) []int {
	out := []int{}
	if v == nil {
		return out
	}
	add := func(n int, ok bool) {
		if ok && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	for _, item := range referenceItems(v.v) {
		for piece := range strings.SplitSeq(separators.ReplaceAllString(item, "\n"), "\n") {
			ld.referencesIn(piece, add, func(token string) {
				r.warnf(v.line, "bad-reference", "%s of %s is no proposal number and is left out", quoted(token), quoted(v.key))
			})
		}
	}
	return shownList(out, v, r)
}

// referenceItems flattens lists. Of "- MIP-3: A title", which YAML makes a map, the key counts.
func referenceItems(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, item := range v {
			out = append(out, referenceItems(item)...)
		}
		return out
	case map[string]any:
		out := make([]string, 0, len(v))
		for key := range v {
			out = append(out, key)
		}
		slices.Sort(out)
		return out
	}
	return nil
}

func (ld *loader) referencesIn(piece string, add func(int, bool), bad func(string)) {
	piece = markdownLink.ReplaceAllString(piece, "$1")
	for _, end := range []string{": ", " - ", " (", " – "} {
		piece, _, _ = strings.Cut(piece, end)
	}
	piece = spaced.ReplaceAllString(piece, "$1-$2")
	for token := range strings.FieldsSeq(piece) {
		token = strings.Trim(token, `"'<>[]().:`)
		if u, ok := webAddress(token); ok {
			add(ld.numberInURL(u))
			continue
		}
		token = strings.TrimPrefix(token, "#")
		if i := strings.LastIndexByte(token, '/'); i >= 0 {
			token = token[i+1:]
		}
		token = strings.TrimSuffix(token, ".md")
		digits, ok := stripPrefix(token, ld.prefix)
		n, small := smallNumber(digits)
		switch {
		case ok && small:
			add(n, true)
		case ok, strings.Trim(token, "-+0123456789") == "" && strings.Trim(token, "-+") != "":
			bad(token) // it looks like a number of ours: it must not vanish in silence
		}
	}
}

// numberInURL reads the number of an address that ends in one of this site's proposals, such as
// https://example.org/MIPs/MIP-3.md and https://example.org/mip/3/.
func (ld *loader) numberInURL(u *url.URL) (int, bool) {
	segments := strings.Split(strings.Trim(u.Path, "/"), "/")
	last := segments[len(segments)-1]
	if i := strings.LastIndexByte(last, '.'); i > 0 {
		last = last[:i]
	}
	digits, ok := stripPrefix(last, ld.prefix)
	if !ok {
		return 0, false
	}
	if digits == last { // a number alone says nothing unless the folder does
		if len(segments) < 2 || !strings.EqualFold(strings.TrimSuffix(strings.ToLower(segments[len(segments)-2]), "s"), ld.prefix) {
			return 0, false
		}
	}
	return smallNumber(digits)
}
