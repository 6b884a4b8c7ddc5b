package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

// call is a request of JSON-RPC 2.0 that is always the same.
type call struct {
	id   string // a JSON number
	body string
	// refusable calls may be answered by an error without anything being wrong with the endpoint. They
	// are not tried again.
	refusable bool
}

// The calls, of the Ethereum execution API. The false leaves the transactions' contents out.
var (
	callChainID   = call{id: "1", body: `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}`}
	callLatest    = call{id: "2", body: `{"jsonrpc":"2.0","id":2,"method":"eth_getBlockByNumber","params":["latest",false]}`}
	callFinalized = call{id: "3", body: `{"jsonrpc":"2.0","id":3,"method":"eth_getBlockByNumber","params":["finalized",false]}`, refusable: true}
)

// What an endpoint answers wrongly, in words of our own: what it says itself might tell its key.
var (
	errStatus   = errors.New("an answer without status 200")
	errNoReply  = errors.New("no answer of JSON-RPC to this request")
	errRefused  = errors.New("an error of JSON-RPC")
	errNoBlock  = errors.New("no block")
	errNumber   = errors.New("no number in hexadecimal digits as the Ethereum API writes them")
	errTooLarge = errors.New("a number that is too large")
)

// ask makes a call and hands its result, which may be JSON's null, to read. What read does not accept
// is a failure of the endpoint.
func (e *endpoint) ask(ctx context.Context, c call, read func(result json.RawMessage) error) error {
	var refused error
	_, err := e.host.Do(ctx, upstream.Request{
		Method: http.MethodPost, Body: []byte(c.body), Once: c.refusable,
		Header: http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}},
		Accept: func(r *upstream.Response) error {
			result, err := c.result(r)
			if err == nil {
				err = read(result)
			}
			if c.refusable {
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

// result is what an answer holds, if it is one to this call.
func (c call) result(r *upstream.Response) (json.RawMessage, error) {
	if r.Status != http.StatusOK {
		return nil, errStatus
	}
	var reply struct {
		ID     json.RawMessage `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(r.Body, &reply); err != nil || string(reply.ID) != c.id {
		return nil, errNoReply
	}
	// Some nodes write "error":null beside a result.
	if reply.Error != nil && !bytes.Equal(reply.Error, []byte("null")) {
		return nil, errRefused
	}
	return reply.Result, nil
}

// quantity reads a JSON string that holds a quantity of the Ethereum API: 0x and hexadecimal digits in
// lower case without leading zeros, 64 bits at the most.
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
