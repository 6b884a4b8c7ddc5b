package demo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/internal/demo"
)

// inBubble runs a test with a network of its own. A goroutine that outlives Close fails it: the
// bubble would not end.
func inBubble(t *testing.T, f func(t *testing.T, n *demo.Network, c *http.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := demo.NewNetwork()
		defer n.Close()
		f(t, n, &http.Client{Transport: n})
	})
}

// says answers with a text.
func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) })
}

// get asks for an address and returns the status and the body, or the error of either.
func get(t *testing.T, c *http.Client, address string) (int, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

func TestNetworkServesByHostAndPath(t *testing.T) {
	inBubble(t, func(t *testing.T, n *demo.Network, c *http.Client) {
		n.Serve("forum.example", says("forum"))
		n.Serve("Rpc.example/main", says("main"))
		n.Serve("rpc.example/main/archive/", says("archive"))
		n.Serve("rpc.example:8545", says("other port"))
		n.Serve("[::1]:80", says("six"))
		n.Serve("echo.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s %s %s", r.Header.Get("X-Forwarded-Proto"), r.Host, r.RequestURI)
		}))
		for _, test := range []struct {
			address string
			status  int
			body    string
		}{
			{"http://forum.example", 200, "forum"},
			{"https://forum.example/t/x", 200, "forum"},
			{"https://FORUM.example:8443/t/x", 200, "forum"},
			{"https://rpc.example/main", 200, "main"},
			{"https://rpc.example/main/v1?key=k", 200, "main"},
			{"https://rpc.example/main/archive", 200, "archive"},
			{"https://rpc.example/mainnet", 404, "404 page not found\n"},
			{"http://rpc.example:8545/main", 200, "other port"},
			{"http://[::1]/", 200, "six"},
			{"https://echo.example/a%2Fb?c=d", 200, "https echo.example /a%2Fb?c=d"},
			{"http://echo.example:81/", 200, "http echo.example:81 /"},
		} {
			status, body, err := get(t, c, test.address)
			if err != nil || status != test.status || body != test.body {
				t.Errorf("GET %s = %d %q, %v; want %d %q", test.address, status, body, err, test.status, test.body)
			}
		}
		n.Serve("forum.example", says("another"))
		if _, body, err := get(t, c, "https://forum.example"); body != "another" {
			t.Errorf("a replaced handler answers %q, %v; want %q", body, err, "another")
		}
	})
}

// closeNoted is a body that notes that it was closed.
type closeNoted struct {
	io.Reader
	closed bool
}

func (c *closeNoted) Close() error { c.closed = true; return nil }

func TestNetworkRefuses(t *testing.T) {
	inBubble(t, func(t *testing.T, n *demo.Network, c *http.Client) {
		n.Serve("up.example", says("up"))
		n.Serve("down.example", says("down"))
		n.Down("down.example", true)
		for address, cause := range map[string]error{"https://down.example/": syscall.ECONNREFUSED, "http://unknown.example/": nil} {
			body := &closeNoted{Reader: strings.NewReader("{}")}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
			if err != nil {
				t.Fatal(err)
			}
			_, err = n.RoundTrip(r)
			op, ok := errors.AsType[*net.OpError](err)
			if !ok || op.Op != "dial" || cause != nil && !errors.Is(err, cause) || !body.closed {
				t.Errorf("POST %s: error %v (body closed: %v); want one of dial, %v, and the body closed", address, err, body.closed, cause)
			}
			if _, ok := errors.AsType[*net.DNSError](err); ok != (cause == nil) {
				t.Errorf("POST %s: error %v; is of the name service: %v", address, err, ok)
			}
		}
		n.Down("down.example", false)
		if _, body, err := get(t, c, "https://down.example/"); body != "down" {
			t.Errorf("a host that is up again answers %q, %v", body, err)
		}
		n.Close()
		if _, _, err := get(t, c, "https://up.example/"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("a closed network: %v, want %v", err, syscall.ECONNREFUSED)
		}
		n.Serve("late.example", says("late")) // does nothing, starts nothing
		n.Down("late.example", true)
	})
}

