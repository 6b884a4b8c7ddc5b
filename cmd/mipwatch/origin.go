package main

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
)

// checkOrigin protects a server on a loopback address from the pages of other sites: it serves
// drafts, and model requests that cost money. A page in the same browser can send requests to it.
// Without a field that allows its origin the page cannot read the answer, and requests that do more
// than read are refused. So is a host name of the page's own that resolves to this machine (DNS
// rebinding). On other addresses the server answers like the CDN.
func checkOrigin(at net.Addr, next http.Handler) http.Handler {
	if tcp, ok := at.(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return next
	}
	// GET, HEAD and OPTIONS pass this check, and so does a request without Origin and
	// Sec-Fetch-Site, such as curl's.
	own := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !isLoopback(r.Host):
			forbid(w, r, "This address answers as localhost or a loopback address, not under "+
				"another name.")
			return
		case own.Check(r) != nil:
			forbid(w, r, "This address answers the pages that it serves, and no other site's.")
			return
		}
		browser := r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
		// the answer to a preflight is empty, and the request after it is refused
		if browser && r.Method != http.MethodOptions {
			w = &ownOrigin{w}
		}
		next.ServeHTTP(w, r)
	})
}

// forbid answers 403 with a problem (RFC 9457).
func forbid(w http.ResponseWriter, r *http.Request, detail string) {
	body, err := api.JSON(api.Problem{
		Type: "about:blank", Title: "Forbidden", Status: http.StatusForbidden, Detail: detail,
		Instance: r.URL.EscapedPath(), Code: "forbidden",
	})
	if err != nil {
		http.Error(w, "", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/problem+json; charset=utf-8")
	w.WriteHeader(http.StatusForbidden)
	w.Write(body)
}

// isLoopback reports whether a Host names this machine (RFC 6761, section 6.3), with any port,
// since a local proxy may use another. The address of the connection is no evidence: a foreign name
// server can resolve any name to this machine. Only localhost, names below it and loopback
// addresses are safe from that.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") ||
		err == nil && ip.IsLoopback()
}

// ownOrigin removes the permission for other origins from an answer. It applies to every request of
// a browser, which may cache an answer to a request without an origin and give it to a page with
// one.
type ownOrigin struct {
	http.ResponseWriter
}

// WriteHeader removes the field before the header is sent.
func (o *ownOrigin) WriteHeader(status int) {
	o.Header().Del("Access-Control-Allow-Origin")
	o.ResponseWriter.WriteHeader(status)
}

// Write removes the field if the handler sends a body without a status.
func (o *ownOrigin) Write(b []byte) (int, error) {
	o.Header().Del("Access-Control-Allow-Origin")
	return o.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (o *ownOrigin) Unwrap() http.ResponseWriter { return o.ResponseWriter }
