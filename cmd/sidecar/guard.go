package main

import (
	"container/list"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
)

const (
	// mostWaiting is how many connections may wait at a time for a request.
	mostWaiting = 1000
	// scrapersWaiting is the same for the address of the metrics.
	scrapersWaiting = 16
)

// guard bounds the connections that wait: those on which no request, or not all of its body, has arrived. A connection
// beyond the bound closes the one that has waited longest, so that a caller who opens many cannot keep others from being
// served. A body that a handler does not read counts as not arrived.
type guard struct {
	most int

	mu sync.Mutex
	// waiting has a net.Conn in each element, the longest silent one first.
	waiting *list.List
	place   map[net.Conn]*list.Element
}

// newGuard returns a guard of so many waiting connections. The caller sets its three hooks in an [http.Server].
func newGuard(most int) *guard {
	return &guard{most: most, waiting: list.New(), place: map[net.Conn]*list.Element{}}
}

// waitingBound returns mostWaiting, or half of the files that the process may have open if that is less. The other half
// is for connections with requests, and for those to the hosts behind the sidecar.
func waitingBound() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return mostWaiting
	}
	return int(min(mostWaiting, max(1, limit.Cur/2)))
}

// connState is for [http.Server.ConnState].
func (g *guard) connState(c net.Conn, state http.ConnState) {
	switch state {
	// A connection is active from the first byte of a header on, long before there is a request.
	case http.StateNew, http.StateIdle, http.StateActive:
		if oldest := g.wait(c); oldest != nil {
			oldest.Close()
		}
	case http.StateClosed, http.StateHijacked:
		g.serve(c)
	}
}

// wait counts a connection among the waiting, as the newest, and returns the one to close.
func (g *guard) wait(c net.Conn) (oldest net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at, ok := g.place[c]; ok {
		g.waiting.MoveToBack(at)
		return nil
	}
	g.place[c] = g.waiting.PushBack(c)
	if g.waiting.Len() <= g.most {
		return nil
	}
	// The connection is closed by the caller, without the lock.
	oldest = g.waiting.Front().Value.(net.Conn)
	g.remove(oldest)
	return oldest
}

// serve takes a connection off the waiting ones.
func (g *guard) serve(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(c)
}

// remove is for the holder of the lock.
func (g *guard) remove(c net.Conn) {
	if at, ok := g.place[c]; ok {
		g.waiting.Remove(at)
		delete(g.place, c)
	}
}

// connKey is the context key of a request's connection.
type connKey struct{}

// connContext is for [http.Server.ConnContext].
func (g *guard) connContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// handler lets next answer requests. The connection of a request waits until the body has been read.
func (g *guard) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(net.Conn)
		switch {
		case !ok:
		case r.Body == nil || r.Body == http.NoBody:
			g.serve(c)
		default:
			// The request is copied, since net/http looks at the body of its own one when the handler is done.
			r = r.WithContext(r.Context())
			r.Body = &watchedBody{r.Body, func() { g.serve(c) }}
		}
		next.ServeHTTP(w, r)
	})
}

// watchedBody calls ended when a body has been read to its end.
type watchedBody struct {
	io.ReadCloser
	ended func()
}

// Read implements [io.Reader].
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.ended()
	}
	return n, err
}
