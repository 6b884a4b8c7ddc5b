package day

import "time"

// Due parses a day, such as 2027-01-19, or a moment, RFC 3339 in any zone. hour reports whether the
// text has a time of day.
func Due(text string) (at time.Time, hour, ok bool) {
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at, false, true
	}
	at, err := time.Parse(time.RFC3339, text)
	return at.UTC(), true, err == nil
}
