package chain_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
)

// TestBadAnswers gives each unacceptable answer to either needed call, with a second endpoint,
// which takes over, and without one. Package fetch tests the faults that any host can have.
func TestBadAnswers(t *testing.T) {
	block := func(number, timestamp string) demo.Fault {
		return on("latest", demo.Answer(200, nil,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"result":{"number":%s,"timestamp":%s}}`, number,
				timestamp)))
	}
	id := func(body string) demo.Fault {
		return on("eth_chainId", demo.Answer(200, nil, body))
	}
	rewrite := func(old, new string) demo.Fault {
		return demo.Rewrite(func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte(old), []byte(new))
		})
	}
	for name, fault := range map[string]demo.Fault{
		"capital X":            block(`"0X1A"`, `"0x1"`),
		"capital digits":       block(`"0x1A"`, `"0x1"`),
		"leading zero":         block(`"0x01"`, `"0x1"`),
		"no prefix":            block(`"1a"`, `"0x1"`),
		"no digits":            block(`"0x"`, `"0x1"`),
		"empty":                block(`""`, `"0x1"`),
		"sign":                 block(`"0x-1"`, `"0x1"`),
		"plus":                 block(`"0x+1"`, `"0x1"`),
		"underscore":           block(`"0x1_0"`, `"0x1"`),
		"blank":                block(`"0x1 "`, `"0x1"`),
		"a JSON number":        block(`26`, `"0x1"`),
		"null number":          block(`null`, `"0x1"`),
		"a list":               block(`["0x1"]`, `"0x1"`),
		"17 digits":            block(`"0x10000000000000000"`, `"0x1"`),
		"beyond 2^53":          block(`"0x20000000000000"`, `"0x1"`),
		"all bits":             block(`"0xffffffffffffffff"`, `"0x1"`),
		"null time":            block(`"0x1"`, `null`),
		"leading zero in time": block(`"0x1"`, `"0x01"`),
		"year 10000":           block(`"0x1"`, `"0x3afff44180"`),
		"time of all bits":     block(`"0x1"`, `"0xffffffffffffffff"`),
		"null block": on("latest",
			demo.Answer(200, nil, `{"jsonrpc":"2.0","id":2,"result":null}`)),
		"no result": on("latest", demo.Answer(200, nil, `{"jsonrpc":"2.0","id":2}`)),
		"block is a string": on("latest",
			demo.Answer(200, nil, `{"jsonrpc":"2.0","id":2,"result":"0x1"}`)),
		"block without number": on("latest",
			demo.Answer(200, nil, `{"jsonrpc":"2.0","id":2,"result":{"hash":"0x1"}}`)),
		"error with 200": on("latest",
			demo.Answer(200, nil, `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"`+
				secret+`"}}`)),
		"error beside a result":  id(`{"jsonrpc":"2.0","id":1,"result":"0x8f","error":{"code":1}}`),
		"wrong id":               id(`{"jsonrpc":"2.0","id":2,"result":"0x8f"}`),
		"id as a string":         id(`{"jsonrpc":"2.0","id":"1","result":"0x8f"}`),
		"null id":                id(`{"jsonrpc":"2.0","id":null,"result":"0x8f"}`),
		"no id":                  id(`{"jsonrpc":"2.0","result":"0x8f"}`),
		"other chain":            id(`{"jsonrpc":"2.0","id":1,"result":"0x90"}`),
		"chain id with capitals": id(`{"jsonrpc":"2.0","id":1,"result":"0x8F"}`),
		"chain id in decimals":   id(`{"jsonrpc":"2.0","id":1,"result":143}`),
		"null chain id":          id(`{"jsonrpc":"2.0","id":1,"result":null}`),
		"a batch's answer":       id(`[{"jsonrpc":"2.0","id":1,"result":"0x8f"}]`),
		"null":                   id(`null`),
		"two values":             id(`{"jsonrpc":"2.0","id":1,"result":"0x8f"} {}`),
		"nothing":                id(``),
		"deep":                   id(strings.Repeat("[", 100_000)),
		"not found":              demo.Answer(404, nil, "{}"),
		"forbidden":              demo.Answer(403, nil, secret),
		"429":                    demo.Answer(429, nil, "{}"),
		"201": on("eth_chainId",
			demo.Answer(201, nil, `{"jsonrpc":"2.0","id":1,"result":"0x8f"}`)),
		"not UTF-8": rewrite("0x", "\xff"),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 2, func(w *world) {
				w.misbehave(0, fault)
				w.want(w.status(w.open()), api.NetworkOK, 1, "")
				w.config.Endpoints.RPC = w.config.Endpoints.RPC[:1]
				alone := w.open()
				w.want(w.status(alone), api.NetworkUnavailable, -1, api.UpstreamUnavailable)
				w.misbehave(0, nil)
				time.Sleep(time.Minute)
				w.want(w.status(alone), api.NetworkOK, 0, "")
			})
		})
	}
}

