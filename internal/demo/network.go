// Package demo simulates the sidecar's upstream hosts in one process: a Discourse forum, EVM chains
// and a language model, with faults on demand. Tests and `mipwatch serve --demo` use it. It does
// not know its clients, or how its answers are used.
package demo

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Network is a set of hosts that exist in memory only. They are one real [http.Server], reached
// through RoundTrip over connections that are pipes: HTTP is complete, with keep-alive, deadlines
// and broken connections, but no socket is opened, so it works in a bubble of testing/synctest
// (create it and close it there). https addresses are served without TLS. It is safe for concurrent
// use.
type Network struct {
	transport *http.Transport
	server    *http.Server
	accepted  chan net.Conn  // connections on their way to the server
	done      chan struct{}  // closed with the network
	running   sync.WaitGroup // the accept loop, connections and handlers

	mu     sync.Mutex
	hosts  map[string]*host // by name, or by name and port
	open   map[*conn]bool
	closed bool
}

// host is a name of the network.
type host struct {
	routes []route // longest path first
	down   bool
}

// route is a handler for a path and everything below it.
type route struct {
	path    string // no slash at the end; empty: everything
	handler http.Handler
}

// NewNetwork returns a network without hosts. The caller closes it.
func NewNetwork() *Network {
	n := &Network{accepted: make(chan net.Conn), done: make(chan struct{}),
		hosts: map[string]*host{}, open: map[*conn]bool{}}
	n.transport = &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return n.dial(ctx, "http", address)
		},
		DialTLSContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return n.dial(ctx, "https", address)
		},
		MaxIdleConnsPerHost: 16,
	}
	n.server = &http.Server{Handler: http.HandlerFunc(n.serve), ConnState: n.count,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		}}
	n.running.Go(func() { n.server.Serve(listener{n}) })
	return n
}

// Serve adds a handler at an address without a scheme: a host, with a port or for all of its ports,
// and optionally a path, such as rpc.example.org/mainnet. The handler with the longest matching
// path gets a request, with its path unchanged and X-Forwarded-Proto set to the scheme. An earlier
// handler at the address is replaced, also for open connections.
func (n *Network) Serve(address string, handler http.Handler) {
	name, path, _ := strings.Cut(address, "/")
	if path = strings.Trim(path, "/"); path != "" {
		path = "/" + path
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	h := n.host(name)
	h.routes = slices.DeleteFunc(h.routes, func(r route) bool { return r.path == path })
	h.routes = append(h.routes, route{path, handler})
	slices.SortFunc(h.routes, func(a, b route) int { return cmp.Compare(len(b.path), len(a.path)) })
}

// Down makes a host refuse connections, and breaks the open ones, until it is called with false.
func (n *Network) Down(name string, down bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	h := n.host(name)
	if h.down = down; down {
		n.disconnect(func(c *conn) bool { return c.host == h })
	}
}

// host returns the host with that name, which it creates if necessary. The caller holds n.mu.
func (n *Network) host(name string) *host {
	name = strings.ToLower(name)
	if n.hosts[name] == nil {
		n.hosts[name] = &host{}
	}
	return n.hosts[name]
}

// disconnect breaks the open connections that match. The caller holds n.mu.
func (n *Network) disconnect(match func(*conn) bool) {
	for c := range n.open {
		if match(c) {
			delete(n.open, c)
			c.Conn.Close()
		}
	}
}

// RoundTrip sends a request to a host of the network. It follows no redirect. For a host that does
// not exist or is down, the error is a *[net.OpError] of the operation dial, as with a real
// network.
func (n *Network) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	_, err := n.find(addressOf(r.URL))
	n.mu.Unlock()
	// Check before a connection is chosen, so that an idle one that has just been broken is not
	// used.
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	return n.transport.RoundTrip(r)
}