func TestNetworkKeepsConnections(t *testing.T) {
	inBubble(t, func(t *testing.T, n *demo.Network, c *http.Client) {
		n.Serve("a.example", says("a"))
		reused := func() bool {
			var was bool
			ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { was = i.Reused }})
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://a.example/", nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := c.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			synctest.Wait() // until the connection is idle
			return was
		}
		if got := []bool{reused(), reused()}; got[0] || !got[1] {
			t.Errorf("connections were reused: %v, want false and true", got)
		}
		c.CloseIdleConnections()
		if reused() {
			t.Error("a closed idle connection was reused")
		}
		n.Down("a.example", true)
		n.Down("a.example", false)
		if reused() {
			t.Error("a connection outlived the host")
		}
	})
}

func TestNetworkCarriesMuch(t *testing.T) {
	inBubble(t, func(t *testing.T, n *demo.Network, c *http.Client) {
		n.Serve("echo.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
		n.Serve("deaf.example", says("no"))
		sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<17)
		post := func(address string, body io.Reader) []byte {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := c.Do(r)
			if err != nil {
				t.Errorf("POST %s: %v", address, err)
				return nil
			}
			defer resp.Body.Close()
			got, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Errorf("POST %s: %v", address, err)
			}
			return got
		}
		if got := post("http://echo.example/", bytes.NewReader(sent)); !bytes.Equal(got, sent) {
			t.Errorf("%d bytes came back of %d", len(got), len(sent))
		}
		if got := post("http://deaf.example/", bytes.NewReader(sent)); string(got) != "no" {
			t.Errorf("a handler that reads nothing answers %q", got)
		}
		var all sync.WaitGroup
		for i := range 200 {
			all.Go(func() {
				want := fmt.Sprint("call ", i)
				if got := post("https://echo.example/", strings.NewReader(want)); string(got) != want {
					t.Errorf("%q came back for %q", got, want)
				}
			})
		}
		all.Wait()
	})
}

func TestNetworkTellsOfClientsThatLeave(t *testing.T) {
	inBubble(t, func(t *testing.T, n *demo.Network, c *http.Client) {
		var left time.Time
		n.Serve("slow.example", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			left = time.Now()
		}))
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://slow.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Do(r); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
		}
		synctest.Wait()
		if got := left.Sub(start); got != 3*time.Second {
			t.Errorf("the handler saw the client leave after %v, want 3s", got)
		}
	})
}

func TestNetworkBreaksWhatIsUnderWay(t *testing.T) {
	for name, stop := range map[string]func(n *demo.Network){
		"down":  func(n *demo.Network) { n.Down("half.example", true) },
		"close": func(n *demo.Network) { n.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, n *demo.Network, c *http.Client) {
				ended := false
				n.Serve("half.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					io.WriteString(w, "half")
					http.NewResponseController(w).Flush()
					<-r.Context().Done()
					ended = true
				}))
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://half.example/", nil)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := c.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				stop(n)
				if body, err := io.ReadAll(resp.Body); err == nil {
					t.Errorf("the rest of the body is %q without an error", body)
				}
				synctest.Wait()
				if !ended {
					t.Error("the handler goes on")
				}
			})
		})
	}
}

// TestNetworkCloseWaits holds Close to its word: nothing that a handler does comes after it.
func TestNetworkCloseWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, n *demo.Network, c *http.Client) {
		const tidying = time.Minute
		var ended atomic.Int64
		stubborn := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/hijacked" {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				defer conn.Close()
			}
			time.Sleep(tidying)
			ended.Add(1)
		})
		n.Serve("slow.example", stubborn)
		for _, path := range []string{"/", "/hijacked"} {
			go c.Get("http://slow.example" + path)
			synctest.Wait()
		}
		n.Close()
		if ended.Load() != 2 {
			t.Errorf("%d of 2 handlers had ended when Close returned", ended.Load())
		}
	})
}
