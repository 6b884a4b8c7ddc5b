package sidecar

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// netlifyClient is the field in which Netlify names the caller.
const netlifyClient = "X-Nf-Client-Connection-Ip"

// clients tells callers apart.
type clients struct {
	netlify bool
	proxies []netip.Prefix
}

func newClients(netlify bool, proxies []netip.Prefix) clients {
	return clients{netlify, slices.Clone(proxies)}
}

// of is the caller's address: for IPv6 its /64, since whoever has one address there has all of them.
// The zero value stands for all callers that cannot be told apart; they share one limit.
func (c clients) of(r *http.Request) netip.Addr {
	if c.netlify {
		return whole(parseAddr(r.Header.Get(netlifyClient)))
	}
	a := parseAddr(r.RemoteAddr)
	if !c.isProxy(a) {
		return whole(a)
	}
	// Each proxy appends the address that it was asked from, so the caller is the last one that is no
	// proxy of ours. What stands before it the caller may have written.
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		next := parseAddr(strings.TrimSpace(hop))
		if !next.IsValid() {
			break
		}
		if a = next; !c.isProxy(a) {
			break
		}
	}
	return whole(a)
}

func (c clients) isProxy(a netip.Addr) bool {
	return a.IsValid() && slices.ContainsFunc(c.proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// parseAddr reads an address with or without a port. The zero value is none.
func parseAddr(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	a, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return a.Unmap().WithZone("")
}

// whole is the address that stands for everything that its holder can send from.
func whole(a netip.Addr) netip.Addr {
	if !a.Is6() {
		return a
	}
	p, err := a.Prefix(64)
	if err != nil {
		return netip.Addr{}
	}
	return p.Addr()
}
