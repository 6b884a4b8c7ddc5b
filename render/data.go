package render

import (
	"encoding/xml"
	"fmt"
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// sitemapLimit bounds the addresses in one sitemap (sitemaps.org, protocol 0.9).
const sitemapLimit = 50_000

// SitemapEntry is one page. A nil LastMod is left out.
type SitemapEntry struct {
	Route   string // below the base address, starting with a slash
	LastMod *mip.Time
}

// Sitemap lists the entries in the given order, by the sitemaps.org protocol 0.9. It fails if there
// are more than the protocol allows in one file.
func Sitemap(info mip.Site, entries []SitemapEntry) ([]byte, error) {
	if len(entries) > sitemapLimit {
		return nil, fmt.Errorf("sitemap: %d addresses, the protocol allows %d in one file",
			len(entries), sitemapLimit)
	}
	// The protocol requires this order of the elements.
	type address struct {
		Loc     string `xml:"loc"`
		LastMod string `xml:"lastmod,omitempty"`
	}
	var doc struct {
		XMLName struct{}  `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []address `xml:"url"`
	}
	for _, e := range entries {
		a := address{Loc: plain.Address(info, e.Route)}
		// Leave out an unknown time: a crawler would believe any other.
		if e.LastMod != nil {
			a.LastMod = e.LastMod.String()
		}
		doc.URLs = append(doc.URLs, a)
	}
	out, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode sitemap: %w", err)
	}
	return slices.Concat([]byte(xml.Header), out, []byte("\n")), nil
}

// Robots allows everything to every crawler (RFC 9309) and names the sitemap. Crawlers read it only
// at the root of a host. A site below a path publishes it for completeness.
func Robots(info mip.Site) []byte {
	return []byte("User-agent: *\nAllow: /\n\nSitemap: " + info.BaseURL + "/sitemap.xml\n")
}
