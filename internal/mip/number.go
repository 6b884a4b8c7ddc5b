package mip

import (
	"strconv"
	"strings"
)

// MaxDigits keeps numbers within the integers of every reader.
const MaxDigits = 9

// ParseNumber parses decimal digits, with any number of leading zeros. ok is false for more than
// [MaxDigits] significant digits.
func ParseNumber(digits string) (n int, ok bool) {
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return 0, true
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && len(digits) <= MaxDigits
}
