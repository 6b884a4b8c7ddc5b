package main

import (
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestServeIsOnesOwn checks that neither a foreign host name nor a page of another site can access
// a server on a loopback address.
func TestServeIsOnesOwn(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]string{"proposals/MIP-1.md": proposal(1, "Draft")})
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, host string, fields ...string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		for i := 0; i < len(fields); i += 2 {
			r.Header.Set(fields[i], fields[i+1])
		}
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	paths := []string{"/", "/mip/1/", "/api/v1/mips", "/api/v1/nothing", "/api/network-info",
		scriptRoute}
	for _, host := range []string{
		"evil.example", "evil.example:" + port, "127.0.0.1.evil.example:" + port,
		"localhost.evil.example", "mylocalhost:" + port,
		"192.0.2.1", "[2001:db8::1]:" + port, "0.0.0.0:" + port,
	} {
		for _, path := range append(paths, editionRoute) {
			res := ask("GET", path, host)
			if got := res.Header.Get("Content-Type"); res.StatusCode != http.StatusForbidden ||
				!strings.HasPrefix(got, "application/problem+json") {
				t.Errorf("GET %s of %s: status %d, Content-Type %q; want 403 and a problem",
					path, host, res.StatusCode, got)
			}
		}
	}
	for _, host := range []string{
		"127.0.0.1:" + port, "127.0.0.1", "127.9.9.9:" + port, "localhost", "LOCALHOST:" + port,
		"localhost.", "draft.localhost:" + port,
		"[::1]:" + port, "[::1]",
	} {
		if res := ask("GET", "/mip/1/", host); res.StatusCode != http.StatusOK {
			t.Errorf("GET /mip/1/ of %s: status %d, want 200", host, res.StatusCode)
		}
	}
	own := "127.0.0.1:" + port
	for _, fields := range [][]string{
		{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, {"Origin", "null"},
		{"Origin", "http://127.0.0.1:1"}, {"Sec-Fetch-Site", "cross-site"},
	} {
		for _, path := range paths {
			for _, method := range []string{"GET", "HEAD"} {
				if got := ask(method, path, own,
					fields...).Header.Get("Access-Control-Allow-Origin"); got != "" {
					t.Errorf("%s %s with %q: Access-Control-Allow-Origin %q, want none",
						method, path, fields, got)
				}
			}
		}
		if res := ask("POST", "/api/ai-summary", own,
			fields...); res.StatusCode != http.StatusForbidden {
			t.Errorf("POST /api/ai-summary with %q: status %d, want 403", fields, res.StatusCode)
		}
	}
	for _, fields := range [][]string{nil, {"Origin", s.base, "Sec-Fetch-Site", "same-origin"}} {
		if res := ask("POST", "/api/ai-summary", own,
			fields...); res.StatusCode != http.StatusUnsupportedMediaType {
			t.Errorf("POST /api/ai-summary with %q: status %d, want %d: it reaches the sidecar",
				fields, res.StatusCode, http.StatusUnsupportedMediaType)
		}
	}
}
