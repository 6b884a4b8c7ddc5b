package sidecar

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
)

// ProposalRoute is the route of the documents of proposals. They are files of the site: a request
// reaches the sidecar only if no such file exists.
const ProposalRoute = api.ProposalPath + "{id...}"

// proposal answers a GET below [api.ProposalPath]. An id in another form, such as MIP-7 or 007, and
// a trailing slash redirect to the canonical address.
func (s *Sidecar) proposal(_ http.ResponseWriter, r *http.Request) (*response, error) {
	st, err := s.site(r.Context())
	if err != nil {
		return nil, err
	}
	site := st.catalog.Site.Site
	base, err := url.Parse(site.BaseURL)
	if err != nil {
		return nil, err
	}
	asked, slash := strings.CutSuffix(r.URL.Path, "/")
	written, document, more := strings.Cut(strings.TrimPrefix(asked, api.ProposalPath), "/")
	id, err := site.ParseKey(written)
	if err == nil {
		_, err = st.catalog.Find(id)
	}
	canonical := id.Key(site.Prefix)
	// Dots and doubled slashes lead nowhere. A canonical address gets here only if it has no file.
	if err != nil || path.Clean(asked) != asked || written == canonical && !slash {
		return nil, &api.HTTPError{Code: api.NotFound, Detail: api.NotPublished(site)}
	}
	to := url.URL{Path: base.Path + api.ProposalPath + canonical, RawQuery: r.URL.RawQuery}
	if more {
		to.Path += "/" + document
	}
	return &response{movedTo: to.String()}, nil
}
