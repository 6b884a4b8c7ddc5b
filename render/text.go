package render

import (
	"html/template"
	"net/url"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// titleHTML escapes a title and shows its Markdown code spans as such. Nothing else in a title is Markdown: a star stays
// a star.
func titleHTML(s string) template.HTML {
	var b strings.Builder
	for text, code := range plain.Spans(s) {
		if code {
			run := plain.Backticks(text)
			b.WriteString("<code>" + template.HTMLEscapeString(trimSpan(text[run:len(text)-run])) + "</code>")
			continue
		}
		b.WriteString(template.HTMLEscapeString(text))
	}
	return template.HTML(b.String())
}

// named is a proposal's id with its title after it; one without a title of its own is only its id.
func named(id, sep, title string) string {
	if title == "" || title == id {
		return id
	}
	return id + sep + title
}

// fullTitle is a proposal's id and title.
func fullTitle(s mip.Summary) string { return named(s.ID.String(), ": ", s.Title) }

// namedHTML is named for a link's text.
func namedHTML(id mip.ID, title string) template.HTML {
	text := template.HTML(template.HTMLEscapeString(id.String()))
	if named(id.String(), " ", title) == id.String() {
		return text
	}
	return text + " " + titleHTML(title)
}

// trimSpan drops one blank from both ends of a code span, as CommonMark 6.1 has it.
func trimSpan(s string) string {
	if len(s) > 2 && s[0] == ' ' && s[len(s)-1] == ' ' && strings.TrimSpace(s) != "" {
		return s[1 : len(s)-1]
	}
	return s
}

// statusClass is the CSS class of a status. Words outside the process share one, so that no header
// can choose a class.
func statusClass(s mip.Status) string {
	switch {
	case s == "":
		return "s-none"
	case s.Known():
		return "s-" + s.Slug()
	}
	return "s-other"
}

// day, dayShort and dayOf are a day for people.
func day(d mip.Date) string      { return d.Time().Format("2 January 2006") }
func dayShort(d mip.Date) string { return d.Time().Format("2 Jan 2006") }
func dayOf(t *mip.Time) string   { return t.UTC().Format("2 Jan 2006") }

// clock is a moment where there is little room, beside one that has its year.
func clock(t *mip.Time) string { return t.UTC().Format("2 Jan, 15:04 UTC") }

// moment is a time for programs and for people.
type moment struct{ ISO, Text string }

// dayMoment is nil for the zero date.
func dayMoment(d mip.Date) *moment {
	if d.IsZero() {
		return nil
	}
	return &moment{d.String(), dayShort(d)}
}

// changeMoment is nil for nil.
func changeMoment(t *mip.Time) *moment {
	if t == nil {
		return nil
	}
	return &moment{t.String(), dayOf(t)}
}

// minute is a moment for people.
func minute(t *mip.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }

// thousands groups the digits of a count.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// webAddress is an address that a link may lead to. It is empty for nil and for any scheme but http and https: an author
// or a file of figures may give any text as an address.
func webAddress(s *string) string {
	if s == nil {
		return ""
	}
	if u, err := url.Parse(*s); err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return *s
}
