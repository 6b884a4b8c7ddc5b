// Package day reads days as people write them, and says where a text may mean one of two. It does
// not know which order of the parts a site has.
package day

import (
	"regexp"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Forms of dates.
var (
	// clock follows a day: 2024-02-03T10:00 with seconds or without, with a zone or without.
	clock = regexp.MustCompile(`^(\d{4}-\d{1,2}-\d{1,2})[Tt\s]+(\d{1,2}:\d{2})(?::\d{2}(?:\.\d+)?)?\s*(.*)$`)
	// ordinal is the ending of 3rd.
	ordinal = regexp.MustCompile(`(\d)(?:st|nd|rd|th)\b`)
	// separator stands between the parts of a day.
	separator = regexp.MustCompile(`[-/.,\s]+`)
	// days are the layouts of a day that mean one, with blanks for whatever separates its parts. A
	// month of 14 is a day.
	days = []string{"2006 1 2", "2006 2 1", "2 Jan 2006", "2 January 2006", "Jan 2 2006", "January 2 2006", "2 Jan 06", "2 January 06"}
)

// The orders of a date's parts, as site.yaml names them.
const (
	DayFirst   = "dmy"
	MonthFirst = "mdy"
)

// Reading is what a date may mean: one day, or one for each order of its parts. Zero dates are
// none.
type Reading struct{ day, dayFirst, monthFirst mip.Date }

// In is the day that a date means in an order, the zero date without any. The empty order knows
// only what means one day.
func (r Reading) In(order string) mip.Date {
	switch {
	case !r.day.IsZero():
		return r.day
	case r.monthFirst.IsZero(), r.dayFirst == r.monthFirst, order == DayFirst && !r.dayFirst.IsZero():
		return r.dayFirst
	case r.dayFirst.IsZero(), order == MonthFirst:
		return r.monthFirst
	}
	return mip.Date{}
}

// Order is the order of a date whose parts can stand in one alone; empty for any other.
func (r Reading) Order() string {
	switch {
	case r.dayFirst.IsZero() && !r.monthFirst.IsZero():
		return MonthFirst
	case r.monthFirst.IsZero() && !r.dayFirst.IsZero():
		return DayFirst
	}
	return ""
}

// Parse reads one date. ok is false when the text is none, or could be one of two days.
func Parse(s string) (d mip.Date, ok bool) {
	d = Read(s).In("")
	return d, !d.IsZero()
}

// Read reads what one date may mean.
func Read(s string) (r Reading) {
	s = strings.TrimSpace(s)
	if m := clock.FindStringSubmatch(s); m != nil {
		// With a zone the day is that of the moment in UTC, otherwise the day as written.
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

// dateIn is the day of a text in a layout, the zero date for none.
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
