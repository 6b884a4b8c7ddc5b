package fetch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/fetch"
)

// address has a secret in each of its parts.
const address = "http://user:s3cret-a@keyed.example/v1/s3cret-b?k=s3cret-c"

// world is a host in memory, with one script for the host and one for a foreign host.
type world struct {
	host          *fetch.Host
	ours, foreign *demo.Script
	clock         time.Duration // how far the wall clock is set ahead
	network       *demo.Network
	stats         fetch.Stats
}

// echo answers with the request that it got.
func echo(w http.ResponseWriter, r *http.Request) {
	user, password, _ := r.BasicAuth()
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s %s:%s %q %s", r.Method, r.URL.RequestURI(), user, password, body,
		r.Header.Get("Accept"))
}

// newWorld must be called in a synctest bubble.
func newWorld(t *testing.T, base string) *world {
	t.Helper()
	w := &world{
		ours:    demo.NewScript(http.HandlerFunc(echo)),
		foreign: demo.NewScript(http.HandlerFunc(echo)),
		network: demo.NewNetwork(),
	}
	t.Cleanup(w.network.Close)
	w.network.Serve("keyed.example", w.ours)
	w.network.Serve("foreign.example", w.foreign)
	w.network.Serve("keyed.example:8545", w.foreign)
	var err error
	w.host, err = fetch.New(base, fetch.Config{
		Transport: w.network, UserAgent: "test/1", MaxBytes: 1 << 10,
		Now: func() time.Time { return time.Now().Add(w.clock) }, Stats: &w.stats,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.host.Close)
	return w
}

// kind returns which of the two errors err is, and checks what the package promises for all errors.
func kind(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	text := err.Error()
	if strings.Contains(text, "s3cret") || strings.Contains(text, "keyed") ||
		strings.Contains(text, "foreign.example") {
		t.Errorf("error tells an address: %q", text)
	}
	timeout, unavailable := errors.Is(err, fetch.ErrTimeout), errors.Is(err, fetch.ErrUnavailable)
	_, ours := errors.AsType[*fetch.Error](err)
	if ours && timeout == unavailable {
		t.Errorf("error %q: timeout %t, unavailable %t", err, timeout, unavailable)
	}
	switch {
	case timeout:
		return "timeout"
	case unavailable:
		return "unavailable"
	}
	return "other"
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

func TestAnswers(t *testing.T) {
	answer := demo.Answer
	coded := func(coding, body string) demo.Fault {
		return answer(200, http.Header{"Content-Encoding": {coding}}, body)
	}
	tests := []struct {
		name   string
		fault  demo.Fault
		status int    // of a response, or of the error
		body   string // of a response
		err    string
		calls  int
	}{
		{"good", nil, 200, `GET /v1/s3cret-b/t/1.json?k=s3cret-c user:s3cret-a "" text/x-any`,
			"", 1},
		{"empty", answer(204, nil, ""), 204, "", "", 1},
		{"just fits", answer(200, nil, strings.Repeat("x", 1<<10)), 200, strings.Repeat("x", 1<<10),
			"", 1},
		{"one byte too many", answer(200, nil, strings.Repeat("x", 1<<10+1)), 200, "",
			"unavailable", 1},
		{"100 MB", demo.Huge(100 << 20), 200, "", "unavailable", 1},
		{"not found", answer(404, nil, "no"), 404, "no", "", 1},
		{"not found, 100 MB", func(w http.ResponseWriter, r *http.Request, h http.Handler) {
			w.WriteHeader(404)
			demo.Huge(100<<20)(w, r, h)
		}, 404, "", "unavailable", 1},
		{"forbidden page", answer(403, http.Header{"Content-Type": {"text/html"}}, "<p>"), 403,
			"<p>", "", 1},
		{"gzip", coded("gzip", zipped("words")), 200, "words", "", 1},
		{"GZIP by its old name", coded("X-Gzip", zipped("words")), 200, "words", "", 1},
		{"gzip just fits", coded("gzip", zipped(strings.Repeat("x", 1<<10))), 200,
			strings.Repeat("x", 1<<10), "", 1},
		{"gzip bomb", demo.GzipBomb(), 200, "", "unavailable", 1},
		{"gzip of nothing for ever", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Encoding", "gzip")
			for nothing := zipped(""); ; {
				if _, err := io.WriteString(w, nothing); err != nil {
					return
				}
			}
		}, 0, "", "unavailable", 1},
		{"gzip cut", coded("gzip", zipped("words")[:20]), 0, "", "unavailable", 1},
		{"no gzip", coded("gzip", "words, words, words"), 0, "", "unavailable", 1},
		{"gzip with a wrong byte",
			coded("gzip", strings.Replace(zipped("words"), "\xff", "\xf0", 2)), 0, "",
			"unavailable", 1},
		{"gzip with a wrong sum",
			coded("gzip", zipped("words")[:len(zipped("words"))-8]+"12345678"), 0, "",
			"unavailable", 1},
		{"unknown coding", coded("br", "words"), 200, "", "unavailable", 1},
		{"truncated", demo.Truncated(), 0, "", "unavailable", 1},
		{"disconnects", demo.Disconnect(), 0, "", "unavailable", 1},
		{"hangs", demo.Hang(), 0, "", "timeout", 1},
		{"drips", demo.Drip(strings.Repeat("x", 100), time.Second), 0, "", "timeout", 1},
		{"drips in an error", func(w http.ResponseWriter, r *http.Request, h http.Handler) {
			w.WriteHeader(http.StatusTooManyRequests)
			demo.Drip(strings.Repeat("x", 100), time.Second)(w, r, h)
		}, 429, "", "unavailable", 1},
		{"slow but in time", demo.Delay(2 * time.Second), 200,
			`GET /v1/s3cret-b/t/1.json?k=s3cret-c user:s3cret-a "" text/x-any`, "", 1},
		{"500", answer(500, nil, "words"), 500, "", "unavailable", 2},
		{"502 page", answer(502, http.Header{"Content-Type": {"text/html"}}, "<h1>"), 502, "",
			"unavailable", 2},
		{"502 of 100 MB", func(w http.ResponseWriter, r *http.Request, h http.Handler) {
			w.WriteHeader(502)
			demo.Huge(100<<20)(w, r, h)
		}, 502, "", "unavailable", 2},
		{"503 for long", answer(503, http.Header{"Retry-After": {"30"}}, ""), 503, "",
			"unavailable", 1},
		{"304", answer(304, nil, ""), 304, "", "unavailable", 1},
		{"redirect without a target", answer(302, nil, ""), 302, "", "unavailable", 1},
		{"status of our own", answer(799, nil, ""), 799, "", "unavailable", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, address)
				w.ours.Always(tt.fault)
				start := time.Now()
				r, err := w.host.Do(t.Context(),
					fetch.Request{Path: "/t/1.json", Header: http.Header{"accept": {"text/x-any"}}})
				if d := time.Since(start); d > 2500*time.Millisecond {
					t.Errorf("took %v, want at most one try", d)
				}
				if got := kind(t, err); got != tt.err {
					t.Fatalf("error %v is %q, want %q", err, got, tt.err)
				}
				if err != nil {
					e, _ := errors.AsType[*fetch.Error](err)
					if e.Status != tt.status || e.Unasked {
						t.Errorf("error has status %d, unasked %t, want %d and false", e.Status,
							e.Unasked, tt.status)
					}
				} else if r.Status != tt.status || string(r.Body) != tt.body {
					t.Errorf("got %d %q, want %d %q", r.Status, r.Body, tt.status, tt.body)
				}
				if got := w.ours.Calls(); got != tt.calls {
					t.Errorf("%d calls, want %d", got, tt.calls)
				}
			})
		})
	}
}