// TestGoodOddities covers unusual answers that are valid.
func TestGoodOddities(t *testing.T) {
	for name, fault := range map[string]demo.Fault{
		"error null": demo.Rewrite(func(b []byte) []byte {
			return bytes.Replace(b, []byte("{"), []byte(`{"error":null,`), 1)
		}),
		"blanks": demo.Huge(1 << 20),
		"largest": on("latest",
			demo.Answer(200, nil,
				`{"jsonrpc":"2.0","id":2,"result":`+
					`{"number":"0x1fffffffffffff","timestamp":"0x3afff4417f"}}`)),
		"genesis": on("latest",
			demo.Answer(200, nil,
				`{"jsonrpc":"2.0","id":2,"result":{"number":"0x0","timestamp":"0x0"}}`)),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 1, func(w *world) {
				w.misbehave(0, fault)
				if s := w.status(w.open()); s.Status == api.NetworkUnavailable || s.Error != nil {
					t.Errorf("status = %s, want figures", text(s))
				}
			})
		})
	}
}

func TestFirstEndpointDown(t *testing.T) {
	inBubble(t, 2, func(w *world) {
		w.net.Down("a.example.org", true)
		c := w.open()
		var opened time.Time
		for flights := 1; ; flights++ {
			w.asked.Store(0)
			w.want(w.status(c), api.NetworkOK, 1, "")
			// requests of the second endpoint: the first is no longer asked
			if w.asked.Load() == 3 {
				break
			}
			if flights == 5 {
				t.Fatal("after five heads without the first endpoint its breaker is still closed")
			}
			opened = time.Now()
			time.Sleep(5 * time.Second)
		}
		if n := strings.Count(w.log.String(), "endpoint fails"); n != 1 {
			t.Errorf("%d lines of log for one failure that goes on:\n%s", n, w.log.String())
		}
		// The breaker lets a call through 30 s after it opened, and the call succeeds.
		w.net.Down("a.example.org", false)
		for time.Sleep(5 * time.Second); time.Since(opened) < 30*time.Second; time.Sleep(
			5 * time.Second) {
			w.want(w.status(c), api.NetworkOK, 1, "")
		}
		back := w.status(c)
		w.want(back, api.NetworkOK, 0, "")
		if !back.Regressed { // the second endpoint is ahead
			t.Errorf("status = %s, want it regressed", text(back))
		}
		if !strings.Contains(w.log.String(), "endpoint is back") {
			t.Errorf("log = %s; want it to tell that the endpoint is back", w.log.String())
		}
	})
}

// TestSlowEndpoint gives the first endpoint a second's head start.
func TestSlowEndpoint(t *testing.T) {
	for name, fault := range map[string]demo.Fault{
		"hangs":              demo.Hang(),
		"hangs for one call": on("latest", demo.Hang()),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 2, func(w *world) {
				w.misbehave(0, fault)
				c := w.open()
				flights := 0
				for {
					start := time.Now()
					w.want(w.status(c), api.NetworkOK, 1, "")
					took := time.Since(start)
					if n := w.under.Load(); n != 0 {
						t.Errorf("%d calls under way after the second endpoint won", n)
					}
					if took == 0 {
						break // the breaker is open
					}
					if flights++; took != time.Second || flights > 5 {
						t.Fatalf("flight %d took %v, want 1s, and none after five failures",
							flights, took)
					}
					time.Sleep(5 * time.Second)
				}
				w.misbehave(0, nil)
				time.Sleep(35 * time.Second)
				w.want(w.status(c), api.NetworkOK, 0, "")
			})
		})
	}
}

func TestAllHang(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		inBubble(t, n, func(w *world) {
			all := func(f demo.Fault) {
				for i := range n {
					w.misbehave(i, f)
				}
			}
			all(demo.Hang())
			c := w.open()
			w.want(w.status(c), api.NetworkUnavailable, -1, api.UpstreamTimeout)
			all(nil)
			time.Sleep(time.Minute)
			good := w.status(c)
			w.want(good, api.NetworkOK, 0, "")
			all(demo.Hang())
			time.Sleep(time.Minute)
			stale := w.status(c)
			if stale.Status != api.NetworkStale || *stale.BlockHeight != *good.BlockHeight ||
				*stale.Error != string(api.UpstreamTimeout) {
				t.Errorf("%d endpoints: status = %s, want the older figures %s as stale", n,
					text(stale), text(good))
			}
		})
	}
}

// TestSlowButInTime covers a slow endpoint that no other overtakes.
func TestSlowButInTime(t *testing.T) {
	inBubble(t, 2, func(w *world) {
		w.misbehave(0, demo.Delay(1100*time.Millisecond))
		w.misbehave(1, demo.Delay(200*time.Millisecond))
		c := w.open()
		for range 8 {
			start := time.Now()
			w.want(w.status(c), api.NetworkOK, 0, "")
			if took := time.Since(start); took != 1100*time.Millisecond {
				t.Errorf("it took %v, want 1.1s", took)
			}
			time.Sleep(5 * time.Second)
		}
		w.misbehave(0, demo.HTML())
		w.misbehave(1, nil)
		// it was canceled eight times, which is no failure
		w.want(w.status(c), api.NetworkOK, 1, "")
	})
}

// TestSlowWithoutStandIn covers a first endpoint that is slower than its head start while the
// second is down.
func TestSlowWithoutStandIn(t *testing.T) {
	inBubble(t, 2, func(w *world) {
		w.misbehave(0, demo.Delay(1500*time.Millisecond))
		w.misbehave(1, demo.Answer(503, nil, ""))
		w.want(w.status(w.open()), api.NetworkOK, 0, "")
	})
}
