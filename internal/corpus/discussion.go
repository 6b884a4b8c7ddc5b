package corpus

import (
	"math"
	"net/url"
	"strings"
)

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
