package sidecar

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/entity"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

const (
	typeJSON = "application/json; charset=utf-8"
	// responsesKept bounds the responses in memory: as many topics as the forum keeps fit into it.
	responsesKept = 5 << 10
)

// response is a body that is ready to send.
type response struct {
	*entity.Entity
	until time.Time // it is true
	// later is how much longer a CDN may give the response while it asks again: the longest that a reader gets
	// something old without a mark but its time. It is zero when the response is marked stale already.
	later time.Duration
}

// newResponse encodes v. It is given for 250 ms at least, and for 5 minutes at most.
func (s *Sidecar) newResponse(v any, until time.Time, later time.Duration) (*response, error) {
	body, err := api.JSON(v)
	if err != nil {
		return nil, err
	}
	if least := s.Now().Add(timing.FreshLeast); until.Before(least) {
		until = least
	}
	return &response{entity.New(typeJSON, body), until, later}, nil
}

// cdnCache is the targeted cache field (RFC 9213) for Netlify's CDN, by which most requests never come
// here. A browser asks each time: the entity tag makes that cheap.
func (r *response) cdnCache(now time.Time) string {
	field := fmt.Sprintf("public, durable, max-age=%d", max(1, int64(r.until.Sub(now)/time.Second)))
	if r.later > 0 {
		field += fmt.Sprintf(", stale-while-revalidate=%d", int64(r.later/time.Second))
	}
	return field
}

// responseKey names a response: the state that it follows from, the route, and what was asked of that.
type responseKey struct {
	state  uint64
	route  string
	number int    // a topic, or parts
	body   string // of a POST
}

// newResponses makes the cache of all routes. It keeps no failure, and gives nothing stale: the caches below it do.
func (s *Sidecar) newResponses() *cache.Cache[responseKey, *response] {
	return cache.New[responseKey](cache.Config[*response]{
		Fresh: timing.FreshTopic, Until: func(r *response) time.Time { return r.until },
		Timeout: timing.AIRequest, Entries: responsesKept, Detached: !s.Function, Now: s.Now, Stats: &s.counts.responses,
	})
}

// cached returns a response while it is true, or makes it. Callers that ask for the same meanwhile wait for it. make
// gets less time than they have, so that they get what it brings.
func (s *Sidecar) cached(ctx context.Context, key responseKey, make func(context.Context) (*response, error)) (*response, error) {
	e, err := s.responses.Get(ctx, key, func(made context.Context) (*response, error) {
		if ends, ok := ctx.Deadline(); ok {
			var cancel context.CancelFunc
			made, cancel = context.WithDeadline(made, ends.Add(timing.Ask-timing.Request))
			defer cancel()
		}
		return make(made)
	})
	if errors.Is(err, cache.ErrClosed) {
		return nil, errEnding
	}
	return e.Value, err
}

// writeResponse writes a response with its cache fields. vary names the parameters by which a CDN keeps responses
// apart. Nil keeps the response out of every cache.
func (s *Sidecar) writeResponse(w http.ResponseWriter, r *http.Request, vary []string, res *response) {
	h := w.Header()
	if vary != nil {
		h["Cache-Control"] = revalidate
		h["Netlify-Cdn-Cache-Control"] = []string{res.cdnCache(s.Now())}
		h["Netlify-Vary"] = vary
	} else {
		h["Cache-Control"] = noStore
	}
	res.Serve(w, r, http.StatusOK)
}
