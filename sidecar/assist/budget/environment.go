package budget

import (
	"fmt"
	"strconv"
	"strings"
)

// most is beyond what a process can do in a day.
const most = 1_000_000_000

// Environment reads AI_CALLS_AT_ONCE, AI_CALLS_PER_MINUTE and AI_TOKENS_PER_DAY by lookup, which is like
// [os.LookupEnv]. A variable that is missing or empty leaves the default. The errors name each bad
// variable and say what would be right; its value is then that of the default.
func Environment(lookup func(string) (string, bool)) (Config, []error) {
	var c Config
	var errs []error
	for _, v := range []struct {
		name  string
		value *int
	}{
		{"AI_CALLS_AT_ONCE", &c.AtOnce},
		{"AI_CALLS_PER_MINUTE", &c.CallsPerMinute},
		{"AI_TOKENS_PER_DAY", &c.TokensPerDay},
	} {
		text, _ := lookup(v.name)
		n, err := ParseCount(strings.TrimSpace(text))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", v.name, err))
		}
		*v.value = n
	}
	return c, errs
}

// ParseCount reads a whole number from 1 to 1,000,000,000, as every variable that counts requests, calls or
// tokens has it. An empty text is 0, for the default. The error says what would be right.
func ParseCount(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("want a number from 1 to %d, got %q", most, text)
	}
	return n, nil
}
