package corpus

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxTitle is where lists and feeds begin to cut titles; the network's own linter has the same limit.
const maxTitle = 90

// summary fills everything that the header states. ok is false when the proposal has no number.
func (ld *loader) summary(d *decoded, name string, r *report) (s mip.Summary, ok bool) {
	n, inferred, ok := ld.number(d, name, r)
	if !ok {
		return s, false
	}
	s.Number = n
	s.ID = ld.prefix + "-" + strconv.Itoa(n)
	s.Frontmatter = cleanFront(d, r)
	s.Inferred = []string{}
	if inferred {
		s.Inferred = append(s.Inferred, "number")
	}
	for _, v := range d.order {
		if _, isMap := v.v.(map[string]any); isMap && shown(v.name) {
			r.warnf(v.line, "not-text", "%s is a map and is left out; write it as text", quoted(v.key))
		}
	}
	if v := d.get("title"); v != nil {
		s.Title = v.text()
		seen("title", v, r)
	}
	s.Description = optional(d.get("description"))
	s.Authors = authors(d.get("author", "authors"))
	if v := d.get("status"); v != nil {
		seen("status", v, r)
		s.Status = mip.ParseStatus(v.text())
		if s.Status != "" && !s.Status.Known() {
			r.warnf(v.line, "unknown-status", "%s is none of the known statuses (Draft, Review, Last Call, Final, Living, Stagnant, Withdrawn): it is kept as written", quoted(string(s.Status)))
		}
	}
	s.Type = optional(d.get("type"))
	s.Category = optional(d.get("category"))
	if s.Type == nil && s.Category != nil && strings.EqualFold(*s.Category, "meta") {
		meta := "Meta"
		s.Type = &meta
		s.Inferred = append(s.Inferred, "type")
	}
	s.Created = date(d.get("created"), r)
	s.LastCallDeadline = date(d.get("last-call-deadline", "last-call-date-time", "last-call-end-date", "review-period-end"), r)
	s.Requires = ld.references(d.get("requires", "depends-on"), r)
	s.Replaces = ld.references(d.get("replaces", "supersedes", "superseeds"), r)
	s.SupersededBy = ld.references(d.get("superseded-by", "superceded-by", "superseeded-by", "replaced-by"), r)
	s.RequiredBy = []int{}
	s.DiscussionsTo, s.ForumTopicID = discussion(d.get("discussions-to", "discussions", "discussion", "discussionsto", "discussion-to"), r)
	if id := forumTopic(d.get("forum-topic-id", "forum-topic"), r); id != nil {
		s.ForumTopicID = id
	}
	return s, true
}

// seen checks text that people judge a proposal by: every character of it must be visible.
func seen(name string, v *value, r *report) {
	if reason, found := hidden(v.text()); found {
		r.errorf(v.line, "hidden-character", "the %s %s holds %s; remove it", name, quoted(v.text()), reason)
	}
}

// titled settles the title when the header has none.
func titled(s *mip.Summary, heading string, line int, r *report) {
	if s.Title == "" {
		s.Title = foldBlanks(heading)
		if _, found := hidden(s.Title); found || s.Title == "" {
			s.Title = s.ID
		}
		at := 0
		if len(s.Inferred) > 0 && s.Inferred[0] == "number" {
			at = 1
		}
		s.Inferred = append(s.Inferred[:at], append([]string{"title"}, s.Inferred[at:]...)...)
	}
	if n := utf8.RuneCountInString(s.Title); n > maxTitle {
		r.warnf(line, "long-title", "the title has %d characters; %d is the most that lists show whole", n, maxTitle)
	}
}

// optional returns a field's text, nil when there is none.
func optional(v *value) *string {
	if s := v.text(); s != "" {
		return &s
	}
	return nil
}

// cleanFront makes the decoded values safe for every format (see unprintable) and returns them all.
// Titles and statuses are judged before, as they were read.
func cleanFront(d *decoded, r *report) mip.Frontmatter {
	for _, v := range d.order {
		if v.name == "title" || v.name == "status" {
			continue
		}
		clean, changed := cleanValue(v.v)
		if changed {
			r.warnf(v.line, "control-character", "%s holds a control character: it is replaced by U+FFFD", quoted(v.key))
			v.v = clean
		}
	}
	front := make(mip.Frontmatter, len(d.order))
	for _, v := range d.order {
		front[v.key] = v.v
	}
	return front
}

func cleanValue(v any) (clean any, changed bool) {
	switch v := v.(type) {
	case string:
		b, at := printable([]byte(v))
		return string(b), at >= 0
	case []any:
		for i := range v {
			c, ch := cleanValue(v[i])
			v[i], changed = c, changed || ch
		}
		return v, changed
	case map[string]any:
		for key := range v {
			c, ch := cleanValue(v[key])
			v[key], changed = c, changed || ch
		}
		return v, changed
	}
	return v, false
}
