// Package environment is what the variables of a process say of the live part, however it is run: as a
// server or as a function. It does not know which of them runs, and reads nothing by itself: only a main
// reaches the environment, and lends its lookup.
package environment

import (
	"fmt"
	"log/slog"
	"net/netip"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai"

	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/assistant"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// Environment is made by [Read].
type Environment struct {
	Proxies     []netip.Prefix // whose X-Forwarded-For is believed
	Level       slog.Level
	PerMinute   int // requests of one caller; 0: as the sidecar has it
	AIPerMinute int // summaries of one caller, and translations; 0: as the sidecar has it
	Assistant   assistant.Config

	redis  *redis.Address // nil: nothing is shared
	lookup func(string) (string, bool)
}

// Read reads every variable that all mains share, by lookup, which is like [os.LookupEnv]. Those of
// networks, whose names follow from the site, are read by [Environment.RPC]. The errors name each bad
// variable and say what would be right.
func Read(lookup func(string) (string, bool)) (Environment, []error) {
	e := Environment{lookup: lookup}
	var errs []error
	var err error
	if e.Proxies, err = parseProxies(e.Get("TRUSTED_PROXIES")); err != nil {
		errs = append(errs, fmt.Errorf("TRUSTED_PROXIES: %w", err))
	}
	if e.Level, err = parseLevel(e.Get("LOG_LEVEL")); err != nil {
		errs = append(errs, fmt.Errorf("LOG_LEVEL: %w", err))
	}
	if e.PerMinute, err = ai.ParseCount(e.Get("REQUESTS_PER_MINUTE")); err != nil {
		errs = append(errs, fmt.Errorf("REQUESTS_PER_MINUTE: %w", err))
	}
	if e.AIPerMinute, err = ai.ParseCount(e.Get("AI_REQUESTS_PER_MINUTE")); err != nil {
		errs = append(errs, fmt.Errorf("AI_REQUESTS_PER_MINUTE: %w", err))
	}
	if address := e.Get("REDIS_URL"); address != "" {
		if e.redis, err = redis.Parse(address); err != nil {
			errs = append(errs, fmt.Errorf("REDIS_URL: %w", err))
		}
	}
	var more []error
	e.Assistant, more = assistant.Environment(lookup)
	return e, append(errs, more...)
}

// Get is a variable's value without white space around it. An empty one is as good as none.
func (e Environment) Get(name string) string {
	value, _ := e.lookup(name)
	return strings.TrimSpace(value)
}

// RPC returns the addresses that the environment has for a network, nil when it has none.
func (e Environment) RPC(id string) ([]string, error) { return site.RPCAddresses(id, e.lookup) }

// Config is what the environment decides of a sidecar, with a log. The log is told at once why the model
// that is configured cannot be asked, which keeps nothing else from working. What is shared is asked later.
func (e Environment) Config(log *slog.Logger) sidecar.Config {
	if why := e.Assistant.Unusable; why != nil {
		log.Warn("no language model", "error", why.Error())
	}
	c := sidecar.Config{Proxies: e.Proxies, RequestsPerMinute: e.PerMinute, AIRequestsPerMinute: e.AIPerMinute, Assistant: e.Assistant, Log: log}
	if e.redis != nil {
		c.Shared = redis.Open(e.redis, redis.Config{Log: log})
	}
	return c
}

func parseLevel(text string) (slog.Level, error) {
	switch strings.ToLower(text) {
	case "debug":
		return slog.LevelDebug, nil
	case "", "info":
		return slog.LevelInfo, nil
	case "warn":
		return slog.LevelWarn, nil
	case "error":
		return slog.LevelError, nil
	}
	return 0, fmt.Errorf("want debug, info, warn or error, got %q", text)
}

// parseProxies reads addresses and prefixes. An IPv4 address in an IPv6 one is taken for itself, as the
// addresses of callers are.
func parseProxies(text string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, part := range split(text) {
		p, err := netip.ParsePrefix(part)
		if a, bad := netip.ParseAddr(part); bad == nil && a.Zone() == "" {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q is neither an address nor a prefix; want such as 10.0.0.0/8,192.0.2.1", part)
		}
		const mapped = 96 // bits before the IPv4 address
		if p.Addr().Is4In6() && p.Bits() >= mapped {
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped)
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

// split splits at commas. An empty text has no parts.
func split(text string) []string {
	if text == "" {
		return nil
	}
	parts := strings.Split(text, ",")
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	return parts
}
