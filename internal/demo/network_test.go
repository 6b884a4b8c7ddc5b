package demo_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/internal/demo"
)

// inBubble runs a test with its own network. A goroutine that outlives Close fails it: the bubble
// would not end.
func inBubble(t *testing.T, f func(t *testing.T, n *demo.Network, c *http.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := demo.NewNetwork()
		defer n.Close()
		f(t, n, &http.Client{Transport: n})
	})
}

// answering returns a handler that answers with a text.
func answering(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, text)
	})
}

// get requests an address and returns the status and the body, or an error.
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
		n.Serve("forum.example", answering("forum"))
		n.Serve("Rpc.example/main", answering("main"))
		n.Serve("rpc.example/main/archive/", answering("archive"))
		n.Serve("rpc.example:8545", answering("other port"))
		n.Serve("[::1]:80", answering("six"))
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
				t.Errorf("GET %s = %d %q, %v; want %d %q", test.address, status, body, err,
					test.status, test.body)
			}
		}
		n.Serve("forum.example", answering("another"))
		if _, body, err := get(t, c, "https://forum.example"); body != "another" {
			t.Errorf("a replaced handler answers %q, %v; want %q", body, err, "another")
		}
	})
}

// TestNetworkRefuses checks that a host which was not added is not reached, and that none is after
// Close.
func TestNetworkRefuses(t *testing.T) {
	inBubble(t, func(t *testing.T, n *demo.Network, c *http.Client) {
		n.Serve("up.example", answering("up"))
		if _, _, err := get(t, c, "http://unknown.example/"); err == nil {
			t.Error("an unknown host was reached")
		}
		n.Close()
		if _, _, err := get(t, c, "https://up.example/"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("a closed network: %v, want %v", err, syscall.ECONNREFUSED)
		}
		n.Serve("late.example", answering("late")) // does nothing, starts nothing
		n.Down("late.example", true)
	})
}

// TestNetworkCloseWaits checks the promise of Close: no handler does anything after it.
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
