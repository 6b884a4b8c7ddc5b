package corpus

import (
	"math"
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

// webAddress parses an absolute http or https address.
func webAddress(s string) (*url.URL, bool) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.ContainsAny(s, " \t\n<>\"`") {
		return nil, false
	}
	return u, true
}

// discussion reads where a proposal is discussed: the first http or https address of the field, and
// the forum topic that it names. What is there and is no such address is dropped with a warning.
func discussion(v *value, r *report) (address *string, topic *int) {
	if v == nil || v.v == nil {
		return nil, nil
	}
	dropped := ""
	for _, item := range referenceItems(v.v) {
		item = markdownLink.ReplaceAllString(item, "$2")
		for token := range strings.FieldsFuncSeq(item, func(c rune) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\u00a0' }) {
			token = strings.Trim(token, `<>,;"'`)
			u, ok := webAddress(token)
			if !ok || len(u.String()) > maxLink {
				continue
			}
			if address == nil {
				s := u.String()
				address, topic = &s, topicOf(u)
			}
		}
		if address == nil && strings.HasPrefix(item, "/t/") {
			topic = Topic(item) // on the site's own forum, whichever that is
			return nil, topic
		}
		if address == nil && dropped == "" && !isPlaceholder(item) {
			dropped = item
		}
		if address != nil {
			break
		}
	}
	switch {
	case len(dropped) > maxLink:
		r.warnf(v.line, "bad-link", "%s of %s is dropped: an address has at most %d bytes", quoted(dropped), quoted(v.key), maxLink)
	case dropped != "":
		r.warnf(v.line, "bad-link", "%s of %s is dropped: it is no http or https address", quoted(dropped), quoted(v.key))
	}
	return address, topic
}

// Topic is the number of the forum topic that an address leads to, nil when it holds none. It does not
// look at the host.
func Topic(address string) *int {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	return topicOf(u)
}

// topicOf reads a Discourse topic from /t/slug/399, /t/slug/399/12 (a post of it) or /t/399.
func topicOf(u *url.URL) *int {
	segments := strings.Split(strings.Trim(u.Path, "/"), "/")
	for i, s := range segments {
		if s != "t" || i+1 == len(segments) {
			continue
		}
		if id := topicID(segments[i+1]); id != nil {
			return id
		}
		if i+2 < len(segments) {
			return topicID(segments[i+2])
		}
		return nil
	}
	return nil
}

func topicID(s string) *int {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return nil
	}
	n, ok := smallNumber(s)
	if !ok || n < 1 || n > math.MaxInt32 {
		return nil
	}
	return &n
}

// forumTopic reads a field that states the topic itself, as a number or as its address.
func forumTopic(v *value, r *report) *int {
	if v == nil || v.v == nil || isPlaceholder(v.text()) {
		return nil
	}
	text := v.text()
	id := topicID(text)
	if u, ok := webAddress(text); ok {
		id = topicOf(u)
	}
	if id == nil {
		r.warnf(v.line, "bad-topic", "%s of %s is no forum topic: write its number", quoted(text), quoted(v.key))
	}
	return id
}
