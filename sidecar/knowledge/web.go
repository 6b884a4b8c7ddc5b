package knowledge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// documentDeadline is for one document, from the first byte sent to the last one read.
	documentDeadline = 5 * time.Second
	// maxRedirects is enough for http to https and for a slash more or less.
	maxRedirects = 3
)

// web is a published site.
type web struct {
	base   *url.URL
	client *http.Client
}

func newWeb(base *url.URL, client *http.Client) *web {
	own := *client
	own.CheckRedirect = stayHome
	return &web{base, &own}
}

// stayHome refuses to leave the host or to give up TLS. The site's address may hold a password, and
// what another host says is not the site.
func stayHome(next *http.Request, via []*http.Request) error {
	first := via[0].URL
	if !strings.EqualFold(next.URL.Host, first.Host) || (first.Scheme == "https" && next.URL.Scheme != "https") {
		return errors.New("it redirects to another host: name that address as the site's")
	}
	if len(via) > maxRedirects {
		return fmt.Errorf("it redirects more than %d times", maxRedirects)
	}
	return nil
}

func (w *web) name(d document) string { return w.base.JoinPath(d.route).Redacted() }

// read takes the entity tag for the mark.
func (w *web) read(ctx context.Context, d document, known string) ([]byte, string, error) {
	ctx, cancel := context.WithTimeout(ctx, documentDeadline)
	defer cancel()
	body, mark, err := w.get(ctx, d, known)
	if err != nil && !errors.Is(err, errSame) {
		// The client's own error would show the address a second time.
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		err = fmt.Errorf("GET %s: %w", w.name(d), err)
	}
	return body, mark, err
}

func (w *web) get(ctx context.Context, d document, known string) ([]byte, string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base.JoinPath(d.route).String(), nil)
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Accept", "application/json")
	if known != "" {
		r.Header.Set("If-None-Match", known)
	}
	resp, err := w.client.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotModified && known != "":
		return nil, "", errSame
	case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone:
		return nil, "", fmt.Errorf("%s: %w", resp.Status, fs.ErrNotExist)
	case resp.StatusCode != http.StatusOK:
		return nil, "", fmt.Errorf("%s, want 200 OK", resp.Status)
	}
	if mediaType, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		return nil, "", fmt.Errorf("Content-Type is %q, want application/json", resp.Header.Get("Content-Type"))
	}
	body, err := readAll(resp.Body, d.limit, resp.ContentLength)
	if err != nil {
		return nil, "", err
	}
	return body, resp.Header.Get("ETag"), nil
}
