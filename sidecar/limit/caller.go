package limit

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Callers finds the address of a caller.
type Callers struct {
	// Netlify says that every request comes from Netlify, which names the caller in x-nf-client-connection-ip.
	Netlify bool
	// Proxies are the addresses whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
}

// Address returns the address by which a caller is limited: for IPv6 its /64, since the holder of one address there has
// all of them. The zero value stands for all callers without a known address.
func (c Callers) Address(r *http.Request) netip.Addr {
	a := c.lastHop(r)
	if !a.Is6() {
		return a
	}
	p, err := a.Prefix(64)
	if err != nil {
		return netip.Addr{}
	}
	return p.Addr()
}

// lastHop returns the address of the caller, or of the last proxy before it that is not ours.
func (c Callers) lastHop(r *http.Request) netip.Addr {
	// Netlify replaces the field, whatever the caller has written into it.
	if c.Netlify {
		return parseAddr(r.Header.Get("X-Nf-Client-Connection-Ip"))
	}
	a := parseAddr(r.RemoteAddr)
	if !c.isProxy(a) {
		return a
	}
	// Each proxy appends the address that it was asked from. The caller may have written all that stands before the
	// last address that is no proxy of ours.
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
	return a
}

// isProxy reports whether the X-Forwarded-For of an address is believed.
func (c Callers) isProxy(a netip.Addr) bool {
	return a.IsValid() && slices.ContainsFunc(c.Proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// parseAddr reads an address with or without a port. It returns the zero value for anything else.
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
