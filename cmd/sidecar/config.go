package main

import (
	"fmt"
	"log/slog"
	"net/netip"
	"strings"

	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/sidecar/assist/budget"
	"github.com/mipwatch/mipwatch/sidecar/assistant"
)

// environment is what the environment says. The zero value says nothing.
type environment struct {
	addr, config, site string // defaults of the flags; empty: not given
	proxies            []netip.Prefix
	level              slog.Level
	perMinute          int // requests of one caller; 0: as the sidecar has it
	aiPerMinute        int // summaries of one caller, and translations; 0: as the sidecar has it
	assistant          assistant.Config
	redis              string // address of what is shared with other sidecars; empty: nothing is
	lookup             func(string) (string, bool)
}

// readEnvironment reads every variable but those of networks, whose names follow from the site: those
// are read by rpc. The errors name each bad variable and say what would be right.
func readEnvironment(lookup func(string) (string, bool)) (environment, []error) {
	e := environment{lookup: lookup}
	e.addr, e.config, e.site = e.get("SIDECAR_ADDR"), e.get("SIDECAR_CONFIG"), e.get("SIDECAR_SITE")
	var errs []error
	var err error
	if e.proxies, err = parseProxies(e.get("TRUSTED_PROXIES")); err != nil {
		errs = append(errs, fmt.Errorf("TRUSTED_PROXIES: %w", err))
	}
	if e.level, err = parseLevel(e.get("LOG_LEVEL")); err != nil {
		errs = append(errs, fmt.Errorf("LOG_LEVEL: %w", err))
	}
	if e.perMinute, err = budget.ParseCount(e.get("REQUESTS_PER_MINUTE")); err != nil {
		errs = append(errs, fmt.Errorf("REQUESTS_PER_MINUTE: %w", err))
	}
	if e.aiPerMinute, err = budget.ParseCount(e.get("AI_REQUESTS_PER_MINUTE")); err != nil {
		errs = append(errs, fmt.Errorf("AI_REQUESTS_PER_MINUTE: %w", err))
	}
	e.redis = e.get("REDIS_URL")
	var more []error
	e.assistant, more = assistant.Environment(lookup)
	return e, append(errs, more...)
}

// get is a variable's value. An empty one is as good as none.
func (e environment) get(name string) string {
	value, _ := e.lookup(name)
	return strings.TrimSpace(value)
}

// rpc returns the addresses that the environment has for a network, nil when it has none.
func (e environment) rpc(id string) ([]string, error) { return site.RPCAddresses(id, e.lookup) }

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
