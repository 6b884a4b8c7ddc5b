package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/index"
)

// The limits of the HTTP server. No answer takes longer than 8 s.
const (
	headerTimeout   = 5 * time.Second
	readTimeout     = 10 * time.Second
	writeTimeout    = 20 * time.Second
	idleTimeout     = 60 * time.Second
	maxHeader       = 16 << 10 // bytes
	shutdownTimeout = 10 * time.Second
)

// The intervals at which the site is read. An address is a server of somebody, and proposals change seldom.
const (
	folderInterval  = 2 * time.Second
	addressInterval = time.Minute
)

// server is the process: the handler, its site, and the connections.
type server struct {
	log *slog.Logger
	// site is --site for the log, without a password.
	site    string
	handler *sidecar.Sidecar
	poller  *index.Poller
	// every is the interval between two readings of the site.
	every time.Duration
	// client asks the site for its documents.
	client *http.Client
}

// newServer returns a server that the caller closes. The errors are all that is wrong with the configuration, errs
// included, and there is no server then.
func newServer(f flags, env sidecar.Environment, errs []error, log *slog.Logger) (*server, []error) {
	s := &server{log: log, site: f.site, every: folderInterval}
	s.client = &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}}
	// All that is wrong is found before the process ends, so that an operator mends it at once.
	networks, err := readNetworks(f)
	if err != nil {
		errs = append(errs, err)
	}
	for _, n := range networks {
		if _, err := site.RPCAddresses(n.ID, env.Lookup); err != nil {
			errs = append(errs, err)
		}
	}
	source, err := index.Open(f.site, s.client)
	if err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	// The address may have a password, which is for no log.
	if index.IsAddress(f.site) {
		s.every = addressInterval
		if u, err := url.Parse(f.site); err == nil {
			s.site = u.Redacted()
		}
	}
	config, build := env.Config(log), release.Current()
	config.Version, config.Revision = build.Version, build.Commit
	s.handler = sidecar.New(config)
	s.poller = &index.Poller{Load: source.Load, Update: s.handler.Update, Lookup: env.Lookup, Networks: networks, Log: log}
	return s, nil
}

// readNetworks reads the networks of site.yaml, which may be missing unless it was named.
func readNetworks(f flags) ([]mip.Endpoints, error) {
	config, err := site.Load(f.config)
	if errors.Is(err, fs.ErrNotExist) && !f.named {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return config.Networks, nil
}

// close ends every fetch.
func (s *server) close() {
	if err := s.handler.Close(); err != nil {
		s.log.Warn("close", "error", err.Error())
	}
	s.client.CloseIdleConnections()
}

// newHTTP returns the HTTP server of a handler, which does not listen yet.
func newHTTP(h http.Handler, g *guard, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           g.handler(h),
		ConnState:         g.connState,
		ConnContext:       g.connContext,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// listeners are the addresses of the process.
type listeners struct {
	answers net.Listener
	// metrics is nil without --metrics-addr.
	metrics net.Listener
}

// listen opens the listeners. The error names the flag.
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

// run serves until ctx ends, and then finishes the requests in flight. The metrics are served to the very end.
func (s *server) run(ctx context.Context, l listeners) error {
	build := release.Current()
	s.log.Info("listening", "addr", l.answers.Addr().String(), "version", build.Version, "revision", build.Commit, "site", s.site)
	var metrics, polling sync.WaitGroup
	defer metrics.Wait()
	if l.metrics != nil {
		srv := newHTTP(s.metrics(), newGuard(scrapersWaiting), s.log)
		s.log.Info("metrics", "addr", l.metrics.Addr().String())
		metrics.Go(func() {
			if err := srv.Serve(l.metrics); !errors.Is(err, http.ErrServerClosed) {
				s.log.Error("no metrics any more", "error", err.Error())
			}
		})
		defer srv.Close()
	}
	// The site is read while the server starts. Requests meanwhile wait for it, and /readyz says that it is not there.
	pollCtx, stop := context.WithCancel(ctx)
	polling.Go(func() { s.poller.Run(pollCtx, s.every) })
	err := s.serve(ctx, newHTTP(s.handler, newGuard(waitingBound()), s.log), l.answers)
	stop()
	polling.Wait()
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
	// A balancer sees that /readyz fails, or that connections are refused, and goes elsewhere.
	s.handler.Drain()
	listener.Close()
	s.log.Info("stopping")
	// ctx has ended, and the requests in flight get their time all the same.
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	// Shutdown closes the listener too, and may return the error of closing it twice.
	if err := srv.Shutdown(limit); errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("requests were cut off", "error", err.Error())
		srv.Close()
	}
	<-failed // the listener is closed
	return nil
}
