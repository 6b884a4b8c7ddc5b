package sidecar

import (
	"context"
	"errors"
	"net/netip"
	"sync"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/limit"
)

// chargeKey is the key of a request's [charge] in its context.
type chargeKey struct{}

// charge is the model as one request may ask it. It takes one place of the caller's limit of questions when the model is
// about to be asked, however often, and none for an answer that is known, committed or made by rules. It is safe for concurrent use: the
// pieces of a text are asked for side by side, also after the caller has left.
type charge struct {
	model  ai.Model
	limit  *limit.Limit
	caller netip.Addr
	site   string

	mu sync.Mutex
	// room is zero as long as no place is taken.
	room limit.Room
	held bool
	// asking counts the questions under way, and asked says that one has reached the model.
	asking int
	asked  bool
	// refused is the error of the limit.
	refused error
}

// Ask implements [ai.Model].
func (c *charge) Ask(ctx context.Context, p ai.Prompt) (ai.Reply, error) {
	if err := ctx.Err(); err != nil {
		return ai.Reply{}, err
	}
	if err := c.take(ctx); err != nil {
		return ai.Reply{}, err
	}
	reply, err := c.model.Ask(ctx, p)
	c.settle(context.WithoutCancel(ctx), !ai.Unasked(err))
	return reply, err
}

// take takes the request's place before a question, unless it has one. A refusal stands for the whole request. The caller calls
// settle unless there is an error.
func (c *charge) take(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.held && c.refused == nil {
		c.room, c.refused = c.limit.Take(ctx, c.caller, c.site)
		c.held = c.refused == nil
	}
	if c.held {
		c.asking++
	}
	return c.refused
}

// settle ends a question. The place is given back when none has reached the model.
func (c *charge) settle(ctx context.Context, asked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asking--
	c.asked = c.asked || asked
	if c.asking == 0 && !c.asked {
		c.limit.Return(ctx, c.caller, c.site)
		c.held, c.room = false, limit.Room{}
	}
}

// taken is what the caller has left, when a place is taken.
func (c *charge) taken() limit.Room {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.room
}

// isOther reports whether an error is the refusal of another request of the same route.
func (c *charge) isOther(err error) bool {
	e, ok := errors.AsType[*api.HTTPError](err)
	if !ok || e.Limit != c.limit.Name {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return !errors.Is(err, c.refused)
}
