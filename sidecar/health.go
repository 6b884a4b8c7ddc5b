package sidecar

import (
	"context"
	"net/http"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
)

// health is the body of GET /healthz and GET /readyz, which only the plain server has.
type health struct {
	Status   string `json:"status"`             // ok
	Version  string `json:"version,omitempty"`  // of the program
	Revision string `json:"revision,omitempty"` // the commit that the program was built from
	Commit   string `json:"commit,omitempty"`   // of the site: the newest one that touched a proposal
	Shared   string `json:"shared,omitempty"`   // ok or away: the Redis of several sidecars. They are healthy without it
}

// health answers GET /healthz: the process lives.
func (s *Sidecar) health(context.Context, http.ResponseWriter, *http.Request) (*answer, error) {
	return s.healthOf(s.current.Load())
}

func (s *Sidecar) healthOf(st *state) (*answer, error) {
	h := health{Status: "ok", Version: s.Version, Revision: s.Revision}
	if st.known != nil && st.known.Site.Commit != nil {
		h.Commit = *st.known.Site.Commit
	}
	switch {
	case s.Shared == nil:
	case s.Shared.Down():
		h.Shared = "away"
	default:
		h.Shared = "ok"
	}
	return newAnswer(h, time.Time{}, 0)
}

// ready answers GET /readyz: requests may be sent here.
func (s *Sidecar) ready(context.Context, http.ResponseWriter, *http.Request) (*answer, error) {
	st := s.current.Load()
	if s.draining.Load() {
		return nil, &refusal{code: api.NotReady, detail: "This process is about to end.", wait: time.Second}
	}
	if st.known == nil {
		return nil, notReady()
	}
	return s.healthOf(st)
}

func notReady() error {
	return &refusal{code: api.NotReady, detail: "The sidecar has not read the site's proposals yet; ask again in a moment.", wait: time.Second}
}
