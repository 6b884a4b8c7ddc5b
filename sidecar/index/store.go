package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

const (
	// documentTimeout is for one document, from the first byte of the request to the last one of the answer.
	documentTimeout = 5 * time.Second
	// maxRedirects is enough for http to https and for a slash more or less.
	maxRedirects = 3
)

// folder is a [store] of files.
type folder struct {
	fsys fs.FS
	// root is for messages. It is empty for an embedded tree.
	root string
}

// name implements [store].
func (f folder) name(d document) string { return path.Join(f.root, d.route+".json") }

// read takes a file's size and time for its version. A file that is replaced meanwhile keeps the older version, and so
// is read again.
func (f folder) read(ctx context.Context, d document, version string) ([]byte, string, error) {
	body, version, err := f.readFile(ctx, d, version)
	if err != nil && !errors.Is(err, errNotModified) {
		err = fmt.Errorf("read %s: %w", f.name(d), err)
	}
	return body, version, err
}

// readFile is read without the name of the file in its errors.
func (f folder) readFile(ctx context.Context, d document, version string) ([]byte, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	// Stat comes before Open, which waits for a writer at a named pipe.
	file := d.route + ".json"
	info, err := fs.Stat(f.fsys, file)
	if err != nil {
		return nil, "", fmt.Errorf("%w; mipwatch build writes it", err)
	}
	if !info.Mode().IsRegular() {
		return nil, "", errors.New("it is no regular file")
	}
	// Tools that copy files may keep their times, and then the size mostly differs.
	found := fmt.Sprintf("%d %v", info.Size(), info.ModTime().UTC())
	if found == version {
		return nil, "", errNotModified
	}
	opened, err := f.fsys.Open(file)
	if err != nil {
		return nil, "", err
	}
	defer opened.Close()
	body, err := readAll(opened, d.limit, info.Size())
	return body, found, err
}

// website is a [store] behind an address.
type website struct {
	base   *url.URL
	client *http.Client
}

// newWebsite copies the client, whose redirect policy it replaces.
func newWebsite(base *url.URL, client *http.Client) *website {
	own := *client
	own.CheckRedirect = stayOnHost
	return &website{base, &own}
}

// stayOnHost refuses a redirect to another host, or from https to http. The address may hold a password, and another
// host's documents are not the site's.
func stayOnHost(next *http.Request, via []*http.Request) error {
	first := via[0].URL
	if !strings.EqualFold(next.URL.Host, first.Host) || (first.Scheme == "https" && next.URL.Scheme != "https") {
		return errors.New("it redirects to another host: name that address as the site's")
	}
	if len(via) > maxRedirects {
		return fmt.Errorf("it redirects more than %d times", maxRedirects)
	}
	return nil
}

// name implements [store]. It hides a password.
func (w *website) name(d document) string { return w.base.JoinPath(d.route).Redacted() }

// read takes the entity tag for the version.
func (w *website) read(ctx context.Context, d document, version string) ([]byte, string, error) {
	ctx, cancel := context.WithTimeout(ctx, documentTimeout)
	defer cancel()
	body, tag, err := w.get(ctx, d, version)
	if err != nil && !errors.Is(err, errNotModified) {
		// The client's own error would show the address a second time.
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		err = fmt.Errorf("GET %s: %w", w.name(d), err)
	}
	return body, tag, err
}

// get is read without the address in its errors.
func (w *website) get(ctx context.Context, d document, version string) ([]byte, string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base.JoinPath(d.route).String(), nil)
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Accept", "application/json")
	// Go asks for gzip by itself, and takes it off before the length is bounded.
	if version != "" {
		r.Header.Set("If-None-Match", version)
	}
	resp, err := w.client.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotModified && version != "":
		return nil, "", errNotModified
	case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone:
		return nil, "", fmt.Errorf("%s: %w", resp.Status, fs.ErrNotExist)
	case resp.StatusCode != http.StatusOK:
		return nil, "", fmt.Errorf("%s, want 200 OK", resp.Status)
	}
	// A host that answers everything with a page of HTML and 200 is no site.
	contentType := resp.Header.Get("Content-Type")
	if mediaType, _, err := mime.ParseMediaType(contentType); err != nil || mediaType != "application/json" {
		return nil, "", fmt.Errorf("Content-Type is %q, want application/json", contentType)
	}
	body, err := readAll(resp.Body, d.limit, resp.ContentLength)
	return body, resp.Header.Get("ETag"), err
}

// readAll reads to the end, which must come within limit bytes. size is the expected length. A negative one is unknown.
func readAll(r io.Reader, limit, size int64) ([]byte, error) {
	if size > limit {
		return nil, fmt.Errorf("%d bytes are more than the %d that are read", size, limit)
	}
	var b bytes.Buffer
	b.Grow(int(max(size, 0)) + bytes.MinRead) // room to see the end
	if _, err := b.ReadFrom(io.LimitReader(r, limit+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > limit {
		return nil, fmt.Errorf("it has more than the %d bytes that are read", limit)
	}
	return b.Bytes(), nil
}
