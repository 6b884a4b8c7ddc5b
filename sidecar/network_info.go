package sidecar

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// networkInfo answers GET /api/network-info.
func (s *Sidecar) networkInfo(ctx context.Context, _ http.ResponseWriter, r *http.Request) (*response, error) {
	st, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	return s.cached(ctx, responseKey{state: st.number, route: r.URL.Path}, func(ctx context.Context) (*response, error) {
		heads, until := s.heads(ctx, st)
		return s.newResponse(api.NetworkInfo{Networks: heads}, until, timing.StaleInCDN)
	})
}

// heads asks every network side by side. until is the moment from which one of them would be asked
// again.
func (s *Sidecar) heads(ctx context.Context, st *state) (heads map[string]api.NetworkStatus, until time.Time) {
	heads = make(map[string]api.NetworkStatus, len(st.networks))
	until = s.Now().Add(timing.FreshHead)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, n := range st.networks {
		wg.Go(func() {
			head, next := n.Status(ctx)
			mu.Lock()
			defer mu.Unlock()
			heads[n.endpoints.ID] = head
			if next.Before(until) {
				until = next
			}
		})
	}
	wg.Wait()
	return heads, until
}
