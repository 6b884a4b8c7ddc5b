package sidecar

import (
	"fmt"
	"log/slog"
	"net/netip"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// Environment is the part of a [Config] that the variables of a process decide, however it is run. [ReadEnvironment]
// makes it.
type Environment struct {
	// Proxies is TRUSTED_PROXIES.
	Proxies []netip.Prefix
	// Level is LOG_LEVEL, or info.
	Level slog.Level
	// RequestsPerMinute and AIRequestsPerMinute are the variables of these names. Zero means the default of [Config].
	RequestsPerMinute   int
	AIRequestsPerMinute int
	// AI is made of the AI_* variables and the key of the provider.
	AI ai.Configured

	// Lookup is the one that was given to [ReadEnvironment].
	Lookup func(string) (string, bool)

	// redis is nil without REDIS_URL.
	redis *redis.Address
}

// ReadEnvironment reads the variables through lookup, which is like [os.LookupEnv]. Those of networks, whose names
// follow from the site, are not among them; see [index.Endpoints]. Each error begins with the name of the variable.
func ReadEnvironment(lookup func(string) (string, bool)) (Environment, []error) {
	e := Environment{Lookup: lookup}
	var errs []error
	check := func(name string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	var err error
	e.Proxies, err = parseProxies(e.Get("TRUSTED_PROXIES"))
	check("TRUSTED_PROXIES", err)
	e.Level, err = parseLevel(e.Get("LOG_LEVEL"))
	check("LOG_LEVEL", err)
	e.RequestsPerMinute, err = ai.ParseCount(e.Get("REQUESTS_PER_MINUTE"))
	check("REQUESTS_PER_MINUTE", err)
	e.AIRequestsPerMinute, err = ai.ParseCount(e.Get("AI_REQUESTS_PER_MINUTE"))
	check("AI_REQUESTS_PER_MINUTE", err)
	if address := e.Get("REDIS_URL"); address != "" {
		e.redis, err = redis.Parse(address)
		check("REDIS_URL", err)
	}
	var more []error
	e.AI, more = ai.Environment(lookup)
	return e, append(errs, more...)
}

// Get returns the value of a variable without white space around it. An unset variable is an empty one.
func (e Environment) Get(name string) string {
	value, _ := e.Lookup(name)
	return strings.TrimSpace(value)
}

// Config returns a Config with a log, and logs why the configured model cannot be asked, if it cannot: everything else
// works then. The Redis is not connected yet.
func (e Environment) Config(log *slog.Logger) Config {
	if why := e.AI.Unusable; why != nil {
		log.Warn("no language model", "error", why.Error())
	}
	c := Config{
		Proxies: e.Proxies, RequestsPerMinute: e.RequestsPerMinute, AIRequestsPerMinute: e.AIRequestsPerMinute,
		AI: e.AI, Log: log,
	}
	if e.redis != nil {
		c.Redis = redis.Open(e.redis, redis.Config{Log: log})
	}
	return c
}

// parseLevel reads a level of log/slog by its name, without an offset such as INFO+1.
func parseLevel(text string) (level slog.Level, err error) {
	if text == "" {
		return slog.LevelInfo, nil
	}
	if level.UnmarshalText([]byte(text)) != nil || strings.ContainsAny(text, "+-") {
		return 0, fmt.Errorf("want debug, info, warn or error, got %q", text)
	}
	return level, nil
}

// parseProxies reads addresses and prefixes. An IPv4 address within an IPv6 one becomes the IPv4 address, as the
// addresses of callers do.
func parseProxies(text string) ([]netip.Prefix, error) {
	if text == "" {
		return nil, nil
	}
	var out []netip.Prefix
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		// A zone names an interface of this machine, by which no address of a request is told apart.
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
