package demo_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/demo"
)

func TestScript(t *testing.T) {
	inBubble(t, func(t *testing.T, n *demo.Network, c *http.Client) {
		s := demo.NewScript(says("good"))
		n.Serve("a.example", s)
		bad := func(body string) demo.Fault { return demo.Answer(http.StatusTeapot, nil, body) }
		s.Next(bad("first"), nil)
		s.Next(bad("third"))
		s.Always(bad("always"))
		var got []string
		for _, path := range []string{"/1", "/2?x=%20y", "/3", "/4", "/5"} {
			_, body, err := get(t, c, "https://a.example"+path)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, body)
		}
		s.Always(nil)
		_, body, _ := get(t, c, "https://a.example/6")
		if d := cmp.Diff([]string{"first", "good", "third", "always", "always", "good"}, append(got, body)); d != "" {
			t.Errorf("answers (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{"GET /1", "GET /2?x=%20y", "GET /3", "GET /4", "GET /5", "GET /6"}, s.Requests()); d != "" {
			t.Errorf("requests (-want +got):\n%s", d)
		}
		if s.Calls() != 6 {
			t.Errorf("%d calls, want 6", s.Calls())
		}
	})
}

// good is what the faults spoil.
const good = `{"id":399,"title":"A title"}`

// goodHandler answers a GET with it and anything else with what was sent.
func goodHandler(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Good", "yes")
	if r.Method == http.MethodGet {
		io.WriteString(w, good)
		return
	}
	io.Copy(w, r.Body)
}

// mostRead is more than any answer but a bomb has.
const mostRead = 4 << 20

// faults lists those that need no time, with what a client must see.
func faults() map[string]struct {
	fault demo.Fault
	check func(t *testing.T, r *http.Response, body []byte, err error) // body: mostRead bytes of it at the most
} {
	type check = func(t *testing.T, r *http.Response, body []byte, err error)
	answer := func(status int, head map[string]string, want string) check {
		return func(t *testing.T, r *http.Response, body []byte, err error) {
			if err != nil || r.StatusCode != status || string(body) != want {
				t.Errorf("%v %q, %v; want %d %q", r, body, err, status, want)
				return
			}
			for k, v := range head {
				if got := r.Header.Get(k); got != v {
					t.Errorf("%s is %q, want %q", k, got, v)
				}
			}
		}
	}
	return map[string]struct {
		fault demo.Fault
		check check
	}{
		"none":              {nil, answer(200, map[string]string{"X-Good": "yes"}, good)},
		"Answer":            {demo.Answer(503, nil, `{"errors":[]}`), answer(503, map[string]string{"Content-Type": "application/json; charset=utf-8", "X-Good": ""}, `{"errors":[]}`)},
		"Answer with field": {demo.Answer(429, http.Header{"Retry-After": {"4"}, "Content-Type": {"text/plain"}}, "wait"), answer(429, map[string]string{"Content-Type": "text/plain", "Retry-After": "4"}, "wait")},
		"Rewrite":           {demo.Rewrite(bytes.ToUpper), answer(200, map[string]string{"X-Good": "yes", "Content-Type": "application/json"}, strings.ToUpper(good))},
		"Redirect":          {demo.Redirect("https://b.example/x"), answer(307, map[string]string{"Location": "https://b.example/x"}, "")},
		"Loop":              {demo.Loop(), answer(307, map[string]string{"Location": "/t/399.json?a=b"}, "")},
		"HTML": {demo.HTML(), func(t *testing.T, r *http.Response, body []byte, err error) {
			if err != nil || r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/html; charset=utf-8" || !bytes.HasPrefix(body, []byte("<!doctype html>")) {
				t.Errorf("%v %q, %v; want a page", r, body, err)
			}
		}},
		"Disconnect": {demo.Disconnect(), func(t *testing.T, r *http.Response, _ []byte, err error) {
			if r != nil || !errors.Is(err, io.EOF) {
				t.Errorf("%v, %v; want %v and no answer", r, err, io.EOF)
			}
		}},
		"Truncated": {demo.Truncated(), func(t *testing.T, r *http.Response, body []byte, err error) {
			if r == nil || r.ContentLength != int64(len(good)) || string(body) != good[:len(good)/2] || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%v %q, %v; want a length of %d, half of it and %v", r, body, err, len(good), io.ErrUnexpectedEOF)
			}
		}},
		"GzipBomb": {demo.GzipBomb(), func(t *testing.T, r *http.Response, body []byte, err error) {
			if err != nil || !r.Uncompressed {
				t.Fatalf("%v, %v; want gzip", r, err)
			}
			if size := len(body); size != mostRead {
				t.Errorf("%d bytes before the end, want more than %d", size, mostRead-1)
			}
		}},
		"Huge": {demo.Huge(3 << 20), func(t *testing.T, r *http.Response, body []byte, err error) {
			var v struct {
				ID     int
				Title  string
				Filler string
			}
			if err != nil || len(body) != 3<<20 || r.ContentLength >= 0 || json.Unmarshal(body, &v) != nil || v.ID != 399 || v.Title != "A title" {
				t.Errorf("%d bytes of %d announced, %v; want 3 MiB that hold the good answer", len(body), r.ContentLength, err)
			}
		}},
		"Huge, too small": {demo.Huge(10), func(t *testing.T, r *http.Response, body []byte, err error) {
			if err != nil || !json.Valid(body) {
				t.Errorf("%q, %v; want JSON", body, err)
			}
		}},
	}
}

