package mip

import (
	"strconv"
	"strings"
)

// MaxDigits keeps numbers within the integers of every reader.
const MaxDigits = 9

// ParseNumber reads decimal digits, with any number of leading zeros. ok is false where more than
// [MaxDigits] count.
func ParseNumber(digits string) (n int, ok bool) {
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return 0, true
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && len(digits) <= MaxDigits
}
