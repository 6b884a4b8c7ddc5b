package model

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const shortestTimeout, longestTimeout = time.Second, 5 * time.Minute

// Environment reads AI_PROVIDER, AI_MODEL, AI_BASE_URL, AI_TIMEOUT and the provider's key by lookup, which
// is like [os.LookupEnv]. No other provider's key is read. Blanks around a value are dropped, and an empty
// one is as good as none.
//
// asked is false when AI_PROVIDER is empty: no model is wanted, and that is no error. What is missing or
// wrong beside AI_TIMEOUT is for [New] to say. The errors name each bad variable, say what would be right
// and hold no value.
func Environment(lookup func(string) (string, bool)) (c Config, asked bool, errs []error) {
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
