package build

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/mip"
	html "github.com/mipwatch/mipwatch/render/markdown"
)

// Check returns the problems that [Load] cannot find: dead links, and addresses with another owner.
// It renders the texts without colored code, and makes no page, card, feed or index. The error is
// the error of ctx or of [NewPlan], or it names a text that cannot be rendered and wraps [ErrMake].
func Check(ctx context.Context, c *Content) ([]mip.Problem, error) {
	p, err := newPlanner(c, html.New(false))
	if err != nil {
		return nil, err
	}
	p.assets()
	p.lay()
	p.redirects()
	if err := p.plan.unique(); err != nil {
		return nil, err
	}
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for _, of := range p.Proposals {
		workers.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if _, err := p.render(of); err != nil {
				return fmt.Errorf("%w %w", ErrMake, err)
			}
			p.forget(of)
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	return p.plan.LinkProblems(), nil
}