// checkFaults puts each fault behind an address and asks.
func checkFaults(t *testing.T, c *http.Client, base string, s *demo.Script) {
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for name, test := range faults() {
		s.Always(test.fault)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/t/399.json?a=b", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(r)
		var body []byte
		if err == nil {
			defer resp.Body.Close()
			body, err = io.ReadAll(io.LimitReader(resp.Body, mostRead))
		}
		t.Run(name, func(t *testing.T) { test.check(t, resp, body, err) })
	}
}

func TestFaultsOnARealListener(t *testing.T) {
	s := demo.NewScript(http.HandlerFunc(goodHandler))
	server := httptest.NewServer(s)
	defer server.Close()
	checkFaults(t, server.Client(), server.URL, s)
}

func TestFaultsInMemory(t *testing.T) {
	n := demo.NewNetwork()
	defer n.Close()
	s := demo.NewScript(http.HandlerFunc(goodHandler))
	n.Serve("a.example", s)
	checkFaults(t, &http.Client{Transport: n}, "https://a.example", s)
}

func TestGzipBombIsLarge(t *testing.T) {
	w := httptest.NewRecorder()
	demo.GzipBomb()(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil), nil)
	sent := w.Body.Bytes()
	// The last field is the size of what was packed (RFC 1952, section 2.3.1).
	if size := binary.LittleEndian.Uint32(sent[len(sent)-4:]); size != 100e6 || len(sent) > 1e6 {
		t.Errorf("%d bytes from %d, want 100 MB from at most 1 MB", size, len(sent))
	}
}

// TestFaultsThatWait asks with a body, so that a fault that has not read it would miss that the client
// leaves.
func TestFaultsThatWait(t *testing.T) {
	const patience, sent = 5 * time.Second, `{"id":1}`
	for name, test := range map[string]struct {
		fault   demo.Fault
		body    string
		timeout bool
		after   time.Duration
	}{
		"Hang":          {demo.Hang(), "", true, patience},
		"short Delay":   {demo.Delay(2 * time.Second), sent, false, 2 * time.Second},
		"long Delay":    {demo.Delay(time.Hour), "", true, patience},
		"patient Drip":  {demo.Drip("abc", time.Second), "abc", false, 2 * time.Second},
		"drip too long": {demo.Drip("abcdefghijklm", time.Second), "abcde", true, patience},
		"Drip nothing":  {demo.Drip("", time.Second), "", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, n *demo.Network, c *http.Client) {
				s := demo.NewScript(http.HandlerFunc(goodHandler))
				s.Always(test.fault)
				n.Serve("a.example", s)
				// Half a millisecond more, so that what comes at the same moment comes first.
				ctx, cancel := context.WithTimeout(t.Context(), patience-time.Millisecond/2)
				defer cancel()
				start := time.Now()
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://a.example/", strings.NewReader(sent))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := c.Do(r)
				var body []byte
				if err == nil {
					body, err = io.ReadAll(resp.Body)
					resp.Body.Close()
				}
				if errors.Is(err, context.DeadlineExceeded) != test.timeout || !test.timeout && err != nil || string(body) != test.body {
					t.Errorf("%q, %v; want %q, timeout: %v", body, err, test.body, test.timeout)
				}
				if got := time.Since(start).Round(time.Millisecond); got != test.after {
					t.Errorf("it took %v, want %v", got, test.after)
				}
				synctest.Wait() // the fault must end, or the bubble does not
			})
		})
	}
}
