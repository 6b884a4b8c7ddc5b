package chain_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/sidecar/chain"
)

// node is a real EVM node, an anvil that mines on request.
type node struct {
	t       *testing.T
	stop    context.CancelFunc
	program *exec.Cmd
	address string // host:port
}

// genesis is the node's first time stamp, and the start of the tests' clock.
var genesis = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// startNode starts a node on a free port.
func startNode(t *testing.T) *node {
	t.Helper()
	path := testenv.Program(t, "anvil", "anvil")
	ctx, stop := context.WithCancel(t.Context())
	n := &node{t: t, stop: stop,
		program: exec.CommandContext(ctx, path, "--host", "127.0.0.1", "--port", "0",
			"--chain-id", fmt.Sprint(chainID), "--no-mining", "--accounts", "1", "--timestamp",
			fmt.Sprint(genesis.Unix()))}
	out, err := n.program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	// A wrapper around the node can forward this signal; otherwise the program is killed.
	n.program.Cancel = func() error { return n.program.Process.Signal(syscall.SIGTERM) }
	n.program.WaitDelay = 5 * time.Second
	if err := n.program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.kill)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "Listening on "); ok {
			n.address = address
			return n
		}
	}
	t.Fatal("anvil ended without listening")
	return nil
}

// kill ends the node. It may be called more than once.
func (n *node) kill() {
	n.stop()
	n.program.Wait()
}

// call sends a request to the node.
func (n *node) call(method string, params ...any) json.RawMessage {
	n.t.Helper()
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method,
		"params": params})
	if err != nil {
		n.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(n.t.Context(), http.MethodPost, "http://"+n.address,
		strings.NewReader(string(body)))
	if err != nil {
		n.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		n.t.Fatalf("%s: %v", method, err)
	}
	defer resp.Body.Close()
	var reply struct{ Result, Error json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil || reply.Error != nil {
		n.t.Fatalf("%s: %v, error %s", method, err, reply.Error)
	}
	return reply.Result
}

// mine mines blocks a second apart, the last of them at time until.
func (n *node) mine(blocks int, until time.Time) {
	n.t.Helper()
	n.call("evm_setNextBlockTimestamp", until.Unix()-int64(blocks)+1)
	n.call("anvil_mine", blocks, 1)
}

// watch is a chain that reads a node, with a clock that the test moves.
type watch struct {
	*chain.Chain
	t   *testing.T
	now atomic.Pointer[time.Time]
}

func (n *node) watch() *watch {
	n.t.Helper()
	w := &watch{t: n.t}
	w.now.Store(&genesis)
	c, err := chain.New(chain.Config{
		Endpoints: mip.Endpoints{Network: mip.Network{ID: "testnet", ChainID: chainID,
			BlockTime: 1}, RPC: []string{"http://" + n.address}},
		Background: true, Now: func() time.Time { return *w.now.Load() },
	})
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(c.Close)
	w.Chain = c
	return w
}

// after moves the clock.
func (w *watch) after(d time.Duration) time.Time {
	now := w.now.Load().Add(d)
	w.now.Store(&now)
	return now
}

// want checks the status: its state, a height (-1: none), whether the height has fallen, and a
// code.
func (w *watch) want(
	health api.NetworkHealth, height int64, regressed bool, code api.Code,
) api.NetworkStatus {
	w.t.Helper()
	s, _ := w.Status(w.t.Context())
	got, gotCode := int64(-1), ""
	if s.BlockHeight != nil {
		got = int64(*s.BlockHeight)
	}
	if s.Error != nil {
		gotCode = *s.Error
	}
	if s.Status != health || got != height || s.Regressed != regressed || gotCode != string(code) {
		w.t.Errorf("status = %s; want %s at %d, regressed %t, error %q", text(s), health, height,
			regressed, code)
	}
	return s
}

func TestRealNode(t *testing.T) {
	n := startNode(t)
	w := n.watch()
	w.want(api.NetworkOK, 0, false, "")

	n.mine(10, w.after(10*time.Second))
	s := w.want(api.NetworkOK, 10, false, "")
	if !s.BlockTime.UTC().Equal(genesis.Add(10*time.Second)) || s.FinalizedHeight == nil ||
		*s.FinalizedHeight > 10 {
		t.Errorf("status = %s; want the block's own time, and a finalized block", text(s))
	}
	n.mine(190, w.after(190*time.Second))
	var final struct{ Number string }
	err := json.Unmarshal(n.call("eth_getBlockByNumber", "finalized", false), &final)
	if err != nil {
		t.Fatal(err)
	}
	s = w.want(api.NetworkOK, 200, false, "")
	got := fmt.Sprintf("0x%x", *s.FinalizedHeight)
	if got != final.Number || *s.FinalizedHeight == 0 {
		t.Errorf("finalized = %s, the node says %s; want those equal, and not genesis", got,
			final.Number)
	}

	// No block is mined.
	w.after(29 * time.Second)
	w.want(api.NetworkOK, 200, false, "")
	w.after(6 * time.Second)
	w.want(api.NetworkStale, 200, false, "")
	n.mine(1, w.after(6*time.Second))
	w.want(api.NetworkOK, 201, false, "")

	// The chain reverts to an earlier state.
	var id string
	if err := json.Unmarshal(n.call("evm_snapshot"), &id); err != nil {
		t.Fatal(err)
	}
	n.mine(5, w.after(6*time.Second))
	w.want(api.NetworkOK, 206, false, "")
	n.call("evm_revert", id)
	w.after(6 * time.Second)
	w.want(api.NetworkOK, 201, true, "")
	n.mine(6, w.after(6*time.Second))
	w.want(api.NetworkOK, 207, false, "")

	// The chain restarts.
	n.call("anvil_reset")
	w.after(6 * time.Second)
	w.want(api.NetworkStale, 0, true, "") // its only block is old
	n.mine(1, w.after(6*time.Second))
	w.want(api.NetworkOK, 1, true, "")

	// The chain becomes another one.
	n.call("anvil_setChainId", chainID+1)
	w.after(6 * time.Second)
	w.want(api.NetworkStale, 1, true, api.UpstreamUnavailable)
	n.watch().want(api.NetworkUnavailable, -1, false, api.UpstreamUnavailable)
	n.call("anvil_setChainId", chainID)
	n.mine(1, w.after(6*time.Second))
	w.want(api.NetworkOK, 2, true, "")
}
