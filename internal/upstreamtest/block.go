package upstreamtest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// How far the safe and the finalized block are behind the latest.
const (
	safeDepth      = 1
	finalizedDepth = 2
)

// blockByNumber answers eth_getBlockByNumber: nil for a block that does not exist yet. c.mu is held.
func (c *Chain) blockByNumber(params []json.RawMessage) (any, *rpcError) {
	var which string
	var full bool
	if len(params) != 2 || json.Unmarshal(params[0], &which) != nil || json.Unmarshal(params[1], &full) != nil {
		return nil, &rpcError{codeParams, "a block and whether to list its transactions in full are wanted"}
	}
	number, ok := c.number(which)
	if !ok {
		return nil, &rpcError{codeParams, "a block is a tag or a number in hexadecimal digits after 0x"}
	}
	if number > c.head() {
		return nil, nil
	}
	return c.block(number), nil
}

// number is the height that a tag or a hexadecimal number means.
func (c *Chain) number(which string) (uint64, bool) {
	head := c.head()
	switch which {
	case "earliest":
		return 0, true
	case "latest", "pending":
		return head, true
	case "safe":
		return head - min(head, safeDepth), true
	case "finalized":
		return head - min(head, finalizedDepth), true
	}
	digits, ok := strings.CutPrefix(which, "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	return n, ok && err == nil && quantity(n) == strings.ToLower(which)
}

// block is a block without transactions. Its hashes are those of no real chain, but tell blocks apart.
func (c *Chain) block(number uint64) map[string]any {
	zeros := func(digits int) string { return "0x" + strings.Repeat("0", digits) }
	parent := zeros(64)
	if number > 0 {
		parent = c.hash("block", number-1)
	}
	return map[string]any{
		"number": quantity(number), "hash": c.hash("block", number), "parentHash": parent, "timestamp": quantity(uint64(max(c.timeOf(number).Unix(), 0))),
		"nonce": zeros(16), "sha3Uncles": c.hash("uncles", 0), "logsBloom": zeros(512), "transactionsRoot": c.hash("transactions", 0),
		"stateRoot": c.hash("state", number), "receiptsRoot": c.hash("receipts", 0), "miner": zeros(40), "mixHash": zeros(64),
		"difficulty": "0x0", "extraData": "0x", "size": quantity(543), "gasLimit": quantity(30_000_000), "gasUsed": "0x0",
		"baseFeePerGas": quantity(1_000_000_000), "transactions": []string{}, "uncles": []string{},
	}
}

// hash is 32 bytes that look like a hash of the chain. A reset changes all of them.
func (c *Chain) hash(kind string, number uint64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s %d", c.config.ChainID, c.resets, kind, number))
	return "0x" + hex.EncodeToString(sum[:])
}
