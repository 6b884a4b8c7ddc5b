// Package knowledge is what the sidecar knows of the proposals: the published documents, read back
// from a folder, an embedded file system or the site itself. It does not know who asks, how often to
// look, or what the live upstreams say.
package knowledge

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Knowledge is one consistent state of a site. Nobody changes it, so any number of goroutines may read
// it. Encoding its parts gives the documents that they were read from.
type Knowledge struct {
	Site      mip.SiteInfo
	List      mip.List
	HardForks []mip.HardFork
	// Endpoints are the networks of Site, in the same order, with how to reach them. Nil where that is
	// not known: it is in a snapshot and never published.
	Endpoints []mip.Endpoints
	// Source reads what one proposal alone needs: its text, its committed summary and translations. Nil
	// where a Knowledge was made without one.
	Source *Source
}

// Source is where a site is read from. It is safe for concurrent use; of several Loads one runs at a
// time.
type Source struct {
	place     place
	published bool // place holds only what everyone may read

	proposals    *recall[mip.Proposal]
	summaries    *recall[api.Summary]
	translations *recall[api.PublishedTranslation]
	builds       atomic.Int64 // how often Load has returned a Knowledge

	mu        sync.Mutex
	site      held[mip.SiteInfo]
	list      held[mip.List]
	hardForks held[mip.HardForks]
	config    held[mip.SidecarConfig]
	// seen counts the changes of any document, given is its value when Load last returned a Knowledge.
	seen, given int
}

// place reads documents, each with what tells one state of it from another.
type place interface {
	// read returns a document and its mark, or errSame when the mark is still the known one. A known
	// mark of "" is none. What is not there is [fs.ErrNotExist].
	read(ctx context.Context, d document, known string) (body []byte, mark string, err error)
	// name is the document for a message.
	name(d document) string
}

// document is one file of the tree, named by its route without the slash before it; the file has the
// ending .json.
type document struct {
	route string
	limit int64 // bytes, far beyond what an honest site has
}

const mebibyte = 1 << 20

func siteDocument() document      { return document{"api/v1/site", mebibyte} }
func listDocument() document      { return document{"api/v1/mips", 32 * mebibyte} }
func hardForksDocument() document { return document{"api/v1/hardforks", mebibyte} }
func configDocument() document    { return document{"sidecar", mebibyte} }
