package ai

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/fetch"
)

// Configured is what the environment says of the language model. The zero value has none.
type Configured struct {
	Model    *Budget // nil when no model is wanted; not to be asked when it is Unusable
	Name     string  // the model's, as replies have it
	Unusable error   // why the model that is wanted cannot be used; it holds no value of any variable
}

// Environment reads the AI_* variables and the provider's key by lookup, which is like [os.LookupEnv]. Nothing is
// asked. stats counts the questions. The errors are those of values that nobody can mean.
func Environment(lookup func(string) (string, bool), userAgent string, stats *fetch.Stats) (Configured, []error) {
	wanted, asked, errs := clientEnvironment(lookup)
	limits, more := limitsEnvironment(lookup)
	errs = append(errs, more...)
	if !asked {
		return Configured{}, errs
	}
	wanted.UserAgent, wanted.Stats = userAgent, stats
	client, err := NewClient(wanted)
	return Configured{Model: NewBudget(client, limits), Name: wanted.Name, Unusable: err}, errs
}

const shortestTimeout, longestTimeout = time.Second, 5 * time.Minute

// clientEnvironment reads AI_PROVIDER, AI_MODEL, AI_BASE_URL, AI_TIMEOUT and the provider's key by lookup, which
// is like [os.LookupEnv]. No other provider's key is read. Blanks around a value are dropped, and an empty
// one is as good as none.
//
// asked is false when AI_PROVIDER is empty: no model is wanted, and that is no error. What is missing or
// wrong beside AI_TIMEOUT is for [NewClient] to say. The errors name each bad variable, say what would be right
// and hold no value.
func clientEnvironment(lookup func(string) (string, bool)) (c ClientConfig, asked bool, errs []error) {
	get := func(name string) string {
		value, _ := lookup(name)
		return strings.TrimSpace(value)
	}
	c.Provider, c.Name, c.BaseURL = strings.ToLower(get("AI_PROVIDER")), get("AI_MODEL"), get("AI_BASE_URL")
	if p, ok := providerOf(c.Provider); ok {
		c.Key = get(p.keyVariable)
	}
	var err error
	if c.Timeout, err = parseTimeout(get("AI_TIMEOUT")); err != nil {
		errs = append(errs, fmt.Errorf("AI_TIMEOUT: %w", err))
	}
	asked = c.Provider != ""
	if !asked && (c.Name != "" || c.BaseURL != "") {
		errs = append(errs, errors.New("AI_PROVIDER is not set, though AI_MODEL or AI_BASE_URL is; want openai, anthropic or ollama, or none of the three set for no model"))
	}
	return c, asked, errs
}

// parseTimeout reads a duration, or a number of seconds. No text is none.
func parseTimeout(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if n, bad := strconv.Atoi(text); bad == nil && n > 0 && n <= int(longestTimeout/time.Second) {
		d, err = time.Duration(n)*time.Second, nil
	}
	if err != nil || d < shortestTimeout || d > longestTimeout {
		return 0, errors.New("want a time from 1s to 5m, such as 20s, or 20 for as many seconds")
	}
	return d, nil
}

// mostCount is beyond what a process can do in a day.
const mostCount = 1_000_000_000

// limitsEnvironment reads AI_CALLS_AT_ONCE, AI_CALLS_PER_MINUTE and AI_TOKENS_PER_DAY by lookup, which is like
// [os.LookupEnv]. A variable that is missing or empty leaves the default. The errors name each bad
// variable and say what would be right; its value is then that of the default.
func limitsEnvironment(lookup func(string) (string, bool)) (Limits, []error) {
	var c Limits
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
	if err != nil || n < 1 || n > mostCount {
		return 0, fmt.Errorf("want a number from 1 to %d, got %q", mostCount, text)
	}
	return n, nil
}
