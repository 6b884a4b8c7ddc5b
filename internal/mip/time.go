package mip

import (
	"encoding/json"
	"fmt"
	"time"
)

// Date is a calendar day without a time zone, YYYY-MM-DD as text. The zero value is no date and
// encodes as null.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// NewDate returns the day, and false if the calendar has no such day (31 June, year 0 or beyond
// 9999).
func NewDate(year int, month time.Month, day int) (Date, bool) {
	d := Date{year, month, day}
	if year < 1 || year > 9999 || NewTime(d.Time()).Date() != d {
		return Date{}, false
	}
	return d, true
}

// IsZero reports whether d is the zero value.
func (d Date) IsZero() bool { return d == Date{} }

// Time returns midnight UTC of the day.
func (d Date) Time() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// String returns YYYY-MM-DD, or the empty string for the zero value.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day)
}

// MarshalJSON encodes YYYY-MM-DD or null.
func (d Date) MarshalJSON() ([]byte, error) {
	if d.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(d.String())
}

// UnmarshalJSON accepts the output of MarshalJSON.
func (d *Date) UnmarshalJSON(b []byte) error {
	t, err := unmarshal(b, time.DateOnly)
	*d = NewTime(t).Date()
	if err != nil || string(b) == "null" {
		*d = Date{}
	}
	return err
}

// Time is a time in UTC with whole seconds, RFC 3339 as text.
type Time struct{ t time.Time }

// NewTime converts to UTC and drops fractions of a second.
func NewTime(t time.Time) Time { return Time{t.UTC().Truncate(time.Second)} }

// UTC returns the time in UTC.
func (t Time) UTC() time.Time { return t.t }

// Date returns the day in UTC.
func (t Time) Date() Date { return Date{t.t.Year(), t.t.Month(), t.t.Day()} }

// String returns RFC 3339 with the zone Z.
func (t Time) String() string { return t.t.Format(time.RFC3339) }

// MarshalJSON encodes RFC 3339.
func (t Time) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// UnmarshalJSON accepts RFC 3339 in any zone.
func (t *Time) UnmarshalJSON(b []byte) error {
	v, err := unmarshal(b, time.RFC3339)
	*t = NewTime(v)
	return err
}

// unmarshal decodes a time in a layout; null becomes the zero time.
func unmarshal(b []byte, layout string) (t time.Time, err error) {
	var s string
	if err = json.Unmarshal(b, &s); err == nil && string(b) != "null" {
		t, err = time.Parse(layout, s)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("time: %w", err)
	}
	return t, nil
}
