package corpus

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Forms of dates. A number of two digits at most is a day or a month, one of four is a year.
var (
	// 2024-02-03, 2024/2/3, 2024.02.03
	yearFirst = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$`)
	// 03.02.2024, 13/2/2024: which number is the month shows only where one is above 12
	yearLast = regexp.MustCompile(`^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$`)
	// 3 February 2024, 3rd-Feb-24, 03.feb.2024
	dayMonth = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)?[-\s/.]+([A-Za-z]{3,9})\.?[-\s/.,]+(\d{4}|\d{2})$`)
	// February 3rd, 2024
	monthDay = regexp.MustCompile(`^([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$`)
	// 2024-02-03T10:00, with a zone or without
	timeOfDay = regexp.MustCompile(`^(\d{4}-\d{1,2}-\d{1,2})[Tt\s]+\d{1,2}:\d{2}`)
)

// moments are the forms of a day with its time and zone.
var moments = []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 -0700",
	"2006-01-02T15:04Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02 15:04 Z07:00"}

// date reads a date in any form that means exactly one day. Everything else is no date, with a
// warning: 12/01/2023 is a day in January to some and in December to others. Of several dates
// the last counts.
func (f *fields) date(names ...string) mip.Date {
	v := f.get(names...)
	if v == nil || v.v == nil {
		return mip.Date{}
	}
	text := v.text()
	d, ok := parseDate(text)
	if !ok {
		if i := strings.LastIndex(strings.TrimRight(text, ", "), ","); i >= 0 {
			d, ok = parseDate(strings.Trim(text[i:], ", "))
		}
	}
	if !ok && !isPlaceholder(text) || strings.HasPrefix(text, "<") {
		f.r.warnf(v.line, "bad-date", "%s of %s is not one certain day; write YYYY-MM-DD", quoted(text), quoted(v.key))
	}
	return d
}

// parseDate reads one date. ok is false when the text is none, or could be one of two days.
func parseDate(s string) (mip.Date, bool) {
	s = strings.TrimSpace(s)
	if m := yearFirst.FindStringSubmatch(s); m != nil {
		return newDate(m[1], m[2], m[3])
	}
	if m := timeOfDay.FindStringSubmatch(s); m != nil {
		withZone := s
		if local, ok := strings.CutSuffix(s, " UTC"); ok {
			withZone = local + "Z"
		}
		// With a zone the day is that of the moment in UTC, otherwise the day as written.
		for _, layout := range moments {
			if t, err := time.Parse(layout, withZone); err == nil {
				return mip.NewTime(t).Date(), true
			}
		}
		return parseDate(m[1])
	}
	if m := yearLast.FindStringSubmatch(s); m != nil {
		// 3/3/2024 is the same day in both orders.
		a, b := number(m[1]), number(m[2])
		switch {
		case a > 12 || a == b:
			return newDate(m[3], m[2], m[1])
		case b > 12:
			return newDate(m[3], m[1], m[2])
		}
		return mip.Date{}, false
	}
	if m := dayMonth.FindStringSubmatch(s); m != nil {
		if len(m[3]) == 2 {
			m[3] = "20" + m[3] // there were no chains in the last century
		}
		return newDate(m[3], month(m[2]), m[1])
	}
	if m := monthDay.FindStringSubmatch(s); m != nil {
		return newDate(m[3], month(m[1]), m[2])
	}
	return mip.Date{}, false
}

// month returns the number of a month's English name or of an abbreviation of it, as text; "0"
// when there is none.
func month(name string) string {
	for m := time.January; m <= time.December; m++ {
		full := strings.ToLower(m.String())
		if strings.HasPrefix(full, strings.ToLower(name)) || m == time.September && strings.EqualFold(name, "sept") {
			return strconv.Itoa(int(m))
		}
	}
	return "0"
}

// newDate makes a date of decimal digits; false when the calendar has no such day.
func newDate(year, month, day string) (mip.Date, bool) {
	return mip.NewDate(number(year), time.Month(number(month)), number(day))
}

// number reads digits that a regular expression has bounded.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
