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
func (f *fields) references(names ...string) []int {
	out := []int{}
	v := f.get(names...)
	if v == nil {
		return out
	}
	for _, item := range texts(v.v) {
		for _, piece := range separators.Split(item, -1) {
			// Of [MIP-3](./MIP-3.md) the label counts, and of "MIP-3: A title" the beginning.
			piece = markdownLink.ReplaceAllString(piece, "$1")
			for _, end := range []string{": ", " - ", " (", " – "} {
				piece, _, _ = strings.Cut(piece, end)
			}
			for token := range strings.FieldsSeq(spaced.ReplaceAllString(piece, "$1-$2")) {
				token = strings.Trim(token, `"'<>[]().:`)
				n, ok := f.reference(token)
				switch {
				case ok && !slices.Contains(out, n):
					out = append(out, n)
				case !ok && n < 0:
					f.r.warnf(v.line, "bad-reference", "%s of %s is no proposal number and is left out", quoted(token), quoted(v.key))
				}
			}
		}
	}
	return shorten(out, v, f.r)
}

// reference reads one reference. n is negative for a text that looks like a number of this site
// and is none: it must not vanish in silence.
func (f *fields) reference(token string) (n int, ok bool) {
	if u, ok := webAddress(token); ok {
		return f.numberInURL(u)
	}
	// #3, ./MIP-3.md and MIPs/MIP-3 are proposals too.
	token = strings.TrimPrefix(token, "#")
	token = token[strings.LastIndexByte(token, '/')+1:]
	token = strings.TrimSuffix(token, ".md")
	digits, ok := stripPrefix(token, f.prefix)
	n, small := smallNumber(digits)
	switch {
	case ok && small:
		return n, true
	case ok, strings.Trim(token, "-+0123456789") == "" && strings.Trim(token, "-+") != "":
		return -1, false
	}
	return 0, false
}

// texts flattens a value. Of "- MIP-3: A title", which YAML makes a map, the key counts.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, item := range v {
			out = append(out, texts(item)...)
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

// numberInURL reads the number of an address that ends in one of this site's proposals, such as
// https://example.org/MIPs/MIP-3.md and https://example.org/mip/3/.
func (f *fields) numberInURL(u *url.URL) (int, bool) {
	segments := strings.Split(strings.Trim(u.Path, "/"), "/")
	// The last part may have an ending such as .md or .html.
	last := segments[len(segments)-1]
	if i := strings.LastIndexByte(last, '.'); i > 0 {
		last = last[:i]
	}
	digits, ok := stripPrefix(last, f.prefix)
	if ok && digits == last { // a number alone says nothing unless the folder does
		ok = len(segments) > 1 && strings.EqualFold(strings.TrimSuffix(strings.ToLower(segments[len(segments)-2]), "s"), f.prefix)
	}
	if !ok {
		return 0, false
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

// discussion reads where a proposal is discussed: the first http or https address of the field,
// and the forum topic that it names. A text that holds no such address is dropped with a
// warning.
func (f *fields) discussion(names ...string) (address *string, topic *int) {
	v := f.get(names...)
	if v == nil {
		return nil, nil
	}
	dropped := ""
	for _, item := range texts(v.v) {
		item = markdownLink.ReplaceAllString(item, "$2")
		if u, ok := firstAddress(item); ok {
			address, topic = new(u.String()), topicOf(u)
			break
		}
		// An address of the forum without its host.
		if strings.HasPrefix(item, "/t/") {
			return nil, Topic(item) // on the site's own forum, whichever that is
		}
		if dropped == "" && !isPlaceholder(item) {
			dropped = item
		}
	}
	// The first text that was no address is named, even where a later one was.
	switch {
	case len(dropped) > maxLink:
		f.r.warnf(v.line, "bad-link", "%s of %s is dropped: an address has at most %d bytes", quoted(dropped), quoted(v.key), maxLink)
	case dropped != "":
		f.r.warnf(v.line, "bad-link", "%s of %s is dropped: it is no http or https address", quoted(dropped), quoted(v.key))
	}
	return address, topic
}

// firstAddress finds the first http or https address of at most [maxLink] bytes among the words
// of a text.
func firstAddress(text string) (*url.URL, bool) {
	for token := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(" \t\n\u00a0", c) }) {
		if u, ok := webAddress(strings.Trim(token, `<>,;"'`)); ok && len(u.String()) <= maxLink {
			return u, true
		}
	}
	return nil, false
}

// forumTopic reads a field that states the topic itself, as a number or as its address.
func (f *fields) forumTopic(names ...string) *int {
	v := f.get(names...)
	text := v.text()
	if v == nil || v.v == nil || isPlaceholder(text) {
		return nil
	}
	id := topicID(text)
	if u, ok := webAddress(text); ok {
		id = topicOf(u)
	}
	if id == nil {
		f.r.warnf(v.line, "bad-topic", "%s of %s is no forum topic: write its number", quoted(text), quoted(v.key))
	}
	return id
}

// Topic is the number of the forum topic that an address leads to, nil when it holds none. It
// does not look at the host.
func Topic(address string) *int {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	return topicOf(u)
}

// topicOf reads the path /t/slug/399, /t/slug/399/12 (a post of it) or /t/399 of a Discourse.
func topicOf(u *url.URL) *int {
	_, rest, ok := strings.Cut("/"+strings.Trim(u.Path, "/"), "/t/")
	if !ok {
		return nil
	}
	first, rest, _ := strings.Cut(rest, "/")
	if id := topicID(first); id != nil {
		return id
	}
	second, _, _ := strings.Cut(rest, "/")
	return topicID(second)
}

// topicID reads the number of a topic, nil when it is none. The numbers begin at 1.
func topicID(s string) *int {
	n, ok := smallNumber(s)
	if !ok || n < 1 || strings.Trim(s, "0123456789") != "" {
		return nil
	}
	return &n
}
