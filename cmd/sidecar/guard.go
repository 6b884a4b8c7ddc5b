package main

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"syscall"
)

// mostWaiting is how many connections may wait at a time for their caller to send a request.
const mostWaiting = 1000

// guard bounds the connections that only wait: those on which no request has arrived yet in full. What
// exceeds the bound closes the one that has waited longest, so that whoever opens many cannot keep
// others from being served. A caller that sends its header in drops counts as waiting as well.
type guard struct {
	most int

	mu      sync.Mutex
	waiting *list.List // of net.Conn, the longest silent first
	place   map[net.Conn]*list.Element
}

func newGuard(most int) *guard {
	return &guard{most: most, waiting: list.New(), place: map[net.Conn]*list.Element{}}
}

// waitingBound is mostWaiting, or half of the files that the process may have open if that is less: the
// other half is for connections with requests, and those to the hosts behind.
func waitingBound() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return mostWaiting
	}
	return int(min(mostWaiting, max(1, limit.Cur/2)))
}

// watch is for [http.Server.ConnState].
func (g *guard) watch(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew, http.StateIdle, http.StateActive: // active begins with a header's first byte
		if oldest := g.wait(c); oldest != nil {
			oldest.Close()
		}
	case http.StateClosed, http.StateHijacked:
		g.serve(c)
	}
}

// wait counts a connection among the waiting, as the newest, and returns the one that has to go.
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
	oldest = g.waiting.Front().Value.(net.Conn)
	g.remove(oldest)
	return oldest
}

// serve says that a connection waits no longer.
func (g *guard) serve(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(c)
}

func (g *guard) remove(c net.Conn) {
	if at, ok := g.place[c]; ok {
		g.waiting.Remove(at)
		delete(g.place, c)
	}
}

// connKey is the context key of a request's connection.
type connKey struct{}

// remember is for [http.Server.ConnContext].
func (g *guard) remember(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// handler lets next answer requests, whose connections do not wait meanwhile.
func (g *guard) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(net.Conn); ok {
			g.serve(c)
		}
		next.ServeHTTP(w, r)
	})
}
