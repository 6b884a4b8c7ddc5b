package chain

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

const (
	// highest is the largest integer that every JSON reader has exactly (RFC 8259 section 6).
	highest = 1<<53 - 1
	// latestTime is the last second of the year 9999, after which RFC 3339 has no text.
	latestTime = 253402300799
)

// head is the top of a chain by one endpoint.
type head struct {
	height uint64
	// finalized is at most height. It is nil if the endpoint does not know it.
	finalized *uint64
	// time is the block's own time stamp.
	time time.Time
}

// endpoint is one RPC address. One fetch at a time asks it.
type endpoint struct {
	// name is the position in the list of endpoints: the address may hold a key.
	name    string
	host    *fetch.Host
	chainID uint64
	// failed reports that the last attempt failed. One attempt runs at a time.
	failed bool
}

// head asks for the chain id, the latest and the finalized block with three calls side by side, since not every public
// endpoint takes batches. An endpoint that failed before is asked for the latest block first: a breaker that is half
// open lets one call through.
func (e *endpoint) head(ctx context.Context) (h head, err error) {
	ctx, cancel := context.WithCancel(ctx)
	// The deferred calls run from the last: the call that is left over is cancelled, then waited for, so that nothing
	// runs after the answer.
	var needed, optional sync.WaitGroup
	defer optional.Wait()
	defer cancel()

	var errID, errLatest error
	if e.failed {
		if h, err = e.block(ctx, callLatest); err != nil {
			return head{}, err
		}
	} else {
		needed.Go(func() { h, errLatest = e.block(ctx, callLatest) })
	}
	// The id is checked every time: behind one address there may be another chain tomorrow.
	needed.Go(func() { errID = e.checkID(ctx) })
	finalized := make(chan uint64, 1)
	optional.Go(func() {
		if b, err := e.block(ctx, callFinalized); err == nil {
			finalized <- b.height
		}
		close(finalized)
	})
	needed.Wait()
	if err := cmp.Or(errID, errLatest); err != nil {
		return head{}, err
	}
	// The rest is there. The finalized block is worth a short wait, and no failure.
	wait := time.NewTimer(timing.Finalized)
	defer wait.Stop()
	select {
	case f, ok := <-finalized:
		if ok {
			// Behind one address there may be several nodes, one of them ahead: a block that is final there may be
			// later than the latest one here.
			h.finalized = new(min(f, h.height))
		}
	case <-wait.C:
	}
	return h, nil
}

// checkID compares the endpoint's chain id with the configured one. Another id is a failure of the endpoint.
func (e *endpoint) checkID(ctx context.Context) error {
	return e.ask(ctx, callChainID, func(result json.RawMessage) error {
		id, err := quantity(result)
		if err == nil && id != e.chainID {
			err = fmt.Errorf("it is chain %d, want %d", id, e.chainID)
		}
		return err
	})
}

// block reads number and time of a block. Anything else that it holds is ignored.
func (e *endpoint) block(ctx context.Context, c call) (h head, err error) {
	err = e.ask(ctx, c, func(result json.RawMessage) error {
		var b struct {
			Number    json.RawMessage `json:"number"`
			Timestamp json.RawMessage `json:"timestamp"`
		}
		if err := json.Unmarshal(result, &b); err != nil || b.Number == nil {
			return errNoBlock
		}
		number, err := quantity(b.Number)
		if err != nil {
			return fmt.Errorf("number: %w", err)
		}
		seconds, err := quantity(b.Timestamp)
		if err != nil {
			return fmt.Errorf("timestamp: %w", err)
		}
		if number > highest || seconds > latestTime {
			return errTooLarge
		}
		h = head{height: number, time: time.Unix(int64(seconds), 0)}
		return nil
	})
	return h, err
}

// call is a request of JSON-RPC 2.0 that is always the same.
type call struct {
	id   string // a JSON number
	body string
	// refusable calls may be answered by an error without a failure of the endpoint. They are not tried again.
	refusable bool
}

// The calls, of the Ethereum execution API. The false leaves the transactions' contents out.
var (
	callChainID   = call{id: "1", body: `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}`}
	callLatest    = call{id: "2", body: `{"jsonrpc":"2.0","id":2,"method":"eth_getBlockByNumber","params":["latest",false]}`}
	callFinalized = call{id: "3", body: `{"jsonrpc":"2.0","id":3,"method":"eth_getBlockByNumber","params":["finalized",false]}`, refusable: true}
)

// Wrong answers of an endpoint. Its own texts are not repeated: they might hold its key.
var (
	errStatus   = errors.New("an answer without status 200")
	errNoReply  = errors.New("no answer of JSON-RPC to this request")
	errRefused  = errors.New("an error of JSON-RPC")
	errNoBlock  = errors.New("no block")
	errNumber   = errors.New("no number in hexadecimal digits as the Ethereum API writes them")
	errTooLarge = errors.New("a number that is too large")
)

// ask makes a call and passes its result, which may be JSON's null, to read. An error of read is a failure of the endpoint.
func (e *endpoint) ask(ctx context.Context, c call, read func(result json.RawMessage) error) error {
	var refused error
	_, err := e.host.Do(ctx, fetch.Request{
		Method: http.MethodPost, Body: []byte(c.body), Once: c.refusable,
		Header: http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}},
		Accept: func(r *fetch.Response) error {
			result, err := c.result(r)
			if err == nil {
				err = read(result)
			}
			if c.refusable { // the host did nothing wrong
				refused, err = err, nil
			}
			return err
		},
	})
	if err != nil {
		return err
	}
	return refused
}

// result is the result in an answer to this call, JSON's null included. Unknown members of the answer are ignored.
func (c call) result(r *fetch.Response) (json.RawMessage, error) {
	if r.Status != http.StatusOK {
		return nil, errStatus
	}
	var reply struct {
		ID     json.RawMessage `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	// The id of another call would be an answer that a proxy mixed up.
	if err := json.Unmarshal(r.Body, &reply); err != nil || string(reply.ID) != c.id {
		return nil, errNoReply
	}
	// Some nodes write "error":null next to a result.
	if reply.Error != nil && !bytes.Equal(reply.Error, []byte("null")) {
		return nil, errRefused
	}
	return reply.Result, nil
}

// quantity reads a JSON string that holds a quantity of the Ethereum API: 0x and hexadecimal digits in lower case without
// leading zeros, at most 64 bits.
func quantity(raw json.RawMessage) (uint64, error) {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil || len(s) < len("0x0") || s[:2] != "0x" {
		return 0, errNumber
	}
	n, err := strconv.ParseUint(s[2:], 16, 64)
	// Written back it is the same, or it has capitals, leading zeros, a sign, underscores.
	if err != nil || strconv.FormatUint(n, 16) != s[2:] {
		return 0, errNumber
	}
	return n, nil
}
