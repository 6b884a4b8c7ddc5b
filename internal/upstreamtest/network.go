// Package upstreamtest is the world behind the sidecar in one process: hosts in memory, and on them a
// Discourse forum and EVM chains, which can be told to misbehave. It stands behind tests and behind
// `mipwatch serve --demo`, and does not know who asks or what becomes of its answers.
package upstreamtest

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
)

// Network is a set of hosts that exist in memory only. Each is a real [http.Server], reached through
// RoundTrip over connections that are pipes: HTTP is spoken in full, with keep-alive, deadlines and
// broken connections, but no socket is opened, so it works in a bubble of testing/synctest (make it
// and close it there). https addresses are served without TLS. It is safe for concurrent use.
type Network struct {
	transport *http.Transport
	running   sync.WaitGroup // accept loops, connections and handlers

	mu     sync.Mutex
	hosts  map[string]*host // by name, or by name and port
	closed bool
}

// NewNetwork returns a network without hosts. Whoever makes it closes it.
func NewNetwork() *Network {
	n := &Network{hosts: map[string]*host{}}
	n.transport = &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return n.dial(ctx, "http", address)
		},
		DialTLSContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return n.dial(ctx, "https", address)
		},
		MaxIdleConnsPerHost: 16,
	}
	return n
}

// Serve puts a handler at an address without a scheme: a host, with a port or for every port of it,
// and optionally a path, such as rpc.example.org/mainnet. The handler with the longest path that
// leads to a request gets it, with its path unchanged and X-Forwarded-Proto set to the scheme. A
// handler that was there is replaced, for open connections too.
func (n *Network) Serve(address string, h http.Handler) {
	name, path, _ := strings.Cut(address, "/")
	n.mu.Lock()
	defer n.mu.Unlock()
	if at := n.host(name); at != nil {
		at.put(path, h)
	}
}

// Down makes a host refuse connections, and breaks those that are open, until it is called with false.
func (n *Network) Down(name string, down bool) {
	n.mu.Lock()
	at := n.host(name)
	n.mu.Unlock()
	if at != nil {
		at.setDown(down)
	}
}

// host is the host of that name, made when there is none; nil once the network is closed. n.mu is held.
func (n *Network) host(name string) *host {
	name = strings.ToLower(name)
	if h, ok := n.hosts[name]; ok || n.closed {
		return h
	}
	h := newHost(name, &n.running)
	n.hosts[name] = h
	return h
}

// RoundTrip asks a host of the network. It follows no redirect. A host that is not there or is down is
// a *[net.OpError] of the operation dial, as with a real network.
func (n *Network) RoundTrip(r *http.Request) (*http.Response, error) {
	// Asked before a connection is looked for, so that an idle one that has just been broken is no
	// way around it.
	if _, err := n.find(addressOf(r.URL)); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	return n.transport.RoundTrip(r)
}

// addressOf is the host and port that a URL leads to.
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

// find returns the host that listens at an address with a port.
func (n *Network) find(address string) (*host, error) {
	address = strings.ToLower(address)
	name, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, dialError(address, err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	h := n.hosts[address]
	if h == nil {
		h = n.hosts[name]
	}
	switch {
	case n.closed || h != nil && h.isDown():
		return nil, dialError(address, errRefused)
	case h == nil:
		return nil, dialError(address, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true})
	}
	return h, nil
}

func (n *Network) dial(ctx context.Context, scheme, address string) (net.Conn, error) {
	h, err := n.find(address)
	if err != nil {
		return nil, err
	}
	c, err := h.connect(ctx, scheme)
	if err != nil {
		return nil, dialError(address, err)
	}
	return c, nil
}

// errRefused is what a real network says when nothing listens.
var errRefused error = os.NewSyscallError("connect", syscall.ECONNREFUSED)

func dialError(address string, err error) error {
	return &net.OpError{Op: "dial", Net: "tcp", Addr: addr(address), Err: err}
}

// CloseIdleConnections closes the connections that no request uses. [http.Client] calls it.
func (n *Network) CloseIdleConnections() { n.transport.CloseIdleConnections() }

// Close breaks every connection and returns when every handler has ended. From then on every host
// refuses connections.
func (n *Network) Close() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	for _, h := range n.hosts {
		h.close()
	}
	n.CloseIdleConnections()
	n.running.Wait()
}
