package sidecar

import (
	"context"
	"net/http"
	"time"
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
func (s *Sidecar) health(context.Context, http.ResponseWriter, *http.Request) (*response, error) {
	return s.healthOf(s.current.Load())
}

func (s *Sidecar) healthOf(st *state) (*response, error) {
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
	return s.newResponse(h, time.Time{}, 0)
}

// ready answers GET /readyz: requests may be sent here.
func (s *Sidecar) ready(context.Context, http.ResponseWriter, *http.Request) (*response, error) {
	st := s.current.Load()
	if s.draining.Load() {
		return nil, errEnding
	}
	if st.known == nil {
		return nil, errNotReady
	}
	return s.healthOf(st)
}
