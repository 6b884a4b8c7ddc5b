// Package day parses days in the forms that people write, and reports ambiguous ones. It does not
// know the order of day and month at a site.
package day

import (
	"regexp"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Forms of dates.
var (
	// clock matches a day and a time: 2024-02-03T10:00, optionally with seconds and a zone.
	clock = regexp.MustCompile(
		`^(\d{4}-\d{1,2}-\d{1,2})[Tt\s]+(\d{1,2}:\d{2})(?::\d{2}(?:\.\d+)?)?\s*(.*)$`)
	// ordinal matches the ending of 3rd.
	ordinal = regexp.MustCompile(`(\d)(?:st|nd|rd|th)\b`)
	// separator matches the separators between the parts of a day.
	separator = regexp.MustCompile(`[-/.,\s]+`)
	// days are the layouts of unambiguous days, with blanks as separators. In the second a number
	// above 12 is the day.
	days = []string{"2006 1 2", "2006 2 1", "2 Jan 2006", "2 January 2006", "Jan 2 2006",
		"January 2 2006", "2 Jan 06", "2 January 06"}
)

// Orders of a date's parts, as in site.yaml.
const (
	DayFirst   = "dmy"
	MonthFirst = "mdy"
)

// Reading has the possible meanings of a date: one day, or one for each order of its parts. A zero
// date means none.
type Reading struct{ day, dayFirst, monthFirst mip.Date }

// In returns the day of a date in an order, or the zero date. The empty order gives only
// unambiguous days.
func (r Reading) In(order string) mip.Date {
	switch {
	case !r.day.IsZero():
		return r.day
	case r.monthFirst.IsZero(), r.dayFirst == r.monthFirst,
		order == DayFirst && !r.dayFirst.IsZero():
		return r.dayFirst
	case r.dayFirst.IsZero(), order == MonthFirst:
		return r.monthFirst
	}
	return mip.Date{}
}

// Order is the only possible order of a date's parts, or "" if there is none or both are possible.
func (r Reading) Order() string {
	switch {
	case r.dayFirst.IsZero() && !r.monthFirst.IsZero():
		return MonthFirst
	case r.monthFirst.IsZero() && !r.dayFirst.IsZero():
		return DayFirst
	}
	return ""
}

// Parse parses one date. ok is false if the text is no date, or is ambiguous.
func Parse(s string) (d mip.Date, ok bool) {
	d = Read(s).In("")
	return d, !d.IsZero()
}

// Read returns the possible meanings of a date.
func Read(s string) (r Reading) {
	s = strings.TrimSpace(s)
	if m := clock.FindStringSubmatch(s); m != nil {
		// With a zone it is the day in UTC, otherwise the day as written.
		moment := m[1] + " " + m[2] + strings.Replace(m[3], "UTC", "Z", 1)
		for _, layout := range []string{"2006-1-2 15:04Z07:00", "2006-1-2 15:04-0700"} {
			if t, err := time.Parse(layout, moment); err == nil {
				return Reading{day: mip.NewTime(t).Date()}
			}
		}
		s = m[1]
	}
	s = separator.ReplaceAllString(ordinal.ReplaceAllString(s, "$1"), " ")
	s = strings.Replace(strings.ToLower(strings.TrimSpace(s)), "sept ", "sep ", 1)
	for _, layout := range days {
		if d := dateIn(layout, s); !d.IsZero() {
			return Reading{day: d}
		}
	}
	return Reading{dayFirst: dateIn("2 1 2006", s), monthFirst: dateIn("1 2 2006", s)}
}

// dateIn parses a text in a layout. It returns the zero date if the text does not match.
func dateIn(layout, s string) mip.Date {
	t, err := time.Parse(layout, s)
	if err != nil {
		return mip.Date{}
	}
	d, real := mip.NewDate(t.Date())
	if !real {
		return mip.Date{}
	}
	return d
}
