package demo

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Chain is the JSON-RPC endpoint of an EVM chain (https://ethereum.github.io/execution-apis/) whose
// blocks follow the clock: it answers eth_chainId, eth_blockNumber and eth_getBlockByNumber, one
// call per request. Batches are refused, as by some public endpoints. The path is ignored. It is
// safe for concurrent use.
type Chain struct {
	config ChainConfig

	mu      sync.Mutex
	chainID uint64
	block   uint64    // one block,
	at      time.Time // and its time
	stalled bool      // it is the last one
}

// ChainConfig configures a [Chain].
type ChainConfig struct {
	ChainID   uint64
	BlockTime time.Duration    // 0: a second
	Genesis   time.Time        // time of block 0; zero: when the chain was created
	Now       func() time.Time // nil: time.Now
}

// NewChain returns a chain at the height (now − genesis) / block time. Before its genesis it stays
// at block 0.
func NewChain(c ChainConfig) *Chain {
	if c.BlockTime <= 0 {
		c.BlockTime = time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Genesis.IsZero() {
		c.Genesis = c.Now()
	}
	return &Chain{config: c, chainID: c.ChainID, at: c.Genesis}
}

// Stall stops the chain: its head no longer changes.
func (c *Chain) Stall() {
	c.mu.Lock()
	defer c.mu.Unlock()
	head := c.head()
	c.at, c.block, c.stalled = c.timeOf(head), head, true
}

// Resume continues a stalled chain: its head gets the current time, and the next block follows a
// block time later.
func (c *Chain) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.stalled = c.config.Now(), false
}

// Reset starts another history: the head is at that height now, and grows from there, unless the
// chain is stalled.
func (c *Chain) Reset(height uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.block, c.at = height, c.config.Now()
}

// SetChainID changes the chain id in answers.
func (c *Chain) SetChainID(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chainID = id
}

// head returns the height of the latest block. The caller holds c.mu.
func (c *Chain) head() uint64 {
	if c.stalled {
		return c.block
	}
	return c.block + uint64(max(c.config.Now().Sub(c.at), 0)/c.config.BlockTime)
}

// timeOf returns the time of a block. The caller holds c.mu.
func (c *Chain) timeOf(number uint64) time.Time {
	return c.at.Add(time.Duration(int64(number)-int64(c.block)) * c.config.BlockTime)
}

// ServeHTTP answers one call.
func (c *Chain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const most = 1 << 20 // bytes
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil || r.Method != http.MethodPost ||
		r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "Ask with POST and application/json.", http.StatusBadRequest)
		return
	}
	var call struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"` // a number
		Method  string          `json:"method"`
		Params  []any           `json:"params"`
	}
	if json.Unmarshal(body, &call) != nil || call.Version != "2.0" || call.ID == nil {
		write(w, http.StatusOK, rpcReply(json.RawMessage("null"), "error", -32600))
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch call.Method {
	case "eth_chainId":
		write(w, http.StatusOK, rpcReply(call.ID, "result", quantity(c.chainID)))
	case "eth_blockNumber":
		write(w, http.StatusOK, rpcReply(call.ID, "result", quantity(c.head())))
	case "eth_getBlockByNumber":
		number, ok := c.number(call.Params)
		switch {
		case !ok:
			write(w, http.StatusOK, rpcReply(call.ID, "error", -32602))
		case number > c.head():
			write(w, http.StatusOK, rpcReply(call.ID, "result", nil)) // it does not exist yet
		default:
			write(w, http.StatusOK, rpcReply(call.ID, "result", map[string]any{
				"number":       quantity(number),
				"timestamp":    quantity(uint64(max(c.timeOf(number).Unix(), 0))),
				"transactions": []string{},
			}))
		}
	default:
		write(w, http.StatusOK, rpcReply(call.ID, "error", -32601))
	}
}

// rpcReply returns a JSON-RPC 2.0 reply with a result, or with an error of that code (section 5.1).
func rpcReply(id json.RawMessage, member string, value any) map[string]any {
	if member == "error" {
		value = map[string]any{"code": value, "message": "the call is refused"}
	}
	return map[string]any{"jsonrpc": "2.0", "id": id, member: value}
}

// quantity formats a number as Ethereum's JSON-RPC does.
func quantity(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }

// number returns the height for the first of two parameters, a tag or a hexadecimal number. The
// finalized block is two below the latest.
func (c *Chain) number(params []any) (uint64, bool) {
	if len(params) != 2 {
		return 0, false
	}
	which, _ := params[0].(string)
	switch head := c.head(); which {
	case "latest":
		return head, true
	case "finalized":
		return head - min(head, 2), true
	}
	digits, ok := strings.CutPrefix(which, "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	return n, ok && err == nil
}
