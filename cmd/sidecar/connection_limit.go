package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
)

// mostWaiting bounds the connections that wait for a request. It leaves half of the files that a
// process may commonly open, 1,024, for connections with requests, and for connections to upstream
// hosts.
const mostWaiting = 512

// scrapersWaiting is the bound for the address of the metrics.
const scrapersWaiting = 16

// connectionLimit bounds the waiting connections: those whose request, or part of its body, has not
// arrived. A connection beyond the bound closes the one that has waited longest, so that a caller
// who opens many cannot shut out others, which a listener that stops accepting, such as
// golang.org/x/net/netutil's, would do. A body that a handler does not read counts as not arrived.
type connectionLimit struct {
	// most bounds the waiting connections.
	most int

	mu sync.Mutex
	// waiting has the turn of each connection's last activity.
	waiting map[net.Conn]int
	turn    int
}

// newConnectionLimit returns a limit for one server.
func newConnectionLimit(most int) *connectionLimit {
	return &connectionLimit{most: most, waiting: map[net.Conn]int{}}
}

// protect sets the hooks of a server. Its connections wait until the body of a request has been
// read.
func (l *connectionLimit) protect(srv *http.Server) {
	srv.ConnState = l.connState
	srv.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}
	next := srv.Handler
	srv.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := r.Context().Value(connKey{}).(net.Conn)
		if r.Body == http.NoBody {
			l.arrived(c)
		} else {
			// Copy the request, since net/http uses the body of the original after the handler.
			r = r.WithContext(r.Context())
			r.Body = &watchedBody{r.Body, l, c}
		}
		next.ServeHTTP(w, r)
	})
}

// connKey is the context key of a request's connection.
type connKey struct{}

// connState is for [http.Server.ConnState]. A connection is active from the first byte of a header,
// long before there is a request.
func (l *connectionLimit) connState(c net.Conn, state http.ConnState) {
	if state == http.StateClosed || state == http.StateHijacked {
		l.arrived(c)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn++
	l.waiting[c] = l.turn
	if len(l.waiting) <= l.most {
		return
	}
	// A linear scan is cheap compared with accepting a connection.
	oldest := c
	for other, turn := range l.waiting {
		if turn < l.waiting[oldest] {
			oldest = other
		}
	}
	delete(l.waiting, oldest)
	oldest.Close()
}

// arrived removes a connection from the waiting ones.
func (l *connectionLimit) arrived(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, c)
}

// watchedBody is the body of a request. Its connection waits until the end of the body.
type watchedBody struct {
	io.ReadCloser
	limit *connectionLimit
	conn  net.Conn
}

// Read implements [io.Reader].
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.limit.arrived(b.conn)
	}
	return n, err
}
