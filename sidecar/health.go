package sidecar

import (
	"context"
	"net/http"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/api"
)

// health is the body of GET /healthz and GET /readyz, which only the plain server has.
type health struct {
	Status  string `json:"status"` // ok
	Version string `json:"version,omitempty"`
	Commit  string `json:"commit,omitempty"` // the newest commit that touched a proposal
}

// health answers GET /healthz: the process lives.
func (s *Sidecar) health(_ context.Context, st *state, _ *http.Request) (*answer, error) {
	h := health{Status: "ok", Version: s.Version}
	if st.known != nil && st.known.Site.Commit != nil {
		h.Commit = *st.known.Site.Commit
	}
	return newAnswer(h, time.Time{}, 0)
}

// ready answers GET /readyz: requests may be sent here.
func (s *Sidecar) ready(ctx context.Context, st *state, r *http.Request) (*answer, error) {
	if s.draining.Load() {
		return nil, &refusal{api.NotReady, "This process is about to end.", time.Second}
	}
	if st.known == nil {
		return nil, notReady()
	}
	return s.health(ctx, st, r)
}

func notReady() error {
	return &refusal{api.NotReady, "The sidecar has not read the site's proposals yet; ask again in a moment.", time.Second}
}
