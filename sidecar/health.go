package sidecar

import (
	"net/http"
	"time"
)

// health is the body of GET /healthz and GET /readyz, which only the plain server has.
type health struct {
	// Status is always ok.
	Status string `json:"status"`
	// Version and Revision are those of the program.
	Version  string `json:"version,omitempty"`
	Revision string `json:"revision,omitempty"`
	// Commit is the site's: the newest one that touched a proposal.
	Commit string `json:"commit,omitempty"`
	// Shared is ok or away, as the Redis is. A sidecar is healthy without it.
	Shared string `json:"shared,omitempty"`
}

// health answers GET /healthz while the process lives.
func (s *Sidecar) health(http.ResponseWriter, *http.Request) (*response, error) {
	h := health{Status: "ok", Version: s.Version, Revision: s.Revision}
	if x := s.current.Load().index; x != nil && x.Site.Commit != nil {
		h.Commit = *x.Site.Commit
	}
	if s.Redis != nil {
		h.Shared = "ok"
		if s.Redis.Down() {
			h.Shared = "away"
		}
	}
	return s.newResponse(h, time.Time{}, 0)
}

// ready answers GET /readyz while requests may be sent here.
func (s *Sidecar) ready(w http.ResponseWriter, r *http.Request) (*response, error) {
	if s.draining.Load() {
		return nil, errStopping
	}
	if s.current.Load().index == nil {
		return nil, errNotReady
	}
	return s.health(w, r)
}
