// Package chain reads the head of one network from its JSON-RPC endpoints (EVM), in order of
// preference. It does not know proposals, hard forks or callers.
package chain

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// Config configures a [Chain].
type Config struct {
	// Endpoints is the network with its RPC addresses. Each endpoint must have its ChainID. Without
	// addresses the network is unavailable.
	Endpoints mip.Endpoints
	// Transport sends the HTTP requests. Nil means a transport for each endpoint.
	Transport http.RoundTripper
	// UserAgent is sent with each request. Empty means the default of net/http.
	UserAgent string
	// Background lets a fetch continue after its caller has left: use it in a server, not in a
	// function that is frozen after its answer.
	Background bool
	// Now is the wall clock. Nil means time.Now.
	Now func() time.Time
	// Log gets one line when an endpoint fails and one when it recovers, without its address. Nil
	// discards them.
	Log *slog.Logger
	// Stats counts requests. Nil disables counting.
	Stats *Stats
}

// Stats counts requests to a chain. The zero value is ready; it may outlive a Chain.
type Stats struct {
	// Heads counts the answers from the cache and from the endpoints.
	Heads cache.Stats
	// Hosts counts the calls of all endpoints.
	Hosts fetch.Stats
}

// Chain caches the head of a network. It is safe for concurrent use. The caller closes it.
type Chain struct {
	network   mip.Endpoints
	log       *slog.Logger
	now       func() time.Time
	endpoints []*endpoint // in order of preference
	heads     *cache.Cache[struct{}, seen]
	history   history // guarded: only one fetch runs at a time
}

// endpoint is one RPC address. Only one fetch at a time uses it.
type endpoint struct {
	// name is the position in the list of endpoints: the address may contain a key.
	name    string
	host    *fetch.Host
	chainID uint64
	failed  bool // the last call failed
}

// New returns the network without contacting it. The error for a bad address names only its
// position: it may contain a key.
func New(c Config) (*Chain, error) {
	ch := &Chain{network: c.Endpoints, now: c.Now}
	if ch.now == nil {
		ch.now = time.Now
	}
	ch.log = cmp.Or(c.Log, slog.New(slog.DiscardHandler)).With("network", c.Endpoints.ID)
	// Limit the value to a day: a wrong value in site.yaml must not overflow.
	blockTime := min(max(c.Endpoints.BlockTime, 0), 24*60*60)
	ch.history.blockTime = time.Duration(blockTime * float64(time.Second))
	stats := cmp.Or(c.Stats, &Stats{})
	for i, address := range c.Endpoints.RPC {
		host, err := fetch.New(address, fetch.Config{
			Transport: c.Transport, UserAgent: c.UserAgent, Now: ch.now, Stats: &stats.Hosts,
		})
		name := fmt.Sprintf("rpc %d of %d", i+1, len(c.Endpoints.RPC))
		if err != nil {
			return nil, fmt.Errorf("network %s: %s: %w", c.Endpoints.ID, name, err)
		}
		e := &endpoint{name: name, host: host, chainID: c.Endpoints.ChainID}
		ch.endpoints = append(ch.endpoints, e)
	}
	ch.heads = cache.New[struct{}](cache.Config[seen]{
		Fresh: timing.FreshHead, Keep: timing.StaleOnError, Retry: func(error) time.Duration {
			return timing.FailedHead
		},
		Timeout: timing.Fetch, Entries: 1, Background: c.Background, Now: ch.now,
		Stats: &stats.Heads,
	})
	return ch, nil
}

// Close ends the calls under way and waits for them. Afterwards Status returns unavailable.
func (c *Chain) Close() {
	c.heads.Close()
	for _, e := range c.endpoints {
		e.host.Close()
	}
}

// Status returns the network's head: fresh, or up to 24 h old and marked stale if no endpoint has a
// newer one, or unavailable with the code of the reason. It takes as long as ctx allows, and at
// most 8 s. The result does not change before next.
func (c *Chain) Status(ctx context.Context) (s api.NetworkStatus, next time.Time) {
	s = api.NetworkStatus{
		Name: c.network.Name, ChainID: c.network.ChainID, Status: api.NetworkUnavailable,
		Recent: []api.Head{},
	}
	e, err := c.heads.Get(ctx, struct{}{}, c.fetch)
	if e.Err != nil {
		code := api.UpstreamUnavailable
		// If any endpoint hung, the network did not answer in time.
		if errors.Is(e.Err, fetch.ErrTimeout) || errors.Is(e.Err, context.DeadlineExceeded) {
			code = api.UpstreamTimeout
		}
		s.Error = new(string(code))
	}
	if err != nil {
		return s, e.Next
	}
	h := e.Value
	s.Status, s.Stale = api.NetworkOK, e.Stale || h.stalled
	if s.Stale {
		s.Status = api.NetworkStale
	}
	s.BlockHeight, s.FinalizedHeight = &h.height, h.finalized
	s.Regressed, s.Recent = h.regressed, h.recent
	s.BlockTime, s.FetchedAt = new(mip.NewTime(h.time)), new(mip.NewTime(e.At))
	return s, e.Next
}