// TestAddress checks how the address, the path and the body become a request.
func TestAddress(t *testing.T) {
	tests := []struct{ base, method, path, body, want string }{
		{"http://keyed.example", "", "", "", `GET / : "" `},
		{"http://keyed.example/", "", "/t/1.json", "", `GET /t/1.json : "" `},
		{"https://KEYED.example/sub/", "", "t/1.json", "", `GET /sub/t/1.json : "" `},
		{"http://keyed.example/a%2Fb?k=v#f", "", "", "", `GET /a%2Fb?k=v : "" `},
		{"http://keyed.example/a%2Fb?k=v", "", "/t/%E4%BD%A0.json", "",
			`GET /a%2Fb/t/%E4%BD%A0.json?k=v : "" `},
		{"http://me:p%40ss@keyed.example", "POST", "", "{}", `POST / me:p@ss "{}" `},
		{"http://keyed.example", "", "/a?b", "", `GET /a%3Fb : "" `},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, tt.base)
			r, err := w.host.Do(t.Context(),
				fetch.Request{Method: tt.method, Path: tt.path, Body: []byte(tt.body)})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(r.Body); got != tt.want {
				t.Errorf("%s %s with %q: got %s, want %s", tt.base, tt.path, tt.body, got, tt.want)
			}
		})
	}
	for _, base := range []string{"", "s3cret", "//keyed.example", "ftp://keyed.example/s3cret",
		"http:s3cret", "http:///s3cret", "http://keyed.example/%zz-s3cret", "http://:80/"} {
		if _, err := fetch.New(base, fetch.Config{}); err == nil || kind(t, err) != "other" {
			t.Errorf("New(%q): %v, want an error without the address", base, err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, address)
		for _, r := range []fetch.Request{{Path: "/%zz"}, {Method: "A B"}} {
			if _, err := w.host.Do(t.Context(), r); kind(t, err) != "other" {
				t.Errorf("%+v: %v, want an error that is not the host's", r, err)
			}
		}
		if got := w.ours.Calls(); got != 0 {
			t.Errorf("%d calls, want none", got)
		}
	})
}

