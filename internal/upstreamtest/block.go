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

// block is a block without transactions. Its hashes are those of no real chain, but tell blocks apart.
type block struct {
	Number           string   `json:"number"`
	Hash             string   `json:"hash"`
	ParentHash       string   `json:"parentHash"`
	Timestamp        string   `json:"timestamp"`
	Nonce            string   `json:"nonce"`
	Sha3Uncles       string   `json:"sha3Uncles"`
	LogsBloom        string   `json:"logsBloom"`
	TransactionsRoot string   `json:"transactionsRoot"`
	StateRoot        string   `json:"stateRoot"`
	ReceiptsRoot     string   `json:"receiptsRoot"`
	Miner            string   `json:"miner"`
	MixHash          string   `json:"mixHash"`
	Difficulty       string   `json:"difficulty"`
	ExtraData        string   `json:"extraData"`
	Size             string   `json:"size"`
	GasLimit         string   `json:"gasLimit"`
	GasUsed          string   `json:"gasUsed"`
	BaseFeePerGas    string   `json:"baseFeePerGas"`
	Transactions     []string `json:"transactions"`
	Uncles           []string `json:"uncles"`
}

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

func (c *Chain) block(number uint64) block {
	zero := "0x" + strings.Repeat("0", 64)
	parent := zero
	if number > 0 {
		parent = c.hash("block", number-1)
	}
	return block{
		Number:           quantity(number),
		Hash:             c.hash("block", number),
		ParentHash:       parent,
		Timestamp:        quantity(uint64(max(c.timeOf(number).Unix(), 0))),
		Nonce:            "0x0000000000000000",
		Sha3Uncles:       c.hash("uncles", 0),
		LogsBloom:        "0x" + strings.Repeat("0", 512),
		TransactionsRoot: c.hash("transactions", 0),
		StateRoot:        c.hash("state", number),
		ReceiptsRoot:     c.hash("receipts", 0),
		Miner:            "0x" + strings.Repeat("0", 40),
		MixHash:          zero,
		Difficulty:       "0x0",
		ExtraData:        "0x",
		Size:             quantity(543),
		GasLimit:         quantity(30_000_000),
		GasUsed:          "0x0",
		BaseFeePerGas:    quantity(1_000_000_000),
		Transactions:     []string{},
		Uncles:           []string{},
	}
}

// hash is 32 bytes that look like a hash of the chain. A reset changes all of them.
func (c *Chain) hash(kind string, number uint64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s %d", c.config.ChainID, c.resets, kind, number))
	return "0x" + hex.EncodeToString(sum[:])
}
