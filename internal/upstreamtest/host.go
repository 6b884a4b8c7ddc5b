package upstreamtest

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// host is one server of a [Network].
type host struct {
	server   *http.Server
	listener *listener
	running  *sync.WaitGroup

	mu     sync.Mutex
	routes []route // longest path first
	open   map[*conn]bool
	down   bool
	closed bool
}

// route is a handler for a path and what lies under it.
type route struct {
	path    string // no slash at the end; empty: everything
	handler http.Handler
}

// newHost starts a host. running counts what it has going.
func newHost(name string, running *sync.WaitGroup) *host {
	h := &host{
		listener: &listener{name: addr(name), conns: make(chan net.Conn), done: make(chan struct{})},
		running:  running,
		open:     map[*conn]bool{},
	}
	h.server = &http.Server{Handler: h, ConnContext: withScheme, ConnState: h.count}
	running.Go(func() { h.server.Serve(h.listener) })
	return h
}

// count follows connections. One that a handler has taken over is that handler's.
func (h *host) count(_ net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		h.running.Add(1)
	case http.StateClosed, http.StateHijacked:
		h.running.Done()
	}
}

func (h *host) put(path string, handler http.Handler) {
	if path = strings.Trim(path, "/"); path != "" {
		path = "/" + path
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.routes = slices.DeleteFunc(h.routes, func(r route) bool { return r.path == path })
	h.routes = append(h.routes, route{path, handler})
	slices.SortFunc(h.routes, func(a, b route) int { return cmp.Compare(len(b.path), len(a.path)) })
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.running.Add(1)
	defer h.running.Done()
	r.Header.Set("X-Forwarded-Proto", schemeOf(r.Context()))
	h.route(r.URL.Path).ServeHTTP(w, r)
}

func (h *host) route(path string) http.Handler {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.routes {
		if rest, ok := strings.CutPrefix(path, r.path); ok && (rest == "" || rest[0] == '/') {
			return r.handler
		}
	}
	return http.NotFoundHandler()
}

// connect opens a connection and returns the client's end.
func (h *host) connect(ctx context.Context, scheme string) (net.Conn, error) {
	client, server := net.Pipe()
	c := &conn{Conn: server, scheme: scheme, host: h}
	err := h.track(c)
	if err == nil {
		select {
		case h.listener.conns <- c:
			return client, nil
		case <-h.listener.done:
			err = errRefused
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	client.Close()
	c.Close()
	return nil, err
}

// track notes a connection so that it can be broken. http.Server alone would miss one that it has
// just accepted.
func (h *host) track(c *conn) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.down || h.closed {
		return errRefused
	}
	h.open[c] = true
	return nil
}

func (h *host) untrack(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, c)
}

func (h *host) isDown() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.down
}

func (h *host) setDown(down bool) {
	h.mu.Lock()
	h.down = down
	h.mu.Unlock()
	if down {
		h.disconnect()
	}
}

// disconnect breaks every open connection.
func (h *host) disconnect() {
	h.mu.Lock()
	open := h.open
	h.open = map[*conn]bool{}
	h.mu.Unlock()
	for c := range open {
		c.Conn.Close()
	}
}

// close ends the accept loop and every connection. It does not wait.
func (h *host) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.server.Close()
	h.disconnect()
}

// conn is the server's end of a connection.
type conn struct {
	net.Conn
	scheme string // that the client believes to speak
	host   *host
}

func (c *conn) Close() error {
	c.host.untrack(c)
	return c.Conn.Close()
}

type schemeKey struct{}

func withScheme(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, schemeKey{}, c.(*conn).scheme)
}

func schemeOf(ctx context.Context) string {
	scheme, _ := ctx.Value(schemeKey{}).(string)
	return scheme
}

// listener hands connections from connect to the server.
type listener struct {
	name  addr
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *listener) Addr() net.Addr { return l.name }

// addr is the address of something in memory.
type addr string

func (addr) Network() string  { return "memory" }
func (a addr) String() string { return string(a) }
