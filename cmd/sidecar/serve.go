package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits of the server. No answer takes longer than 8 s.
const (
	headerTimeout   = 5 * time.Second
	readTimeout     = 10 * time.Second
	writeTimeout    = 20 * time.Second
	idleTimeout     = 60 * time.Second
	maxHeader       = 16 << 10 // bytes
	shutdownTimeout = 10 * time.Second
)

// newHTTP is the server of a handler, before it listens.
func newHTTP(h http.Handler, g *guard, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           g.handler(h),
		ConnState:         g.watch,
		ConnContext:       g.remember,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// run serves until ctx ends and then finishes what is in flight. The error says why it could not.
func (s *server) run(ctx context.Context, listener net.Listener) error {
	srv := newHTTP(s.handler, newGuard(waitingBound()), s.log)
	s.log.Info("listening", "addr", listener.Addr().String(), "version", version(), "site", s.site)

	following, unfollow := context.WithCancel(ctx)
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		followSite(following, s.follow, s.every)
	}()
	err := s.serve(ctx, srv, listener)
	unfollow()
	<-followed
	if err == nil {
		s.log.Info("stopped")
	}
	return err
}

// serve returns when no connection is left.
func (s *server) serve(ctx context.Context, srv *http.Server, listener net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener) }()
	select {
	case err := <-failed:
		return errors.Join(err, srv.Close())
	case <-ctx.Done():
	}
	s.handler.Drain()
	listener.Close() // from here on, connections are refused
	s.log.Info("stopping")
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	// Shutdown closes the listener too, and may say that this was done already.
	if err := srv.Shutdown(limit); errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("requests were cut off", "error", err.Error())
		srv.Close()
	}
	<-failed // that the listener is closed
	return nil
}
