package sidecar

import (
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// Environment returns the [Config] that the variables of a process decide, however it is run, with a log of JSON lines
// to w. It reads them through lookup, which is like [os.LookupEnv]. An empty variable counts as unset. Those of
// networks, whose names follow from the site, are not among them; see [catalog.Endpoints]. Each error begins with the
// name of the variable. What is likely not as it was meant is a line of the log, and everything works as well as it can:
// a model that cannot be asked, a proxy that is everybody. The Redis is not connected yet.
func Environment(lookup func(string) (string, bool), w io.Writer) (Config, []error) {
	var errs []error
	c := Config{
		Proxies:             read(lookup, &errs, "TRUSTED_PROXIES", parseProxies),
		RequestsPerMinute:   read(lookup, &errs, "REQUESTS_PER_MINUTE", ai.ParseCount),
		AIRequestsPerMinute: read(lookup, &errs, "AI_REQUESTS_PER_MINUTE", ai.ParseCount),
	}
	// A level that cannot be read is info, so that the errors are logged.
	level := read(lookup, &errs, "LOG_LEVEL", parseLevel)
	c.Log = slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
	c.Redis = read(lookup, &errs, "REDIS_URL", func(address string) (*redis.Store, error) {
		return redis.Open(address, redis.Config{Log: c.Log})
	})
	var more []error
	c.AI, more = ai.Environment(lookup)
	errs = append(errs, more...)
	if why := c.AI.Unusable; why != nil {
		c.Log.Warn("no language model", "error", why.Error())
	}
	for _, p := range c.Proxies {
		if open(p) {
			c.Log.Warn("TRUSTED_PROXIES holds "+p.String()+": whoever sends from there names any caller in X-Forwarded-For, "+
				"and gets round every limit; name the addresses of your proxies alone", "variable", "TRUSTED_PROXIES")
		}
	}
	return c, errs
}

// read parses a variable that is set, without white space around it, and notes the error. The value of a variable that
// is empty or cannot be read is the zero one.
func read[T any](lookup func(string) (string, bool), errs *[]error, name string, parse func(string) (T, error)) (v T) {
	text, _ := lookup(name)
	if text = strings.TrimSpace(text); text == "" {
		return v
	}
	v, err := parse(text)
	if err != nil {
		*errs = append(*errs, fmt.Errorf("%s: %w", name, err))
	}
	return v
}

// parseLevel reads a level of log/slog by its name, without an offset such as INFO+1.
func parseLevel(text string) (level slog.Level, err error) {
	if level.UnmarshalText([]byte(text)) != nil || strings.ContainsAny(text, "+-") {
		return 0, fmt.Errorf("want debug, info, warn or error, got %q", text)
	}
	return level, nil
}

// ModelName is the name of the language model that is asked, for the log: unusable for one that cannot be, none for none.
func (c Config) ModelName() string {
	switch {
	case c.AI.Unusable != nil:
		return "unusable"
	case c.AI.Model == nil:
		return "none"
	}
	return c.AI.Name
}

// open reports whether a prefix holds more addresses of the internet than any proxies have.
func open(p netip.Prefix) bool {
	const least4, least6 = 8, 16 // bits
	least := least6
	if p.Addr().Is4() {
		least = least4
	}
	return p.Bits() < least && !p.Addr().IsPrivate()
}

// parseProxies reads addresses and prefixes. An IPv4 address within an IPv6 one becomes the IPv4 address, as the
// addresses of callers do.
func parseProxies(text string) (out []netip.Prefix, err error) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		p, err := netip.ParsePrefix(part)
		// A zone names an interface of this machine, by which no address of a request is told apart.
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
