package corpus

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Bounds of what pages, lists and feeds repeat of one header. The frontmatter has whatever is longer as a
// whole. The longest values of real proposals are a tenth of these.
const (
	maxText = 1000 // bytes of a text
	maxList = 100  // entries of a list
	maxLink = 2000 // bytes of an address
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
	s.ID = mip.ID{Kind: ld.prefix, Number: n}
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
		s.Title = shownText(v, r)
		seen("title", v, r)
	}
	s.Description = optional(d.get("description"), r)
	s.Authors = shownAuthors(d.get("author", "authors"), r)
	if v := d.get("status"); v != nil {
		seen("status", v, r)
		s.Status = mip.ParseStatus(shownText(v, r))
		if s.Status != "" && !s.Status.Known() {
			r.warnf(v.line, "unknown-status",
				"%s is none of the known statuses (Draft, Review, Last Call, Final, Living, Stagnant, Withdrawn): it is kept as written", quoted(string(s.Status)))
		}
	}
	s.Type = optional(d.get("type"), r)
	s.Category = optional(d.get("category"), r)
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
		s.Title = mip.Shorten(foldBlanks(heading), maxText)
		if _, found := hidden(s.Title); found || s.Title == "" {
			s.Title = s.ID.String()
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

// optional returns a field's text as it is shown, nil when there is none.
func optional(v *value, r *report) *string {
	if s := shownText(v, r); s != "" {
		return &s
	}
	return nil
}

// shownText returns a field's text, cut to maxText.
func shownText(v *value, r *report) string {
	text := v.text()
	if len(text) > maxText {
		r.warnf(v.line, "long-value", "%s has %d bytes: at most %d are shown; the frontmatter has all", quoted(v.key), len(text), maxText)
	}
	return mip.Shorten(text, maxText)
}

// shownAuthors returns the authors, cut to maxList, with names cut to maxText.
func shownAuthors(v *value, r *report) []mip.Author {
	out := shownList(authors(v), v, r)
	for i, a := range out {
		if a.Name == nil || len(*a.Name) <= maxText {
			continue
		}
		r.warnf(v.line, "long-value", "%s holds a name of %d bytes: at most %d are shown; the frontmatter has all", quoted(v.key), len(*a.Name), maxText)
		out[i].Name = new(mip.Shorten(*a.Name, maxText))
	}
	return out
}

// shownList returns the first maxList entries of a field's list.
func shownList[T any](list []T, v *value, r *report) []T {
	if len(list) <= maxList {
		return list
	}
	r.warnf(v.line, "long-list", "%s has %d entries: only the first %d are shown; the frontmatter has all", quoted(v.key), len(list), maxList)
	return slices.Clone(list[:maxList])
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

// maxDigits keeps numbers within what every reader's integers hold.
const maxDigits = 9

// isPlaceholder reports what stands for a value that is not known yet.
func isPlaceholder(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	if strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") || strings.Trim(s, "x") == "" || strings.Trim(s, "?") == "" || strings.Trim(s, "-") == "" {
		return true
	}
	switch s {
	case "tbd", "tba", "tbc", "n/a", "na", "none", "null", "~", "to be assigned", "to be determined", "unassigned":
		return true
	}
	return false
}

// fileNumber finds the number in a file's name: MIP-7.md, eip-1046.md and 0047-a-title.md have one
// whatever the letters are, since the folder says what they mean.
var fileNumber = regexp.MustCompile(`^(?:[A-Za-z]+[-_]?)?([0-9]+)(?:[-_. :]|$)`)

// numberInName returns the number that a file's name states.
func numberInName(name string) (int, bool) {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	m := fileNumber.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	return smallNumber(m[1])
}

// mayHaveNumber reports whether bytes that have no sound header may yet be a proposal's: there is a
// header's beginning with the number's key in it, or it cannot be seen that there is none.
func (ld *loader) mayHaveNumber(raw []byte) bool {
	if bytes.IndexByte(raw, 0) >= 0 || bytes.HasPrefix(raw, []byte{0xFF, 0xFE}) || bytes.HasPrefix(raw, []byte{0xFE, 0xFF}) {
		return true
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(raw, []byte("\uFEFF")), " \t\r\n")
	fences := 0
	for line := range strings.FieldsFuncSeq(string(text[:min(len(text), maxHeader)]), func(c rune) bool { return c == '\r' || c == '\n' }) {
		line = strings.TrimSpace(line)
		if isFence([]byte(line)) {
			fences++
		}
		if fences != 1 {
			return false
		}
		line = strings.TrimLeft(line, "- \t")
		if line == "" {
			continue
		}
		if f, isKey := splitKey(line); isKey && f.name == ld.key {
			return true
		}
	}
	return false
}

func smallNumber(digits string) (int, bool) {
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return 0, true
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && len(digits) <= maxDigits
}

// number reads the proposal's number from the raw text of its header, because YAML 1.1 would make
// 113 of 0161, and from the file's name when the header has a placeholder. ok is false when the
// proposal has no number; r then says why.
func (ld *loader) number(d *decoded, name string, r *report) (n int, inferred, ok bool) {
	inName, named := numberInName(name)
	v := d.byName[ld.key]
	if v == nil && d.byName["<<"] != nil {
		r.errorf(d.byName["<<"].line, "bad-number", "the header merges another map and does not state %s itself: write %s: and the number", ld.key, ld.key)
		return 0, false, false
	}
	var text string
	var isText bool
	if v != nil {
		text, isText = v.v.(string)
	}
	if v == nil || v.v == nil || isText && isPlaceholder(text) {
		if !named {
			r.noticef(lineOf(v), "unnumbered-draft", "skipped: neither the header nor the file name has a number")
		}
		return inName, true, named
	}
	digits := text
	if isText {
		digits, isText = stripPrefix(text, ld.prefix)
	}
	n, small := smallNumber(digits)
	if !isText || !small || len(digits) > maxDigits {
		r.errorf(v.line, "bad-number", "%s is not a number: write %s: and decimal digits, at most %d", quoted(v.raw()), ld.key, maxDigits)
		return 0, false, false
	}
	if len(digits) > 1 && digits[0] == '0' && strings.HasPrefix(v.value, "0") {
		r.warnf(v.line, "leading-zeros", "%s is read as the decimal number %d; leave the zeros out or quote it, since YAML would read it as octal", quoted(text), n)
	}
	if named && inName != n {
		r.warnf(v.line, "number-mismatch", "the header says %d and the file name %d: the header counts", n, inName)
	}
	return n, false, true
}

// stripPrefix removes the site's own prefix from MIP-7, mip_7, MIP 7 and MIP7, and reports whether
// nothing but digits is left.
func stripPrefix(s, prefix string) (digits string, ok bool) {
	if len(s) > len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		s = s[len(prefix):]
		if len(s) > 1 && strings.IndexByte("-_ ", s[0]) >= 0 {
			s = s[1:]
		}
	}
	return s, s != "" && strings.Trim(s, "0123456789") == ""
}

func lineOf(v *value) int {
	if v == nil {
		return 0
	}
	return v.line
}
