package build

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// each calls do for every artifact of a phase, group by group, on every processor. Artifacts of one
// group are done in order by one goroutine. The first error stops the others and is returned.
func (p *Plan) each(ctx context.Context, ph phase, do func(*Artifact) error) error {
	groups := p.groups(ph)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var at atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(groups)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(at.Add(1)) - 1
				if i >= len(groups) {
					return
				}
				if err := doGroup(groups[i], do); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// doGroup does a group in order, and lets go of what its members share whatever becomes of them.
func doGroup(group []*Artifact, do func(*Artifact) error) error {
	if release := group[0].release; release != nil {
		defer release()
	}
	for _, a := range group {
		if err := do(a); err != nil {
			return err
		}
	}
	return nil
}

// groups returns the artifacts of a phase as runs of neighbours that share work.
func (p *Plan) groups(ph phase) [][]*Artifact {
	var out [][]*Artifact
	last := 0
	for i := range p.Artifacts {
		a := &p.Artifacts[i]
		if a.phase != ph {
			continue
		}
		if a.group != 0 && a.group == last {
			out[len(out)-1] = append(out[len(out)-1], a)
			continue
		}
		out, last = append(out, []*Artifact{a}), a.group
	}
	return out
}
