package chain

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/timing"
	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

const (
	// highest is the largest integer that every JSON reader has exactly (RFC 8259 section 6).
	highest = 1<<53 - 1
	// latestTime is the last second of the year 9999, after which RFC 3339 has no text.
	latestTime = 253402300799
)

// head is the top of a chain as one endpoint saw it.
type head struct {
	height    uint64
	finalized *uint64 // nil: the endpoint does not say
	time      time.Time
}

// endpoint is one RPC address. It is asked by one flight at a time.
type endpoint struct {
	name    string // its position: the address may hold a key
	host    *upstream.Host
	chainID uint64
	failed  bool // the last time that it was asked
}

// head asks for the chain id, the latest and the finalized block with three calls side by side, since
// not every public endpoint takes batches. An endpoint that failed before is asked for the latest
// block first: a breaker that is half open lets one call through, and that call is the one that tells
// most.
func (e *endpoint) head(ctx context.Context) (h head, err error) {
	ctx, cancel := context.WithCancel(ctx)
	var needed, optional sync.WaitGroup
	defer optional.Wait()
	defer cancel()

	var errID, errLatest error
	if e.failed {
		if h, errLatest = e.latest(ctx); errLatest != nil {
			return head{}, errLatest
		}
	} else {
		needed.Go(func() { h, errLatest = e.latest(ctx) })
	}
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
	wait := time.NewTimer(timing.Finalized)
	defer wait.Stop()
	select {
	case f, ok := <-finalized:
		if ok {
			// Behind one address there may be several nodes, one of them ahead. What is final there
			// includes what is latest here.
			h.finalized = new(min(f, h.height))
		}
	case <-wait.C:
	}
	return h, nil
}

// checkID holds the endpoint to the configured chain.
func (e *endpoint) checkID(ctx context.Context) error {
	return e.ask(ctx, callChainID, func(result json.RawMessage) error {
		id, err := quantity(result)
		if err == nil && id != e.chainID {
			err = fmt.Errorf("it is chain %d, want %d", id, e.chainID)
		}
		return err
	})
}

// latest is the head without its finalized block.
func (e *endpoint) latest(ctx context.Context) (head, error) { return e.block(ctx, callLatest) }

// block reads number and time of a block.
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
