package sidecar

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
)

// namesAsWritten refuses a query string with an escaped name. A CDN keeps responses apart by names
// as they are written, and would give the response to %71=gas to every search.
func namesAsWritten(query string) error {
	for parameter := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(parameter, "="); strings.ContainsAny(name, "%+") {
			return badRequest("%.40q is an escaped name: want each parameter's name in plain "+
				"letters, such as q=fee.", name)
		}
	}
	return nil
}

// numberOf parses a numeric parameter between least and most. A missing one has the value usual.
func numberOf(values url.Values, name string, usual, least, most int) (int, error) {
	given, ok := values[name]
	if !ok {
		return usual, nil
	}
	n, err := strconv.Atoi(given[0])
	if len(given) > 1 || err != nil || n < least || n > most || strconv.Itoa(n) != given[0] {
		return 0, badRequest("%[1]s is there once at most, and is a number from %[2]d to %[3]d, "+
			"such as ?%[1]s=%[4]d.",
			name, least, most, api.UsualHits)
	}
	return n, nil
}