// fetch reads the head from the endpoints. It asks the next one when one has failed, or when the
// last one asked has used up its head start. The first good answer wins. All calls have ended when
// fetch returns.
func (c *Chain) fetch(ctx context.Context) (seen, error) {
	type result struct {
		head head
		err  error
	}
	results := make(chan result, len(c.endpoints))
	var running sync.WaitGroup
	defer running.Wait()
	errs := []error{errors.New("no endpoint has a head")}
	for asked := 0; ; {
		if asked < len(c.endpoints) && ctx.Err() == nil {
			e := c.endpoints[asked]
			asked++
			ctx, cancel := context.WithCancelCause(ctx)
			defer overtake(time.Now(), cancel)
			running.Go(func() {
				h, err := e.head(ctx)
				c.logChange(e, err)
				results <- result{h, err}
			})
		}
		if len(errs) > asked {
			return seen{}, errors.Join(errs...)
		}
		select {
		case r := <-results:
			if r.err == nil {
				return c.history.add(r.head, c.now()), nil
			}
			errs = append(errs, r.err)
		case <-time.After(timing.HeadStart):
		}
	}
}

// overtake cancels the call of an endpoint that began at that time. If the endpoint had its head
// start, it was too slow, which counts as a timeout. An endpoint that was asked later than the
// winner has not failed.
func overtake(began time.Time, cancel context.CancelCauseFunc) {
	if time.Since(began) >= timing.HeadStart {
		cancel(fetch.ErrTimeout)
	}
	cancel(nil)
}

// logChange logs that an endpoint has begun to fail, or has recovered. A canceled call changes
// nothing.
func (c *Chain) logChange(e *endpoint, err error) {
	switch {
	case errors.Is(err, context.Canceled):
		return
	case err != nil && !e.failed:
		c.log.Warn("endpoint fails", "endpoint", e.name, "error", err.Error())
	case err == nil && e.failed:
		c.log.Info("endpoint is back", "endpoint", e.name)
	}
	e.failed = err != nil
}

// head is the head of a chain as seen by one endpoint.
type head struct {
	height uint64
	// finalized is at most height. It is nil if the endpoint does not report it.
	finalized *uint64
	// time is the block's time stamp.
	time time.Time
}

// head asks for the chain id, the latest and the finalized block in three concurrent calls, since
// not every public endpoint accepts batches. If the endpoint failed before, it is first asked for
// the latest block alone: a half-open breaker lets only one call through. All calls have ended when
// head returns.
func (e *endpoint) head(ctx context.Context) (h head, err error) {
	ctx, cancel := context.WithCancel(ctx)
	var needed, optional sync.WaitGroup
	defer optional.Wait()
	defer cancel() // before the wait
	var errID, errLatest, errFinal error
	if e.failed {
		if h, err = e.block(ctx, callLatest); err != nil {
			return head{}, err
		}
	} else {
		needed.Go(func() { h, errLatest = e.block(ctx, callLatest) })
	}
	// Check the id every time: the chain behind an address may change.
	needed.Go(func() { errID = e.checkID(ctx) })
	var final head
	optional.Go(func() { final, errFinal = e.block(ctx, callFinalized) })
	needed.Wait()
	if err := cmp.Or(errID, errLatest); err != nil {
		return head{}, err
	}
	// The needed answers have arrived. Wait shortly for the finalized block; its absence is no
	// failure.
	defer time.AfterFunc(timing.Finalized, cancel).Stop()
	optional.Wait()
	if errFinal == nil {
		// There may be several nodes behind one address, one of them ahead: a finalized block there
		// may be newer than the latest one here.
		h.finalized = new(min(final.height, h.height))
	}
	return h, nil
}

// checkID compares the endpoint's chain id with the configured one. A different id is a failure of
// the endpoint.
func (e *endpoint) checkID(ctx context.Context) error {
	_, err := fetch.Get(ctx, e.host, callChainID.request(), e.decodeID)
	return err
}

