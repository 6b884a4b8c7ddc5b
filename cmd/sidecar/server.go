package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// Limits of the HTTP server. No answer takes longer than 8 s.
const (
	// headerTimeout bounds the header, and readTimeout the header and the body.
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = 20 * time.Second
	// idleTimeout bounds the time between two requests on a connection.
	idleTimeout = 60 * time.Second
	// maxHeader is in bytes.
	maxHeader = 16 << 10
	// shutdownTimeout bounds the requests in flight after the signal to stop.
	shutdownTimeout = 10 * time.Second
)

// Intervals at which the site is read. An address is somebody's server, and proposals change
// seldom.
const (
	folderInterval  = 2 * time.Second
	addressInterval = time.Minute
)

// server is the process: the handler, its site, and the connections.
type server struct {
	// log writes JSON lines to standard output.
	log     *slog.Logger
	handler *sidecar.Sidecar
	// metrics are counted even if no address serves them.
	metrics *metrics
	// poller passes each new catalog of the site to the handler.
	poller *catalog.Poller
	// drain is how long the server continues to answer after SIGTERM.
	drain time.Duration
	// configured describes the configuration in one line of the log.
	configured []any
}

// newServer returns a server that logs to stdout. The caller closes its handler. The errors are all
// errors of the configuration, so that an operator can fix them at once. With any there is no
// server.
func newServer(f flags, env *sidecar.Variables, stdout io.Writer) (*server, []error) {
	c, errs := sidecar.Environment(env.Lookup, stdout)
	s := &server{log: c.Log, metrics: newMetrics()}
	s.poller = &catalog.Poller{Lookup: env.Lookup, Variables: env.Names(), Log: c.Log}
	s.drain, _ = f.drainTime() // the flags were checked
	// Networks come from site.yaml, which may be missing: the published site names them as well.
	config, err := site.Load(cmp.Or(f.config, "site.yaml"))
	switch {
	case err == nil:
		s.poller.Networks = config.Networks
	case f.config != "" || !errors.Is(err, fs.ErrNotExist):
		errs = append(errs, err)
	}
	for _, n := range s.poller.Networks {
		if _, err := site.RPCAddresses(n.ID, env.Lookup); err != nil {
			errs = append(errs, err)
		}
	}
	source, err := catalog.Open(f.site, &http.Client{})
	if err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	for _, warning := range env.Misspelled() {
		c.Log.Warn(warning)
	}
	s.configured = []any{"model", c.ModelName(), "proxies", fmt.Sprint(c.Proxies),
		"rpc", rpcNames(s.poller)}
	// /healthz has the version, so that a deployment can be checked from outside.
	build := release.Current()
	c.Version, c.Revision, c.Observe = build.Version, build.Commit, s.metrics.observe
	c.Site = &s.poller.Stats
	s.handler = sidecar.New(c)
	s.poller.Source, s.poller.Sidecar = source, s.handler
	s.metrics.sidecar, s.metrics.site = s.handler, &s.poller.Stats
	return s, nil
}

// rpcNames lists the sources of the networks' RPC addresses for the log: site.yaml and variables,
// only by id and name. Others come from the site's snapshot.
func rpcNames(p *catalog.Poller) string {
	var out []string
	for _, n := range p.Networks {
		if len(n.RPC) > 0 {
			out = append(out, "site.yaml "+n.ID)
		}
	}
	for _, name := range p.Variables {
		if strings.HasPrefix(name, "RPC_") {
			out = append(out, name)
		}
	}
	return cmp.Or(strings.Join(out, ", "), "none")
}

// newHTTP returns the HTTP server of a handler. It does not listen yet.
func newHTTP(h http.Handler, l *connectionLimit, log *slog.Logger) *http.Server {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	l.protect(srv)
	return srv
}

// run listens and serves until ctx ends, and then finishes the requests in flight. The metrics are
// served until the end.
func (s *server) run(ctx context.Context, f flags) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", f.addr)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	defer listener.Close()
	// An address may contain a password, which must not be logged.
	build, where, interval := release.Current(), f.site, folderInterval
	if u, err := url.Parse(f.site); err == nil && catalog.IsAddress(f.site) {
		where, interval = u.Redacted(), addressInterval
	}
	var scraped net.Listener
	if f.metrics != "" {
		if scraped, err = config.Listen(ctx, "tcp", f.metrics); err != nil {
			return fmt.Errorf("--metrics-addr: %w", err)
		}
	}
	s.log.Info("listening", append(s.configured, "redis", s.handler.AskRedis(ctx),
		"addr", listener.Addr().String(), "version", build.Version, "revision", build.Commit,
		"site", where)...)
	if scraped != nil {
		s.log.Info("metrics", "addr", scraped.Addr().String())
		srv := newHTTP(s.metrics, newConnectionLimit(scrapersWaiting), s.log)
		defer srv.Close()
		go srv.Serve(scraped) // until Close
	}
	// The site is read while the server starts. Requests wait for it, and /readyz reports that it
	// is missing.
	polled, stop := context.WithCancel(ctx)
	var polling sync.WaitGroup
	polling.Go(func() { s.poller.Run(polled, interval) })
	err = s.serve(ctx, newHTTP(s.handler, newConnectionLimit(mostWaiting), s.log), listener)
	stop()
	polling.Wait()
	if err != nil {
		return fmt.Errorf("serve %s: %w", listener.Addr(), err)
	}
	s.log.Info("stopped")
	return nil
}

// serve serves a listener until ctx ends or the listener fails. It returns when no connection is
// left.
func (s *server) serve(ctx context.Context, srv *http.Server, listener net.Listener) error {
	failed := make(chan error, 1)
	// Serve returns as soon as the listener is closed, and Shutdown when no request is in flight.
	go func() { failed <- srv.Serve(listener) }()
	select {
	case err := <-failed:
		return errors.Join(err, srv.Close())
	case <-ctx.Done():
	}
	// A balancer notices that /readyz fails, and sends no new requests. Accept connections until
	// then.
	s.handler.Drain()
	if errors.Is(context.Cause(ctx), errTerminated) && s.drain > 0 {
		s.log.Info("draining", "for", s.drain.String())
		select {
		case err := <-failed:
			return errors.Join(err, srv.Close())
		case <-time.After(s.drain):
		}
	}
	listener.Close()
	s.log.Info("stopping")
	// ctx has ended, but the requests in flight get their time.
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	// Shutdown closes the listener too, and may return the error of closing it twice. After the
	// time limit it cuts off the remaining requests.
	if err := srv.Shutdown(limit); errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("requests were cut off", "error", err.Error())
		srv.Close()
	}
	<-failed // the listener is closed
	return nil
}
