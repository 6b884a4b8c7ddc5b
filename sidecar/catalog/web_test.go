package catalog_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// transport is a function that answers requests.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// client returns a client that calls a handler without a network.
func client(h http.Handler) *http.Client {
	return &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		resp := w.Result()
		resp.Request = r
		return resp, nil
	})}
}

// log counts answers by path and status.
type log struct {
	http.Handler
	mu    sync.Mutex
	count map[string]int
}

func (l *log) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := httptest.NewRecorder()
	l.Handler.ServeHTTP(rec, r)
	l.mu.Lock()
	l.count[r.URL.Path+" "+http.StatusText(rec.Code)]++
	l.mu.Unlock()
	maps.Copy(w.Header(), rec.Header())
	w.WriteHeader(rec.Code)
	w.Write(rec.Body.Bytes())
}

func TestWebAsksOnlyForWhatIsNew(t *testing.T) {
	l := &log{Handler: samples(t).published, count: map[string]int{}}
	server := httptest.NewServer(l)
	defer server.Close()
	source := open(t, server.URL, server.Client())
	load(t, source)
	unchanged(t, source, "again")
	for _, path := range []string{"/api/v1/site", "/api/v1/mips", "/api/v1/hardforks"} {
		if l.count[path+" OK"] != 1 || l.count[path+" Not Modified"] != 1 || len(l.count) != 6 {
			t.Errorf("answers = %v, want each document once and once not modified", l.count)
		}
	}
	l.Handler = renamed(t, "Another title").Publish()
	if got := load(t, source).Site.Title; got != "Another title" {
		t.Errorf("title after a deploy = %q", got)
	}
	if l.count["/api/v1/mips OK"] != 1 {
		t.Errorf("answers = %v, want the list no second time", l.count)
	}
}

func TestWebWithoutEntityTags(t *testing.T) {
	site := client(samples(t).published).Transport
	source := open(t, "https://mips.example.org",
		&http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			if tag := r.Header.Get("If-None-Match"); tag != "" {
				t.Errorf("%s: If-None-Match %s without an entity tag", r.URL, tag)
			}
			resp, err := site.RoundTrip(r)
			resp.Header.Del("ETag")
			return resp, err
		})})
	load(t, source)
	unchanged(t, source, "of the same bytes")
}

func TestWebRefuses(t *testing.T) {
	good := samples(t).published
	answer := func(status int, mediaType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", mediaType)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, to, http.StatusFound)
		}
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	z.Write([]byte("{" + strings.Repeat(" ", 3<<20)))
	z.Close()
	for name, c := range map[string]struct {
		h    http.HandlerFunc
		want string
	}{
		"missing": {http.NotFound, "404 Not Found"},
		"server error": {answer(500, "application/json", "{}"),
			"500 Internal Server Error, want 200"},
		"no content":  {answer(204, "", ""), "204 No Content, want 200"},
		"unasked 304": {answer(304, "", ""), "304 Not Modified, want 200"},
		"HTML": {answer(200, "text/html; charset=utf-8", "<p>"),
			`Content-Type is "text/html; charset=utf-8", want application/json`},
		"no type": {answer(200, "", "{}"), "Content-Type is"},
		"too large": {answer(200, "application/json", "{"+strings.Repeat(" ", 1<<20)+"}"),
			"more than the 1048576"},
		"not the site":      {answer(200, "application/json", `{"ok":true}`), `baseUrl is ""`},
		"foreign redirect":  {redirect("https://evil.example/x"), "redirects to another host"},
		"redirect to plain": {redirect("http://mips.example.org/x"), "redirects to another host"},
		"redirect loop":     {redirect("/api/v1/site"), "redirects more than 3 times"},
		"gzip bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb.Bytes())
		}, "more than the 1048576"},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "{")
		}, "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
				r *http.Request) {
				if user, pass, ok := r.BasicAuth(); !ok || user != "ada" || pass != "s3cret" {
					t.Errorf("%s came without the address's user and password", r.URL)
				}
				if strings.HasPrefix(r.URL.Path, "/api/v1/site") {
					c.h(w, r)
					return
				}
				good.ServeHTTP(w, r)
			}))
			server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0) // aborted requests
			server.StartTLS()
			defer server.Close()
			_, host, _ := strings.Cut(server.URL, "://")
			k, err := open(t, "https://ada:s3cret@"+host, server.Client()).Load(t.Context())
			if k != nil || err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), host+"/api/v1/site: ") ||
				strings.Contains(err.Error(), "s3cret") {
				t.Errorf(
					"Load = %v, %v; want an error with %q that names the route and no password", k,
					err, c.want)
			}
		})
	}
}

func TestWebDeadline(t *testing.T) {
	for name, hang := range map[string]transport{
		"no answer": func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		},
		"no end": func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusOK,
				Header:     http.Header{"Content-Type": {"application/json"}}, ContentLength: -1,
				Body: dripping{r.Context()}, Request: r,
			}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				source, err := catalog.Open("https://mips.example.org",
					&http.Client{Transport: hang})
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				k, err := source.Load(t.Context())
				if k != nil || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Load = %v, %v; want a deadline", k, err)
				}
				if got := time.Since(start); got != 5*time.Second {
					t.Errorf("Load took %v, want 5s", got)
				}
			})
		})
	}
}

// dripping is a body that yields one blank a second.
type dripping struct{ ctx context.Context }

func (d dripping) Read(p []byte) (int, error) {
	select {
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	case <-time.After(time.Second):
		return copy(p, " "), nil
	}
}

func (d dripping) Close() error { return nil }

// TestWebFollowsItsOwnHost covers a host that moves to TLS, and then to another path: three
// redirects in all.
func TestWebFollowsItsOwnHost(t *testing.T) {
	h := samples(t).published
	source := open(t, "http://mips.example.org",
		client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Scheme == "http" {
				http.Redirect(w, r, "https://"+r.URL.Host+"/a"+r.URL.Path,
					http.StatusMovedPermanently)
				return
			}
			for from, to := range map[string]string{"/a/": "/b/", "/b/": "/"} {
				if rest, ok := strings.CutPrefix(r.URL.Path, from); ok {
					http.Redirect(w, r, to+rest, http.StatusFound)
					return
				}
			}
			h.ServeHTTP(w, r)
		})))
	load(t, source)
}
