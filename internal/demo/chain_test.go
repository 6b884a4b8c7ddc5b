package demo_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/demo"
)

// clock is a clock that tests set.
type clock struct{ t time.Time }

func (c *clock) now() time.Time       { return c.t }
func (c *clock) pass(d time.Duration) { c.t = c.t.Add(d) }

var genesis = time.Unix(1_700_000_000, 0)

// testChain returns a chain of two blocks a second, at height 20.
func testChain() (*demo.Chain, *clock) {
	at := &clock{genesis.Add(10 * time.Second)}
	return demo.NewChain(demo.ChainConfig{ChainID: 143, BlockTime: 500 * time.Millisecond, Genesis: genesis, Now: at.now}), at
}

// block is what the tests look at of one.
type block struct{ Number, Timestamp string }

// rpc makes a call and returns its result as it came.
func rpc(t *testing.T, c http.Handler, method, params string) string {
	t.Helper()
	w := ask(t, c, http.MethodPost, "/any/path", fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params))
	var got struct {
		JSONRPC string
		ID      int
		Result  json.RawMessage
		Error   any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || got.JSONRPC != "2.0" || got.ID != 7 || got.Error != nil || got.Result == nil {
		t.Errorf("%s %s = %d %s, want a result for id 7", method, params, w.Code, w.Body)
	}
	return string(got.Result)
}

// blockAt returns a block by its tag or number.
func blockAt(t *testing.T, c http.Handler, which string) block {
	t.Helper()
	var b block
	if err := json.Unmarshal([]byte(rpc(t, c, "eth_getBlockByNumber", fmt.Sprintf("[%q,false]", which))), &b); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestChain(t *testing.T) {
	c, at := testChain()
	for _, test := range []struct{ method, params, want string }{
		{"eth_chainId", "[]", `"0x8f"`},
		{"eth_blockNumber", "null", `"0x14"`},
		{"eth_getBlockByNumber", `["0x15",false]`, "null"},
	} {
		if got := rpc(t, c, test.method, test.params); got != test.want {
			t.Errorf("%s %s = %s, want %s", test.method, test.params, got, test.want)
		}
	}
	for which, want := range map[string]block{"latest": {"0x14", "0x6553f10a"}, "finalized": {"0x12", "0x6553f109"}, "0x3": {"0x3", "0x6553f101"}} {
		if got := blockAt(t, c, which); got != want {
			t.Errorf("block %s is %+v, want %+v", which, got, want)
		}
	}
	at.pass(499 * time.Millisecond)
	if got := rpc(t, c, "eth_blockNumber", "[]"); got != `"0x14"` {
		t.Errorf("height %s before the block time is over, want 0x14", got)
	}
	at.pass(time.Millisecond)
	if got := rpc(t, c, "eth_blockNumber", "[]"); got != `"0x15"` {
		t.Errorf("height %s after the block time, want 0x15", got)
	}
	c.SetChainID(1)
	if got := rpc(t, c, "eth_chainId", "[]"); got != `"0x1"` {
		t.Errorf("chain id %s, want 0x1", got)
	}
}

func TestChainDefaults(t *testing.T) {
	c := demo.NewChain(demo.ChainConfig{})
	if got := blockAt(t, c, "finalized"); got.Number != "0x0" {
		t.Errorf("a new chain has finalized %+v, want block 0", got)
	}
	early := &clock{genesis.Add(-time.Hour)}
	c = demo.NewChain(demo.ChainConfig{Genesis: genesis, Now: early.now})
	if got := rpc(t, c, "eth_blockNumber", "[]"); got != `"0x0"` {
		t.Errorf("height %s before genesis, want 0x0", got)
	}
}

// TestChainLife follows one chain through what happens to chains: the height, the time of the head since
// genesis in seconds, and the finalized height after each step.
func TestChainLife(t *testing.T) {
	c, at := testChain()
	state := func() string {
		var head, final, stamp uint64
		latest := blockAt(t, c, "latest")
		for from, to := range map[string]*uint64{latest.Number: &head, latest.Timestamp: &stamp, blockAt(t, c, "finalized").Number: &final} {
			if _, err := fmt.Sscanf(from, "0x%x", to); err != nil {
				t.Fatalf("%q: %v", from, err)
			}
		}
		return fmt.Sprintf("%d at %d s, final %d", head, int64(stamp)-genesis.Unix(), final)
	}
	for i, step := range []struct {
		do   func()
		pass time.Duration
		want string
	}{
		{func() {}, 0, "20 at 10 s, final 18"},
		{c.Stall, time.Minute, "20 at 10 s, final 18"},
		{c.Resume, time.Second, "22 at 71 s, final 20"},
		{func() { c.Reset(5) }, 0, "5 at 71 s, final 3"},
		{func() {}, time.Second, "7 at 72 s, final 5"},
		{c.Stall, time.Second, "7 at 72 s, final 5"},
		{func() { c.Reset(100) }, time.Minute, "100 at 73 s, final 98"}, // still stalled
		{func() { c.Reset(1) }, 0, "1 at 133 s, final 0"},
	} {
		step.do()
		at.pass(step.pass)
		if got := state(); got != step.want {
			t.Errorf("step %d: head %s, want %s", i, got, step.want)
		}
	}
}

func TestChainRefuses(t *testing.T) {
	c, _ := testChain()
	for body, code := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":[]}`:             "-32601",
		`{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["newest",false]}`: "-32602",
		`{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest"]}`:       "-32602",
		`[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}]`:                                  "-32600",
		`{"jsonrpc":"1.0","id":1,"method":"eth_chainId"}`:                                    "-32600",
		`{"jsonrpc":"2.0","method":"eth_chainId"}`:                                           "-32600",
		``: "-32600",
	} {
		if w := ask(t, c, http.MethodPost, "/", body); w.Code != 200 || !strings.Contains(w.Body.String(), `"code":`+code) {
			t.Errorf("%s = %d %s, want an error %s", body, w.Code, w.Body, code)
		}
	}
	if w := ask(t, c, http.MethodGet, "/", ""); w.Code != 400 {
		t.Errorf("GET = %d, want 400", w.Code)
	}
}
