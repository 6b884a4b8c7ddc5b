package header

import (
	"strconv"
	"strings"
)

// MaxDigits keeps numbers within the integers of every reader.
const MaxDigits = 9

// SmallNumber reads decimal digits, with any number of leading zeros, of at most [MaxDigits]
// that count.
func SmallNumber(digits string) (int, bool) {
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return 0, true
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && len(digits) <= MaxDigits
}
