package ai

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/fetch"
)

// Configured is the language model of the environment. The zero value has none.
type Configured struct {
	Model    Model        // nil when no model is wanted; otherwise a [Budget], not to be asked when it is Unusable
	Name     string       // the model's, as replies have it
	Unusable error        // why the model that is wanted cannot be used; it holds no value of any variable
	Requests *fetch.Stats // counts the questions; nil when no model is wanted
}

// Lookup finds a variable of the environment, like [os.LookupEnv].
type Lookup func(name string) (value string, ok bool)

// get is a value without blanks around it. A variable that is empty is as good as missing.
func (l Lookup) get(name string) string {
	value, _ := l(name)
	return strings.TrimSpace(value)
}

// Environment reads the AI_* variables and the provider's key. It asks nothing. The errors
// name each variable with a bad value, say what would be right, and hold no key.
func Environment(lookup Lookup) (Configured, []error) {
	c, wanted, errs := clientEnvironment(lookup)
	limits, more := limitsEnvironment(lookup)
	errs = append(errs, more...)
	if !wanted {
		return Configured{}, errs
	}
	c.UserAgent, c.Stats = "mipwatch-sidecar", &fetch.Stats{} // build asks as the sidecar does
	client, err := NewClient(c)
	return Configured{Model: NewBudget(client, limits), Name: c.Name, Unusable: err, Requests: c.Stats}, errs
}

// clientEnvironment reads AI_PROVIDER, AI_MODEL, AI_BASE_URL, AI_TIMEOUT and the key of that provider alone. wanted is
// false when AI_PROVIDER is empty, which is no error. [NewClient] reports all that is missing or wrong but AI_TIMEOUT.
func clientEnvironment(lookup Lookup) (c ClientConfig, wanted bool, errs []error) {
	c.Provider, c.Name, c.BaseURL = strings.ToLower(lookup.get("AI_PROVIDER")), lookup.get("AI_MODEL"), lookup.get("AI_BASE_URL")
	if p, ok := providers[c.Provider]; ok {
		c.Key = lookup.get(p.keyVariable)
	}
	var err error
	if c.Timeout, err = parseTimeout(lookup.get("AI_TIMEOUT")); err != nil {
		errs = append(errs, fmt.Errorf("AI_TIMEOUT: %w", err))
	}
	wanted = c.Provider != ""
	if !wanted && (c.Name != "" || c.BaseURL != "") {
		errs = append(errs, errors.New("AI_PROVIDER is not set, though AI_MODEL or AI_BASE_URL is; "+
			"want openai, anthropic or ollama, or none of the three set for no model"))
	}
	return c, wanted, errs
}

// parseTimeout reads a duration, or a number of seconds. An empty text is 0, for the default.
func parseTimeout(text string) (time.Duration, error) {
	const shortest, longest = time.Second, 5 * time.Minute
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if n, bad := strconv.Atoi(text); bad == nil && n > 0 && n <= int(longest/time.Second) {
		d, err = time.Duration(n)*time.Second, nil
	}
	if err != nil || d < shortest || d > longest {
		return 0, errors.New("want a time from 1s to 5m, such as 20s, or 20 for as many seconds")
	}
	return d, nil
}

// limitsEnvironment reads AI_CALLS_AT_ONCE, AI_CALLS_PER_MINUTE and AI_TOKENS_PER_DAY. A bad value leaves the default.
func limitsEnvironment(lookup Lookup) (c Limits, errs []error) {
	count := func(name string, value *int) {
		var err error
		if *value, err = ParseCount(lookup.get(name)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	count("AI_CALLS_AT_ONCE", &c.AtOnce)
	count("AI_CALLS_PER_MINUTE", &c.CallsPerMinute)
	count("AI_TOKENS_PER_DAY", &c.TokensPerDay)
	return c, errs
}

// ParseCount reads a whole number from 1 to 1,000,000,000, as every variable that counts requests, calls or
// tokens has it. An empty text is 0, for the default. The error says what would be right.
func ParseCount(text string) (int, error) {
	const most = 1_000_000_000 // beyond what a process can do in a day
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("want a number from 1 to %d, got %q", most, text)
	}
	return n, nil
}