func TestRedirects(t *testing.T) {
	to := func(status int, where string) demo.Fault {
		return demo.Answer(status, http.Header{"Location": {where}}, "")
	}
	tests := []struct {
		name, base, method string
		faults             []demo.Fault
		want               string // of the body
		err                string
		calls              int
	}{
		{"path", "http://keyed.example/a", "", []demo.Fault{to(301, "/b?x=1#f")},
			`GET /b?x=1 : "" `, "", 2},
		{"relative", "http://keyed.example/a/b", "", []demo.Fault{to(302, "../c")}, `GET /c : "" `,
			"", 2},
		{"absolute", "http://keyed.example/a", "", []demo.Fault{to(308, "http://Keyed.example/b")},
			`GET /b : "" `, "", 2},
		{"to TLS", "http://keyed.example/a", "", []demo.Fault{to(301, "https://keyed.example/b")},
			`GET /b : "" `, "", 2},
		{"keeps our credentials, not theirs", "http://me:mine@keyed.example/a", "",
			[]demo.Fault{to(301, "http://other:theirs@keyed.example/b")}, `GET /b me:mine "" `,
			"", 2},
		{"three", "http://keyed.example/a", "",
			[]demo.Fault{to(301, "/b"), to(302, "/c"), to(303, "/d")}, `GET /d : "" `, "", 4},
		{"four", "http://keyed.example/a", "",
			[]demo.Fault{to(301, "/b"), to(302, "/c"), to(303, "/d"), to(307, "/e")}, "",
			"unavailable", 4},
		{"circle", "http://keyed.example/a", "",
			[]demo.Fault{to(301, "/b"), to(301, "/a"), to(301, "/b"), to(301, "/a")}, "",
			"unavailable", 4},
		{"itself", "http://keyed.example/a", "",
			[]demo.Fault{to(301, "/a"), to(301, "/a"), to(301, "/a"), to(301, "/a")}, "",
			"unavailable", 4},
		{"from TLS", "https://keyed.example/a", "", []demo.Fault{to(301, "http://keyed.example/b")},
			"", "unavailable", 1},
		{"foreign", "http://keyed.example/a", "", []demo.Fault{to(301, "http://foreign.example/")},
			"", "unavailable", 1},
		{"foreign without a scheme", "http://keyed.example/a", "",
			[]demo.Fault{to(301, "//foreign.example/")}, "", "unavailable", 1},
		{"foreign port", "http://keyed.example/a", "",
			[]demo.Fault{to(301, "http://keyed.example:8545/")}, "", "unavailable", 1},
		{"foreign after one of ours", "http://keyed.example/a", "",
			[]demo.Fault{to(301, "/b"), to(301, "http://foreign.example/")}, "", "unavailable", 2},
		{"other scheme", "http://keyed.example/a", "", []demo.Fault{to(301, "file:///etc/passwd")},
			"", "unavailable", 1},
		{"unreadable", "http://keyed.example/a", "",
			[]demo.Fault{to(301, "http://keyed.example/%zz")}, "", "unavailable", 1},
		{"POST kept", "http://keyed.example/a", "POST", []demo.Fault{to(307, "/b")},
			`POST /b : "words" `, "", 2},
		{"POST kept for good", "http://keyed.example/a", "POST", []demo.Fault{to(308, "/b")},
			`POST /b : "words" `, "", 2},
		{"POST that would become GET", "http://keyed.example/a", "POST",
			[]demo.Fault{to(302, "/b")}, "", "unavailable", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, tt.base)
				w.ours.Next(tt.faults...)
				q := fetch.Request{Method: tt.method}
				if tt.method == "POST" {
					q.Body = []byte("words")
				}
				r, err := w.host.Do(t.Context(), q)
				if got := kind(t, err); got != tt.err {
					t.Fatalf("error %v is %q, want %q", err, got, tt.err)
				}
				if err == nil && string(r.Body) != tt.want {
					t.Errorf("got %q, want %q", r.Body, tt.want)
				}
				if got := w.ours.Calls(); got != tt.calls {
					t.Errorf("calls %v, want %d", w.ours.Requests(), tt.calls)
				}
				if got := w.foreign.Calls(); got != 0 {
					t.Errorf("a foreign host was asked %d times", got)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "http://keyed.example/a")
		w.ours.Always(func(rw http.ResponseWriter, r *http.Request, h http.Handler) {
			demo.Delay(time.Second)(rw, r,
				demo.NewScript(http.RedirectHandler(r.URL.Path+"/a", http.StatusMovedPermanently)))
		})
		start := time.Now()
		_, err := w.host.Do(t.Context(), fetch.Request{})
		got, d := kind(t, err), time.Since(start)
		if got != "timeout" || d != 2500*time.Millisecond {
			t.Errorf("slow redirects: %v after %v, want a timeout after one try's time", err, d)
		}
	})
}

