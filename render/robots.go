package render

import "github.com/mipwatch/mipwatch/internal/mip"

// Robots allows every crawler everything (RFC 9309) and names the sitemap. Crawlers read it only at
// the root of a host: a site below a path publishes it for completeness.
func Robots(info mip.SiteInfo) []byte {
	return []byte("User-agent: *\nAllow: /\n\nSitemap: " + info.BaseURL + "/sitemap.xml\n")
}
