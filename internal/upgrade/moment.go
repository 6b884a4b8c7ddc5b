package upgrade

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/day"
	"github.com/mipwatch/mipwatch/internal/mip"
)

var (
	// unixTime matches Unix seconds of the years 2001 to 2286 in a cell.
	unixTime = regexp.MustCompile(`(?:^|[^\d.])(\d{9,10})(?:$|[^\d.])`)
	// writtenDay matches a day within other words.
	writtenDay = regexp.MustCompile(
		`(?i)\d{4}-\d{1,2}-\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)?|` +
			`\d{1,2}(?:st|nd|rd|th)?\s+\pL{3,9}\.?,?\s+\d{4}|` +
			`\pL{3,9}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}`)
	// isoDay matches the day of a written day in the form of ISO 8601.
	isoDay = regexp.MustCompile(`^\d{4}-\d{1,2}-\d{1,2}`)
	// clock matches a time of day, its offset from UTC, or else the word after it.
	clock = regexp.MustCompile(`(?:^|[^\d:])(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?` +
		`[\s(]*(?:(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?\b|(\pL+))?`)
	// universal matches a name of UTC.
	universal = regexp.MustCompile(`(?i)\b(?:UTC|GMT)\b|\dZ\b`)
	// unusable matches a word after a time of day that changes its meaning: the name of a zone, am
	// or pm.
	unusable = regexp.MustCompile(`^(?:[A-Z]{2,5}|[aApP]\.?[mM]?)$`)
	// noTime matches text in place of a time that is not set yet.
	noTime = regexp.MustCompile(
		`(?i)^(?:tb[acd]\b.*|to be \pL+.*|not (?:yet )?\pL+|n/?a|none|unknown|pending|[-–—?.…]*)$`)
	// wholeNumber matches a number with an optional remark after it.
	wholeNumber = regexp.MustCompile(`^#?(\d+(?:[,_]\d{3})*)(?:\s*[(;]\s*(.*?)\)?)?$`)
	// ofTimes matches the head of a column of times.
	ofTimes = regexp.MustCompile(`(?i)time|\bdate\b|\bwhen\b`)
	// separators are the separators of thousands.
	separators = strings.NewReplacer(",", "", "_", "")
)

// leadingNumber returns the number in a text and the remark after it. ok is false for any other
// text.
func leadingNumber(text string) (n int64, remark string, ok bool) {
	m := wholeNumber.FindStringSubmatch(text)
	if m == nil {
		return 0, "", false
	}
	n, err := strconv.ParseInt(separators.Replace(m[1]), 10, 64)
	return n, m[2], err == nil
}

// read adds the value of a cell below a head. Unix seconds take precedence over a day, and a day
// over words for no time. If two cells have the same kind of value, the first counts.
func (a *Activation) read(cell, head string) {
	if n, remark, ok := leadingNumber(cell); ok && !ofTimes.MatchString(head) {
		switch {
		case blocks.MatchString(head):
			a.Block = cmp.Or(a.Block, &n)
			a.readDay(remark, head)
			return
		case strings.Contains(strings.ToLower(head), "epoch"):
			a.Epoch = cmp.Or(a.Epoch, &n)
			a.readDay(remark, head)
			return
		}
	}
	switch seconds := unixTime.FindStringSubmatch(separators.Replace(cell)); {
	case a.unix:
	case seconds != nil:
		n, _ := strconv.ParseInt(seconds[1], 10, 64)
		a.Timestamp, a.Time = &n, new(mip.NewTime(time.Unix(n, 0)))
		a.Text, a.Date, a.unix, a.none, a.zoneless = cell, mip.Date{}, true, false, false
	case a.readDay(cell, head):
	case noTime.MatchString(cell) && a.Date.IsZero() && !a.none:
		a.Text, a.none = cell, true
	case a.Text == "" && ofTimes.MatchString(head):
		a.Text = cell
	}
}

// readDay adds the day in a cell, with the time of day if there is one, and reports whether there
// is a day.
func (a *Activation) readDay(cell, head string) bool {
	written := writtenDay.FindString(cell)
	d, ok := day.Parse(written)
	if ok && !a.unix && a.Date.IsZero() {
		a.Text, a.Date, a.none = cell, d, false
		a.Time, a.zoneless = momentOf(cell, written, universal.MatchString(head))
		if a.Time != nil {
			a.Timestamp = new(a.Time.UTC().Unix())
		}
	}
	return ok
}

// momentOf returns the moment of the time of day in a text, on the day written. inUTC is true if a
// time without a zone is in UTC. The result is nil if there is no time of day, or if its zone is
// unknown, which zoneless reports.
func momentOf(text, written string, inUTC bool) (at *mip.Time, zoneless bool) {
	m := clock.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	if iso := isoDay.FindString(written); iso != "" {
		written = iso
	}
	d, ok := day.Parse(written)
	number := func(digits string) time.Duration {
		n, _ := strconv.Atoi(digits)
		return time.Duration(n)
	}
	hour, minute, second := number(m[1]), number(m[2]), number(m[3])
	if !ok || hour > 23 || minute > 59 || second > 59 {
		return nil, true
	}
	offset := number(m[5])*time.Hour + number(m[6])*time.Minute
	switch {
	case m[4] == "-":
		offset = -offset
	case m[4] == "" && !universal.MatchString(m[7]) && m[7] != "Z" && unusable.MatchString(m[7]),
		m[4] == "" && !inUTC && !universal.MatchString(text):
		return nil, true
	}
	local := d.Time().Add(hour*time.Hour + minute*time.Minute + second*time.Second)
	return new(mip.NewTime(local.Add(-offset))), false
}
