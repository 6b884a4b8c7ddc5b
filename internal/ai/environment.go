package ai

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/fetch"
)

// Configured is the language model of the environment. The zero value has no model.
type Configured struct {
	// Model is nil if none is configured, else a [Budget]. It must not be asked if Unusable is set.
	Model Model
	// Name is the model's name in replies.
	Name string
	// Unusable is why the configured model cannot be used. It holds no value of any variable.
	Unusable error
	// Requests counts the questions. It is nil without a model.
	Requests *fetch.Stats
}

// Environment reads the AI_* variables and the key of the configured provider through lookup, which
// is like [os.LookupEnv]. Blanks around a value do not count, and an empty value is a missing one.
// It sends no question. The errors name each variable with a bad value and a right value, and hold
// no key. Unusable has the faults that [NewClient] finds.
func Environment(lookup func(name string) (value string, ok bool)) (Configured, []error) {
	get := func(name string) string {
		value, _ := lookup(name)
		return strings.TrimSpace(value)
	}
	var errs []error
	count := func(name string) int {
		n, err := ParseCount(get(name))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
		return n
	}
	timeout, err := parseTimeout(get("AI_TIMEOUT"))
	if err != nil {
		errs = append(errs, fmt.Errorf("AI_TIMEOUT: %w", err))
	}
	limits := Limits{
		AtOnce:         count("AI_CALLS_AT_ONCE"),
		CallsPerMinute: count("AI_CALLS_PER_MINUTE"),
		TokensPerDay:   count("AI_TOKENS_PER_DAY"),
	}
	c := ClientConfig{
		Provider:  strings.ToLower(get("AI_PROVIDER")),
		Name:      get("AI_MODEL"),
		BaseURL:   get("AI_BASE_URL"),
		Timeout:   timeout,
		UserAgent: "mipwatch-sidecar", // build asks as the sidecar does
		Stats:     &fetch.Stats{},
	}
	if c.Provider == "" {
		if c.Name != "" || c.BaseURL != "" {
			errs = append(errs, errors.New("AI_PROVIDER is not set, though AI_MODEL or "+
				"AI_BASE_URL is; "+
				"want openai, anthropic or ollama, or none of the three set for no model"))
		}
		return Configured{}, errs
	}
	if p, ok := providers[c.Provider]; ok {
		c.Key = get(p.keyVariable)
	}
	client, err := NewClient(c)
	return Configured{
		Model: NewBudget(client, limits), Name: c.Name, Unusable: err, Requests: c.Stats,
	}, errs
}

// parseTimeout reads a duration, or a number of seconds. An empty text is 0, for the default.
func parseTimeout(text string) (time.Duration, error) {
	const shortest, longest = time.Second, 5 * time.Minute
	if text == "" {
		return 0, nil
	}
	if _, err := strconv.Atoi(text); err == nil {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < shortest || d > longest {
		return 0, errors.New("want a time from 1s to 5m, such as 20s, or 20 for as many seconds")
	}
	return d, nil
}

// ParseCount reads a whole number from 1 to 1,000,000,000, the form of every variable that counts
// requests, calls or tokens. An empty text is 0, for the default. The error explains the form.
func ParseCount(text string) (int, error) {
	const most = 1_000_000_000 // more than a process can do in a day
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("want a number from 1 to %d, got %q", most, text)
	}
	return n, nil
}
