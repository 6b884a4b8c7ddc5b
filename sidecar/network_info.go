package sidecar

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
)

// networkInfo answers GET /api/network-info.
func (s *Sidecar) networkInfo(ctx context.Context, _ http.ResponseWriter, _ *http.Request) (*answer, error) {
	st, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	return st.chains.get(ctx, struct{}{}, s.Now, func(ctx context.Context) (*answer, error) {
		heads, until := s.heads(ctx, st)
		return newAnswer(api.NetworkInfo{Networks: heads}, until, networkLater)
	})
}

// networkLater is how much longer than its life a CDN may give what holds block heights.
const networkLater = 30 * time.Second

// heads asks every network side by side. until is the moment from which one of them would be asked
// again.
func (s *Sidecar) heads(ctx context.Context, st *state) (heads map[string]api.NetworkStatus, until time.Time) {
	heads = make(map[string]api.NetworkStatus, len(st.networks))
	until = s.Now().Add(networkLife)
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
