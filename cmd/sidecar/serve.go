package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/mipwatch/mipwatch/internal/release"
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

// listeners are what the process listens on.
type listeners struct {
	answers net.Listener
	metrics net.Listener // nil: nobody may read them
}

// listen opens them. The error names the flag.
func listen(ctx context.Context, f flags) (l listeners, err error) {
	if l.answers, err = new(net.ListenConfig).Listen(ctx, "tcp", f.addr); err != nil {
		return l, fmt.Errorf("--addr: %w", err)
	}
	if f.metrics == "" {
		return l, nil
	}
	if l.metrics, err = new(net.ListenConfig).Listen(ctx, "tcp", f.metrics); err != nil {
		l.answers.Close()
		return l, fmt.Errorf("--metrics-addr: %w", err)
	}
	return l, nil
}

// run serves until ctx ends and then finishes what is in flight. The error says why it could not.
func (s *server) run(ctx context.Context, l listeners) error {
	srv := newHTTP(s.handler, newGuard(waitingBound()), s.log)
	build := release.Current()
	s.log.Info("listening", "addr", l.answers.Addr().String(), "version", build.Version, "revision", build.Commit, "site", s.site)
	if l.metrics != nil {
		// To the end, so that what happens while the process stops can be read as well.
		defer s.serveMetrics(l.metrics)()
	}

	following, unfollow := context.WithCancel(ctx)
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		followSite(following, s.follow, s.every)
	}()
	err := s.serve(ctx, srv, l.answers)
	unfollow()
	<-followed
	if err == nil {
		s.log.Info("stopped")
	}
	return err
}

// serveMetrics answers on a listener until end is called.
func (s *server) serveMetrics(l net.Listener) (end func()) {
	srv := newHTTP(s.metrics(), newGuard(scrapersWaiting), s.log)
	s.log.Info("metrics", "addr", l.Addr().String())
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("no metrics any more", "error", err.Error())
		}
	}()
	return func() {
		srv.Close()
		<-served
	}
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
