package chain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/chain"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

const (
	chainID   = 143
	blockTime = 400 * time.Millisecond
	// secret is in each part of an address that can contain a key.
	secret = "s3cret"
)

// world is a network with endpoints a, b, c …, each in front of a chain of its own.
type world struct {
	t       *testing.T
	net     *demo.Network
	config  chain.Config
	chains  []*demo.Chain
	scripts []*demo.Script
	opened  []*chain.Chain
	log     bytes.Buffer
	asked   atomic.Int64 // requests sent
	under   atomic.Int64 // requests not yet answered
}

// inBubble runs f with n endpoints. Endpoint i is at the height of an hour's blocks plus i
// thousand.
func inBubble(t *testing.T, n int, f func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, net: demo.NewNetwork()}
		defer w.net.Close()
		w.config = chain.Config{
			Endpoints: mip.Endpoints{Network: mip.Network{ID: "mainnet", Name: "Lantern",
				ChainID: chainID, BlockTime: blockTime.Seconds()}},
			Transport: w, Background: true, Log: slog.New(slog.NewTextHandler(&w.log, nil)),
		}
		for i := range n {
			c := demo.NewChain(demo.ChainConfig{
				ChainID: chainID, BlockTime: blockTime,
				Genesis: time.Now().Add(-time.Hour - time.Duration(i)*1000*blockTime),
			})
			s := demo.NewScript(c)
			name := string(rune('a'+i)) + ".example.org"
			w.net.Serve(name, s)
			w.chains, w.scripts = append(w.chains, c), append(w.scripts, s)
			w.config.Endpoints.RPC = append(w.config.Endpoints.RPC,
				"https://"+secret+":"+secret+"@"+name+"/"+secret+"?key="+secret)
		}
		f(w)
		for _, c := range w.opened {
			c.Close()
		}
		if n := w.under.Load(); n != 0 {
			t.Errorf("%d calls under way after Close", n)
		}
		if strings.Contains(w.log.String(), secret) ||
			strings.Contains(w.log.String(), "example.org") {
			t.Errorf("the log shows an address:\n%s", w.log.String())
		}
	})
}

// RoundTrip counts requests.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	w.asked.Add(1)
	w.under.Add(1)
	defer w.under.Add(-1)
	return w.net.RoundTrip(r)
}

// open returns the chain under test.
func (w *world) open() *chain.Chain {
	w.t.Helper()
	c, err := chain.New(w.config)
	if err != nil {
		w.t.Fatal(err)
	}
	w.opened = append(w.opened, c)
	return c
}

// height returns the height of endpoint i.
func (w *world) height(i int) uint64 {
	w.t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}`
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, "/",
		strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	var out recorder
	w.chains[i].ServeHTTP(&out, r)
	var reply struct{ Result string }
	var n uint64
	if err := json.Unmarshal(out.Bytes(), &reply); err != nil {
		w.t.Fatal(err)
	}
	if _, err := fmt.Sscanf(reply.Result, "0x%x", &n); err != nil {
		w.t.Fatalf("height %s: %v", out.String(), err)
	}
	return n
}

type recorder struct{ bytes.Buffer }

func (r *recorder) Header() http.Header { return http.Header{} }
func (r *recorder) WriteHeader(int)     {}

// status returns the status, and checks the invariants of every answer.
func (w *world) status(c *chain.Chain) api.NetworkStatus {
	w.t.Helper()
	start := time.Now()
	ctx, cancel := context.WithTimeout(w.t.Context(), timing.Ask)
	defer cancel()
	s, next := c.Status(ctx)
	if took := time.Since(start); took > 3*time.Second {
		w.t.Errorf("Status took %v, want at most 3s", took)
	}
	if next.IsZero() {
		w.t.Error("Status says no time until which it stays the same")
	}
	b, err := json.Marshal(s)
	if err != nil || bytes.Contains(b, []byte(secret)) || bytes.Contains(b, []byte("example.org")) {
		w.t.Errorf("Status = %s, %v; want JSON without an address", b, err)
	}
	if s.Name != "Lantern" || s.ChainID != chainID || s.Stale != (s.Status == api.NetworkStale) {
		w.t.Errorf("Status = %+v, want the network's name and id, and stale as the status says", s)
	}
	unknown := s.BlockHeight == nil
	if unknown != (s.Status == api.NetworkUnavailable) || unknown != (s.BlockTime == nil) ||
		unknown != (s.FetchedAt == nil) {
		w.t.Errorf("Status = %s, want figures exactly when it is not unavailable", text(s))
	}
	return s
}

// text formats a status for a message.
func text(s api.NetworkStatus) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// want compares a status with a state, an endpoint's current height (-1: none) and a code ("":
// none).
func (w *world) want(s api.NetworkStatus, health api.NetworkHealth, endpoint int, code api.Code) {
	w.t.Helper()
	want := api.NetworkStatus{Name: s.Name, ChainID: s.ChainID, Status: health,
		Stale: health == api.NetworkStale}
	if endpoint >= 0 {
		want.BlockHeight, want.FinalizedHeight = new(w.height(endpoint)), new(w.height(endpoint)-2)
	}
	if code != "" {
		want.Error = new(string(code))
	}
	got := s
	got.BlockTime, got.FetchedAt, got.Regressed, got.Recent = nil, nil, false, nil
	if d := cmp.Diff(want, got); d != "" {
		w.t.Errorf("status (-want +got):\n%s", d)
	}
}

// on applies a fault to calls whose body contains a word, such as latest, and lets the others
// through.
func on(word string, f demo.Fault) demo.Fault {
	return func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !bytes.Contains(body, []byte(word)) {
			next.ServeHTTP(rw, r)
			return
		}
		f(rw, r, next)
	}
}

// misbehave applies a fault to all requests to an endpoint from now on; nil means none.
func (w *world) misbehave(endpoint int, f demo.Fault) { w.scripts[endpoint].Always(f) }