// decodeID decodes the endpoint's chain id, which must be the configured one.
func (e *endpoint) decodeID(r *fetch.Response) (uint64, error) {
	result, err := callChainID.result(r)
	if err != nil {
		return 0, err
	}
	id, err := quantity(result)
	if err == nil && id != e.chainID {
		err = fmt.Errorf("it is chain %d, want %d", id, e.chainID)
	}
	return id, err
}

// block asks for a block.
func (e *endpoint) block(ctx context.Context, c call) (head, error) {
	return fetch.Get(ctx, e.host, c.request(), c.decodeBlock)
}

// decodeBlock decodes the number and time of a block. Other members are ignored. Refusing a
// refusable call is no failure of the host: the error then wraps [fetch.ErrNotFound].
func (c call) decodeBlock(r *fetch.Response) (h head, err error) {
	result, err := c.result(r)
	if err == nil {
		h, err = parseBlock(result)
	}
	if err != nil && c.refusable {
		err = fmt.Errorf("%w: %w", fetch.ErrNotFound, err)
	}
	return h, err
}

// parseBlock parses the result of a call for a block.
func parseBlock(result json.RawMessage) (head, error) {
	var b struct {
		Number    json.RawMessage `json:"number"`
		Timestamp json.RawMessage `json:"timestamp"`
	}
	if err := json.Unmarshal(result, &b); err != nil || b.Number == nil {
		return head{}, errNoBlock
	}
	number, err := quantity(b.Number)
	if err != nil {
		return head{}, fmt.Errorf("number: %w", err)
	}
	seconds, err := quantity(b.Timestamp)
	if err != nil {
		return head{}, fmt.Errorf("timestamp: %w", err)
	}
	// highest is the largest integer that all JSON readers represent exactly (RFC 8259 section 6),
	// and latestTime the last second of the year 9999, the last year of RFC 3339.
	const highest, latestTime = 1<<53 - 1, 253402300799
	if number > highest || seconds > latestTime {
		return head{}, errTooLarge
	}
	return head{height: number, time: time.Unix(int64(seconds), 0)}, nil
}

// call is a constant JSON-RPC 2.0 request.
type call struct {
	id, method, params string // in JSON
	// refusable calls may be answered by an error without a failure of the endpoint. They are not
	// retried.
	refusable bool
}

// Calls of the Ethereum execution API. The parameter false omits the contents of transactions.
var (
	callChainID   = call{id: "1", method: `"eth_chainId"`, params: `[]`}
	callLatest    = call{id: "2", method: `"eth_getBlockByNumber"`, params: `["latest",false]`}
	callFinalized = call{id: "3", method: `"eth_getBlockByNumber"`, params: `["finalized",false]`,
		refusable: true}
)

// request returns the call as an HTTP request.
func (c call) request() fetch.Request {
	return fetch.Request{
		Method: http.MethodPost, Once: c.refusable,
		Header: http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}},
		Body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}`, c.id,
			c.method, c.params),
	}
}

// Invalid answers of an endpoint. Its own texts are not repeated: they might contain its key.
var (
	errNoReply  = errors.New("no answer of JSON-RPC to this request")
	errRefused  = errors.New("an error of JSON-RPC")
	errNoBlock  = errors.New("no block")
	errNumber   = errors.New("no number in hexadecimal digits as the Ethereum API writes them")
	errTooLarge = errors.New("a number that is too large")
)

// result returns the result in an answer to this call, including JSON's null. Unknown members of
// the answer are ignored.
func (c call) result(r *fetch.Response) (json.RawMessage, error) {
	var reply struct {
		ID     json.RawMessage `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	// A different id is an answer that a proxy mixed up.
	if r.Status != http.StatusOK || json.Unmarshal(r.Body, &reply) != nil ||
		string(reply.ID) != c.id {
		return nil, errNoReply
	}
	// Some nodes send "error":null next to a result.
	if reply.Error != nil && !bytes.Equal(reply.Error, []byte("null")) {
		return nil, errRefused
	}
	return reply.Result, nil
}

// quantity parses a JSON string with a quantity of the Ethereum API: 0x and hexadecimal digits in
// lower case without leading zeros, at most 64 bits.
func quantity(raw json.RawMessage) (uint64, error) {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil || len(s) < len("0x0") || s[:2] != "0x" {
		return 0, errNumber
	}
	n, err := strconv.ParseUint(s[2:], 16, 64)
	// Format it again and compare, which rejects capitals, leading zeros, a sign and underscores.
	if err != nil || strconv.FormatUint(n, 16) != s[2:] {
		return 0, errNumber
	}
	return n, nil
}
