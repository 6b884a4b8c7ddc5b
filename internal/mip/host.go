package mip

import "strings"

// Host is the kind of server of a site: rewrites, also when empty, [HostPlain] or [HostCloudflare].
type Host string

// Hosts that serve files only.
const (
	// HostPlain has no rules, such as GitHub Pages.
	HostPlain Host = "plain"
	// HostCloudflare is Cloudflare Pages, whose rules, limited in number, redirect old addresses
	// and set header fields.
	HostCloudflare Host = "cloudflare"
)

// FilesAlone reports whether the host serves files only, each at its own address.
func (h Host) FilesAlone() bool { return h == HostPlain || h == HostCloudflare }

// Route returns the address of a route, which starts with a slash: on a host that serves files
// only, a JSON document of the API has the address of its file. A route that ends in a slash stays:
// it is a prefix of others.
func (h Host) Route(route string) string {
	if h.FilesAlone() && strings.HasPrefix(route, "/api/v1/") && !strings.HasSuffix(route, "/") {
		return route + ".json"
	}
	return route
}
