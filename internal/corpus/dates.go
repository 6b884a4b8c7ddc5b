package corpus

import (
	"path"
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
	// days are the layouts of a day that mean one, with blanks for whatever separates its parts. A month of 14 is a day.
	days = []string{"2006 1 2", "2006 2 1", "2 Jan 2006", "2 January 2006", "Jan 2 2006", "January 2 2006", "2 Jan 06", "2 January 06"}
)

// The orders of a date's parts, as site.yaml names them.
const (
	dayFirst   = "dmy"
	monthFirst = "mdy"
)

// reading is what a date may mean: one day, or one for each order of its parts. Zero dates are none.
type reading struct{ day, dayFirst, monthFirst mip.Date }

// in is the day that a date means in an order, the zero date without any. The empty order knows only what means one day.
func (r reading) in(order string) mip.Date {
	switch {
	case !r.day.IsZero():
		return r.day
	case r.monthFirst.IsZero(), r.dayFirst == r.monthFirst, order == dayFirst && !r.dayFirst.IsZero():
		return r.dayFirst
	case r.dayFirst.IsZero(), order == monthFirst:
		return r.monthFirst
	}
	return mip.Date{}
}

// order is that of a date whose parts can only stand in one; empty for any other.
func (r reading) order() string {
	switch {
	case r.dayFirst.IsZero() && !r.monthFirst.IsZero():
		return monthFirst
	case r.monthFirst.IsZero() && !r.dayFirst.IsZero():
		return dayFirst
	}
	return ""
}

// openDate is a date of a header that means one of two days.
type openDate struct {
	reading
	meaning string
	field   *field
}

// date reads a date in any form that means exactly one day. 12/01/2023 is a day in January to some and in December to others:
// it is left open until the order of its folder is known. Everything else is no date, with a warning. The last of several
// dates counts.
func (f *fields) date(meaning string) mip.Date {
	v := f.of(meaning)
	if v.v == nil {
		return mip.Date{}
	}
	text := v.text()
	r := readDate(strings.Trim(text, "<>")) // as a template had it
	if r == (reading{}) {
		list := strings.TrimRight(text, ", ")
		r = readDate(list[strings.LastIndexByte(list, ',')+1:])
	}
	d := r.in("")
	switch {
	case r == (reading{}) && (!isPlaceholder(text) || strings.HasPrefix(text, "<")):
		f.r.add(v.line, "bad-date", mip.Quote(text), mip.Quote(v.key))
	case d.IsZero() && r != (reading{}):
		f.dates.open = append(f.dates.open, openDate{r, meaning, v})
	case r.order() != "":
		f.dates.orders = append(f.dates.orders, r.order())
	}
	return d
}

// dates are what the dates of a header tell of their order, and those that do not.
type dates struct {
	orders []string
	open   []openDate
}

// parseDate reads one date. ok is false when the text is none, or could be one of two days.
func parseDate(s string) (d mip.Date, ok bool) {
	d = readDate(s).in("")
	return d, !d.IsZero()
}

// readDate reads what one date may mean.
func readDate(s string) (r reading) {
	s = strings.TrimSpace(s)
	if m := clock.FindStringSubmatch(s); m != nil {
		// With a zone the day is that of the moment in UTC, otherwise the day as written.
		moment := m[1] + " " + m[2] + strings.Replace(m[3], "UTC", "Z", 1)
		for _, layout := range []string{"2006-1-2 15:04Z07:00", "2006-1-2 15:04-0700"} {
			if t, err := time.Parse(layout, moment); err == nil {
				return reading{day: mip.NewTime(t).Date()}
			}
		}
		s = m[1]
	}
	s = separator.ReplaceAllString(ordinal.ReplaceAllString(s, "$1"), " ")
	s = strings.Replace(strings.ToLower(strings.TrimSpace(s)), "sept ", "sep ", 1)
	for _, layout := range days {
		if d := dateIn(layout, s); !d.IsZero() {
			return reading{day: d}
		}
	}
	return reading{dayFirst: dateIn("2 1 2006", s), monthFirst: dateIn("1 2 2006", s)}
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

// settleDates gives the dates that mean one of two days that in the order of the site, or else of their folder: nine in ten of
// its other dates have to agree. What stays open is no date, with a warning.
func (c *Corpus) settleDates(order string) {
	const majority = 9 // tenths
	counts := map[string]map[string]int{}
	for _, e := range c.texts {
		if e.proposal == nil {
			continue
		}
		dir := path.Dir(e.Path)
		for _, o := range e.proposal.dates.orders {
			if counts[dir] == nil {
				counts[dir] = map[string]int{}
			}
			counts[dir][o]++
		}
	}
	for _, e := range c.texts {
		if e.proposal == nil {
			continue
		}
		settled, seen := order, counts[path.Dir(e.Path)]
		for o, n := range seen {
			if order == "" && n*10 >= (seen[dayFirst]+seen[monthFirst])*majority {
				settled = o
			}
		}
		for _, d := range e.proposal.dates.open {
			day, of := d.in(settled), mip.FieldOf(d.meaning)
			switch {
			case day.IsZero():
				e.report.add(d.field.line, "bad-date/open", mip.Quote(d.field.text()), mip.Quote(d.field.key))
			case of.In == nil:
				e.proposal.stated = day
			default:
				*of.In(&e.proposal.Metadata).(*mip.Date) = day
			}
		}
	}
}