func TestRetry(t *testing.T) {
	answer := demo.Answer
	wait := func(status int, s string) demo.Fault {
		return answer(status, http.Header{"Retry-After": {s}}, "")
	}
	tests := []struct {
		name     string
		first    demo.Fault
		down     bool
		once     bool
		deadline time.Duration
		err      string
		calls    int
		took     time.Duration
	}{
		{"500", answer(500, nil, ""), false, false, 0, "", 2, 200 * time.Millisecond},
		{"500 once", answer(500, nil, ""), false, true, 0, "unavailable", 1, 0},
		{"500 and time", answer(500, nil, ""), false, false, 2200 * time.Millisecond, "", 2,
			200 * time.Millisecond},
		{"500 and no time", answer(500, nil, ""), false, false, 2199 * time.Millisecond,
			"unavailable", 1, 0},
		{"503 for a while", wait(503, "1"), false, false, 0, "unavailable", 1, 0},
		{"503 at once", wait(503, "0"), false, false, 0, "", 2, 200 * time.Millisecond},
		{"429 at once", wait(429, "0"), false, false, 0, "", 2, 200 * time.Millisecond},
		{"429 until a time gone by", wait(429, "Wed, 21 Oct 1998 07:28:00 GMT"), false, false, 0,
			"", 2, 200 * time.Millisecond},
		{"429 for a second", wait(429, "1"), false, false, 0, "unavailable", 1, 0},
		{"429 for who knows", answer(429, nil, ""), false, false, 0, "unavailable", 1, 0},
		{"404", answer(404, nil, ""), false, false, 0, "", 1, 0},
		{"disconnect", demo.Disconnect(), false, false, 0, "unavailable", 1, 0},
		{"hang", demo.Hang(), false, false, 0, "timeout", 1, 2500 * time.Millisecond},
		{"hang and less time", demo.Hang(), false, false, time.Second, "timeout", 1, time.Second},
		{"no connection", nil, true, false, 0, "unavailable", 0, 200 * time.Millisecond},
		{"no connection once", nil, true, true, 0, "unavailable", 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, address)
				if tt.first != nil {
					w.ours.Next(tt.first)
				}
				w.network.Down("keyed.example", tt.down)
				ctx := t.Context()
				if tt.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.deadline)
					defer cancel()
				}
				start := time.Now()
				_, err := w.host.Do(ctx, fetch.Request{Once: tt.once})
				got := kind(t, err)
				if got != tt.err || time.Since(start) != tt.took || w.ours.Calls() != tt.calls {
					t.Errorf("%v (%q) after %v and %d calls, want %q after %v and %d", err, got,
						time.Since(start), w.ours.Calls(), tt.err, tt.took, tt.calls)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, address)
		w.network.Down("keyed.example", true)
		time.AfterFunc(100*time.Millisecond, func() { w.network.Down("keyed.example", false) })
		if _, err := w.host.Do(t.Context(), fetch.Request{}); err != nil {
			t.Errorf("host that comes up between the tries: %v", err)
		}
	})
}

