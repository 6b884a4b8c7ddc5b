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

// Environment returns the [Config] that the variables of a process set, however it is run, with a
// log of JSON lines to w. It reads them through lookup, which is like [os.LookupEnv]. An empty
// variable counts as unset. It leaves out the variables of networks, whose names depend on the
// site; see [catalog.Endpoints].
//
// Each error begins with the name of the variable. A value that is probably a mistake is logged,
// and everything else works: such as a model that cannot be used, or a proxy prefix that covers
// everybody. Redis is not connected yet.
func Environment(lookup func(string) (string, bool), w io.Writer) (Config, []error) {
	var errs []error
	c := Config{
		Proxies:             read(lookup, &errs, "TRUSTED_PROXIES", parseProxies),
		RequestsPerMinute:   read(lookup, &errs, "REQUESTS_PER_MINUTE", ai.ParseCount),
		AIRequestsPerMinute: read(lookup, &errs, "AI_REQUESTS_PER_MINUTE", ai.ParseCount),
	}
	// An invalid level counts as info, so that the errors are logged.
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
			c.Log.Warn("TRUSTED_PROXIES holds "+p.String()+": whoever sends from there can forge "+
				"X-Forwarded-For and so evade every limit; name the addresses of your "+
				"proxies alone", "variable", "TRUSTED_PROXIES")
		}
	}
	return c, errs
}

// read parses a variable, without surrounding white space, and appends any error to errs. An empty
// or invalid variable gives the zero value.
func read[T any](
	lookup func(string) (string, bool), errs *[]error, name string, parse func(string) (T, error),
) (v T) {
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

// parseLevel parses the name of a level of log/slog, without an offset such as INFO+1.
func parseLevel(text string) (level slog.Level, err error) {
	if level.UnmarshalText([]byte(text)) != nil || strings.ContainsAny(text, "+-") {
		return 0, fmt.Errorf("want debug, info, warn or error, got %q", text)
	}
	return level, nil
}

// ModelName is the name of the language model for the log: "unusable" if it cannot be used, "none"
// if there is none.
func (c Config) ModelName() string {
	switch {
	case c.AI.Unusable != nil:
		return "unusable"
	case c.AI.Model == nil:
		return "none"
	}
	return c.AI.Name
}

// open reports whether a prefix has more public addresses than any group of proxies.
func open(p netip.Prefix) bool {
	const least4, least6 = 8, 16 // bits
	least := least6
	if p.Addr().Is4() {
		least = least4
	}
	return p.Bits() < least && !p.Addr().IsPrivate()
}

// parseProxies parses addresses and prefixes. An IPv4-mapped IPv6 address becomes the IPv4 address,
// as addresses of callers do.
func parseProxies(text string) (out []netip.Prefix, err error) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		p, err := netip.ParsePrefix(part)
		// A zone names an interface of this machine. Addresses of callers have none, so it would
		// never match.
		if a, bad := netip.ParseAddr(part); bad == nil && a.Zone() == "" {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q is neither an address nor a prefix; want such as "+
				"10.0.0.0/8,192.0.2.1", part)
		}
		const mapped = 96 // bits before the IPv4 address
		if p.Addr().Is4In6() && p.Bits() >= mapped {
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped)
		}
		out = append(out, p.Masked())
	}
	return out, nil
}
