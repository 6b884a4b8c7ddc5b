// Package feed writes the changes of proposals as RSS, Atom and JSON Feed. It knows neither which
// lists a site has nor where their feeds are published, and no proposals: an item is an event, or
// several of one commit, in words.
package feed

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/feeds"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// Media types of feeds, without parameters.
const (
	TypeRSS  = "application/rss+xml"
	TypeAtom = "application/atom+xml"
	TypeJSON = "application/feed+json"
)

// Format is a format of feeds.
type Format struct {
	// File is a feed's name in the folder of its page.
	File, Type, Name string
	Write            func(mip.Site, Feed) ([]byte, error)
}

// Formats are the formats of the site's own feeds.
func Formats() []Format {
	return []Format{{"feed.xml", TypeRSS, "RSS", RSS}, ListFormat(),
		{"feed.json", TypeJSON, "JSON Feed", JSON}}
}

// ListFormat is the format of the feeds of lists and proposals.
func ListFormat() Format { return Format{"feed.atom", TypeAtom, "Atom", Atom} }

// Limit is the maximum number of items in a feed, which has the newest. /api/v1/events has the
// rest.
const Limit = 100

// Feed is the title and description of a feed, and its items, newest first, at most [Limit]. All
// texts are plain and in one line.
type Feed struct {
	Title, Description string
	// Folder is the route of the feed's folder, and Page the route of its page. Both end with a
	// slash.
	Folder, Page string
	Items        []Item
}

// Item is an entry of a feed.
type Item struct {
	// ID is unique in the site, and does not change.
	ID                       string
	Title, URL, Text, Author string
	Kind                     mip.EventKind
	// When is in the first second of 1970 if unknown. Only Atom shows that: it requires a time of
	// every entry, and a unique one. Times within one second differ by a fraction.
	When time.Time
}

// dated reports whether the item's time is known.
func (i Item) dated() bool { return i.When.Unix() != 0 }

// tag is the URI of an item (RFC 4151), which is unique across sites.
func (i Item) tag(info mip.Site) string {
	at, err := url.Parse(info.BaseURL)
	if err != nil {
		return i.ID
	}
	return "tag:" + strings.ToLower(at.Hostname()) + ",2026:" +
		strings.TrimPrefix(at.EscapedPath()+"/", "/") + i.ID
}

// self is the address of a feed by its file's name, and page the address of its page.
func (f Feed) self(info mip.Site, name string) string { return plain.Address(info, f.Folder+name) }
func (f Feed) page(info mip.Site) string              { return plain.Address(info, f.Page) }

// writeXML encodes a feed with the library's writer, followed by a newline.
func writeXML(feed feeds.XmlFeed) ([]byte, error) {
	var b bytes.Buffer
	if err := feeds.WriteXML(feed, &b); err != nil {
		return nil, fmt.Errorf("encode feed: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
