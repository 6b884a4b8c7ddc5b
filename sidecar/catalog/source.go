package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"
)

// document is one file of the published tree.
type document struct {
	route string // without a leading slash
	limit int64  // in bytes, far more than an honest site needs
}

// packed reports a file of the search index. Any other document is JSON.
func (d document) packed() bool { return strings.HasSuffix(d.route, ".bin") }

// file returns its file name: the route, with the ending .json unless it is packed.
func (d document) file() string {
	if d.packed() {
		return d.route
	}
	return strings.TrimSuffix(d.route, ".json") + ".json"
}

// mebibyte is the unit of limits.
const mebibyte = 1 << 20

// snapshotConfig is the configuration in a snapshot. It is never published.
var snapshotConfig = document{"sidecar", mebibyte}

// tooLarge returns the error of a document that exceeds its limit.
func (d document) tooLarge() error {
	return fmt.Errorf("it has more than the %d bytes that are read", d.limit)
}

// file is a document as it was read. Files with the same nonempty version are the same.
type file struct {
	name    string // for messages, without the password of an address
	version string
	body    []byte
}

// reader reads the documents of one site. It is safe for concurrent use.
type reader interface {
	// read returns a document, which is last if it is unchanged. The error names the document, and
	// wraps [fs.ErrNotExist] if there is none.
	read(ctx context.Context, d document, last file) (file, error)
}

// Open returns the site at a place without reading it: a folder that mipwatch build wrote (a
// published tree or a snapshot), or the http or https address of the published site. The client is
// used for an address and may be nil for a folder. Redirects stay on the host.
func Open(site string, client *http.Client) (*Source, error) {
	if site == "" {
		return nil, errors.New("no site is named: want a folder or an http(s) address")
	}
	if !IsAddress(site) {
		return &Source{documents: folder{os.DirFS(site), site}}, nil
	}
	// The error contains no part of an address that may hold a password.
	u, err := url.Parse(site)
	if err != nil { // err contains the address, which may hold a password
		return nil, errors.New(
			"the site's address cannot be parsed: want a folder or an http(s) address")
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, fmt.Errorf(
			"site %s: want a folder, or an http(s) address with nothing after its path",
			u.Redacted())
	}
	own := *client
	own.CheckRedirect = stayOnHost
	return &Source{documents: web{u, &own}}, nil
}

// IsAddress reports whether [Open] treats a site as an address. Anything else is a folder.
func IsAddress(site string) bool { return strings.Contains(site, "://") }

// FromFS returns the site in a file system, such as an embedded snapshot, that holds api/v1 at its
// root. A file counts as changed if its size or time has changed, so an embedded one never does.
func FromFS(fsys fs.FS) *Source { return &Source{documents: folder{fsys, ""}} }

// folder is a site in a file system. A document's version is its size and time: tools that copy
// files may preserve times, but the size mostly differs then.
type folder struct {
	files fs.FS
	root  string // for messages
}

// read implements [reader].
func (f folder) read(ctx context.Context, d document, last file) (file, error) {
	name := path.Join(f.root, d.file())
	now, err := last, ctx.Err()
	if err == nil {
		now, err = f.open(d, last)
	}
	if err != nil {
		return file{}, fmt.Errorf("read %s: %w", name, err)
	}
	now.name = name
	return now, nil
}

// open reads a file unless it has the version of last.
func (f folder) open(d document, last file) (file, error) {
	name := d.file()
	// Call Stat first, since opening a named pipe waits for a writer.
	info, err := fs.Stat(f.files, name)
	if err != nil {
		return file{}, fmt.Errorf("%w; mipwatch build writes it", err)
	}
	if !info.Mode().IsRegular() {
		return file{}, errors.New("it is no regular file")
	}
	version := fmt.Sprint(info.Size(), info.ModTime().UTC())
	if version == last.version {
		return last, nil
	}
	if info.Size() > d.limit {
		return file{}, d.tooLarge()
	}
	body, err := fs.ReadFile(f.files, name)
	return file{version: version, body: body}, err
}

// web is a site at an address. A document's version is its entity tag.
type web struct {
	base   *url.URL
	client *http.Client
}

// documentTimeout bounds the reading of one document, from the first byte of the request to the
// last byte of the answer.
const documentTimeout = 5 * time.Second

// read implements [reader].
func (w web) read(ctx context.Context, d document, last file) (file, error) {
	name := w.base.JoinPath(d.route)
	now, err := w.get(ctx, d, last)
	// The client's own error would contain the address again.
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if err != nil {
		return file{}, fmt.Errorf("read %s: %w", name.Redacted(), err)
	}
	now.name = name.Redacted()
	return now, nil
}

// get asks the site for a document.
func (w web) get(ctx context.Context, d document, last file) (file, error) {
	if d == snapshotConfig {
		return file{}, fs.ErrNotExist
	}
	// A site that hangs must not block the poller.
	ctx, cancel := context.WithTimeout(ctx, documentTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		w.base.JoinPath(d.route).String(), nil)
	if err != nil {
		return file{}, err
	}
	r.Header.Set("Accept", "application/json, application/octet-stream")
	if last.version != "" {
		r.Header.Set("If-None-Match", last.version)
	}
	resp, err := w.client.Do(r)
	if err != nil {
		return file{}, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotModified && last.version != "":
		return last, nil
	case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone:
		return file{}, fmt.Errorf("%s: %w", resp.Status, fs.ErrNotExist)
	case resp.StatusCode != http.StatusOK:
		return file{}, fmt.Errorf("%s, want 200 OK", resp.Status)
	}
	// Reject anything but JSON: some hosts answer every request with an HTML page and status 200.
	contentType := resp.Header.Get("Content-Type")
	if !d.packed() && !strings.HasPrefix(contentType, "application/json") {
		return file{}, fmt.Errorf("Content-Type is %q, want application/json", contentType)
	}
	// The client requests gzip itself and decodes before the length is bounded.
	body, err := io.ReadAll(io.LimitReader(resp.Body, d.limit+1))
	if int64(len(body)) > d.limit {
		return file{}, d.tooLarge()
	}
	return file{version: resp.Header.Get("ETag"), body: body}, err
}

// stayOnHost allows redirects that add or remove a trailing slash, or move to TLS. The address may
// hold a password, and another host's documents are not the site's.
func stayOnHost(next *http.Request, via []*http.Request) error {
	first, most := via[0].URL, 3
	if !strings.EqualFold(next.URL.Host, first.Host) ||
		first.Scheme == "https" && next.URL.Scheme != "https" {
		return errors.New("it redirects to another host: name that address as the site's")
	}
	if len(via) > most {
		return fmt.Errorf("it redirects more than %d times", most)
	}
	return nil
}
