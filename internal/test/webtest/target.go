package webtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// environment is the variable with the address of a deployed site.
const environment = "MIPWATCH_URL"

const (
	// answerTimeout bounds a whole answer. No endpoint of ours may take as long.
	answerTimeout = 30 * time.Second
	// maxBody bounds a decoded body. It is well above the text of all proposals in one file.
	maxBody = 64 << 20 // bytes
)

// Target is the destination of requests. The zero value is none.
type Target struct {
	base   string // address without a trailing slash
	client *http.Client
}

// Handler returns a target that serves h on a port of its own until t ends, so that answers are
// what a client gets.
func Handler(t testing.TB, h http.Handler) Target {
	t.Helper()
	server := httptest.NewServer(h)
	target := At(server.URL)
	t.Cleanup(func() {
		target.client.CloseIdleConnections()
		server.Close()
	})
	return target
}

// Deployed returns the site at the address in MIPWATCH_URL, or false without one. The address may
// have a path, to which every request's is appended.
func Deployed(t testing.TB) (Target, bool) {
	t.Helper()
	base := os.Getenv(environment)
	if base == "" {
		return Target{}, false
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		u.RawQuery != "" || u.Fragment != "" {
		t.Fatalf("%s is %q, want the address of a site such as https://mips.example.org",
			environment, base)
	}
	return At(base), true
}

// At returns the site at an absolute address, which may have a path to which every request's is
// appended. It has its own client, so that no two targets share connections or cookies.
func At(base string) Target {
	return Target{base: strings.TrimRight(base, "/"), client: &http.Client{
		Timeout: answerTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
		// A script itself decides which codings it accepts.
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableCompression: true,
			ForceAttemptHTTP2: true},
	}}
}

// Answers reports whether a GET of the path is answered with 200.
func (t Target) Answers(ctx context.Context, path string) bool {
	a, err := t.send(ctx, &request{method: http.MethodGet, path: path})
	return err == nil && a.status == http.StatusOK
}

// answer is a whole response.
type answer struct {
	status int
	header http.Header
	body   []byte // decoded
}

// send sends a request without names of kept values.
func (t Target) send(ctx context.Context, r *request) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, t.base+r.path,
		strings.NewReader(strings.Join(r.body, "\n")))
	if err != nil {
		return nil, err
	}
	for _, f := range r.fields {
		if strings.EqualFold(f[0], "Host") {
			req.Host = f[1]
		} else {
			req.Header.Add(f[0], f[1])
		}
	}
	res, err := t.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := bounded(res.Body)
	if err == nil && len(body) > 0 && res.Header.Get("Content-Encoding") == "gzip" {
		var unzipped *gzip.Reader
		if unzipped, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, err = bounded(unzipped)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read the body of an answer with status %d: %w", res.StatusCode, err)
	}
	return &answer{res.StatusCode, res.Header, body}, nil
}

// bounded reads to the end, or returns an error beyond maxBody.
func bounded(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if len(b) > maxBody {
		return nil, fmt.Errorf("more than %d MiB", maxBody>>20)
	}
	return b, err
}
