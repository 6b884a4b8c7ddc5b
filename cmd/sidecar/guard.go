package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
)

// mostWaiting is how many connections may wait at a time for a request. It leaves half of the files that a process may
// commonly have open, 1,024, for connections with requests, and for those to the hosts behind the sidecar.
const mostWaiting = 512

// scrapersWaiting is the same for the address of the metrics.
const scrapersWaiting = 16

// guard bounds the connections that wait: those on which no request, or not all of its body, has arrived. A
// connection beyond the bound closes the one that has waited longest, so that a caller who opens many cannot keep
// others from being served. A body that a handler does not read counts as not arrived.
type guard struct {
	// most is how many connections may wait.
	most int

	mu sync.Mutex
	// waiting has the turn in which a connection was last heard of.
	waiting map[net.Conn]int
	turn    int
}

// connState is for [http.Server.ConnState]. A connection is active from the first byte of a header on, long before
// there is a request.
func (g *guard) connState(c net.Conn, state http.ConnState) {
	if state == http.StateClosed || state == http.StateHijacked {
		g.arrived(c)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn++
	g.waiting[c] = g.turn
	if len(g.waiting) <= g.most {
		return
	}
	// A look at all of them is cheap enough: it costs as much as the connection itself.
	oldest := c
	for other, turn := range g.waiting {
		if turn < g.waiting[oldest] {
			oldest = other
		}
	}
	delete(g.waiting, oldest)
	oldest.Close()
}

// arrived takes a connection off the waiting ones.
func (g *guard) arrived(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.waiting, c)
}

// connKey is the context key of a request's connection.
type connKey struct{}

// protect sets the hooks of a server, whose connections wait until the body of a request has been read.
func (g *guard) protect(srv *http.Server) {
	g.waiting = map[net.Conn]int{}
	srv.ConnState = g.connState
	srv.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}
	next := srv.Handler
	srv.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := r.Context().Value(connKey{}).(net.Conn)
		if r.Body == http.NoBody {
			g.arrived(c)
		} else {
			// The request is copied, since net/http looks at the body of its own one when the handler is done.
			r = r.WithContext(r.Context())
			r.Body = &watchedBody{r.Body, func() { g.arrived(c) }}
		}
		next.ServeHTTP(w, r)
	})
}

// watchedBody is the body of a request whose connection waits until the end of the body.
type watchedBody struct {
	io.ReadCloser
	// ended is called at the end, with each further reading again.
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
