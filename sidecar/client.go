package sidecar

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// client returns the address by which a caller is limited: for IPv6 its /64, since the holder of one address there has
// all of them. The zero value stands for all callers without a known address.
func (s *Sidecar) client(r *http.Request) netip.Addr {
	a := s.lastHop(r)
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
func (s *Sidecar) lastHop(r *http.Request) netip.Addr {
	if s.Netlify {
		return parseAddr(r.Header.Get("X-Nf-Client-Connection-Ip"))
	}
	a := parseAddr(r.RemoteAddr)
	if !s.isProxy(a) {
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
		if a = next; !s.isProxy(a) {
			break
		}
	}
	return a
}

// isProxy reports whether the X-Forwarded-For of an address is believed.
func (s *Sidecar) isProxy(a netip.Addr) bool {
	return a.IsValid() && slices.ContainsFunc(s.Proxies, func(p netip.Prefix) bool { return p.Contains(a) })
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
