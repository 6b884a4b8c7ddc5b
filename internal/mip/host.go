package mip

import "strings"

// Host is what serves a site: rewrites, also when empty, [HostPlain] or [HostCloudflare].
type Host string

// Hosts that answer for files alone.
const (
	// HostPlain knows no rules, such as GitHub Pages.
	HostPlain Host = "plain"
	// HostCloudflare is Cloudflare Pages, which leads old addresses on and sets fields by rules of
	// which it takes a limited number.
	HostCloudflare Host = "cloudflare"
)

// FilesAlone reports whether the host answers for files alone, each at its own address.
func (h Host) FilesAlone() bool { return h == HostPlain || h == HostCloudflare }

// Route returns the address at which the host has a route, which starts with a slash: where it
// answers for files alone, a JSON document of the API has the address of its file. A route that
// ends in a slash stays: it is the beginning of others.
func (h Host) Route(route string) string {
	if h.FilesAlone() && strings.HasPrefix(route, "/api/v1/") && !strings.HasSuffix(route, "/") {
		return route + ".json"
	}
	return route
}