// TestPerMinute counts all requests that go out, including retries and redirects. A request beyond
// the bound does not go out, is no failure of the host and has a RetryAfter.
func TestPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, address)
		h, err := fetch.New(address,
			fetch.Config{Transport: w.network, PerMinute: 3, Now: func() time.Time {
				return time.Now().Add(w.clock)
			}})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		ask := func(when string, wait time.Duration, calls int) {
			t.Helper()
			var again time.Duration
			_, err := h.Do(t.Context(), fetch.Request{})
			if spent, ok := err.(*fetch.SpentError); ok {
				again, err = spent.RetryAfter, nil
			}
			if err != nil || again != wait || w.ours.Calls() != calls {
				t.Errorf("%s: %v, again in %v after %d calls, want %v and %d", when, err, again,
					w.ours.Calls(), wait, calls)
			}
		}
		w.ours.Next(demo.Answer(500, nil, ""), demo.Redirect("/b"))
		ask("failure, retry and redirect", 0, 3)
		for range 7 { // enough to open a breaker
			ask("nothing left", time.Minute-200*time.Millisecond+1, 3)
		}
		time.Sleep(time.Minute - 200*time.Millisecond)
		ask("almost a minute later", 1, 3)
		time.Sleep(time.Nanosecond)
		w.ours.Next(demo.Redirect("/b"))
		ask("not enough for the redirect", 200*time.Millisecond, 4)
		w.clock -= time.Hour
		ask("after the clock was set back", 0, 5)
	})
}

// TestGet checks that a response that cannot be decoded is a failure of the host with the reason
// inside, and that ErrNotFound is no failure.
func TestGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, address)
		wrong := errors.New("wrong")
		length := func(r *fetch.Response) (int, error) { return len(r.Body), nil }
		bad := func(*fetch.Response) (int, error) { return 7, wrong }
		nothing := func(*fetch.Response) (int, error) {
			return 0, fmt.Errorf("no %w", fetch.ErrNotFound)
		}
		w.ours.Next(demo.Answer(200, nil, "abc"))
		if n, err := fetch.Get(t.Context(), w.host, fetch.Request{}, length); n != 3 || err != nil {
			t.Errorf("decoded %d, %v, want 3", n, err)
		}
		n, err := fetch.Get(t.Context(), w.host, fetch.Request{}, bad)
		if n != 0 || kind(t, err) != "unavailable" || !errors.Is(err, wrong) ||
			w.ours.Calls() != 2 {
			t.Errorf("%d, %v after %d calls", n, err, w.ours.Calls())
		}
		if want := "upstream is unavailable: wrong (status 200)"; err.Error() != want {
			t.Errorf("text %q, want %q", err, want)
		}
		for range 3 {
			fetch.Get(t.Context(), w.host, fetch.Request{}, bad)
		}
		for range 6 { // the fifth failure in a row would open the breaker
			_, err := fetch.Get(t.Context(), w.host, fetch.Request{}, nothing)
			if !errors.Is(err, fetch.ErrNotFound) || kind(t, err) != "other" {
				t.Errorf("nothing there: %v", err)
			}
			fetch.Get(t.Context(), w.host, fetch.Request{}, bad)
		}
		if w.ours.Calls() != 17 {
			t.Errorf("%d calls, want 17: the breaker is open", w.ours.Calls())
		}
		ok, garbled := w.stats.Calls[fetch.OK].Load(), w.stats.Calls[fetch.Garbled].Load()
		if ok != 7 || garbled != 10 {
			t.Errorf("%d calls counted as answered and %d as garbled, want 7 and 10", ok, garbled)
		}
	})
}

// TestFreeze checks that connections are not reused after the process was frozen.
func TestFreeze(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, address)
		dials := &counting{Network: w.network}
		h, err := fetch.New(address, fetch.Config{Transport: dials, Now: func() time.Time {
			return time.Now().Add(w.clock)
		}})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, d := range []time.Duration{0, 30 * time.Second, time.Minute, -time.Hour, 0} {
			w.clock += d // the process was frozen: no timer has run
			if _, err := h.Do(t.Context(), fetch.Request{}); err != nil {
				t.Error(err)
			}
			got = append(got, dials.closed)
		}
		if want := []int{0, 0, 1, 2, 2}; !slices.Equal(got, want) {
			t.Errorf("idle connections closed %v times after each call, want %v", got, want)
		}
		h.Close()
		if dials.closed != 2 {
			t.Error("Close touches a transport that is not its own")
		}
	})
}

type counting struct {
	*demo.Network
	closed int
}

func (c *counting) CloseIdleConnections() { c.closed++; c.Network.CloseIdleConnections() }

// TestOwnTransport asks over real sockets.
func TestOwnTransport(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("Accept-Encoding"), " ", r.Header.Get("User-Agent"))
	}))
	h, err := fetch.New(s.URL, fetch.Config{UserAgent: "test/1"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := h.Do(t.Context(), fetch.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("gzip test/1", string(r.Body)); d != "" {
		t.Error(d)
	}
	h.Close()
	s.Close()
	_, err = h.Do(t.Context(), fetch.Request{})
	if got := kind(t, err); got != "unavailable" || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("server that is gone: %v", err)
	}
}
