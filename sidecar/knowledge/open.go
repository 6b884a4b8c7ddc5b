package knowledge

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// Open names a site without reading it: a folder that mipwatch build wrote (published tree or
// snapshot), or the http or https address of the published site. client asks for the latter, and may be
// nil for a folder; its redirect policy is replaced by one that stays on the site's host.
func Open(site string, client *http.Client) (*Source, error) {
	if site == "" {
		return nil, errors.New("no site is named: want a folder or an http(s) address")
	}
	if !strings.Contains(site, "://") {
		return newSource(folder{fsys: os.DirFS(site), root: site}, false), nil
	}
	// A parse error quotes the address, which may hold a password.
	u, err := url.Parse(site)
	if err != nil {
		return nil, errors.New("the site's address cannot be parsed: want a folder or an http(s) address")
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("site %s: want a folder, or an http(s) address with nothing after its path", u.Redacted())
	}
	if client == nil {
		return nil, fmt.Errorf("site %s: an address needs an HTTP client", u.Redacted())
	}
	return newSource(newWeb(u, client), true), nil
}

// FromFS is a site in a file system, such as an embedded snapshot, that holds api/v1 at its root. A
// file counts as changed when its size or time is another, so an embedded one never does.
func FromFS(fsys fs.FS) *Source {
	return newSource(folder{fsys: fsys}, false)
}
