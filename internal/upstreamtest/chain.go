package upstreamtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Chain is the JSON-RPC endpoint of an EVM chain (https://ethereum.github.io/execution-apis/) whose
// blocks come with the clock: eth_chainId, eth_blockNumber, eth_getBlockByNumber, net_version and
// web3_clientVersion, one call a request. Batches are refused, as some public endpoints do. The path
// does not matter. It is safe for concurrent use.
type Chain struct {
	config ChainConfig

	mu      sync.Mutex
	chainID uint64
	spans   []span // oldest first, never empty
	stalled bool
	resets  int
}

// ChainConfig says what chain it is.
type ChainConfig struct {
	ChainID   uint64
	BlockTime time.Duration    // 0: a second
	Genesis   time.Time        // when block 0 was made; zero: when the chain was
	Now       func() time.Time // nil: time.Now
}

// span is a run of blocks that came in time: the first one and its moment. It ends where the next one
// starts, or with the clock.
type span struct {
	first uint64
	at    time.Time
}

// NewChain returns a chain at the height (now − genesis) / block time. Before its genesis it stays at
// block 0.
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
	return &Chain{config: c, chainID: c.ChainID, spans: []span{{0, c.Genesis}}}
}

// Stall stops the chain: its head stays where it is.
func (c *Chain) Stall() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stalled {
		head := c.head()
		c.spans = append(c.spans, span{head, c.timeOf(head)})
		c.stalled = true
	}
}

// Resume lets a stalled chain go on from where it stands: the next block comes a block time from now.
func (c *Chain) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stalled {
		c.stalled = false
		head := c.spans[len(c.spans)-1].first
		c.spans = append(c.spans, span{head + 1, c.config.Now().Add(c.config.BlockTime)})
	}
}

// Reset starts another history: the head is at that height now, with other hashes, and grows from
// there, unless the chain is stalled.
func (c *Chain) Reset(height uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resets++
	c.spans = []span{{height, c.config.Now()}}
}

// SetChainID makes it another chain to who asks.
func (c *Chain) SetChainID(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chainID = id
}

// head is the height of the latest block. c.mu is held.
func (c *Chain) head() uint64 {
	last := c.spans[len(c.spans)-1]
	since := c.config.Now().Sub(last.at)
	switch {
	case c.stalled:
		return last.first
	case since < 0 && len(c.spans) > 1:
		return last.first - 1
	}
	return last.first + uint64(max(since, 0)/c.config.BlockTime)
}

// timeOf is when a block was made. c.mu is held.
func (c *Chain) timeOf(number uint64) time.Time {
	in := c.spans[0]
	for _, s := range c.spans {
		if s.first <= number {
			in = s
		}
	}
	return in.at.Add(time.Duration(int64(number)-int64(in.first)) * c.config.BlockTime)
}

// rpcReply holds a result, which may be null, or an error.
type rpcReply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // nil: null
	Result  *any            `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is an error of JSON-RPC 2.0; its code is one of section 5.1.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (c *Chain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Ask with POST.", http.StatusMethodNotAllowed)
		return
	}
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != "application/json" {
		http.Error(w, "Ask with application/json.", http.StatusUnsupportedMediaType)
		return
	}
	const most = 1 << 20 // bytes
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		http.Error(w, "Ask in fewer words.", http.StatusRequestEntityTooLarge)
		return
	}
	var call struct {
		Version string            `json:"jsonrpc"`
		ID      json.RawMessage   `json:"id"` // a string or a number
		Method  string            `json:"method"`
		Params  []json.RawMessage `json:"params"`
	}
	reply := rpcReply{Version: "2.0"}
	err = json.Unmarshal(body, &call)
	switch {
	case !json.Valid(body):
		reply.Error = &rpcError{-32700, "this is not JSON"}
	case bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")):
		reply.Error = &rpcError{-32600, "batches are not served here"}
	case err != nil || call.Version != "2.0" || !bytes.ContainsAny(call.ID[:min(len(call.ID), 1)], `"-0123456789`):
		reply.Error = &rpcError{-32600, "this is not a request of JSON-RPC 2.0"}
	default:
		reply.ID = call.ID
		value, failure := c.do(call.Method, call.Params)
		if reply.Error = failure; failure == nil {
			reply.Result = &value
		}
	}
	write(w, http.StatusOK, reply)
}

func (c *Chain) do(method string, params []json.RawMessage) (any, *rpcError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch method {
	case "eth_chainId":
		return quantity(c.chainID), nil
	case "net_version":
		return strconv.FormatUint(c.chainID, 10), nil
	case "web3_clientVersion":
		return "upstreamtest/1", nil
	case "eth_blockNumber":
		return quantity(c.head()), nil
	case "eth_getBlockByNumber":
		var which string
		var full bool
		if len(params) != 2 || json.Unmarshal(params[0], &which) != nil || json.Unmarshal(params[1], &full) != nil {
			return nil, &rpcError{-32602, "a block and whether to list its transactions in full are wanted"}
		}
		number, ok := c.number(which)
		if !ok {
			return nil, &rpcError{-32602, "a block is a tag or a number in hexadecimal digits after 0x"}
		}
		if number > c.head() {
			return nil, nil // it does not exist yet
		}
		return c.block(number), nil
	}
	return nil, &rpcError{-32601, "the method " + strconv.Quote(method) + " does not exist"}
}

// quantity writes a number as JSON-RPC of Ethereum does.
func quantity(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }

// number is the height that a tag or a hexadecimal number means. The safe block is one behind the latest, the
// finalized one two.
func (c *Chain) number(which string) (uint64, bool) {
	head := c.head()
	tags := map[string]uint64{"earliest": 0, "latest": head, "pending": head, "safe": head - min(head, 1), "finalized": head - min(head, 2)}
	if n, ok := tags[which]; ok {
		return n, true
	}
	digits, ok := strings.CutPrefix(which, "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	return n, ok && err == nil && quantity(n) == strings.ToLower(which)
}

// block is a block without transactions. Its hashes are those of no real chain, but those of two blocks differ. A reset
// changes all of them.
func (c *Chain) block(number uint64) map[string]any {
	zeros := func(digits int) string { return "0x" + strings.Repeat("0", digits) }
	hash := func(kind string, number uint64) string {
		return fmt.Sprintf("0x%x", sha256.Sum256(fmt.Appendf(nil, "%d %d %s %d", c.config.ChainID, c.resets, kind, number)))
	}
	parent := zeros(64)
	if number > 0 {
		parent = hash("block", number-1)
	}
	return map[string]any{
		"number": quantity(number), "hash": hash("block", number), "parentHash": parent,
		"timestamp": quantity(uint64(max(c.timeOf(number).Unix(), 0))), "nonce": zeros(16), "sha3Uncles": hash("uncles", 0),
		"logsBloom": zeros(512), "transactionsRoot": hash("transactions", 0), "stateRoot": hash("state", number),
		"receiptsRoot": hash("receipts", 0), "miner": zeros(40), "mixHash": zeros(64), "difficulty": "0x0", "extraData": "0x",
		"size": quantity(543), "gasLimit": quantity(30_000_000), "gasUsed": "0x0", "baseFeePerGas": quantity(1_000_000_000),
		"transactions": []string{}, "uncles": []string{},
	}
}
