// Package feed writes what happened to proposals as RSS, Atom and JSON Feed. It knows neither which lists a site has nor
// where their feeds are published, and no proposals: an item is an event, or several of one commit, in words.
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
	// File is a feed's name in the folder of the page beside it.
	File, Type, Name string
	Write            func(mip.Site, Feed) ([]byte, error)
}

// Formats are those of the site's own feeds.
func Formats() []Format {
	return []Format{{"feed.xml", TypeRSS, "RSS", RSS}, ListFormat(), {"feed.json", TypeJSON, "JSON Feed", JSON}}
}

// ListFormat is the format of the feeds of lists and proposals.
func ListFormat() Format { return Format{"feed.atom", TypeAtom, "Atom", Atom} }

// Limit is the number of items of a feed: the newest ones. A reader who was away for longer finds the rest in
// /api/v1/events.
const Limit = 100

// Feed is what a feed says of itself, and its items, newest first, [Limit] at most. All texts are plain and in one line.
type Feed struct {
	Title, Description string
	// Folder is the route of the folder that it lies in, and Page that of its page. They end with a slash.
	Folder, Page string
	Items        []Item
}

// Item is an entry of a feed.
type Item struct {
	// ID is unique in the site, and stays.
	ID                       string
	Title, URL, Text, Author string
	Kind                     mip.EventKind
	// When is in the first second of 1970 where nobody knows, which Atom alone tells: it wants a time of every entry, and
	// another one than that of all others. Those of one second differ by a fraction.
	When time.Time
}

// dated reports whether it is known when the item happened.
func (i Item) dated() bool { return i.When.Unix() != 0 }

// tag is the URI of an item (RFC 4151), of whose name no other site has one.
func (i Item) tag(info mip.Site) string {
	at, err := url.Parse(info.BaseURL)
	if err != nil {
		return i.ID
	}
	return "tag:" + strings.ToLower(at.Hostname()) + ",2026:" + strings.TrimPrefix(at.EscapedPath()+"/", "/") + i.ID
}

// self is the address of a feed by its file's name, and page that of its page.
func (f Feed) self(info mip.Site, name string) string { return plain.Address(info, f.Folder+name) }
func (f Feed) page(info mip.Site) string              { return plain.Address(info, f.Page) }

// writeXML encodes a feed by the library's writer and ends it with a newline.
func writeXML(feed feeds.XmlFeed) ([]byte, error) {
	var b bytes.Buffer
	if err := feeds.WriteXML(feed, &b); err != nil {
		return nil, fmt.Errorf("encode feed: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
