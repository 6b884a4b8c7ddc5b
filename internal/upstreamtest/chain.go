package upstreamtest

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strconv"
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

// call is a request of JSON-RPC 2.0.
type call struct {
	Version string            `json:"jsonrpc"`
	ID      json.RawMessage   `json:"id"`
	Method  string            `json:"method"`
	Params  []json.RawMessage `json:"params"`
}

// reply is its answer. It holds a result or an error.
type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  *result         `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// result is a value that may be null.
type result struct{ value any }

func (r result) MarshalJSON() ([]byte, error) { return json.Marshal(r.value) }

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// The error codes of JSON-RPC 2.0, section 5.1.
const (
	codeParse    = -32700
	codeRequest  = -32600
	codeNoMethod = -32601
	codeParams   = -32602
)

// mostRequest is how long a request may be, in bytes.
const mostRequest = 1 << 20

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
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostRequest))
	if err != nil {
		http.Error(w, "Ask in fewer words.", http.StatusRequestEntityTooLarge)
		return
	}
	write(w, http.StatusOK, c.reply(body))
}

func (c *Chain) reply(body []byte) reply {
	out := reply{Version: "2.0", ID: json.RawMessage("null")}
	fail := func(code int, message string) reply {
		out.Error = &rpcError{code, message}
		return out
	}
	if !json.Valid(body) {
		return fail(codeParse, "this is not JSON")
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		return fail(codeRequest, "batches are not served here")
	}
	var in call
	if err := json.Unmarshal(body, &in); err != nil || in.Version != "2.0" || !validID(in.ID) {
		return fail(codeRequest, "this is not a request of JSON-RPC 2.0")
	}
	out.ID = in.ID
	value, failure := c.do(in)
	if failure != nil {
		return fail(failure.Code, failure.Message)
	}
	out.Result = &result{value}
	return out
}

// validID reports whether an id is a string or a number.
func validID(id json.RawMessage) bool {
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

func (c *Chain) do(in call) (any, *rpcError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch in.Method {
	case "eth_chainId":
		return quantity(c.chainID), nil
	case "net_version":
		return strconv.FormatUint(c.chainID, 10), nil
	case "web3_clientVersion":
		return "upstreamtest/1", nil
	case "eth_blockNumber":
		return quantity(c.head()), nil
	case "eth_getBlockByNumber":
		return c.blockByNumber(in.Params)
	}
	return nil, &rpcError{codeNoMethod, "the method " + strconv.Quote(in.Method) + " does not exist"}
}

// quantity writes a number as JSON-RPC of Ethereum does.
func quantity(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }
