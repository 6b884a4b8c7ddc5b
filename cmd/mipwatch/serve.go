package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/internal/site"
)

// Limits of the local server.
const (
	headerTimeout   = 10 * time.Second
	readTimeout     = 10 * time.Second // header and body
	writeTimeout    = 60 * time.Second // but for the stream of events
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 5 * time.Second
)

// server is one run of the serve command.
type server struct {
	*program
	input
	addr string
	demo bool
}

// newServe returns the command mipwatch serve.
func newServe(p *program) *cobra.Command {
	s := &server{program: p}
	cmd := newCommand("serve", "Serve the site locally and reload it on save", s.run)
	s.add(cmd)
	s.addSnapshot(cmd)
	cmd.Flags().StringVar(&s.addr, "addr", "127.0.0.1:8080", "`address` to listen on")
	cmd.Flags().BoolVar(&s.demo, "demo", false, "invent forum and chains instead of asking the real ones")
	return cmd
}

// run serves the site until ctx ends, and builds it again after each change. The error has an exit code.
func (s *server) run(ctx context.Context, _ []string) error {
	// The address is taken first: an error about it should not come after a long build.
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.addr)
	if err != nil {
		return exit(exitUsage, fmt.Errorf("--addr: %w", err))
	}
	defer listener.Close()
	// The port is known only now: --addr may leave it open. Links of the site lead to it.
	base := "http://" + reachable(listener.Addr())
	if _, err := site.ParseBaseURL(base); err != nil {
		return exit(exitUsage, fmt.Errorf("--addr: %s: %w", base, err))
	}
	// The sidecar is one for all builds, so that its caches outlive a change of a proposal.
	local, err := startSidecar(s.demo, s.env, s.stderr)
	if err != nil {
		return err
	}
	defer local.close()
	changes, err := newWatcher(s.config, s.live)
	if err != nil {
		// Such as too many watchers on this machine. Serving is of use all the same.
		explain(s.stderr, fmt.Errorf("changes are not noticed: %w", err))
	}
	defer changes.close()
	v := &preview{server: s, base: base, sidecar: local, watcher: changes, closing: make(chan struct{})}
	if err := v.build(ctx); err != nil {
		return err
	}
	// A server that fails ends the watcher as well, and a build that runs is waited for.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		changes.run(ctx, func() { v.rebuild(ctx) })
	}()
	err = serveHTTP(ctx, listener, v)
	cancel()
	<-watched
	if err != nil {
		return exit(exitWrite, fmt.Errorf("serve %s: %w", base, err))
	}
	return nil
}

// serveHTTP prints the address and answers until ctx ends, and then finishes what is in flight.
func serveHTTP(ctx context.Context, listener net.Listener, v *preview) error {
	// Deadlines keep a page that was left open, or a client that sends nothing, from holding a connection for ever.
	srv := &http.Server{
		Handler:           guarded(listener.Addr(), v),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          log.New(v.stderr, "mipwatch: ", 0),
	}
	// A stream of events never ends by itself, and Shutdown would wait for it.
	srv.RegisterOnShutdown(func() { close(v.closing) })
	// Serve returns as soon as Shutdown begins, so that its error is read after that.
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener) }()
	fmt.Fprintf(v.stderr, "mipwatch: serving %s\n", v.base)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// Requests in flight may end, but for those that take too long.
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err := srv.Shutdown(limit)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close()
	}
	<-failed // http.ErrServerClosed
	return err
}

// reachable is an address that a browser on this machine can open: a listener on all addresses has
// none of its own.
func reachable(a net.Addr) string {
	// Other addresses are what --addr named, and are reachable as they are.
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return a.String()
	}
	return net.JoinHostPort("localhost", fmt.Sprint(tcp.Port))
}
