// Package index is what the sidecar knows of the published site: its documents, read back from a folder, an embedded
// file system or the site's address, and kept up to date. It does not know who asks, nor what the live upstreams say.
package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/cache"
)

// Index is one consistent state of a site. It is never changed, so any number of goroutines may read it. Encoding its
// parts gives the documents that they were read from.
type Index struct {
	Site      mip.SiteInfo
	List      mip.List
	HardForks []mip.HardFork
	// Endpoints are the networks of Site, in the same order, with their RPC addresses. Nil where these are unknown:
	// a snapshot has them, and a published site does not.
	Endpoints []mip.Endpoints
	// Source reads the documents of a single proposal: its text, its committed summary and translations. Nil for an
	// Index that was made without one.
	Source *Source
}

// Source is where a site is read from. It is safe for concurrent use. Of several calls of [Source.Load] one runs at a
// time.
type Source struct {
	store store
	// public says that the store holds only what everybody may read, so that there is no sidecar.json.
	public    bool
	documents *cache.Cache[documentKey, cachedDocument]
	// builds counts the Indexes that Load has returned.
	builds atomic.Int64

	// mu is held by Load.
	mu        sync.Mutex
	site      reading[mip.SiteInfo]
	list      reading[mip.List]
	hardForks reading[mip.HardForks]
	config    reading[mip.SidecarConfig]
}

// store reads documents.
type store interface {
	// read returns a document and its version, or errNotModified when the version is still the given one. An empty
	// version is none. The error of a document that does not exist is [fs.ErrNotExist].
	read(ctx context.Context, d document, version string) (body []byte, newVersion string, err error)
	// name is the document for a message.
	name(d document) string
}

// errNotModified is the error of a document that still has the version that the caller knows.
var errNotModified = errors.New("the document has not changed")

// document is one file of the published tree. The file's name is the route with the ending .json.
type document struct {
	// route has no slash before it.
	route string
	// limit is in bytes, far more than an honest site has.
	limit int64
}

// mebibyte is the unit of limits.
const mebibyte = 1 << 20

// These documents are read by every Load. Those of a single proposal are read when somebody asks for them.
var (
	siteDocument      = document{"api/v1/site", mebibyte}
	listDocument      = document{"api/v1/mips", 32 * mebibyte}
	hardForksDocument = document{"api/v1/hardforks", mebibyte}
	configDocument    = document{"sidecar", mebibyte}
)

// Open returns the site at a place without reading it: a folder that mipwatch build wrote (a published tree or a
// snapshot), or the http or https address of the published site. The client is for the address and may be nil for a
// folder. Its redirect policy is replaced by one that stays on the site's host.
func Open(site string, client *http.Client) (*Source, error) {
	if site == "" {
		return nil, errors.New("no site is named: want a folder or an http(s) address")
	}
	if !IsAddress(site) {
		return newSource(folder{fsys: os.DirFS(site), root: site}, false), nil
	}
	u, err := url.Parse(site)
	if err != nil { // it quotes the address, which may hold a password
		return nil, errors.New("the site's address cannot be parsed: want a folder or an http(s) address")
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("site %s: want a folder, or an http(s) address with nothing after its path", u.Redacted())
	}
	if client == nil {
		return nil, fmt.Errorf("site %s: an address needs an HTTP client", u.Redacted())
	}
	return newSource(newWebsite(u, client), true), nil
}

// IsAddress reports whether [Open] takes a site for an address. Anything else is a folder.
func IsAddress(site string) bool { return strings.Contains(site, "://") }

// FromFS returns the site in a file system, such as an embedded snapshot, that holds api/v1 at its root. A file counts
// as changed when its size or time has changed, so an embedded one never does.
func FromFS(fsys fs.FS) *Source { return newSource(folder{fsys: fsys}, false) }

// newSource returns a source that has read nothing yet.
func newSource(s store, public bool) *Source {
	return &Source{store: s, public: public, documents: newDocumentCache()}
}