// addressOf returns the host and port of a URL.
func addressOf(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// find returns the host that listens at an address with a port. The caller holds n.mu.
func (n *Network) find(address string) (*host, error) {
	address = strings.ToLower(address)
	name, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, dialError(address, err)
	}
	h := cmp.Or(n.hosts[address], n.hosts[name])
	switch {
	case n.closed || h != nil && h.down:
		return nil, dialError(address, errRefused)
	case h == nil:
		return nil, dialError(address,
			&net.DNSError{Err: "no such host", Name: name, IsNotFound: true})
	}
	return h, nil
}

// dial opens a connection and returns the client's end.
func (n *Network) dial(ctx context.Context, scheme, address string) (net.Conn, error) {
	n.mu.Lock()
	h, err := n.find(address)
	if err != nil {
		n.mu.Unlock()
		return nil, err
	}
	// Record it here so that it can be broken: the server alone would miss one that it has just
	// accepted.
	client, server := net.Pipe()
	c := &conn{Conn: server, scheme: scheme, host: h, network: n}
	n.open[c] = true
	n.mu.Unlock()
	select {
	case n.accepted <- c:
		return client, nil
	case <-n.done:
		err = errRefused
	case <-ctx.Done():
		err = ctx.Err()
	}
	client.Close()
	c.Close()
	return nil, dialError(address, err)
}

// serve passes a request to the handler of its path.
func (n *Network) serve(w http.ResponseWriter, r *http.Request) {
	n.running.Add(1)
	defer n.running.Done()
	c := r.Context().Value(connKey{}).(*conn)
	r.Header.Set("X-Forwarded-Proto", c.scheme)
	n.mu.Lock()
	at := slices.IndexFunc(c.host.routes, func(route route) bool {
		rest, ok := strings.CutPrefix(r.URL.Path, route.path)
		return ok && (rest == "" || rest[0] == '/')
	})
	handler := http.NotFoundHandler()
	if at >= 0 {
		handler = c.host.routes[at].handler
	}
	n.mu.Unlock()
	handler.ServeHTTP(w, r)
}

// count tracks connections. A hijacked connection belongs to its handler.
func (n *Network) count(_ net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		n.running.Add(1)
	case http.StateClosed, http.StateHijacked:
		n.running.Done()
	}
}

// errRefused is the error of a real network if nothing listens.
var errRefused error = os.NewSyscallError("connect", syscall.ECONNREFUSED)

// dialError returns the error of a real network that fails to connect, by which clients know that
// nothing was sent.
func dialError(address string, err error) error {
	return &net.OpError{Op: "dial", Net: "tcp", Addr: addr(address), Err: err}
}

// CloseIdleConnections closes the connections that no request uses. [http.Client] calls it.
func (n *Network) CloseIdleConnections() { n.transport.CloseIdleConnections() }

// Close breaks all connections and returns when all handlers have ended. From then on all hosts
// refuse connections.
func (n *Network) Close() {
	n.mu.Lock()
	if !n.closed {
		n.closed = true
		close(n.done)
	}
	n.mu.Unlock()
	n.server.Close()
	n.mu.Lock()
	n.disconnect(func(*conn) bool { return true })
	n.mu.Unlock()
	n.CloseIdleConnections()
	n.running.Wait()
}

// conn is the server's end of a connection.
type conn struct {
	net.Conn
	scheme  string // the client's scheme
	host    *host
	network *Network
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.network.mu.Lock()
	delete(c.network.open, c)
	c.network.mu.Unlock()
	return c.Conn.Close()
}

// connKey is the context key of a request's connection.
type connKey struct{}

// listener passes connections from dial to the server.
type listener struct{ network *Network }

// Accept implements [net.Listener].
func (l listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.network.accepted:
		return c, nil
	case <-l.network.done:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener]. It does nothing: the network is closed instead.
func (listener) Close() error   { return nil }
func (listener) Addr() net.Addr { return addr("memory") }

// addr is the address of an end in memory.
type addr string

// Network implements [net.Addr].
func (addr) Network() string  { return "memory" }
func (a addr) String() string { return string(a) }
