package model

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

// Config says which model is asked and how. The comments name the variables that errors speak of.
type Config struct {
	Provider  string            // AI_PROVIDER: openai, anthropic or ollama; required
	Name      string            // AI_MODEL: the model's name; required
	BaseURL   string            // AI_BASE_URL: an absolute URL, to which the paths of the API are appended; empty: the provider's own
	Key       string            // OPENAI_API_KEY, ANTHROPIC_API_KEY or OLLAMA_API_KEY; ollama can do without
	Timeout   time.Duration     // AI_TIMEOUT: of one Ask, its retry included; 0: 7 s
	Transport http.RoundTripper // nil: one of its own, with the proxy of the environment
	UserAgent string            // empty: that of net/http
	Stats     *upstream.Stats   // counts the questions; nil: nobody is told
}

var errAddress = errors.New("AI_BASE_URL is not an absolute http or https URL")

// check returns all that is wrong, as [New] says it.
func (c Config) check() error {
	p, known := providerOf(c.Provider)
	var problems []error
	switch {
	case c.Provider == "":
		problems = append(problems, errors.New("AI_PROVIDER is not set"))
	case !known:
		problems = append(problems, errors.New("AI_PROVIDER is none of openai, anthropic and ollama"))
	}
	if strings.TrimSpace(c.Name) == "" {
		problems = append(problems, errors.New("AI_MODEL is not set"))
	}
	switch {
	case known && !p.keyless && c.Key == "":
		problems = append(problems, fmt.Errorf("%s is not set", p.keyVariable))
	case strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }):
		problems = append(problems, fmt.Errorf("%s holds a character that no key has, such as a line end", cmp.Or(p.keyVariable, "the key")))
	}
	if _, err := upstream.New(c.address(p), upstream.Config{Transport: http.DefaultTransport}); err != nil {
		problems = append(problems, errAddress)
	}
	return errors.Join(problems...)
}

// address is where the API of p is.
func (c Config) address(p provider) string { return cmp.Or(c.BaseURL, p.address, placeholder) }
